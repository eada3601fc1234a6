"""What columns are declared to be, by every door."""

import pytest

from shoal.errors import FileError, ParameterError
from shoal.frame.types import KINDS, Type, as_types, from_text, text_of


def test_a_kind_may_stand_alone():
    assert as_types({"a": "nominal", "b": {"kind": "date"}}) == {
        "a": Type("nominal"),
        "b": Type("date"),
    }
    assert as_types(None) == {}


def test_values_are_named_by_their_text_so_that_numbers_and_text_agree():
    one = as_types({"a": {"kind": "ordinal", "order": [1, 2.0, "3"]}})
    assert one["a"].order == ("1", "2", "3")
    assert text_of(False) == "false"


@pytest.mark.parametrize(
    "entry",
    [
        *KINDS,
        {"kind": "ordinal", "order": ["low", "high"]},
        {"kind": "nominal", "hierarchy": [["a", "x"], ["b", "x"]]},
        {"kind": "nominal", "distances": [["a", "b", "1.5"]]},
    ],
)
def test_a_type_survives_its_document(entry):
    declared = as_types({"c": entry})["c"]
    assert declared.to_entry() == entry
    assert as_types({"c": declared.to_entry()})["c"] == declared


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_hierarchies_and_distances_may_lie_in_files(tmp_path, mark):
    (tmp_path / "towns.csv").write_text("\ufeffPorto,north\nFaro,south\n".replace(",", mark))
    (tmp_path / "far.csv").write_text("a,b,2\n".replace(",", mark))
    found = as_types(from_text(["town=hierarchy:towns.csv", "point=distances:far.csv"]), tmp_path)
    assert found["town"].hierarchy == (("Porto", "north"), ("Faro", "south"))
    assert found["point"].distances == (("a", "b", "2"),)
    with pytest.raises(FileError, match="could not be read"):
        as_types({"a": {"kind": "nominal", "hierarchy": "none.csv"}}, tmp_path)


BAD = [
    ("kindly", "unknown kind 'kindly'"),
    ("nominl", "Did you mean 'nominal'"),
    ({"order": ["a"]}, "needs a kind"),
    (3, "needs a kind"),
    ({"kind": "ordinal", "ordre": []}, "Did you mean 'order'"),
    ({"kind": "ordinal", "order": "abc"}, "a list of values"),
    ({"kind": "ordinal", "order": ["a", "b", "a"]}, "twice"),
    ({"kind": "nominal", "order": ["a", "b"]}, "belongs to the kind 'ordinal'"),
    ({"kind": "numeric", "hierarchy": [["a", "b"]]}, "belongs to the kind 'nominal'"),
    ({"kind": "nominal", "hierarchy": [["a"]]}, "names no parents"),
    ({"kind": "nominal", "hierarchy": ["ab"]}, "a list of rows"),
    ({"kind": "nominal", "hierarchy": [["a", "x"], ["b", "x", "y"]]}, "several lengths"),
    ({"kind": "nominal", "hierarchy": [["a", "x", "1"], ["b", "x", "2"]]}, "no tree"),
    ({"kind": "nominal", "hierarchy": [["a", "x"], ["a", "y"]]}, "twice"),
    ({"kind": "nominal", "hierarchy": [["a", "x"]], "distances": [["a", "b", 1]]}, "Choose one"),
    ({"kind": "nominal", "distances": [["a", "b"]]}, "two values and a number"),
    ({"kind": "nominal", "distances": [["a", "b", "far"]]}, "two values and a number"),
    ({"kind": "nominal", "distances": [["a", "b", 0]]}, "above 0"),
    ({"kind": "nominal", "distances": [["a", "a", 1]]}, "above 0"),
    ({"kind": "nominal", "distances": [["a", "b", -1]]}, "above 0"),
    ({"kind": "nominal", "distances": [["a", "b", "nan"]]}, "above 0"),
    ({"kind": "nominal", "distances": [["a", "b", 1], ["b", "a", 2]]}, "differ"),
]


@pytest.mark.parametrize(("entry", "message"), BAD, ids=[message for _, message in BAD])
def test_types_that_contradict_themselves_are_refused(entry, message):
    with pytest.raises(ParameterError, match=message):
        as_types({"c": entry})


@pytest.mark.parametrize("text", ["a", "a=", "a=ordinal:", "=", "nominal"])
def test_what_the_command_line_cannot_read_is_said(text):
    with pytest.raises(ParameterError, match="--type takes"):
        from_text([text])


def test_a_column_has_one_type():
    with pytest.raises(ParameterError, match="twice for column 'a'"):
        from_text(["a=nominal", "a=date"])
    with pytest.raises(ParameterError, match="must be a table"):
        as_types(["a"])
