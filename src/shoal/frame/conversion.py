"""Conversion of tables that narwhals does not support, and of arrays to tables."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def as_supported(data: Any) -> Any:
    """Return a table in which every column of numbers has a numeric type.

    A DuckDB relation becomes an Arrow table. In a pandas table, columns of `decimal.Decimal`
    objects become columns of Arrow decimals. Any other table is returned as it is.
    """
    if type(data).__name__ == "DuckDBPyRelation":
        convert = getattr(data, "to_arrow_table", None) or data.fetch_arrow_table
        return convert()
    names = decimal_columns(data)
    if not names:
        return data
    import pandas

    return data.assign(
        **{
            name: pandas.Series(
                pandas.arrays.ArrowExtensionArray(pa.array(data[name], from_pandas=True)),
                index=data.index,
            )
            for name in names
        }
    )


def decimal_columns(data: Any) -> list[str]:
    """Return the columns of a pandas table that contain only `decimal.Decimal` objects."""
    if not type(data).__module__.startswith("pandas") or not hasattr(data, "dtypes"):
        return []
    names = []
    for name in data.columns:
        column = data[name]
        if getattr(column, "ndim", 0) == 1 and column.dtype == object and isinstance(name, str):
            values = column.dropna()
            if len(values) and type(values.iloc[0]).__name__ == "Decimal" and _are_decimals(values):
                names.append(name)
    return names


def restore_decimals(native: Any, data: Any, rows: NDArray[np.int64] | None) -> Any:
    """Return a released pandas table with unmasked decimals as the objects in ``data``.

    ``rows`` are the rows of ``data`` that ``native`` contains, or None for all rows in order.
    """
    names = [name for name in decimal_columns(data) if name in native.columns]
    unmasked = [name for name in names if "decimal" in str(native[name].dtype)]
    if not unmasked:
        return native
    columns = {
        name: data[name].to_numpy() if rows is None else data[name].to_numpy()[rows]
        for name in unmasked
    }
    return native.assign(**columns)


def _are_decimals(column: Any) -> bool:
    try:
        return bool(pa.types.is_decimal(pa.array(column, from_pandas=True).type))
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # too many digits, or other objects
        return False


def arrow_from_arrays(columns: Mapping[str, NDArray[Any]]) -> Any:
    """Return an Arrow table of arrays; NaN becomes a missing value."""
    return pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})


def model_frame(
    numbers: Mapping[str, NDArray[np.float64]],
    categories: Mapping[str, tuple[NDArray[np.int64], list[str]]],
) -> Any:
    """Return a pandas table of numbers and of categories, given as codes with their labels.

    The first label of a column is its reference category.
    """
    import pandas as pd

    columns: dict[str, Any] = dict(numbers)
    for name, (codes, labels) in categories.items():
        columns[name] = pd.Categorical.from_codes(codes, pd.Index(labels))
    return pd.DataFrame(columns)
