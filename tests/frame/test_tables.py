"""Tables of every library: matrices, codes, comparison and new values."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from raising import raises
from shoal.errors import ColumnError, InputError
from shoal.frame import tables
from shoal.frame.codes import codes, keys, value_ranks
from shoal.frame.comparison import column_differs, same_values
from shoal.frame.description.summaries import finite_values
from shoal.frame.replacement import RowGather, with_values

LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
every_library = pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES)


def matrix(data, columns):
    return tables.matrix(tables.open_frame(data), columns)


@every_library
def test_columns_become_a_matrix(make):
    X = matrix(make({"a": [1, 2], "t": ["x", "y"], "b": [0.5, 1.5]}), ["b", "a"])
    assert X.tolist() == [[0.5, 1.0], [1.5, 2.0]]
    assert X.dtype == np.float64
    assert X.flags.c_contiguous


@every_library
def test_missing_values_are_counted_and_refused(make):
    data = make({"a": [1.0, None, None], "b": [1, 2, 3], "c": [None, 0.5, 1.5]})
    with raises(InputError, "missing-values", column="a", count=2):
        matrix(data, ["a", "b", "c"])


def test_nan_is_missing_too():
    for data in (
        pl.DataFrame({"a": [1.0, float("nan"), None]}),
        pa.table({"a": [1.0, float("nan"), None]}),
    ):
        with raises(InputError, "missing-values", column="a", count=2):
            matrix(data, ["a"])
    nullable = pd.DataFrame({"a": pd.array([1, None], dtype="Int64")})
    with raises(InputError, "missing-values", column="a", count=1):
        matrix(nullable, ["a"])


@every_library
def test_infinities_are_refused(make):
    with raises(InputError, "infinite-values", column="a", count=1):
        matrix(make({"a": [1.0, float("inf")]}), ["a"])


@every_library
@pytest.mark.parametrize(
    ("values", "code"), [(["x", "y"], "text-among-numbers"), ([True, False], "no-numbers")]
)
def test_non_numeric_columns_are_refused(make, values, code):
    with raises(ColumnError, code, column="t"):
        matrix(make({"t": values}), ["t"])


@every_library
def test_an_unknown_column_is_refused_with_a_suggestion(make):
    with raises(ColumnError, "no-such-column", column="z") as caught:
        matrix(make({"age": [1], "size": [2]}), ["z"])
    assert str(caught.value).startswith("The data")
    with raises(ColumnError, "no-such-column", column="sise") as caught:
        matrix(make({"age": [1], "size": [2]}), ["sise"])
    assert "Did you mean 'size'?" in str(caught.value)


def test_two_columns_of_one_name_are_refused():
    with raises(ColumnError, "name-twice", column="a"):
        tables.open_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with raises(ColumnError, "name-twice", column="a"):
        tables.open_frame(pa.table([[1], [2]], names=["a", "a"]))


def test_names_must_be_text():
    with raises(ColumnError, "name-not-text"):
        tables.open_frame(pd.DataFrame([[1, 2]]))


@pytest.mark.parametrize("data", [[1, 2], {"a": [1]}, np.zeros((3, 2)), None])
def test_objects_other_than_tables_are_refused(data):
    with raises(InputError, "not-a-table"):
        tables.open_frame(data)


def test_a_lazy_table_is_refused():
    with raises(InputError, "not-a-table"):
        tables.open_frame(pl.LazyFrame({"a": [1]}))


@every_library
def test_a_table_without_records_is_refused(make):
    with raises(InputError, "no-records"):
        tables.open_frame(make({"a": []}))


def test_whole_numbers_that_a_float_cannot_hold_are_refused():
    for make in LIBRARIES.values():
        with raises(InputError, "whole-numbers-too-large"):
            matrix(make({"a": [1, 2**53 + 1]}), ["a"])
    with raises(InputError, "values-too-large"):
        matrix(pd.DataFrame({"a": [1, 1e301]}), ["a"])


@every_library
def test_whole_numbers_beyond_a_float_are_described_and_compared(make):
    original, changed = (tables.open_frame(make({"a": [2**60, last]})) for last in (7, 8))
    assert finite_values(original, "a").tolist() == [2.0**60, 7.0]
    assert same_values(original, changed, "a").tolist() == [True, False]
    assert value_ranks(original, "a").tolist() == [2.0**60, 7.0]
    assert tables.floats(original["a"]).tolist() == [2.0**60, 7.0]
    assert not column_differs(original, original, "a")
    assert column_differs(original, changed, "a")
    last_bit = tables.open_frame(make({"a": [2**60 + 1, 7]}))
    assert column_differs(original, last_bit, "a")


@every_library
def test_equal_values_have_equal_codes(make):
    data = make({"t": ["x", "y", "x", None, None], "n": [1, 1, 1, 2, 2]})
    columns = codes(tables.open_frame(data), ["t", "n"])
    assert columns[0, 0] == columns[2, 0] != columns[1, 0]
    assert columns[3, 0] == columns[4, 0] not in columns[:3, 0]
    assert columns[:, 1].tolist() == [0, 0, 0, 1, 1]


@every_library
def test_keys_are_equal_where_codes_are(make):
    nan = float("nan")
    data = {
        "t": ["x", "y", "x", None, None], "n": [1, 1, 2**60, 2, 2], "f": [0.5, nan, nan, 0.5, 1.0],
        "z": [0.0, -0.0, 0.0, -0.0, 1.0], "h": [1, None, None, 1, 2],
    }  # fmt: skip
    frame = tables.open_frame(make(data))
    by_key, by_code = keys(frame, list(data)), codes(frame, list(data))
    for key, code in zip(by_key.T, by_code.T, strict=True):
        assert np.array_equal(key[:, None] == key, code[:, None] == code)


def test_a_matrix_can_be_stored_by_column():
    frame = tables.open_frame(pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}))
    X = tables.matrix(frame, ["a", "b", "a"], order="F")
    assert X.flags.f_contiguous
    assert X.tolist() == [[1.0, 0.5, 1.0], [2.0, 1.5, 2.0]]


def test_categories_have_codes_in_every_library_of_table():
    values = ["x", "y", "x", None]
    for data in (
        pd.DataFrame({"t": pd.Categorical(values)}),
        pl.DataFrame({"t": pl.Series(values, dtype=pl.Categorical)}),
        pa.table({"t": pa.array(values).dictionary_encode()}),
    ):
        columns = codes(tables.open_frame(data), ["t"])[:, 0]
        assert columns[0] == columns[2]
        assert len(set(columns.tolist())) == 3


def test_mixed_kinds_of_values_are_refused_without_showing_one():
    data = tables.open_frame(pd.DataFrame({"t": [1, "secret"]}, dtype=object))
    with raises(ColumnError, "mixed-values", column="t") as caught:
        codes(data, ["t"])
    assert "secret" not in str(caught.value)


def test_text_among_numbers_is_counted():
    with raises(ColumnError, "text-among-numbers", column="a", count=1):
        matrix(pl.DataFrame({"a": ["1", "NA", "2.5"]}), ["a"])


def test_an_arrow_table_is_released_without_its_metadata():
    with_metadata = pa.table({"a": [1]}).replace_schema_metadata({"owner": "secret"})
    assert tables.to_native(tables.open_frame(with_metadata)).schema.metadata is None


@every_library
def test_new_values_leave_the_other_columns_unchanged(make):
    data = make({"t": ["x", "y"], "a": [1, 2], "b": [3.0, 4.0]})
    changed = with_values(tables.open_frame(data), {"a": np.array([1.5, 1.5])}).to_native()
    assert type(changed) is type(data)
    expected = make({"t": ["x", "y"], "a": [1.5, 1.5], "b": [3.0, 4.0]})
    assert changed.equals(expected)


def test_a_pandas_index_is_kept():
    data = pd.DataFrame({"a": [1, 2, 3]}, index=["z", "y", "z"])
    changed = with_values(tables.open_frame(data), {"a": np.array([5.0, 6.0, 7.0])})
    assert changed.to_native().index.tolist() == ["z", "y", "z"]
    assert changed.to_native()["a"].tolist() == [5.0, 6.0, 7.0]


def test_whole_numbers_beyond_2_53_stay_exact_beside_missing_ones():
    big = 2**60 + 1
    frame = tables.open_frame(pd.DataFrame({"x": [big, big + 2, big + 4]}))
    gather = RowGather(np.array([0, 1, 2]), np.array([True, False, False]))
    assert with_values(frame, {"x": gather})["x"].to_list()[1:] == [big + 2, big + 4]


@pytest.mark.parametrize(
    "make",
    [
        pd.Series,
        pl.Series,
        lambda values: pd.Series(values, dtype="Float64"),
        lambda values: pd.Series(values, dtype="float32[pyarrow]"),
        lambda values: pl.Series(values, dtype=pl.Float32),
        lambda values: pa.chunked_array([pa.array(values, pa.float32())]),
    ],
)
def test_a_released_zero_has_no_sign_and_its_column_the_same_type(make):
    column = make([0.0, -0.0, -1.5])
    library = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = tables.open_frame(library[type(column).__module__.split(".")[0]]({"x": column}))
    gather = RowGather(np.array([1, 2, 1]), np.zeros(3, bool))
    released = with_values(frame, {"x": gather})
    assert [str(value) for value in released["x"].to_list()] == ["0.0", "-1.5", "0.0"]
    assert type_of(released) == type_of(frame)


def type_of(frame):
    column = frame.to_native()["x"]
    return column.type if isinstance(column, pa.ChunkedArray) else column.dtype


@pytest.mark.parametrize(
    "kind", ["float64", "Float64", "double[pyarrow]", "Int64", "int64[pyarrow]"]
)
def test_pandas_keeps_its_storage_of_numbers(kind):
    original = pd.DataFrame({"x": pd.array([1, 2, 3], dtype=kind)}, index=[7, 8, 9])
    new_values = np.array([4, 5, 6], dtype="int64" if kind.lower().startswith("int") else "float64")
    released = with_values(tables.open_frame(original), {"x": new_values}).to_native()
    assert str(released["x"].dtype) == kind
    assert released["x"].tolist() == [4, 5, 6]
    assert original["x"].tolist() == [1, 2, 3]
