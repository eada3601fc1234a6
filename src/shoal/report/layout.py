"""Layout of measures: a list of numbers, and tables by column."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from shoal.metrics import MEASURE_INFO
from shoal.metrics.rounding import DIGITS, round_floats_for_display

NEGLIGIBLE_GAP = 1e-7  # a proven gap below it is a rounding error
MAX_NUMBERS = 5  # columns of numbers of a table that fits on paper
SINGULAR = {"records": "record", "units": "unit", "values": "value", "classes": "class"}


class Row(NamedTuple):
    """One number about the whole table; ``part`` names it if a measure has several."""

    name: str
    part: str
    value: Any


class Table(NamedTuple):
    """Numbers about columns: a heading per number, a row per column."""

    per: str
    measures: tuple[str, ...]
    headings: tuple[str, ...]
    rows: dict[str, tuple[Any, ...]]

    @property
    def parts(self) -> list["Table"]:
        """The table in parts that are narrow enough for paper."""
        starts = range(0, len(self.headings), MAX_NUMBERS)
        return [
            self._replace(
                headings=self.headings[i : i + MAX_NUMBERS],
                rows={name: row[i : i + MAX_NUMBERS] for name, row in self.rows.items()},
            )
            for i in starts
        ]


def numbers(measures: Mapping[str, Any]) -> list[Row]:
    """Return the numbers about the whole table, utility first."""
    return [
        Row(name, str(part), number)
        for name, value in sorted(
            measures.items(), key=lambda entry: MEASURE_INFO[entry[0]].kind != "utility"
        )
        if not MEASURE_INFO[name].per
        for part, number in (value.items() if isinstance(value, dict) else [("", value)])
    ]


def tables(measures: Mapping[str, Any]) -> list[Table]:
    """Return a table for each of quasi-identifiers, confidential columns and categories."""
    return [
        _table(
            per, {name: value for name, value in measures.items() if MEASURE_INFO[name].per == per}
        )
        for per in ("quasi-identifier", "confidential", "categorical")
        if any(MEASURE_INFO[name].per == per for name in measures)
    ]


def format_number(value: Any) -> str:
    """Return a number as text, with four decimals unless it is an integer.

    A number that was rounded to `DIGITS` significant digits is not padded with zeros.
    """
    if not isinstance(value, float):
        return str(value)
    if abs(value) < 1 or value.is_integer() or round_floats_for_display(value) != value:
        return f"{value:.4f}"
    return f"{value:.{max(0, DIGITS - len(str(int(abs(value)))))}f}"


def short_number(value: Any) -> str:
    """Return a number with three significant digits and thousands separators.

    Examples
    --------
    >>> short_number(0.031249), short_number(14.7777), short_number(125034.2), short_number(1e-9)
    ('0.0312', '14.8', '125,034', '<0.0001')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or value.is_integer():
        return f"{value:,.0f}"
    if not math.isfinite(value) or abs(value) >= 1e15:
        return f"{value:.2e}"
    if abs(value) < 1e-4:
        return "<0.0001" if value > 0 else ">-0.0001"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


def short_statistic(value: Any, years: bool = False) -> str:
    """Return a number as `short_number` does, but a small one with its power of ten.

    ``years`` have no thousands separator.

    Examples
    --------
    >>> short_statistic(0.0000125), short_statistic(-0.5), short_statistic(1967.4, years=True)
    ('1.25e-05', '-0.500', '1967')
    """
    if years:
        return f"{value:.0f}"
    small = isinstance(value, float) and 0 < abs(value) < 1e-3
    return f"{value:.3g}" if small else short_number(value)


def by_reason(remarks: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the measures that each remark is about."""
    measures: dict[str, list[str]] = {}
    for name, reason in remarks.items():
        measures.setdefault(reason, []).append(name)
    return measures


def _table(per: str, measures: Mapping[str, Any]) -> Table:
    """Return the table of the measures that have a number for each column."""
    entries = [
        (f"{name} {part}".strip(), by_column)
        for name, value in measures.items()
        for part, by_column in _measure_parts(value)
    ]
    columns = list(entries[0][1])
    return Table(
        per,
        tuple(measures),
        tuple(heading for heading, _ in entries),
        {column: tuple(by_column[column] for _, by_column in entries) for column in columns},
    )


def _measure_parts(value: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Return the parts of a measure by column with their names; most have one part, unnamed."""
    nested = all(isinstance(entry, dict) for entry in value.values())
    return value.items() if nested else [("", value)]


def unit_for(unit: str, value: Any) -> str:
    """Return the unit of a measure, in the singular after 1.

    Examples
    --------
    >>> unit_for("records", 5), unit_for("classes", 1), unit_for("%", 1)
    ('records', 'class', '%')
    """
    return SINGULAR.get(unit, unit) if value == 1 else unit
