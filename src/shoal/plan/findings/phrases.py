"""Phrases in the sentences of findings: columns, shares and advice."""

from collections.abc import Mapping, Sequence

from shoal._text import join_names
from shoal.frame.roles import name_columns
from shoal.steps import Step

MAX_NAMES = 6  # columns shown by name; the others are counted


def advice_to_mask_more(steps: Sequence[Step]) -> str:
    """Return the advice to mask more: to raise k, if a step has a k."""
    return "Raise k" if any(step.k is not None for step in steps) else "Mask more strongly"


def advice_to_mask_less(steps: Sequence[Step]) -> str:
    """Return the advice to mask less: to lower k, if a step has a k."""
    return "Lower k" if any(step.k is not None for step in steps) else "Mask less strongly"


def format_share(share: float) -> str:
    """Return a share in per cent, with three digits; 0 and 100 only if exact.

    Examples
    --------
    >>> format_share(0.6857), format_share(1.0), format_share(0.99999), format_share(0.0001)
    ('68.6 %', '100 %', 'more than 99.9 %', 'less than 0.1 %')
    """
    if 0 < share < 0.0005:
        return "less than 0.1 %"
    if 0.9995 <= share < 1:
        return "more than 99.9 %"
    return f"{100 * share:.3g} %"


def name_few(columns: Sequence[str], singular: str = "Column", plural: str = "Columns") -> str:
    """Return columns with their noun; beyond the first few, only the number of the others.

    Without a noun, only the names are returned.

    Examples
    --------
    >>> name_few(["a", "b"]), name_few(["a", "b"], "", "")
    ("Columns 'a' and 'b'", "'a' and 'b'")
    """
    if len(columns) <= MAX_NAMES:
        return name_columns(columns, singular, plural).lstrip()
    names = ", ".join(map(repr, columns[:MAX_NAMES]))
    return f"{plural} {names} and {len(columns) - MAX_NAMES} more".lstrip()


def join_few(columns: Sequence[str]) -> str:
    """Return names as an enumeration; beyond the first few, only the number of the others.

    Examples
    --------
    >>> join_few(["a", "b"]), join_few(list("abcdefgh"))
    ('a and b', 'a, b, c, d, e, f and 2 more')
    """
    n_others = len(columns) - MAX_NAMES
    return join_names(columns if n_others <= 0 else [*columns[:MAX_NAMES], f"{n_others} more"])


def join_phrases(phrase_by_column: Mapping[str, str]) -> str:
    """Return columns with their phrases; beyond the first few, only the number of the others.

    Examples
    --------
    >>> join_phrases({"age": "in 3", "pay": "in 1"})
    "'age' in 3, 'pay' in 1"
    """
    phrases = [f"{name!r} {phrase}" for name, phrase in list(phrase_by_column.items())[:MAX_NAMES]]
    n_others = len(phrase_by_column) - MAX_NAMES
    return ", ".join(phrases) + (f" and {n_others} more" if n_others > 0 else "")
