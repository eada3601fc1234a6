"""Values as text."""

from typing import Any


def text_of(value: Any) -> str:
    """Return a value as text, so that 1, 1.0 and ``"1"`` are equal.

    Examples
    --------
    >>> [text_of(value) for value in (1, 1.0, "1", True, 2.5)]
    ['1', '1', '1', 'true', '2.5']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)
