"""Sentinels: numbers such as 98 or -9 that surveys use for missing values."""

import re
from collections.abc import Sequence
from math import isfinite
from typing import Any

from shoal.frame.notation.texts import text_of

MIN_GAP = 2.0  # how many times larger than all other values a sentinel is
MAX_SCALE = 6  # distinct values of an answer scale, its missing codes included
_SENTINEL = re.compile(r"-[1-9]|-?([789])\1+|-?9+[5-9]")  # such as -9, 77, 98, 9999


def is_sentinel(value: Any) -> bool:
    """Return whether a number is one that surveys use for missing values, such as -9 or 98."""
    return _SENTINEL.fullmatch(text_of(value)) is not None


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
    candidates += [
        value for value in distinct if value not in ordinary_values and value > threshold
    ]
    remaining_values = [value for value in distinct if value >= 0 and value not in candidates]
    candidates += _sentinels_of_scale(remaining_values)
    return tuple(text_of(value) for value in candidates)


def _negative_sentinels(distinct: Sequence[float], smallest: float) -> list[float]:
    """Return the negative values if they are few and well below the smallest ordinary value."""
    negative = [value for value in distinct if value < 0]
    is_separate = bool(negative) and max(negative) < smallest - 1
    return negative if is_separate and len(negative) <= 3 else []


def _sentinels_of_scale(values: Sequence[float]) -> list[float]:
    """Return the values among 7, 8 and 9 that follow an answer scale from 0 or 1 to at most 5."""
    if not 2 < len(values) <= MAX_SCALE or values[0] not in (0, 1):
        return []
    possible_codes = [value for value in values if value in (7, 8, 9)]
    scale = [value for value in values if value not in possible_codes]
    is_consecutive = scale == list(range(int(scale[0]), int(scale[0]) + len(scale)))
    return possible_codes if is_consecutive and scale[-1] <= 5 and len(scale) > 1 else []
