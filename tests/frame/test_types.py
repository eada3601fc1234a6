"""Declared types of columns, in every interface."""

import pytest

from raising import raises
from shoal.cli.parsing.column_options import parse_type_options
from shoal.errors import FileError, ParameterError, PlanError
from shoal.frame.notation.texts import text_of
from shoal.frame.types import KINDS, Type, as_types
from shoal.plan import Plan


def test_a_kind_suffices_as_a_type():
    assert as_types({"a": "nominal", "b": {"kind": "date"}}) == {
        "a": Type("nominal"),
        "b": Type("date"),
    }
    assert as_types(None) == {}


def test_values_are_compared_as_text_so_that_numbers_and_text_agree():
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
        {"kind": "ordinal", "order": ["a", "b"], "hierarchy": [["a", "x"], ["b", "x"]]},
        {"kind": "date", "periods": ["month", "year"]},
        {"kind": "numeric", "intervals": [5, 10]},
    ],
)
def test_a_type_is_unchanged_by_writing_and_reading_it(entry):
    declared = as_types({"c": entry})["c"]
    assert declared.to_entry() == entry
    assert as_types({"c": declared.to_entry()})["c"] == declared


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_hierarchies_and_distances_may_be_read_from_files(tmp_path, separator):
    (tmp_path / "towns.csv").write_text("\ufeffPorto,north\nFaro,south\n".replace(",", separator))
    (tmp_path / "far.csv").write_text("a,b,2\n".replace(",", separator))
    types = as_types(
        parse_type_options(["town=hierarchy:towns.csv", "point=distances:far.csv"]), tmp_path
    )
    assert types["town"].hierarchy == (("Porto", "north"), ("Faro", "south"))
    assert types["point"].distances == (("a", "b", "2"),)
    with raises(FileError, "file-unreadable"):
        as_types({"a": {"kind": "nominal", "hierarchy": "none.csv"}}, tmp_path)


INVALID = [
    ("kindly", "unknown-kind"),
    ("nominl", "unknown-kind"),
    ({"order": ["a"]}, "kind-missing"),
    (3, "kind-missing"),
    ({"kind": "ordinal", "ordre": []}, "unknown-key"),
    ({"kind": "ordinal", "order": "abc"}, "order-not-a-list"),
    ({"kind": "ordinal", "order": ["a", "b", "a"]}, "value-twice"),
    ({"kind": "nominal", "order": ["a", "b"]}, "key-of-another-kind"),
    ({"kind": "boolean", "hierarchy": [["a", "b"]]}, "key-of-another-kind"),
    ({"kind": "numeric", "periods": ["year"]}, "key-of-another-kind"),
    ({"kind": "date", "periods": ["year", "month"]}, "periods-unknown"),
    ({"kind": "date", "periods": ["week"]}, "periods-unknown"),
    ({"kind": "nominal", "hierarchy": [["a"]]}, "hierarchy-without-parents"),
    ({"kind": "nominal", "hierarchy": ["ab"]}, "rows-not-a-list"),
    ({"kind": "nominal", "hierarchy": [["a", "x"], ["b", "x", "y"]]}, "hierarchy-uneven"),
    ({"kind": "nominal", "hierarchy": [["a", "x", "1"], ["b", "x", "2"]]}, "hierarchy-no-tree"),
    ({"kind": "nominal", "hierarchy": [["a", "x"], ["a", "y"]]}, "value-twice"),
    (
        {"kind": "nominal", "hierarchy": [["a", "x"]], "distances": [["a", "b", 1]]},
        "hierarchy-and-distances",
    ),
    ({"kind": "nominal", "distances": [["a", "b"]]}, "distances-malformed"),
    ({"kind": "nominal", "distances": [["a", "b", "far"]]}, "distances-malformed"),
    ({"kind": "nominal", "distances": [["a", "b", 0]]}, "distances-not-positive"),
    ({"kind": "nominal", "distances": [["a", "a", 1]]}, "distances-not-positive"),
    ({"kind": "nominal", "distances": [["a", "b", -1]]}, "distances-not-positive"),
    ({"kind": "nominal", "distances": [["a", "b", "nan"]]}, "distances-not-positive"),
    ({"kind": "nominal", "distances": [["a", "b", 1], ["b", "a", 2]]}, "distances-contradict"),
]


@pytest.mark.parametrize(("entry", "code"), INVALID, ids=[code for _, code in INVALID])
def test_types_that_contradict_themselves_are_refused(entry, code):
    with raises(ParameterError, code):
        as_types({"c": entry})


@pytest.mark.parametrize("text", ["a", "a=", "a=ordinal:", "=", "nominal"])
def test_malformed_type_options_are_refused(text):
    with raises(ParameterError, "type-not-a-pair"):
        parse_type_options([text])


def test_a_column_has_one_type():
    with raises(ParameterError, "type-twice", column="a"):
        parse_type_options(["a=nominal", "a=date"])
    with raises(ParameterError, "types-no-mapping"):
        as_types(["a"])


@pytest.fixture
def plan_folder(tmp_path):
    """Return the folder of a plan, with files in it, a file outside it, and links to both."""
    (tmp_path / "payroll.csv").write_text("Alice,90000\nBob,80000\n")
    folder = tmp_path / "plans"
    (folder / "below").mkdir(parents=True)
    (folder / "towns.csv").write_text("Porto,north\nFaro,south\n")
    (folder / "below" / "towns.csv").write_text("Porto,north\nFaro,south\n")
    (folder / "link.csv").symlink_to(tmp_path / "payroll.csv")
    (folder / "up").symlink_to(tmp_path)
    (folder / "round.csv").symlink_to(folder / "round.csv")
    (folder / "near.csv").symlink_to(folder / "towns.csv")
    return folder


def declared_in(folder, name, key="hierarchy"):
    entries = {"version": 1, "roles": {"town": "quasi-identifier"}, "steps": [
        {"method": "microaggregate", "columns": ["town"], "partition": {"method": "mdav", "k": 2}}
    ]}  # fmt: skip
    entries["types"] = {"town": {"kind": "nominal", key: name}}
    return Plan.from_dict(entries, folder).types["town"].hierarchy


@pytest.mark.parametrize("name", ["towns.csv", "below/towns.csv", "near.csv", "./towns.csv"])
def test_a_plan_reads_files_of_its_own_folder(plan_folder, name):
    assert declared_in(plan_folder, name) == (("Porto", "north"), ("Faro", "south"))


@pytest.mark.parametrize("key", ["hierarchy", "distances"])
@pytest.mark.parametrize(
    "name",
    ["../payroll.csv", "below/../../payroll.csv", "{above}/payroll.csv", "link.csv",
     "up/payroll.csv", "round.csv", "a\0b", "below", "/dev/zero", "x" * 5000, "below/../towns.csv"],
)  # fmt: skip
def test_a_plan_reads_no_file_outside_its_folder(plan_folder, name, key):
    with pytest.raises(FileError) as caught:
        declared_in(plan_folder, name.format(above=plan_folder.parent), key)
    assert "Alice" not in str(caught.value)


def test_the_folder_of_a_plan_may_be_a_link(plan_folder, tmp_path):
    (tmp_path / "other").symlink_to(plan_folder)
    assert declared_in(tmp_path / "other", "towns.csv")


def test_a_plan_without_a_folder_must_not_name_a_file(plan_folder, monkeypatch):
    monkeypatch.chdir(plan_folder)
    assert declared_in("", "towns.csv")
    with raises(PlanError, "plan-names-file"):
        declared_in(None, "towns.csv")
    assert declared_in(None, [["Porto", "north"]])


def test_the_user_may_name_any_file(plan_folder):
    given = parse_type_options([f"town=hierarchy:{plan_folder.parent / 'payroll.csv'}"])
    assert as_types(given)["town"].hierarchy[0] == ("Alice", "90000")
