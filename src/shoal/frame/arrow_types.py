"""Checks of Arrow types, and arrays without dictionaries."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def is_text(arrow_type: pa.DataType) -> bool:
    """Return whether values of a type are text."""
    return bool(pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type))


def is_plain_number(arrow_type: pa.DataType) -> bool:
    """Return whether values of a type are integers or floats; decimals are neither."""
    return bool(pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type))


def value_type(arrow_type: pa.DataType) -> pa.DataType:
    """Return the type of the values, also of values in a dictionary."""
    return arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type


def without_dictionary(array: Any) -> Any:
    """Return an array or a column with its values in place of codes of a dictionary."""
    return array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array


def decode(array: Any) -> Any:
    """Return an array or a column without a dictionary, with null for NaN."""
    array = without_dictionary(array)
    if pa.types.is_floating(array.type):
        array = pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)
    return array
