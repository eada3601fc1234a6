"""Comparison of a column between two tables."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frame.arrow_types import without_dictionary
from shoal.frame.tables import Frame, arrow, floats


def same_values(first: Frame, second: Frame, name: str) -> NDArray[np.bool_]:
    """Return a mask of the records with the same value of a column in both tables.

    Numbers are compared as float64, and other values as text if the types differ. Two missing
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


def column_differs(first: Frame, second: Frame, name: str) -> bool:
    """Return whether a column has other values or another type in the second table."""
    first_column, second_column = first[name], second[name]
    if first_column.dtype.is_integer() and second_column.dtype.is_integer():
        # As floats, large values would be rounded.
        return bool(first_column.to_list() != second_column.to_list())
    if first_column.dtype.is_numeric() and second_column.dtype.is_numeric():
        return not np.array_equal(floats(first_column), floats(second_column), equal_nan=True)
    # Compare only the class of categorical types: unused categories may have been pruned.
    return (
        type(first_column.dtype) is not type(second_column.dtype)
        or first_column.to_list() != second_column.to_list()
    )
