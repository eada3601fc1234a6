"""Labels of intervals of numbers and of periods of dates."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

PERIODS: dict[str, Callable[[dt.datetime], str]] = {  # the shortest first
    "day": lambda date: f"{date.year:04d}-{date.month:02d}-{date.day:02d}",
    "month": lambda date: f"{date.year:04d}-{date.month:02d}",
    "quarter": lambda date: f"{date.year:04d}-Q{(date.month + 2) // 3}",
    "year": lambda date: f"{date.year:04d}",
    "decade": lambda date: f"{date.year // 10 * 10:04d}s",
}


def exact_number(text: str) -> Fraction | None:
    """Return a number as written, without a rounding error, or None for text.

    Examples
    --------
    >>> exact_number("0.3") % exact_number("0.1"), exact_number("many")
    (Fraction(0, 1), None)
    """
    try:
        return Fraction(Decimal(text))
    except (ArithmeticError, ValueError):  # infinite, NaN, text
        return None


def interval_label(number: Fraction, width: Fraction, *, is_whole: bool) -> str:
    """Return the label of the interval of a given width that contains a number.

    Examples
    --------
    >>> [interval_label(Fraction(number), Fraction(5), is_whole=True) for number in (7, -7)]
    ['5-9', '-10 to -6']
    >>> interval_label(Fraction("0.3"), Fraction("0.1"), is_whole=False)
    '[0.3, 0.4)'
    """
    low = number // width * width
    if not is_whole:
        return f"[{_format(low)}, {_format(low + width)})"
    return f"{low}{'-' if low >= 0 else ' to '}{low + width - 1}"


def _format(number: Fraction) -> str:
    return f"{float(number):.15g}"
