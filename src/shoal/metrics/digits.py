"""How many digits of a measure leave the house."""

from typing import Any

DIGITS = 4


def rounded(part: Any) -> Any:
    """Return plain data with floats of at most `DIGITS` digits; whole numbers are counts and stay.

    All digits of a few measures would be enough for anyone who guesses a seed, or a value of a
    record, to see that the guess is right.

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
        # Edges of bins are round numbers already, and may differ in later digits only.
        return {name: e if name == "edges" else rounded(e) for name, e in part.items()}
    if isinstance(part, list | tuple):
        return [rounded(entry) for entry in part]
    return float(f"{part:.{DIGITS}g}") if isinstance(part, float) else part
