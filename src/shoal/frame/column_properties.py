"""Properties of a column from which roles are suggested."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from shoal.frame.tables import Frame, floats, missing_counts
from shoal.frame.texts import text_of
from shoal.frame.value_labels import is_sentinel

MIN_GAP = 2.0  # how many times larger than all other values a sentinel is
MAX_DESCENDING_SHARE = 0.01  # of records in an ascending column, below the record before them
MAX_SCALE = 6  # values of an answer scale; the codes 7, 8 and 9 may stand for missing values


class ColumnProperties(NamedTuple):
    """Type of a column, its missing values, and properties of its numbers."""

    value_type: str  # "whole", "number", "date", "yes/no" or "text"
    missing: int  # number of missing values
    is_sequence: bool
    is_ascending: bool
    is_positive: bool
    is_whole: bool


def column_properties(frame: Frame, name: str) -> ColumnProperties:
    """Return the properties of a column; those of numbers are False if values are missing."""
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


def sentinels(values: Sequence[float]) -> tuple[str, ...]:
    """Return the numbers, such as 9999 or -9, that probably stand for missing values.

    Examples
    --------
    >>> sentinels([10, 200, 340, 7777, 9999]), sentinels([0, 3, 12, -9]), sentinels([1, 2, 9])
    (('7777', '9999'), ('-9',), ('9',))
    >>> sentinels([1, 50, 97, 98, 99]), sentinels([-3, -2, -1, 0, 5])
    ((), ())
    """
    distinct = sorted({value for value in values if isfinite(value)})
    ordinary_values = [value for value in distinct if value % 1 or not is_sentinel(value)]
    if not ordinary_values or min(ordinary_values) < 0:
        return ()
    candidates = _negative_sentinels(distinct, min(ordinary_values))
    threshold = MIN_GAP * max(*ordinary_values, 10)
    candidates += [v for v in distinct if v not in ordinary_values and v > threshold]
    remaining_values = [value for value in distinct if value >= 0 and value not in candidates]
    candidates += _sentinels_of_scale(remaining_values)
    return tuple(text_of(value) for value in candidates)


def _negative_sentinels(distinct: Sequence[float], least: float) -> list[float]:
    """Return the negative values, if they are few and well below the ``least`` ordinary value."""
    negative = [value for value in distinct if value < 0]
    is_separate = bool(negative) and max(negative) < least - 1
    return negative if is_separate and len(negative) <= 3 else []


def _sentinels_of_scale(values: Sequence[float]) -> list[float]:
    """Return those of 7, 8 and 9 that follow an answer scale from 0 or 1 to at most 5."""
    if not 2 < len(values) <= MAX_SCALE or values[0] not in (0, 1):
        return []
    possible_codes = [value for value in values if value in (7, 8, 9)]
    scale = [value for value in values if value not in possible_codes]
    is_consecutive = scale == list(range(int(scale[0]), int(scale[0]) + len(scale)))
    return possible_codes if is_consecutive and scale[-1] <= 5 and len(scale) > 1 else []


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
