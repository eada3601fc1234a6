"""Columns of every kind, in tables of every library."""

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from raising import raises
from shoal.errors import ColumnError, InputError
from shoal.frame.codes import codes
from shoal.frame.columns import kind_of, read_column, read_concatenated
from shoal.frame.replacement import RowGather, with_values
from shoal.frame.tables import open_frame, to_native
from shoal.frame.types import as_types

DAY, NOON = dt.date(2020, 5, 1), dt.datetime(2020, 5, 1, 12)
WITH_ZONE = NOON.replace(tzinfo=dt.UTC)

VALUES = {
    "numeric": [3, 1.5, None, 1.5],
    "nominal": ["b", "a", None, "a"],
    "boolean": [True, False, None, False],
    "dates": [DAY, DAY - dt.timedelta(9), None, DAY - dt.timedelta(9)],
    "datetimes": [NOON, NOON - dt.timedelta(9), None, NOON - dt.timedelta(9)],
    "with zone": [WITH_ZONE, WITH_ZONE - dt.timedelta(9), None, WITH_ZONE - dt.timedelta(9)],
    "times": [dt.time(9), dt.time(8, 30), None, dt.time(8, 30)],
    "durations": [dt.timedelta(9), dt.timedelta(1), None, dt.timedelta(1)],
}
KIND = {name: name if name in ("numeric", "nominal", "boolean") else "date" for name in VALUES}

DAYS_APART = {"dates": 9, "datetimes": 9, "with zone": 9, "times": 1 / 48, "durations": 8}  # days

MAKERS = {
    "pandas": lambda values: pd.DataFrame({"x": values}),
    "pandas objects": lambda values: pd.DataFrame({"x": pd.Series(values, dtype=object)}),
    "pandas nullable": lambda values: pd.DataFrame({"x": values}).convert_dtypes(),
    "pandas arrow": lambda values: pa.table({"x": values}).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda values: pl.DataFrame({"x": values}, strict=False),
    "pyarrow": lambda values: pa.table({"x": values}),
}


def values_of(data):
    """Return the values of a column, with None for missing ones."""
    values = data["x"].to_pylist() if isinstance(data, pa.Table) else data["x"].to_list()
    return [
        None if value is None or value is pd.NA or value != value else value for value in values
    ]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("name", VALUES)
def test_every_kind_is_recognised_in_every_library_and_keeps_its_type(name, make):
    data = make(VALUES[name])
    frame = open_frame(data)
    if name == "numeric" and make is MAKERS["pandas objects"]:
        with raises(ColumnError, "no-distance"):
            read_column(frame, "x")
        return
    column = read_column(frame, "x")
    assert column.kind == kind_of(frame, "x") == KIND[name]
    assert column.is_missing.tolist() == [False, False, True, False]
    if name == "numeric":
        return
    assert column.codes.tolist() == [1, 0, -1, 0]
    assert column.values[[0, 1]].tolist() == pytest.approx([DAYS_APART.get(name, 1), 0])
    gathered = with_values(
        frame, {"x": RowGather(np.array([1, 1, 0, 0]), np.array([0, 1, 0, 0], bool))}
    )
    released = to_native(gathered)
    assert values_of(released) == [values_of(data)[1], None, values_of(data)[0], values_of(data)[0]]
    assert open_frame(released)["x"].dtype == frame["x"].dtype


def test_ordered_categories_keep_their_order():
    values, order = ["b", "a", None, "c"], ["c", "b", "a"]
    tables = [
        pd.DataFrame({"x": pd.Categorical(values, order, ordered=True)}),
        pl.DataFrame({"x": pl.Series(values, dtype=pl.Enum(order))}),
        pa.table(
            {"x": pa.DictionaryArray.from_arrays(pa.array([1, 2, None, 0]), order, ordered=True)}
        ),
    ]
    for data in tables:
        column = read_column(open_frame(data), "x")
        assert column.kind == "ordinal"
        assert column.codes.tolist() == [1, 2, -1, 0]
        doubled = read_concatenated([open_frame(data), open_frame(data)], "x")
        assert doubled.codes.tolist() == [1, 2, -1, 0] * 2


def test_categories_without_an_order_are_nominal_even_if_they_are_numbers():
    data = pd.DataFrame({"x": pd.Categorical([30, 4, 4, 30])})
    assert read_column(open_frame(data), "x").kind == "nominal"


def test_numpy_types_without_a_missing_value_become_nullable():
    for values, kind in (([True, False], "boolean"), ([1, 2], "Int64")):
        frame = open_frame(pd.DataFrame({"x": values}))
        gathered = with_values(frame, {"x": RowGather(np.array([0, 1]), np.array([False, True]))})
        assert str(to_native(gathered)["x"].dtype) == kind


def test_dates_a_nanosecond_apart_are_distinct():
    data = pd.DataFrame({"x": pd.to_datetime([10**18, 10**18 + 1, 10**18], unit="ns")})
    assert read_column(open_frame(data), "x").codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["2020-01-01", "2020-01-03"], [0, 2]),
        (["2020-01-01T12:00", "2020-01-02 00:00:00"], [0, 0.5]),
        (["2020-01-01T12:00Z", "2020-01-01T12:00+06:00"], [0.25, 0]),
        (["06:00", "18:00:00"], [0, 0.5]),
    ],
)
def test_iso_text_that_is_declared_as_dates_is_parsed(texts, days):
    frame = open_frame(pd.DataFrame({"x": [*texts, None]}))
    column = read_column(frame, "x", as_types({"x": "date"})["x"])
    assert column.values[:2].tolist() == days
    assert column.is_missing[2]


def refusal(values, declared=None):
    """Return the code and the count of the error for a column, which must not show a value."""
    types = as_types({} if declared is None else {"x": declared})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError) as caught:
            read_column(open_frame(pd.DataFrame({"x": values})), "x", types.get("x"))
    error = caught.value
    assert error.column == "x"
    assert "'x'" in str(error)
    assert not any(str(value) in str(error) for value in values if isinstance(value, str))
    return error.code, getattr(error, "count", None)


def test_values_that_contradict_the_type_are_refused_and_not_quoted():
    order = {"kind": "ordinal", "order": ["low", "high"]}
    assert refusal(["low", "odd", "odd"], order) == ("value-outside-type", 2)
    tree = {"kind": "nominal", "hierarchy": [["Porto", "north"]]}
    assert refusal(["Porto", "Faro"], tree) == ("value-outside-type", 1)
    table = {"kind": "nominal", "distances": [["QQ", "ZZ", 1], ["ZZ", "XX", 1]]}
    assert refusal(["QQ", "ZZ", "XX"], table) == ("distances-incomplete", 1)
    assert refusal(["QQ", "ZZ"], "ordinal")[0] == "order-unknown"
    assert refusal(["2020-01-01", "01/02/2020", "zzz"], "date") == ("not-a-date", 2)
    assert refusal(["2020-01-01T00:00", "2020-01-01T00:00Z"], "date") == ("zones-differ", None)
    assert refusal([1, 2], "date")[0] == "not-a-date"
    assert refusal(["QQ", "ZZ", "XX"] * 2, "boolean") == ("not-boolean", 3)
    assert refusal(["10", "zz"], "numeric") == ("text-among-numbers", 1)


def test_text_that_looks_like_another_kind_must_be_declared():
    assert refusal(["10", None, "zz"], "numeric") == ("text-among-numbers", 1)
    assert refusal(["10", "2,5", "zz", "yy"]) == ("text-disguises-values", 2)
    assert refusal(["2020-01-01", "zz", "yy", "zz"]) == ("text-disguises-values", 1)
    assert refusal(["QQ", "ZZ", "XX", "YY"]) == ("text-names-records", 4)


def test_too_many_declared_distances_are_refused():
    towns = [f"town {i}" for i in range(501)]
    rows = [(towns[0], town, 1.0) for town in towns[1:]]
    types = as_types({"x": {"kind": "nominal", "distances": rows}})
    with raises(InputError, "too-many-categories", column="x", count=501):
        read_column(open_frame(pd.DataFrame({"x": towns})), "x", types["x"])


def test_values_without_a_distance_are_refused():
    assert refusal([[1.5], [2.5]])[0] == "no-distance"
    assert refusal([[1], [2]])[0] == "no-distance"
    with raises(ColumnError, "mixed-values", column="x"):
        read_column(open_frame(pd.DataFrame({"x": [1, "a"]})), "x")


def test_numbers_may_be_declared_nominal_or_ordinal():
    frame = open_frame(pd.DataFrame({"x": [30, 4, None, 4]}))
    assert read_column(frame, "x", as_types({"x": "ordinal"})["x"]).values.tolist()[:2] == [1, 0]
    nominal = read_column(frame, "x", as_types({"x": "nominal"})["x"])
    assert (nominal.kind, nominal.codes.tolist()) == ("nominal", [0, 1, -1, 1])
    declared = as_types({"x": {"kind": "ordinal", "order": [30, 4]}})["x"]
    assert read_column(frame, "x", declared).codes.tolist() == [0, 1, -1, 1]


def test_values_of_two_tables_have_the_same_codes():
    first, second = (open_frame(pd.DataFrame({"x": x})) for x in (["a", "a", "b", "b"], [*"bbcc"]))
    assert read_concatenated([first, second], "x").codes.tolist() == [0, 0, 1, 1, 1, 1, 2, 2]
    numbers = open_frame(pd.DataFrame({"x": [1, 2, 3, 4]}))
    with raises(ColumnError, "kinds-differ", kinds=("nominal", "numeric")):
        read_concatenated([first, numbers], "x")


def test_nan_is_missing_also_in_polars():
    frame = open_frame(pl.DataFrame({"x": [1.0, float("nan"), None, 2.0]}))
    assert read_column(frame, "x").is_missing.tolist() == [False, True, True, False]
    assert codes(frame, ["x"])[0, 0] != codes(frame, ["x"])[3, 0]


def test_unused_categories_are_not_released():
    values = ["rare", "b", "b", "c"]
    gathered = RowGather(np.array([1, 1, 2, 3]), np.array([False, False, False, True]))
    for data in (
        pd.DataFrame({"x": pd.Categorical(values)}),
        pa.table({"x": pa.array(values).dictionary_encode()}),
    ):
        frame = open_frame(data)
        for is_missing in (gathered.is_missing, np.zeros(4, bool)):
            released = to_native(with_values(frame, {"x": RowGather(gathered.records, is_missing)}))
            assert values_of(released)[:3] == ["b", "b", "b"]
            assert "rare" not in str(pa.table(released)["x"].chunk(0).dictionary.to_pylist())
            assert open_frame(released)["x"].dtype == frame["x"].dtype
    book = pd.DataFrame({"x": pd.Categorical(["b", "b"], ["b", "c"], ordered=True)})
    masked = with_values(open_frame(book), {"x": RowGather(np.array([0, 0]), np.zeros(2, bool))})
    assert to_native(masked)["x"].dtype == pd.CategoricalDtype(["b"], ordered=True)
    assert to_native(open_frame(book))["x"].dtype == book["x"].dtype  # unchanged: a code book
