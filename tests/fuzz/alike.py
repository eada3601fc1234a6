"""Whether a cell of one format says what a cell of another format says."""

import contextlib
import datetime as dt
import math
from typing import Any

MOMENT = dt.timedelta(milliseconds=2)  # what formats with floating moments may lose

MISSING_WORDS = {"na", "n/a", "n.a.", "#n/a", "nan", "null", ".", "-", "--", "?", "missing"}


def is_missing_word(value: Any) -> bool:
    """Return whether a text stands for a missing value among numbers."""
    return isinstance(value, str) and value.strip().lower() in MISSING_WORDS


def alike(one: Any, other: Any) -> bool:
    """Return whether two cells are equal up to trailing blanks and kinds of numbers."""
    one, other = _plain(one), _plain(other)
    if one == other:
        return True
    for kind in (_number, _moment):
        first, second = kind(one), kind(other)
        if first is not None and second is not None:
            if isinstance(first, float):
                return math.isclose(first, second, rel_tol=1e-13, abs_tol=1e-300)
            return bool(abs(first - second) <= MOMENT)
    return _counted(one, other) or _counted(other, one)


def _counted(moment: Any, number: Any) -> bool:
    """Return whether a number counts up to a moment, as SPSS, Stata and SAS store it."""
    if not isinstance(moment, dt.datetime) or not isinstance(number, float):
        return False
    since = {dt.datetime(1582, 10, 14): 1.0, dt.datetime(1960, 1, 1): 1000.0}
    counts = [unit * (moment - start).total_seconds() for start, unit in since.items()]
    counts.append((moment - dt.datetime(1960, 1, 1)).total_seconds())
    return any(math.isclose(count, number, rel_tol=1e-13) for count in counts)


def number_of(value: Any) -> float | None:
    """Return the number that a cell stands for, if it does."""
    return _number(_plain(value))


def moment_of(value: Any) -> dt.datetime | None:
    """Return the moment that a cell stands for, if it does."""
    return _moment(_plain(value))


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str) and not value.strip():
        return None
    if isinstance(value, str):
        return {"true": 1.0, "false": 0.0}.get(value.lower(), value.rstrip())
    return float(value) if isinstance(value, bool) else value


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return float(value.replace(",", "."))
        return None
    return float(value) if isinstance(value, int | float) else None


def _moment(value: Any) -> dt.datetime | None:
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return dt.datetime.fromisoformat(value.strip())
        return None
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    return None
