"""Plain text that fits a width: aligned tables and wrapped sentences.

An interface sets the width for a block of code with `limit_table_width`; without it, lines have
any length.
"""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from textwrap import wrap

GAP = "  "  # between the columns of a table
MIN_SENTENCE_WIDTH = 12  # minimum width of a column of sentences, in characters
_NUMBER = re.compile(r"[-+\u2212]?[\d,]*\.?\d+(e[-+]?\d+)?( ?%)?|nan|inf")
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_SPACE = re.compile(r" (?!%)")  # a per cent sign stays with its number

_width: ContextVar[int | None] = ContextVar("shoal_text_width", default=None)


@contextmanager
def limit_table_width(width: int | None) -> Iterator[None]:
    """Limit lines of the enclosed code to ``width`` characters; None removes the limit."""
    token = _width.set(width)
    try:
        yield
    finally:
        _width.reset(token)


def text_width() -> int | None:
    """Return the maximum length of a line, or None if there is no limit."""
    return _width.get()


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural if needed.

    Examples
    --------
    >>> count(1, "record"), count(20000, "record"), count(2, "class", "classes")
    ('1 record', '20,000 records', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def join_names(names: Sequence[str]) -> str:
    """Return names as an enumeration.

    Examples
    --------
    >>> join_names(["age"]), join_names(["age", "sex", "wage"])
    ('age', 'age, sex and wage')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def plain_text(text: str) -> str:
    """Return text of a docstring without markup and citations.

    Examples
    --------
    >>> plain_text("Group by ``k`` [DT05]_, see :class:`~shoal.Plan`.")
    'Group by k, see shoal.Plan.'
    """
    text = re.sub(r":\w+:`~?([\w.]+)`", r"\1", text)
    return re.sub(r",? \[\w+\]_", "", text).replace("`", "")


def shorten(text: str, max_length: int) -> str:
    """Return text cut to at most ``max_length`` characters.

    Examples
    --------
    >>> shorten("years_of_education", 10)
    'years_of_…'
    """
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"


def format_percentage(value: float) -> str:
    """Return a percentage as text, to three significant figures.

    Examples
    --------
    >>> [format_percentage(value) for value in (14.7777, 10.0, 0.8204, 0.0, 1e-9)]
    ['14.8 %', '10.0 %', '0.820 %', '0 %', 'less than 0.001 %']
    """
    if value == 0:
        return "0 %"
    if 0 < value < 0.0005:
        return "less than 0.001 %"
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.{max(0, 2 - math.floor(math.log10(abs(rounded))))}f} %"


def size_range(smallest: int, largest: int) -> str:
    """Return the sizes of groups as text: one number, or two.

    Examples
    --------
    >>> size_range(5, 5), size_range(5, 9)
    ('5', '5 to 9')
    """
    return f"{smallest}" if smallest == largest else f"{smallest} to {largest}"


def align_rows(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as lines with aligned columns, the first row being the headings.

    Columns of numbers are aligned on the right. Cells are wrapped between words where the lines
    would be too long. If that is not enough, or takes more lines, the sentences of the last columns
    are written below each row, or else each row is written as a list of its cells with their
    headings.

    Parameters
    ----------
    rows : list of list of str
        The cells; all rows have the same number.

    Returns
    -------
    str
        The table, whose lines fit the width that `limit_table_width` sets.

    Examples
    --------
    >>> rows = [["step", "summary"], ["swap", "Swap the values of each column."]]
    >>> print(align_rows(rows))
    step  summary
    swap  Swap the values of each column.
    >>> with limit_table_width(24):
    ...     print(align_rows(rows))
    step  summary
    swap  Swap the values of
          each column.
    >>> print(align_rows([["column", "missing", "unique"], ["age", "1,250", "7.5%"]]))
    column  missing  unique
    age       1,250    7.5%
    """
    table = align_in_columns(rows)
    return _format_as_lists(rows) if table is None else table


def align_in_columns(rows: Sequence[Sequence[str]]) -> str | None:
    """Return rows as `align_rows` does, or None if the columns do not fit beside each other."""
    if not rows:
        return ""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    is_numeric = [i > 0 and _are_numbers(cells[1:]) for i, cells in enumerate(columns)]
    limit = _width.get()
    with_notes = None
    fitted_widths = widths
    if limit is not None and sum(widths) + len(GAP) * (len(widths) - 1) > limit:
        with_notes = _format_with_notes(rows, is_numeric, limit)
        narrow_widths = _fit_widths(rows, widths, limit)
        if narrow_widths is None:
            return with_notes
        fitted_widths = narrow_widths
    table = "\n".join(line for row in rows for line in _format_row(row, fitted_widths, is_numeric))
    return with_notes if with_notes and with_notes.count("\n") < table.count("\n") else table


def wrap_text(text: str, width: int | None = None) -> str:
    """Return text with long lines broken between words, and continuation lines indented.

    Examples
    --------
    >>> print(wrap_text("warning: The order of the records follows a hidden column.", 34))
    warning: The order of the records
      follows a hidden column.
    >>> print(wrap_text("Released exactly: 98.6 % of the records.", 24))
    Released exactly:
      98.6 % of the records.
    """
    limit = _width.get() if width is None else width
    if limit is None:
        return text
    return "\n".join(_break_line(line, limit) for line in text.split("\n"))


def _break_line(line: str, limit: int) -> str:
    if len(_STYLE.sub("", line)) <= limit:
        return line
    indent = line[: len(line) - len(line.lstrip())] + "  "
    lines = [""]
    for i, word in enumerate(_SPACE.split(line)):
        joined = word if i == 0 else f"{lines[-1]} {word}"
        if i and len(_STYLE.sub("", joined)) > limit and lines[-1].strip():
            lines.append(indent + word)
        else:
            lines[-1] = joined
    return "\n".join(lines)


def _fit_widths(rows: Sequence[Sequence[str]], widths: list[int], limit: int) -> list[int] | None:
    """Return widths with which the lines have at most ``limit`` characters, or None.

    The widest columns are narrowed first, and headings are broken before cells.
    """
    widths = list(widths)
    available = limit - len(GAP) * (len(widths) - 1)
    columns = list(zip(*rows, strict=True))
    smallest = [min(pair) for pair in zip(widths, map(_min_width, columns), strict=True)]
    if sum(smallest) > available:
        return None
    unbroken = [
        max(low, *map(len, column[1:])) if len(column) > 1 else low
        for low, column in zip(smallest, columns, strict=True)
    ]
    for bounds in (unbroken, smallest):
        while sum(widths) > available and widths != bounds:
            spare = [width - low for width, low in zip(widths, bounds, strict=True)]
            widest = max((i for i, width in enumerate(spare) if width), key=lambda i: widths[i])
            widths[widest] -= 1
    return widths


def _min_width(column: Sequence[str]) -> int:
    """Return the minimum width of a column: its longest word, or more if cells are sentences."""
    longest = max(len(word) for cell in column for word in cell.split(" "))
    return max(MIN_SENTENCE_WIDTH, longest) if any(" " in cell for cell in column[1:]) else longest


def _are_numbers(cells: Sequence[str]) -> bool:
    """Return whether the cells that are not empty are all numbers."""
    filled = [cell for cell in cells if cell not in ("", "-", "?")]
    return bool(filled) and all(_NUMBER.fullmatch(cell) for cell in filled)


def _format_row(row: Sequence[str], widths: Sequence[int], is_numeric: Sequence[bool]) -> list[str]:
    cells = [
        [cell] if len(cell) <= width else wrap(cell, width, break_on_hyphens=False)
        for cell, width in zip(row, widths, strict=True)
    ]
    height = max(map(len, cells))
    return [
        GAP.join(
            f"{cell[i] if i < len(cell) else '':{'>' if is_number else '<'}{width}}"
            for cell, width, is_number in zip(cells, widths, is_numeric, strict=True)
        ).rstrip()
        for i in range(height)
    ]


def _format_with_notes(
    rows: Sequence[Sequence[str]], is_numeric: Sequence[bool], limit: int
) -> str | None:
    """Return the table with its last one or two columns below each row, or None if too wide."""
    for n_notes in (1, 2):
        if n_notes >= len(rows[0]) - 1 or not any(" " in row[-n_notes] for row in rows):
            return None
        narrow = [row[:-n_notes] for row in rows]
        widths = [max(map(len, column)) for column in zip(*narrow, strict=True)]
        fitted_widths = _fit_widths(narrow, widths, limit)
        if fitted_widths is None:
            continue
        lines = []
        for i, row in enumerate(rows):
            notes = [note for note in row[-n_notes:] if note] if i else []
            cells = _format_row(narrow[i], fitted_widths, is_numeric[:-n_notes])
            lines += [*cells, *(wrap_text(f"    {note}") for note in notes)]
        return "\n".join(lines)
    return None


def _format_as_lists(rows: Sequence[Sequence[str]]) -> str:
    headings, *others = rows
    longest = max(map(len, headings[1:]), default=0)
    blocks = []
    for row in others:
        cells = [
            f"  {heading:<{longest}}{GAP}{cell}".rstrip()
            for heading, cell in zip(headings[1:], row[1:], strict=True)
        ]
        blocks.append("\n".join([row[0], *map(wrap_text, cells)]))
    return "\n".join(blocks)
