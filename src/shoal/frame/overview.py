"""Facts about the values of a column that suggestions rest on."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from shoal.frame.labels import is_sentinel
from shoal.frame.tables import Frame, floats, missing_counts
from shoal.frame.types import text_of

MIN_GAP = 2.0  # how many times larger than all other values a sentinel is
MAX_FALLS = 0.01  # share of records that may be below the one before in a column that rises
SHORT = 6  # values of an answer scale; the codes 7, 8 and 9 may stand for missing values


class Overview(NamedTuple):
    """Type of a column, missing and distinct values, and properties of its numbers."""

    type: str
    missing: int
    is_sequence: bool
    is_ascending: bool
    positive: bool
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
        positive=bool(len(values)) and bool(values.min() > 0),
        is_whole=kind == "whole" or (kind == "number" and _is_whole(floats(column))),
    )


def sentinels(values: Sequence[float]) -> tuple[str, ...]:
    """Return the numbers, such as 9999 or -9, that are far from all others.

    Examples
    --------
    >>> sentinels([10, 200, 340, 7777, 9999]), sentinels([0, 3, 12, -9]), sentinels([1, 2, 9])
    (('7777', '9999'), ('-9',), ('9',))
    >>> sentinels([1, 50, 97, 98, 99]), sentinels([-3, -2, -1, 0, 5])
    ((), ())
    """
    distinct = sorted({value for value in values if isfinite(value)})
    others = [value for value in distinct if value % 1 or not is_sentinel(value)]
    candidates = []
    if others and min(others) >= 0:
        largest = max(others)
        negative = [value for value in distinct if value < 0]
        is_separate = bool(negative) and max(negative) < min(others) - 1
        candidates = negative if is_separate and len(negative) <= 3 else []
        candidates += [v for v in distinct if v not in others and v > MIN_GAP * max(largest, 10)]
        codes = [value for value in distinct if value >= 0 and value not in candidates]
        if 2 < len(codes) <= SHORT and codes[0] in (0, 1):
            ends = [value for value in codes if value in (7, 8, 9)]
            rest = [value for value in codes if value not in ends]
            steps = rest == list(range(int(rest[0]), int(rest[0]) + len(rest)))
            candidates += ends if steps and rest[-1] <= 5 and len(rest) > 1 else []
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
    """Return whether values are different whole numbers that rise, with few exceptions.

    Row numbers may have gaps, where rows were removed, and a few rows may have been moved.
    """
    falls = np.diff(values) < 0
    if not _is_whole(values) or falls.sum() > MAX_FALLS * len(values):
        return False
    return len(np.unique(values)) == len(values)


def _is_whole(values: Any) -> bool:
    """Return whether all values, without missing ones, are whole numbers; False without any."""
    values = values[np.isfinite(values)]
    return bool(len(values)) and bool(np.all(np.mod(values, 1) == 0))


def _is_sequence(values: Any) -> bool:
    return bool(values.max() - values.min() == len(values) - 1)
