"""Hierarchies: categories of the values of a column, coarser from level to level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from shoal._text import count
from shoal.errors import InputError, ParameterError
from shoal.frame.notation.date_formats import parse_date, possible_formats
from shoal.frame.notation.texts import text_of
from shoal.frame.types import hierarchy_checks as checks
from shoal.frame.types.declaration_files import read_rows
from shoal.frame.types.hierarchy_checks import Row
from shoal.frame.types.hierarchy_labels import PERIODS, exact_number, interval_label

ROOT = "*"  # the category of all values
MAX_LINES = 20  # lines of a drawn hierarchy


@dataclass(frozen=True)
class Hierarchy:
    """How the values of a column become coarser, level by level.

    A hierarchy is either a list of values with their ancestors, or a rule that gives the ancestors
    of any value. It can be given wherever the type of a column is declared.

    Parameters
    ----------
    rows : list of list of str
        One row per value: the value, its parent, the parent's parent, and so on. All rows have the
        same length. A last column with only ``"*"``, the root, may be left out.
    prefixes : list of int
        For codes, the lengths of the prefixes that are their ancestors, the longest first:
        ``[3, 1]``.
    intervals : list of float
        For numbers, the widths of intervals, the narrowest first; each is a multiple of the one
        before it.
    periods : list of {"day", "month", "quarter", "year", "decade"}
        For dates, the periods that they fall in, the shortest first.

    Examples
    --------
    >>> Hierarchy(intervals=[5, 20]).paths(["7", "21"])
    [('7', '5-9', '0-19'), ('21', '20-24', '20-39')]
    >>> Hierarchy(periods=["quarter", "year"]).paths(["2024-12-31"])
    [('2024-12-31', '2024-Q4', '2024')]
    >>> print(Hierarchy.from_nested({"north": ["Porto", "Braga"], "south": ["Faro"]}))
    3 values, 2 categories
    north: 2 values
    south: 1 value
    """

    rows: tuple[Row, ...] = ()
    prefixes: tuple[int, ...] = ()
    intervals: tuple[float, ...] = ()
    periods: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for key, check in CHECKS.items():
            object.__setattr__(self, key, check(getattr(self, key)))
        if sum(bool(getattr(self, key)) for key in CHECKS) != 1:
            raise ParameterError(
                "A hierarchy is given by exactly one of rows, prefixes, intervals and periods.",
                code="hierarchy-ways",
            )

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read a hierarchy from a text file: a value, its parent, and so on in each line.

        Parameters
        ----------
        path : str or Path
            The file, without a header and separated by semicolons, commas or tabs, as ARX exports
            hierarchies; or a ``.toml`` file of nested tables, see `from_nested`.

        Returns
        -------
        Hierarchy
            The hierarchy that the file declares.
        """
        return cls(read_rows(path, None))

    @classmethod
    def from_nested(cls, tree: Mapping[str, Any]) -> Self:
        """Return the hierarchy of nested mappings, the coarsest categories outside.

        Parameters
        ----------
        tree : mapping
            Categories, each with a mapping of narrower ones or with the list of its values. If
            some values have fewer ancestors than others, their lowest levels are the value itself.

        Returns
        -------
        Hierarchy
            A hierarchy with one row for each value of the mappings.
        """
        return cls(checks.check_rows(tree))

    @classmethod
    def from_labels(cls, labels: Mapping[Any, str], above: "Hierarchy | None" = None) -> Self:
        """Return the hierarchy of coded values: codes become labels, equal labels one category.

        Parameters
        ----------
        labels : mapping
            The label of each code, as statistical packages store them.
        above : Hierarchy, optional
            A hierarchy of the labels.

        Returns
        -------
        Hierarchy
            The hierarchy of the codes.
        """
        texts = [text_of(label) for label in labels.values()]
        paths = [(text,) for text in texts] if above is None else above.paths(texts)
        return cls(tuple((text_of(code), *path) for code, path in zip(labels, paths, strict=True)))

    @property
    def kind(self) -> str:
        """The kind of the columns that the hierarchy is made for."""
        return "numeric" if self.intervals else "date" if self.periods else "nominal"

    @property
    def n_levels(self) -> int:
        """Number of levels, the values and the root included."""
        if self.rows:
            return len(self.rows[0]) + (not self._is_rooted)
        return len(self.prefixes or self.intervals or self.periods) + 2

    def paths(self, values: Sequence[str], date_format: str = "", name: str = "") -> list[Row]:
        """Return values with their ancestors, without the root.

        Parameters
        ----------
        values : list of str
            The values, as text.
        date_format : str
            How dates are written; ISO dates and others that are unambiguous need none.
        name : str
            Name of the column, for error messages.

        Returns
        -------
        list of tuple of str
            The path of each value: the value, then its ancestors.
        """
        if self.prefixes:
            return _by_prefixes(values, self.prefixes)
        if self.intervals:
            return _by_intervals(values, self.intervals, name)
        if self.periods:
            return _by_periods(values, self.periods, date_format, name)
        path_of_value = {row[0]: row[:-1] if self._is_rooted else row for row in self.rows}
        unknown_positions = [
            index for index, value in enumerate(values) if value not in path_of_value
        ]
        if unknown_positions:
            column_phrase = f" of column {name!r}" if name else ""
            raise InputError(
                f"The hierarchy{column_phrase} lacks {len(unknown_positions):,} of {len(values):,}"
                " values. Add them.",
                code="value-outside-type",
                column=name,
                count=len(unknown_positions),
                position=unknown_positions[0] + 1,
            )
        return [path_of_value[value] for value in values]

    def to_entry(self) -> dict[str, Any]:
        """Return the hierarchy as keys of a column's type in a plan document."""
        if self.rows:
            return {"hierarchy": [list(row) for row in self.rows]}
        return {
            parameter.name: list(value)
            for parameter in fields(self)
            if (value := getattr(self, parameter.name))
        }

    def __str__(self) -> str:
        if not self.rows:
            ((rule, values),) = self.to_entry().items()
            return f"{rule}: {', '.join(map(str, values))}"
        paths = [row[:-1] if self._is_rooted else row for row in self.rows]
        sizes = [len({path[level:] for path in paths}) for level in range(len(paths[0]))]
        summary = ", ".join([count(sizes[0], "value"), *(f"{n:,} categories" for n in sizes[1:])])
        lines = _tree_lines([path[:0:-1] for path in paths])
        n_hidden = len(lines) - MAX_LINES
        return "\n".join(
            [summary, *lines[:MAX_LINES], *([f"... {n_hidden:,} more"] if n_hidden > 0 else [])]
        )

    @property
    def _is_rooted(self) -> bool:
        return {row[-1] for row in self.rows} == {ROOT}


CHECKS = {
    "rows": checks.check_rows,
    "prefixes": checks.check_prefixes,
    "intervals": checks.check_intervals,
    "periods": checks.check_periods,
}


def _by_prefixes(values: Sequence[str], lengths: Sequence[int]) -> list[Row]:
    """Return the prefixes of codes; codes of digits are padded with leading zeros."""
    width = max(map(len, values), default=0)
    all_digits = all(value.isdecimal() for value in values)
    codes = [value.zfill(width) if all_digits else value for value in values]
    return [
        (value, *(code[:length] for length in lengths))
        for value, code in zip(values, codes, strict=True)
    ]


def _by_intervals(values: Sequence[str], widths: Sequence[float], name: str) -> list[Row]:
    numbers = [exact_number(value) for value in values]
    known_numbers = [number for number in numbers if number is not None]
    if len(known_numbers) < len(values):
        culprit = f"Column {name!r}" if name else "A column"
        raise InputError(
            f"{culprit} has intervals but contains text. Leave the intervals out.",
            code="text-among-numbers",
            column=name,
        )
    exact_widths = [exact_number(repr(width)) for width in widths]
    known_widths = [width for width in exact_widths if width is not None]
    is_whole = all(number.denominator == 1 for number in (*known_numbers, *known_widths))
    return [
        (value, *(interval_label(number, width, is_whole=is_whole) for width in known_widths))
        for value, number in zip(values, known_numbers, strict=True)
    ]


def _by_periods(
    values: Sequence[str], periods: Sequence[str], date_format: str, name: str
) -> list[Row]:
    formats = [date_format] if date_format else possible_formats(values) or [""]
    dates = [parse_date(value, formats[0]) for value in values]
    known_dates = [date for date in dates if date is not None]
    culprit = f"Column {name!r}" if name else "A column"
    if len(formats) > 1:
        raise InputError(
            f"{culprit} contains dates whose day and month could be swapped. Declare their format.",
            code="dates-ambiguous",
            column=name,
            formats=tuple(formats),
        )
    if len(known_dates) < len(values):
        raise InputError(
            f"{culprit} has periods, but {len(values) - len(known_dates):,} of its {len(values):,}"
            " values are not dates. Correct them, or declare their format.",
            code="not-a-date",
            column=name,
            count=len(values) - len(known_dates),
        )
    return [
        (value, *(PERIODS[period](date) for period in periods))
        for value, date in zip(values, known_dates, strict=True)
    ]


def _tree_lines(paths: Sequence[Row], depth: int = 0) -> list[str]:
    """Return the categories as indented lines with their numbers of values, from the top."""
    paths_by_category: dict[str, list[Row]] = {}
    for path in paths:
        if path:
            paths_by_category.setdefault(path[0], []).append(path[1:])
    lines = []
    for category, narrower in paths_by_category.items():
        lines.append(f"{'  ' * depth}{category}: {count(len(narrower), 'value')}")
        lines += _tree_lines(narrower, depth + 1)
    return lines
