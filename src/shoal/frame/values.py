"""The values of a column, compared between two tables and put in order."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import ColumnError
from shoal.frame.tables import Frame, arrow, codes, floats

ARROW_ERRORS = (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError)


def same_values(first: Frame, second: Frame, name: str) -> NDArray[np.bool_]:
    """Say for each record whether a column has the same value in both tables.

    Numbers are compared as float64, all else as text where the types differ; missing values are
    the same.
    """
    one, other = first[name], second[name]
    if one.dtype.is_numeric() and other.dtype.is_numeric():
        before, after = floats(one), floats(other)
        return np.asarray((before == after) | (np.isnan(before) & np.isnan(after)))
    arrays = [_plain(arrow(frame, name)) for frame in (first, second)]
    if arrays[0].type != arrays[1].type:
        arrays = [array.cast(pa.string()) for array in arrays]
    joined = pa.concat_arrays(arrays).dictionary_encode(null_encoding="encode")
    both = joined.indices.to_numpy()
    return np.asarray(both[: len(one)] == both[len(one) :])


def any_codes(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return what `shoal.frame.tables.codes` does, also of columns without an Arrow encoding.

    Lists, records and other values that Arrow does not encode are compared by what they show.
    """
    found = np.empty((len(frame), len(columns)), np.int64, order="F")
    for at, name in enumerate(columns):
        try:
            found[:, at] = codes(frame, [name])[:, 0]
        except (*ARROW_ERRORS, ColumnError):
            if name not in frame.columns:
                raise
            shown = np.array([repr(value) for value in frame[name].to_list()])
            found[:, at] = np.unique(shown, return_inverse=True)[1]
    return found


def value_ranks(frame: Frame, name: str) -> NDArray[np.float64] | None:
    """Return the place of each value in the order of a column; None where there is no order.

    Numbers and dates have theirs, text that is all numbers too, other text that of letters.
    Not a number stands for a missing value.
    """
    column = frame[name]
    if column.dtype.is_numeric():
        return floats(column)
    try:
        coded = _plain(arrow(frame, name)).dictionary_encode()
        values = coded.dictionary
        with suppress(*ARROW_ERRORS):
            values = values.cast(pa.float64())
        order = np.asarray(pc.sort_indices(values))
    except (*ARROW_ERRORS, ColumnError):
        return None
    place = np.empty(len(values) + 1)
    place[order], place[-1] = np.arange(len(values)), np.nan
    indices: NDArray[np.int64] = coded.indices.fill_null(len(values)).to_numpy()
    return np.asarray(place[indices])


def _plain(array: Any) -> Any:
    """Return the values of an Arrow array without a dictionary."""
    return array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array
