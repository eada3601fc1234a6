"""Removal of values that a column stores but does not show.

A categorical type lists values that no record has any more, and the buffer of a column may still
hold a value under a missing cell, so a suppressed cell would be released with its value.
"""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa


def drop_unused_categories(column: nw.Series[Any], *, prune_ordered: bool = True) -> nw.Series[Any]:
    """Return a categorical column without unused categories.

    Parameters
    ----------
    column : Series
        The column; one that is not categorical is returned as it is.
    prune_ordered : bool
        Whether ordered categories are pruned too. They serve as a code book, which may be kept
        with a column that is released unchanged.

    Returns
    -------
    Series
        The same values.
    """
    native = column.to_native()
    if isinstance(native, pa.ChunkedArray):
        return _rewrap(_prune_arrow(native, prune_ordered=prune_ordered), column)
    if hasattr(native.dtype, "pyarrow_dtype"):  # pandas with Arrow types
        pruned = _prune_arrow(native.array.__arrow_array__(), prune_ordered=prune_ordered)
        array = type(native.array)(pruned)
        return _rewrap(type(native)(array, index=native.index, name=native.name), column)
    if hasattr(native, "cat") and hasattr(native.cat, "remove_unused_categories"):  # pandas
        if native.cat.ordered and not prune_ordered:
            return column
        return _rewrap(native.cat.remove_unused_categories(), column)
    if prune_ordered and column.dtype == nw.Enum and hasattr(native.dtype, "categories"):  # polars
        present_values = set(column.unique().to_list())
        used_categories = [value for value in native.dtype.categories if value in present_values]
        return _rewrap(native.cast(type(native.dtype)(used_categories)), column)
    if column.dtype == nw.Categorical:  # polars up to 1.34 carries the unused ones along
        return _rewrap(native.cast(str).cast(native.dtype), column)
    return column


def all_missing(column: nw.Series[Any]) -> nw.Series[Any] | None:
    """Return a column of the same type whose cells are all missing, with empty buffers.

    Return None for types that store nothing under a missing value, such as NumPy types.
    """
    native = column.to_native()
    if isinstance(native, pa.ChunkedArray):
        return _rewrap(pa.chunked_array([pa.nulls(len(native), native.type)]), column)
    if hasattr(native, "clear"):  # polars
        return _rewrap(native.clear(len(native)), column)
    if isinstance(native.dtype, np.dtype):
        return None
    return _rewrap(native.iloc[:0].reindex(native.index), column)


def prune_dictionary(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return an Arrow dictionary column as one array without unused categories."""
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
        column = pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
    used_codes = np.unique(column.indices.drop_null().to_numpy())
    new_index = np.zeros(len(column.dictionary), np.int64)
    new_index[used_codes] = np.arange(len(used_codes))
    is_missing = column.is_null().to_numpy(zero_copy_only=False)
    indices = np.zeros(len(column))
    if len(new_index):
        indices = new_index[column.indices.fill_null(0).to_numpy()]
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, column.type.index_type, mask=is_missing),
        column.dictionary.take(pa.array(used_codes)),
        ordered=column.type.ordered,
    )


def clear_missing_cells(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return an Arrow column whose buffers hold no value under missing cells."""
    if column.null_count == 0:
        return column
    is_missing = column.is_null().to_numpy()
    return column.take(pa.array(np.arange(len(column)), mask=is_missing))


def _prune_arrow(column: pa.ChunkedArray | pa.Array, *, prune_ordered: bool) -> pa.ChunkedArray:
    arrow_type = column.type
    if not pa.types.is_dictionary(arrow_type) or (arrow_type.ordered and not prune_ordered):
        return column
    return pa.chunked_array([prune_dictionary(column)])


def _rewrap(native: Any, column: nw.Series[Any]) -> nw.Series[Any]:
    wrapped: nw.Series[Any] = nw.from_native(native, series_only=True)
    return wrapped.alias(column.name)
