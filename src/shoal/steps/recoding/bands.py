"""Bands of numbers or of dates: their limits, their labels, and the band of each value."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError, PlanError
from shoal.frame import tables
from shoal.frame.arrow_types import decode
from shoal.frame.dates import days_since_epoch
from shoal.frame.notation.texts import text_of
from shoal.frame.tables import Frame
from shoal.frame.types import Type

BandLimit = float | str


def to_plain_limits(limits: Sequence[Any]) -> list[Any]:
    """Return limits as plain numbers, and dates as ISO text, for a plan document."""
    plain_limits = [limit.item() if isinstance(limit, np.generic) else limit for limit in limits]
    return [limit.isoformat() if isinstance(limit, dt.date) else limit for limit in plain_limits]


def check_bands(limits: Sequence[BandLimit], labels: Sequence[str] | None) -> None:
    """Refuse limits that are not in ascending order, and a wrong number of labels."""
    numbers = [limit for limit in limits if not isinstance(limit, str)]
    if numbers and len(numbers) < len(limits):
        raise PlanError("`bands` mixes numbers and dates. Use one kind.", code="bands-not-limits")
    limit_values: list[Any] = [*numbers] or [_parse_date(str(limit)) for limit in limits]
    if not limit_values or limit_values != sorted(set(limit_values)):
        raise PlanError(
            "`bands` must be limits in ascending order, such as [18, 65].", code="bands-not-limits"
        )
    if labels is not None and len(labels) != len(limits) + 1:
        raise PlanError(
            f"{len(limits)} limits make {len(limits) + 1} bands, but {len(labels)} labels are"
            " given. Give one label for each band.",
            code="labels-not-bands",
            bands=len(limits) + 1,
            labels=len(labels),
        )


def are_dates(limits: Sequence[BandLimit]) -> bool:
    """Return whether the limits are dates."""
    return isinstance(limits[0], str)


def band_labels(limits: Sequence[BandLimit], *, is_whole: bool) -> list[str]:
    """Return the label of each band, the lowest first.

    Parameters
    ----------
    limits : list of float or str
        The limits; a band begins at its lower limit.
    is_whole : bool
        Whether all values between the limits are whole numbers.

    Returns
    -------
    list of str
        One label more than there are limits.

    Examples
    --------
    >>> band_labels([18, 65], is_whole=True)
    ['under 18', '18-64', '65+']
    >>> band_labels([0, 0.5], is_whole=False)
    ['under 0', '[0, 0.5)', '0.5 or more']
    >>> band_labels(["2000-01-01", "2010-01-01"], is_whole=False)
    ['before 2000-01-01', '2000-01-01 to 2009-12-31', 'since 2010-01-01']
    """
    if are_dates(limits):
        days = [_parse_date(str(limit)) for limit in limits]
        last_days = [day - dt.timedelta(days=1) for day in days]
        inner_labels = [
            f"{low} to {high}" for low, high in zip(days[:-1], last_days[1:], strict=True)
        ]
        return [f"before {days[0]}", *inner_labels, f"since {days[-1]}"]
    numbers = [float(limit) for limit in limits]
    pairs = list(zip(numbers[:-1], numbers[1:], strict=True))
    if is_whole and all(number.is_integer() for number in numbers):
        inner_labels = [_whole_band_label(low, high) for low, high in pairs]
        return [f"under {text_of(numbers[0])}", *inner_labels, f"{text_of(numbers[-1])}+"]
    inner_labels = [f"[{text_of(low)}, {text_of(high)})" for low, high in pairs]
    return [f"under {text_of(numbers[0])}", *inner_labels, f"{text_of(numbers[-1])} or more"]


def band_index(
    frame: Frame, name: str, limits: Sequence[BandLimit], declared_type: Type | None
) -> tuple[NDArray[np.int64], bool]:
    """Return the band of each record, or -1 for a missing value, and whether all are whole."""
    if are_dates(limits):
        array = decode(tables.arrow(frame, name))
        values = days_since_epoch(
            name, array, "" if declared_type is None else declared_type.format
        )
        epoch = dt.date(1970, 1, 1)
        limit_values = [float((_parse_date(str(limit)) - epoch).days) for limit in limits]
    else:
        values = _finite_numbers(frame, name)
        limit_values = [float(limit) for limit in limits]
    index = np.searchsorted(limit_values, values, side="right")
    is_missing = np.isnan(values)
    all_whole = bool((values[~is_missing] == np.rint(values[~is_missing])).all())
    return np.where(is_missing, -1, index), all_whole


def _finite_numbers(frame: Frame, name: str) -> NDArray[np.float64]:
    """Return a numeric column; refuse infinite values."""
    values = tables.numbers(frame, name)
    if np.isinf(values).any():
        raise InputError(
            f"Column {name!r} has infinite values, which belong to no band. Correct or drop them.",
            code="infinite-values",
            column=name,
        )
    return values


def _whole_band_label(low: float, high: float) -> str:
    """Return the label of the whole numbers from ``low`` up to, but not including, ``high``."""
    first, last = text_of(low), text_of(high - 1)
    if first == last:
        return first
    return f"{first} to {last}" if low < 0 else f"{first}-{last}"


def _parse_date(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise PlanError(
            "Limits of `bands` that are text must be ISO dates such as 2024-01-31.",
            code="bands-not-limits",
        ) from None
