"""The number of decimals that a column shows."""

import pyarrow as pa
import pyarrow.compute as pc

from shoal.frame.notation.decimals import MAX_DECIMALS, decimals_fit, decimals_of_values
from shoal.io.dialect import Dialect


def count_decimals(column: pa.ChunkedArray) -> int | None:
    """Return the number of decimals of a numeric column, or None for other columns.

    For exact decimals it is the scale of the column, otherwise the smallest number that represents
    all values, or None if they need all digits of a float.
    """
    arrow_type = column.type
    if pa.types.is_integer(arrow_type):
        return 0
    if pa.types.is_decimal(arrow_type):
        return int(min(max(arrow_type.scale, 0), MAX_DECIMALS))
    if not pa.types.is_floating(arrow_type):
        return None
    return decimals_of_values(column.to_numpy())


def can_round(column: pa.ChunkedArray, decimals: int) -> bool:
    """Return whether float64 represents the values exactly with this number of decimals."""
    if pa.types.is_integer(column.type):
        return True
    return decimals_fit(column.cast(pa.float64()).to_numpy(), decimals)


def spelled_decimals(column: pa.ChunkedArray, dialect: Dialect) -> int:
    """Return the largest number of digits after the decimal mark in a column of text."""
    mark = "\\" + dialect.decimal
    digits = pc.replace_substring_regex(column, f"^[^{mark}]*({mark}|$)", "")
    digits = pc.replace_substring_regex(digits, r"\D.*$", "")  # an exponent or a sign
    return min(pc.max(pc.utf8_length(digits)).as_py() or 0, MAX_DECIMALS)
