"""Columns become tables of pandas, polars and pyarrow, and tables become plain values again."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from fuzz.columns import Column, Rng, Values

LIBRARIES = ("pandas", "pandas-nullable", "pandas-arrow", "polars", "pyarrow")


def to_frame(columns: list[Column], library: str, rng: Rng) -> Any:
    """Return a table of one of the ``LIBRARIES``; types within a kind are drawn."""
    if library == "polars":
        return pl.DataFrame([_polars(column, rng) for column in columns])
    if library == "pyarrow":
        arrays = [_arrow(column, rng) for column in columns]
        return pa.table(arrays, names=[column.name for column in columns])
    make = {"pandas": _plain, "pandas-nullable": _nullable, "pandas-arrow": _arrow_backed}[library]
    frame = pd.DataFrame({column.name: make(column, rng) for column in columns})
    if rng.random() < 0.05:
        frame.index = pd.Index(range(10, 10 + len(frame)))
    return frame


def _plain(column: Column, rng: Rng) -> Any:
    kind, values = column.kind, column.values
    if kind == "float":
        array = np.array([math.nan if v is None else v for v in values])
        single = rng.random() < 0.1 and np.abs(np.nan_to_num(array)).max() < 1e30
        return array.astype(np.float32) if single else array
    if kind == "whole" and not column.missing:
        return pd.Series(values, dtype=_int_type(column, rng))
    if kind == "whole":
        return pd.Series([math.nan if v is None else v for v in values], dtype="float64")
    if kind in ("category", "ordered"):
        return _categorical(column, rng)
    if kind == "boolean" and not column.missing:
        return pd.Series(values, dtype=bool)
    if kind == "date" or kind == "moment":
        return pd.Series(pd.to_datetime(pd.Series(values, dtype="object")))
    return pd.Series(values, dtype=object)


def _nullable(column: Column, rng: Rng) -> Any:
    types = {"float": "Float64", "boolean": "boolean", "text": "string"}
    if column.kind == "whole":
        return pd.Series(values_as(column, pd.NA), dtype=_int_type(column, rng).capitalize())
    if column.kind in types:
        return pd.Series(values_as(column, pd.NA), dtype=types[column.kind])
    return _plain(column, rng)


def _arrow_backed(column: Column, rng: Rng) -> Any:
    if column.kind in ("category", "ordered"):
        return _categorical(column, rng)
    array = _arrow(column, rng)
    return pd.Series(pd.arrays.ArrowExtensionArray(array))  # type: ignore[attr-defined]


def _categorical(column: Column, rng: Rng) -> Any:
    categories = sorted(column.distinct)
    if rng.random() < 0.3:
        categories = [*categories, "Qz9unused"]
    if column.kind == "ordered":
        categories = [str(one) for one in rng.permutation(categories)]
    kind = pd.CategoricalDtype(categories, ordered=column.kind == "ordered")
    return pd.Series(pd.Categorical(column.values, dtype=kind))


def _int_type(column: Column, rng: Rng) -> str:
    least, most = min(column.distinct, default=0), max(column.distinct, default=0)
    fitting = [
        name
        for name in ("int8", "int16", "int32", "int64")
        if np.iinfo(name).min <= least and most <= np.iinfo(name).max
    ]
    return str(rng.choice(fitting)) if rng.random() < 0.3 else "int64"


def _polars(column: Column, rng: Rng) -> pl.Series:
    kind: Any = {
        "float": pl.Float64, "text": pl.String, "boolean": pl.Boolean, "date": pl.Date,
        "moment": pl.Datetime("us"), "category": pl.Categorical,
    }.get(column.kind)  # fmt: skip
    if column.kind == "whole":
        kind = getattr(pl, _int_type(column, rng).capitalize())
    if column.kind == "ordered":
        kind = pl.Enum([str(one) for one in rng.permutation(sorted(column.distinct))])
    return pl.Series(column.name, column.values, dtype=kind)


def _arrow(column: Column, rng: Rng) -> Any:
    kind: Any = {
        "float": pa.float64(), "boolean": pa.bool_(), "date": pa.date32(),
        "moment": pa.timestamp("us"),
    }.get(column.kind)  # fmt: skip
    if column.kind == "whole":
        kind = pa.type_for_alias(_int_type(column, rng))
    if column.kind == "text":
        kind = pa.large_string() if rng.random() < 0.3 else pa.string()
    if column.kind in ("category", "ordered"):
        coded = _categorical(column, rng).cat
        array = pa.DictionaryArray.from_arrays(
            pa.array([None if at < 0 else at for at in coded.codes.tolist()], pa.int32()),
            pa.array(coded.categories.tolist(), pa.string()),
            ordered=column.kind == "ordered",
        )
    else:
        array = pa.array(column.values, kind)
    if len(array) > 4 and rng.random() < 0.2:
        return pa.chunked_array([array.slice(0, 3), array.slice(3)])
    return pa.chunked_array([array])


def values_as(column: Column, missing_value: Any) -> Values:
    """Return the values with ``missing_value`` in place of missing ones."""
    return [missing_value if value is None else value for value in column.values]


def plain_values(native: Any) -> dict[str, Values]:
    """Return each column of a table as Python values, None where one is missing."""
    if isinstance(native, pa.Table):
        return {name: list(map(_value, native[name].to_pylist())) for name in native.column_names}
    if isinstance(native, pl.DataFrame):
        return {name: list(map(_value, native[name].to_list())) for name in native.columns}
    return {name: list(map(_value, native[name].astype(object))) for name in native.columns}


def _value(value: Any) -> Any:
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and math.isnan(value):
        return None
    return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value


def types_of(native: Any) -> Mapping[str, str]:
    """Return the type of each column, as its library spells it."""
    if isinstance(native, pa.Table):
        return {field.name: str(field.type) for field in native.schema}
    if isinstance(native, pl.DataFrame):
        return {name: str(kind) for name, kind in native.schema.items()}
    return {str(name): str(kind) for name, kind in native.dtypes.items()}


def categories_of(native: Any, name: str) -> Values | None:
    """Return the categories that an unordered categorical column brings along, if it is one."""
    if isinstance(native, pa.Table):
        column = native[name]
        if not pa.types.is_dictionary(column.type) or column.type.ordered:
            return None
        return sorted({one for chunk in column.chunks for one in chunk.dictionary.to_pylist()})
    if isinstance(native, pd.DataFrame) and isinstance(native[name].dtype, pd.CategoricalDtype):
        dtype = native[name].dtype
        return None if dtype.ordered else list(dtype.categories)
    return None
