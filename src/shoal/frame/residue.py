"""What a column may carry besides its values, and must not release.

A type of categories lists values that no record shows any more, and the buffer of a column may
still hold a value where the cell is missing: a suppressed cell would leave with what it hid.
"""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa


def drop_unused_categories(column: nw.Series[Any], *, books: bool = True) -> nw.Series[Any]:
    """Return a column of categories without those that no record shows.

    Parameters
    ----------
    column : Series
        The column; one that has no categories is returned as it is.
    books : bool
        Whether ordered categories are pruned too. They are a code book, which may be kept with a
        column that is released unchanged.

    Returns
    -------
    Series
        The same values.
    """
    native = column.to_native()
    if isinstance(native, pa.ChunkedArray):
        return _rewrap(_pruned_arrow(native, books=books), column)
    if hasattr(native.dtype, "pyarrow_dtype"):  # pandas with types of Arrow
        pruned = _pruned_arrow(native.array.__arrow_array__(), books=books)
        array = type(native.array)(pruned)
        return _rewrap(type(native)(array, index=native.index, name=native.name), column)
    if hasattr(native, "cat") and hasattr(native.cat, "remove_unused_categories"):  # pandas
        if native.cat.ordered and not books:
            return column
        return _rewrap(native.cat.remove_unused_categories(), column)
    if books and column.dtype == nw.Enum and hasattr(native.dtype, "categories"):  # polars
        shown = set(column.unique().to_list())
        kept = [value for value in native.dtype.categories if value in shown]
        return _rewrap(native.cast(type(native.dtype)(kept)), column)
    return column


def all_missing(column: nw.Series[Any]) -> nw.Series[Any] | None:
    """Return a column of the same type in which every cell is missing, and hides nothing.

    None for a type that has no place beneath a missing value, as those of numpy.
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
    """Return an Arrow column of categories, in one piece, without those that no record has."""
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
        column = pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
    used = np.unique(column.indices.drop_null().to_numpy())
    place = np.zeros(len(column.dictionary), np.int64)
    place[used] = np.arange(len(used))
    hole = column.is_null().to_numpy(zero_copy_only=False)
    indices = place[column.indices.fill_null(0).to_numpy()] if len(place) else np.zeros(len(column))
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, column.type.index_type, mask=hole),
        column.dictionary.take(pa.array(used)),
        ordered=column.type.ordered,
    )


def clear_missing_cells(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return an Arrow column that holds nothing where a cell is missing."""
    if column.null_count == 0:
        return column
    hole = column.is_null().to_numpy()
    return column.take(pa.array(np.arange(len(column)), mask=hole))


def _pruned_arrow(column: pa.ChunkedArray | pa.Array, *, books: bool) -> pa.ChunkedArray:
    held = column.type
    if not pa.types.is_dictionary(held) or (held.ordered and not books):
        return column
    return pa.chunked_array([prune_dictionary(column)])


def _rewrap(native: Any, column: nw.Series[Any]) -> nw.Series[Any]:
    wrapped: nw.Series[Any] = nw.from_native(native, series_only=True)
    return wrapped.alias(column.name)
