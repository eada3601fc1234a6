"""Comparison of values between two tables, and ranks of values."""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import ColumnError
from shoal.frame.arrow_types import without_dictionary
from shoal.frame.codes import codes
from shoal.frame.tables import Frame, arrow, floats

ARROW_ERRORS = (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError)


def same_values(first: Frame, second: Frame, name: str) -> NDArray[np.bool_]:
    """Return a mask of the records with the same value of a column in both tables.

    Numbers are compared as float64; other values as text where the types differ. Two missing
    values are the same.
    """
    first_column, second_column = first[name], second[name]
    if first_column.dtype.is_numeric() and second_column.dtype.is_numeric():
        first_values, second_values = floats(first_column), floats(second_column)
        return np.asarray(
            (first_values == second_values) | (np.isnan(first_values) & np.isnan(second_values))
        )
    arrays = [without_dictionary(arrow(frame, name)) for frame in (first, second)]
    if arrays[0].type != arrays[1].type:
        arrays = [array.cast(pa.string()) for array in arrays]
    joined = pa.concat_arrays(arrays).dictionary_encode(null_encoding="encode")
    codes = joined.indices.to_numpy()
    return np.asarray(codes[: len(first_column)] == codes[len(first_column) :])


def any_codes(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return `shoal.frame.codes.codes` of columns of any type.

    Lists, structs and other values that Arrow does not encode are compared by their repr.
    """
    result = np.empty((len(frame), len(columns)), np.int64, order="F")
    for i, name in enumerate(columns):
        try:
            result[:, i] = codes(frame, [name])[:, 0]
        except (*ARROW_ERRORS, ColumnError):
            if name not in frame.columns:
                raise
            texts = np.array([repr(value) for value in frame[name].to_list()])
            result[:, i] = np.unique(texts, return_inverse=True)[1]
    return result


def value_ranks(frame: Frame, name: str) -> NDArray[np.float64] | None:
    """Return a sort key for each value of a column, NaN where missing; None if it has no order.

    Numbers are their own key. Dates are ranked, text numerically if it is all numbers and else
    alphabetically.
    """
    column = frame[name]
    if column.dtype.is_numeric():
        return floats(column)
    try:
        coded = without_dictionary(arrow(frame, name)).dictionary_encode()
        values = coded.dictionary
        with suppress(*ARROW_ERRORS):
            values = values.cast(pa.float64())
        order = np.asarray(pc.sort_indices(values))
    except (*ARROW_ERRORS, ColumnError):
        return None
    rank = np.empty(len(values) + 1)
    rank[order], rank[-1] = np.arange(len(values)), np.nan
    indices: NDArray[np.int64] = coded.indices.fill_null(len(values)).to_numpy()
    return np.asarray(rank[indices])
