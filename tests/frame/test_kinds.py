"""The kind of a column, decided by its type, labels, level of measurement, name and values."""

from types import SimpleNamespace

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from raising import raises
from shoal.cli.parsing.column_options import parse_missing_codes
from shoal.errors import ParameterError
from shoal.frame.inference.kinds import decide_kind
from shoal.frame.inference.sentinels import is_sentinel
from shoal.frame.inference.value_labels import decide_by_labels, is_missing_label
from shoal.frame.missing_codes import as_missing_codes, without_codes
from shoal.frame.tables import open_frame


def decide(values, labels=None, measure=None, name="x"):
    """Return the kind of a column, whether it was inferred, and its missing codes."""
    metadata = SimpleNamespace(value_labels=labels or {}, measure=measure)
    array = values if isinstance(values, pa.Array) else pa.array(values)
    decision = decide_kind(name, array, metadata)
    return decision.kind, decision.inferred, decision.missing_codes


def test_labelled_codes_are_nominal_whatever_the_declared_measure():
    labels = {1.0: "Left", 2.0: "Right", 3.0: "Neither"}
    for measure in (None, "nominal", "scale"):
        assert decide([1.0, 2.0, None, 3.0], labels, measure) == ("nominal", True, ())


def test_labelled_codes_are_ordinal_where_declared_but_not_against_the_name():
    labels = {1: "hispanic", 2: "asian", 3: "african", 4: "white"}
    assert decide([1, 2, 3, 4], labels, "ordinal", "programme") == ("ordinal", True, ())
    assert decide([1, 2, 3, 4], labels, "ordinal", "race") == ("nominal", True, ())


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["low", "middle", "high"], ()),
        (["1. Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree"], ()),
        (["under 15", "15-64 years", "65 and over"], ()),
        (["high", "low", "medium"], ("2", "3", "1")),
        (["always", "sometimes", "never"], ("3", "2", "1")),
    ],
)
def test_labels_that_form_a_scale_give_the_order(labels, order):
    kind = decide_by_labels("x", dict(enumerate(labels, 1)), [1, 2, 3], None)
    assert (kind.type.kind, kind.type.order) == ("ordinal", order)


def test_labels_without_a_scale_give_no_order():
    for labels in (["red", "green", "blue"], ["2nd", "1st", "crew"], ["yes", "no"]):
        kind = decide_by_labels("x", dict(enumerate(labels, 1)), [1, 2], None)
        assert kind.type.kind == "nominal"


def test_labelled_extremes_of_numbers_are_missing_codes():
    incomes = [0, 1200, 1900, 2300, 98, 9999, -9]
    assert decide(incomes, {9999: "No answer", -9: "Refused"}) == ("numeric", False, ("9999", "-9"))
    # Without a word that says so, only conventional codes beyond the other values count.
    assert decide([10, 20, 30, 99], {99: "Blank form"}) == ("numeric", False, ("99",))
    assert decide([10, 20, 30, 95], {95: "95 or older"}) == ("numeric", False, ())
    assert decide([10, 20, 30, 40, 0], {0: "None"}) == ("numeric", False, ())


def test_missing_codes_of_a_scale_are_not_its_largest_value():
    labels = {1: "low", 2: "medium", 3: "high", 98: "Don't know"}
    assert decide([1, 3, 98], labels) == ("ordinal", True, ("98",))
    assert decide([1, 2, 7, 9], {1: "worst", 7: "best", 9: "no answer"}) == (
        "ordinal",
        True,
        ("9",),
    )


def test_the_declared_measure_decides_without_labels():
    assert decide([1, 2, 3], measure="nominal") == ("nominal", True, ())
    assert decide([1.0, 2.0, 3.0], measure="ordinal") == ("ordinal", True, ())
    assert decide([1.5, 2.0, 3.0], measure="nominal") == ("numeric", False, ())
    assert decide([1, 2, 3], measure="scale") == ("numeric", False, ())


def test_letters_label_missing_codes_and_not_values():
    assert decide([1, 2, 3], {"a": "refused", "b": "lost"}) == ("numeric", False, ())
    assert decide(["a", "b"], {"a": "one", "b": "two"}) == ("nominal", False, ())


def test_types_of_the_table_decide_first():
    ordered = pd.Series(pd.Categorical([1, 2], ordered=True)).to_frame("x")
    enum = pl.DataFrame({"x": pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"]))})
    for data in (ordered, enum):
        array = open_frame(data)["x"].to_arrow()
        assert decide_kind("x", array).inferred is False
    assert decide(pa.array(["a", "b"]).dictionary_encode()) == ("nominal", False, ())
    assert decide([True, False]) == ("boolean", False, ())
    assert decide([1.5, 2.5]) == ("numeric", False, ())


def test_words_for_missing_values_are_recognised():
    for label in ("Don't know", "Not applicable", "REFUSED", "Keine Angabe", "Prefer not to say"):
        assert is_missing_label(label)
    for label in ("No", "None", "Never", "Other", "North America", "Know well"):
        assert not is_missing_label(label)
    assert all(map(is_sentinel, (-1, -9, 77, 88, 98, 99.0, 999, 7777, "9999")))
    assert not any(map(is_sentinel, (7, 9, 12, 90, 100, 2019, 78, 9.5)))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_missing_codes_become_null(make):
    frame = open_frame(
        make({"a": [1, 98, 3, 99], "b": ["x", "NA", "y", "z"], "c": [1.0, 2, 3, 98]})
    )
    masked = without_codes(frame, as_missing_codes({"a": [98, 99.0], "b": "NA"}))
    assert [pd.isna(value) for value in masked["a"].to_list()] == [False, True, False, True]
    assert [pd.isna(value) for value in masked["b"].to_list()] == [False, True, False, False]
    assert masked["c"].to_list() == [1.0, 2, 3, 98]


def test_missing_codes_are_lists_of_values():
    assert parse_missing_codes(["a=b=97,98"]) == {"a=b": ["97", "98"]}
    for wrong in ([1], {"a": []}, {"a": [None]}):
        with raises(ParameterError, code="missing-codes-malformed"):
            as_missing_codes(wrong)
    for wrong in ("a", "=98", "a="):
        with raises(ParameterError, code="missing-codes-malformed"):
            parse_missing_codes([wrong])


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("area_code", [201, 212, 718], "nominal"),
        ("area_code", [201, 212, 7180], "numeric"),
        ("codes", [1, 2, 3], "numeric"),
        ("income", [201, 212, 718], "numeric"),
        ("nace", [1, 20, 300], "nominal"),
    ],
)
def test_digits_of_one_length_are_codes_if_the_name_suggests_it(name, values, kind):
    decision = decide_kind(name, pa.array(values))
    assert (decision.kind, decision.inferred) == (kind, kind == "nominal")
