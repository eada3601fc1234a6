"""How findings name columns and shares."""

from collections.abc import Mapping, Sequence

from shoal.frame.roles import name_columns

NAMED = 6  # columns shown by name; the others are counted


def percent(share: float) -> str:
    """Return a share in per cent, with three digits; never 0 or 100 unless it is.

    Examples
    --------
    >>> percent(0.6857), percent(1.0), percent(0.99999), percent(0.0001)
    ('68.6 %', '100 %', 'more than 99.9 %', 'less than 0.1 %')
    """
    if 0 < share < 0.0005:
        return "less than 0.1 %"
    if 0.9995 <= share < 1:
        return "more than 99.9 %"
    return f"{100 * share:.3g} %"


def few(columns: Sequence[str], singular: str = "Column", plural: str = "Columns") -> str:
    """Name columns in a sentence; of many, the first ones and the number of the others.

    Examples
    --------
    >>> few(["a", "b"])
    "Columns 'a' and 'b'"
    """
    if len(columns) <= NAMED:
        return name_columns(columns, singular, plural)
    names = ", ".join(map(repr, columns[:NAMED]))
    return f"{plural} {names} and {len(columns) - NAMED} more"


def by_column(words: Mapping[str, str]) -> str:
    """Return what is said of each column; of many, the first ones and the number of the others."""
    shown = [f"{name!r} {said}" for name, said in list(words.items())[:NAMED]]
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    return ", ".join(shown) + more
