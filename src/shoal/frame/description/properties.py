"""Properties of a column that are used to suggest its role."""

from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from shoal.frame.tables import Frame, floats, missing_counts

MAX_DESCENDING_SHARE = 0.01  # share of an ascending column that is below the preceding record


class ColumnProperties(NamedTuple):
    """Type of a column, its missing values, and properties of its numbers."""

    value_type: str  # "whole", "number", "date", "yes/no" or "text"
    missing: int  # number of missing values
    is_sequence: bool
    is_ascending: bool
    is_positive: bool
    is_whole: bool


def column_properties(frame: Frame, name: str) -> ColumnProperties:
    """Return the properties of a column.

    If values are missing, all properties of numbers except for ``is_whole`` are False.
    """
    column = frame[name]
    value_type = _value_type(column.dtype)
    missing = missing_counts(frame, [name]).get(name, 0)
    is_complete_number = missing == 0 and value_type in ("whole", "number")
    values = floats(column) if is_complete_number else np.empty(0)
    return ColumnProperties(
        value_type,
        missing,
        is_sequence=value_type == "whole" and bool(len(values)) and _is_sequence(values),
        is_ascending=bool(len(values)) and _is_ascending(values),
        is_positive=bool(len(values)) and bool(values.min() > 0),
        is_whole=value_type == "whole" or (value_type == "number" and _is_whole(floats(column))),
    )


def _value_type(dtype: Any) -> str:
    for value_type, applies in {
        "whole": dtype.is_integer(),
        "number": dtype.is_numeric(),
        "date": dtype.is_temporal(),
        "yes/no": dtype == nw.Boolean,
    }.items():
        if applies:
            return value_type
    return "text"


def _is_ascending(values: Any) -> bool:
    """Return whether values are distinct whole numbers that ascend, with few exceptions.

    Row numbers may have gaps, where rows were removed, and a few rows may have been moved.
    """
    falls = np.diff(values) < 0
    if not _is_whole(values) or falls.sum() > MAX_DESCENDING_SHARE * len(values):
        return False
    return len(np.unique(values)) == len(values)


def _is_whole(values: Any) -> bool:
    """Return whether all values, without missing ones, are whole numbers; False without any."""
    values = values[np.isfinite(values)]
    return bool(len(values)) and bool(np.all(np.mod(values, 1) == 0))


def _is_sequence(values: Any) -> bool:
    return bool(values.max() - values.min() == len(values) - 1)
