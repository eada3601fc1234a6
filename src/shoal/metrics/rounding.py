"""Rounding of published measures."""

from collections.abc import Callable
from typing import Any

DIGITS = 4  # significant digits of a published measure
MORE_DIGITS = 2  # further digits, at most, of numbers that could not be rounded again otherwise


def round_floats(data: Any) -> Any:
    """Return plain data with floats rounded to `DIGITS` digits; integers are counts and stay.

    With all digits of a few measures, an attacker could verify a guessed seed or value.

    Parameters
    ----------
    data : object
        Numbers and text, on their own or in lists and mappings.

    Returns
    -------
    object
        The same data, with fewer digits.

    Examples
    --------
    >>> round_floats({"loss": 12.345678, "classes": 123456})
    {'loss': 12.35, 'classes': 123456}
    """
    return _map_floats(data, lambda value: float(f"{value:.{DIGITS}g}"))


def round_floats_for_display(data: Any) -> Any:
    """Return plain data with floats rounded to `DIGITS` digits, or a few more after a final 5.

    Rounding the result to fewer digits is then the same as rounding the number itself. For example,
    3.10514 becomes 3.1051, and not 3.105, which would be displayed as 3.10.

    Parameters
    ----------
    data : object
        Numbers and text, on their own or in lists and mappings.

    Returns
    -------
    object
        The same data, with fewer digits.

    Examples
    --------
    >>> round_floats_for_display([12.345678, 12.343678, 3.10514, 2.5])
    [12.346, 12.34, 3.1051, 2.5]
    """
    return _map_floats(data, _round_for_display)


def _round_for_display(value: float) -> float:
    for digits in range(DIGITS, DIGITS + MORE_DIGITS + 1):
        result = float(f"{value:.{digits}g}")
        mantissa = f"{result:.{digits - 1}e}".partition("e")[0]
        if result == value or not mantissa.rstrip("0").endswith("5"):
            return result
    return result


def _map_floats(data: Any, function: Callable[[float], float]) -> Any:
    """Return plain data with a function applied to all floats except the edges of bins."""
    if isinstance(data, dict):
        # Edges of bins are round numbers already, and may only differ in later digits. They are a
        # list, unlike the value of a measure for a column that is named "edges".
        return {
            name: item
            if name == "edges" and isinstance(item, list)
            else _map_floats(item, function)
            for name, item in data.items()
        }
    if isinstance(data, list | tuple):
        return [_map_floats(item, function) for item in data]
    return function(data) if isinstance(data, float) else data
