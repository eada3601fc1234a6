"""Validation of declared hierarchies; errors give positions, never values."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from shoal.errors import ParameterError
from shoal.frame.notation.texts import text_of
from shoal.frame.types.hierarchy_labels import PERIODS, exact_number

Row = tuple[str, ...]


def check_rows(entries: Any, name: str = "") -> tuple[Row, ...]:
    """Return the rows of a hierarchy; refuse rows in which a value has more than one path."""
    rows = nested_rows(entries, name) if isinstance(entries, Mapping) else as_rows(entries, name)
    if not rows:
        return ()
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            _refuse(
                name,
                "hierarchy-uneven",
                f"has rows of different lengths, first row {number}",
                row=number,
            )
    if len(rows[0]) < 2:
        _refuse(name, "hierarchy-without-parents", "names no parents")
    listed_values: set[str] = set()
    for number, row in enumerate(rows, 1):
        if row[0] in listed_values:
            _refuse(name, "value-twice", f"lists a value twice, in row {number}", row=number)
        listed_values.add(row[0])
    for level in range(1, len(rows[0]) - 1):
        parents_of_category: dict[str, Row] = {}
        for number, row in enumerate(rows, 1):
            if parents_of_category.setdefault(row[level], row[level + 1 :]) != row[level + 1 :]:
                _refuse(
                    name,
                    "hierarchy-no-tree",
                    f"is not a tree: the category at level {level} of row {number} has another"
                    " parent in an earlier row",
                    level=level,
                    row=number,
                )
    return rows


def as_rows(rows: Any, name: str = "") -> tuple[Row, ...]:
    """Return rows of texts; refuse what is not a list of lists."""
    if (
        isinstance(rows, str)
        or not isinstance(rows, Sequence)
        or any(isinstance(row, str) or not isinstance(row, Sequence) for row in rows)
    ):
        raise ParameterError(
            f"The hierarchy or the distances{_column_phrase(name)} must be a list of rows, or the"
            " name of a file with them.",
            code="rows-not-a-list",
            column=name,
        )
    return tuple(tuple(text_of(cell) for cell in row) for row in rows)


def nested_rows(tree: Any, name: str = "") -> tuple[Row, ...]:
    """Return the rows of nested mappings, the coarsest categories outside."""
    paths = list(_paths(tree, (), name))
    depth = max(map(len, paths), default=0)
    return tuple((*(path[:1] * (depth - len(path))), *path) for path in paths)


def _paths(tree: Any, ancestors: Row, name: str) -> list[Row]:
    if not isinstance(tree, Mapping):
        values = [tree] if isinstance(tree, str) else tree
        if not isinstance(values, Sequence) or any(
            isinstance(value, Mapping | list | tuple) for value in values
        ):
            _refuse(name, "hierarchy-not-nested", "must be mappings that end in lists of values")
        return [(text_of(value), *ancestors) for value in values]
    return [
        path
        for category, narrower in tree.items()
        for path in _paths(narrower, (text_of(category), *ancestors), name)
    ]


def check_prefixes(entries: Any, name: str = "") -> tuple[int, ...]:
    """Return lengths of prefixes; refuse anything but descending whole numbers."""
    lengths = [entries] if isinstance(entries, int) else entries
    if (
        isinstance(lengths, str)
        or not isinstance(lengths, Sequence)
        or any(
            isinstance(length, bool) or not isinstance(length, int) or length < 1
            for length in lengths
        )
        or any(longer <= shorter for longer, shorter in zip(lengths[:-1], lengths[1:], strict=True))
    ):
        raise ParameterError(
            f"The prefixes{_column_phrase(name)} must be lengths above 0, the longest first.",
            code="prefixes-not-lengths",
            column=name,
        )
    return tuple(lengths)


def check_intervals(entries: Any, name: str = "") -> tuple[float, ...]:
    """Return widths of intervals; refuse widths that do not nest."""
    widths = [entries] if isinstance(entries, int | float) else entries
    if (
        isinstance(widths, str)
        or not isinstance(widths, Sequence)
        or any(isinstance(width, bool) or not isinstance(width, int | float) for width in widths)
        or any(not 0 < width < float("inf") for width in widths)
        or any(
            not _is_multiple(wider, narrower)
            for narrower, wider in zip(widths[:-1], widths[1:], strict=True)
        )
    ):
        raise ParameterError(
            f"The intervals{_column_phrase(name)} must be widths above 0, the narrowest first, each"
            " a multiple of the one before it.",
            code="intervals-not-widths",
            column=name,
        )
    return tuple(widths)


def check_periods(entries: Any, name: str = "") -> tuple[str, ...]:
    """Return periods of dates; refuse unknown periods and any other order."""
    periods = [entries] if isinstance(entries, str) else entries
    if not isinstance(periods, Sequence) or list(periods) != [
        period for period in PERIODS if period in periods
    ]:
        raise ParameterError(
            f"The periods{_column_phrase(name)} must be one or more of {', '.join(PERIODS)}, in"
            " this order.",
            code="periods-unknown",
            column=name,
        )
    return tuple(periods)


def _is_multiple(wide: float, narrow: float) -> bool:
    wider, narrower = exact_number(repr(wide)), exact_number(repr(narrow))
    return wider is not None and bool(narrower) and wider > narrower and not wider % narrower  # type: ignore[operator]


def _refuse(name: str, code: str, fault: str, **attributes: Any) -> NoReturn:
    raise ParameterError(
        f"The hierarchy{_column_phrase(name)} {fault}.", code=code, column=name, **attributes
    )


def _column_phrase(name: str) -> str:
    return f" of column {name!r}" if name else ""
