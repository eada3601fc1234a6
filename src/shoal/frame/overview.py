"""Properties of a column from which roles are suggested."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from shoal.frame.labels import is_sentinel
from shoal.frame.tables import Frame, floats, missing_counts
from shoal.frame.types import text_of

MIN_GAP = 2.0  # how many times larger than all other values a sentinel is
MAX_DESCENDING_SHARE = (
    0.01  # share of records that may be below the previous one in an ascending column
)
MAX_SCALE = 6  # values of an answer scale; the codes 7, 8 and 9 may stand for missing values


class Overview(NamedTuple):
    """Type of a column, missing and distinct values, and properties of its numbers."""

    type: str
    missing: int
    is_sequence: bool
    is_ascending: bool
    is_positive: bool
    is_whole: bool


def overview(frame: Frame, name: str) -> Overview:
    """Return facts about a column; the type is whole, number, date, yes/no or text."""
    column = frame[name]
    kind = _kind(column.dtype)
    missing = missing_counts(frame, [name]).get(name, 0)
    is_complete_number = missing == 0 and kind in ("whole", "number")
    values = floats(column) if is_complete_number else np.empty(0)
    return Overview(
        kind,
        missing,
        is_sequence=kind == "whole" and bool(len(values)) and _is_sequence(values),
        is_ascending=bool(len(values)) and _is_ascending(values),
        is_positive=bool(len(values)) and bool(values.min() > 0),
        is_whole=kind == "whole" or (kind == "number" and _is_whole(floats(column))),
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
    candidates = []
    if ordinary_values and min(ordinary_values) >= 0:
        largest = max(ordinary_values)
        negative = [value for value in distinct if value < 0]
        is_separate = bool(negative) and max(negative) < min(ordinary_values) - 1
        candidates = negative if is_separate and len(negative) <= 3 else []
        candidates += [
            v for v in distinct if v not in ordinary_values and v > MIN_GAP * max(largest, 10)
        ]
        remaining_values = [value for value in distinct if value >= 0 and value not in candidates]
        if 2 < len(remaining_values) <= MAX_SCALE and remaining_values[0] in (0, 1):
            possible_codes = [value for value in remaining_values if value in (7, 8, 9)]
            scale_values = [value for value in remaining_values if value not in possible_codes]
            is_scale = scale_values == list(
                range(int(scale_values[0]), int(scale_values[0]) + len(scale_values))
            )
            candidates += (
                possible_codes
                if is_scale and scale_values[-1] <= 5 and len(scale_values) > 1
                else []
            )
    return tuple(text_of(value) for value in candidates)


def _kind(dtype: Any) -> str:
    for kind, applies in {
        "whole": dtype.is_integer(),
        "number": dtype.is_numeric(),
        "date": dtype.is_temporal(),
        "yes/no": dtype == nw.Boolean,
    }.items():
        if applies:
            return kind
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
