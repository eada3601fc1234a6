"""Rounding of published measures."""

from typing import Any

DIGITS = 4


def rounded(part: Any) -> Any:
    """Return plain data with floats rounded to `DIGITS` digits; integers are counts and stay.

    With all digits of a few measures, an attacker could verify a guessed seed or value.

    Parameters
    ----------
    part : object
        Numbers and text, alone or in lists and mappings.

    Returns
    -------
    object
        The same, with fewer digits.

    Examples
    --------
    >>> rounded({"loss": 12.345678, "classes": 123456})
    {'loss': 12.35, 'classes': 123456}
    """
    if isinstance(part, dict):
        # Edges of bins are round numbers already, and may only differ in later digits.
        return {name: e if name == "edges" else rounded(e) for name, e in part.items()}
    if isinstance(part, list | tuple):
        return [rounded(entry) for entry in part]
    return float(f"{part:.{DIGITS}g}") if isinstance(part, float) else part
