"""Replacement of the values of columns, in any library of tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.frame.hidden_values import all_missing, drop_unused_categories
from shoal.frame.tables import Frame, floats


@dataclass(frozen=True, eq=False)
class RowGather:
    """New values of a column, each copied from one of its records, so that its type is kept.

    Parameters
    ----------
    records : ndarray of shape (n_records,)
        Index of the record that each value is copied from.
    is_missing : ndarray of shape (n_records,)
        Mask of the records whose new value is missing.
    """

    records: NDArray[np.int64]
    is_missing: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TextColumn:
    """New values of a column that are text, whatever its type was.

    Parameters
    ----------
    texts : ndarray of shape (n_records,)
        The texts, or None for a missing value.
    """

    texts: NDArray[Any]

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Mask of the records whose new value is missing."""
        return np.array([text is None for text in self.texts], bool)


def with_values(frame: Frame, values: Mapping[str, NDArray[Any] | RowGather | TextColumn]) -> Frame:
    """Return the frame with new values in the given columns; NaN stands for missing."""
    return frame.with_columns(_series(frame, name, new) for name, new in values.items())


def _series(
    frame: Frame, name: str, new_values: NDArray[Any] | RowGather | TextColumn
) -> nw.Series[Any]:
    if isinstance(new_values, TextColumn):
        return nw.new_series(
            name, new_values.texts.tolist(), nw.String, backend=frame.implementation
        )
    if isinstance(new_values, RowGather):
        missing, records = new_values.is_missing, new_values.records
        if missing.all() and (empty := all_missing(frame[name])) is not None:
            return drop_unused_categories(empty)
        if not missing.all():
            # Under a missing cell, memory keeps a value that is released elsewhere anyway.
            records = np.where(missing, records[~missing][0], records)
        column = frame[name][records]
    else:
        column = nw.new_series(name, new_values, backend=frame.implementation)
        column = _with_storage_of(frame[name], column)
        missing = np.isnan(new_values)
    column = _without_minus_zero(column)
    if not missing.any():
        return drop_unused_categories(column)
    needs_nullable_type = column.dtype == nw.Boolean or column.dtype.is_integer()
    if needs_nullable_type:  # otherwise pandas uses objects, or floats, which round large values
        column = nw.maybe_convert_dtypes(column)
    is_valid = nw.new_series("valid", ~missing, backend=frame.implementation)
    value_and_valid = column.alias("value").to_frame().with_columns(is_valid)
    column = value_and_valid.select(nw.when(nw.col("valid")).then(nw.col("value")))["value"].alias(
        name
    )
    return column if needs_nullable_type else drop_unused_categories(column)


def _with_storage_of(original: nw.Series[Any], new_values: nw.Series[Any]) -> nw.Series[Any]:
    """Return new numbers in the storage of the old ones in pandas: NumPy, nullable or Arrow."""
    is_numpy = isinstance(getattr(original.to_native(), "dtype", None), np.dtype)
    if is_numpy or original.dtype != new_values.dtype or not original.implementation.is_pandas():
        return new_values
    return original.scatter(np.arange(len(new_values)), new_values)


def _without_minus_zero(column: nw.Series[Any]) -> nw.Series[Any]:
    """Return a column with 0 for -0, which text files show and readers may distinguish."""
    if not column.dtype.is_float():
        return column
    values = floats(column)
    if not ((values == 0) & np.signbit(values)).any():
        return column
    value = nw.col("value")
    unsigned = nw.when(value == 0).then(value.abs()).otherwise(value)
    return column.alias("value").to_frame().select(unsigned)["value"].alias(column.name)
