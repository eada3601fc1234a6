"""Numbers as people write them: thousands separators, currencies, percents, open ends."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from shoal.frame.notation.decimals import MAX_EXACT_INTEGER

_AFFIX = r"[$€£¥₹]|[A-Z]{3}|[A-Z]{1,2}\$|kr\.?|zł|Ft|Fr\.?"
_CELL = re.compile(
    rf"(?P<open>\()?(?P<sign>[+\-−])?\s*(?P<before>{_AFFIX})?\s*(?P<sign2>[+\-−])?"
    r"(?P<body>\d[\d.,'’ \u00a0\u202f\u2009]*|\.\d+)(?P<exponent>[eE][+-]?\d+)?"
    rf"\s*(?P<after>%|{_AFFIX})?(?P<close>\))?"
)
_THOUSANDS_MARKS = {",": ",", ".": ".", " ": " \u00a0\u202f\u2009", "'": "'’"}
_OPEN_END = re.compile(
    r"(?P<under><=?|≤|under|below|less than|up to)?(?P<over>>=?|≥|over|above|more than)?\s*"
    r"(?P<number>\d+)\s*(-\s*\d+)?\s*(?P<more>\+|(and|or) (over|more|older|above|up))?"
    r"(?P<less>(and|or) (under|less|younger|below))?",
    re.IGNORECASE,
)


class NumeralStyle(NamedTuple):
    """The marks in the numbers of a column."""

    thousands_mark: str
    decimal: str
    affix: str
    negative_in_parentheses: bool

    @property
    def is_plain(self) -> bool:
        """Whether the numbers have no marks that a text table does not have."""
        return not (self.thousands_mark or self.affix or self.negative_in_parentheses)

    def describe(self) -> str:
        """Return the marks for a sentence."""
        marks = []
        if self.thousands_mark:
            marks.append("thousands separators")
        if self.affix:
            marks.append("percent signs" if self.affix == "%" else "a currency")
        if self.negative_in_parentheses:
            marks.append("parentheses for negative numbers")
        return " and ".join(marks) or "marks"


def parse_numerals(
    texts: Sequence[str], decimal: str = "."
) -> tuple[list[float] | None, NumeralStyle | None]:
    """Return the numbers in texts and how they are written, or None unless all texts agree.

    Parameters
    ----------
    texts : sequence of str
        The cells.
    decimal : str
        The decimal mark of the table, which decides if a text can be read in two ways.

    Returns
    -------
    list of float or None, NumeralStyle or None
        The numbers, and their marks.

    Examples
    --------
    >>> parse_numerals(["1,100.00", "950"])[0], parse_numerals(["1.100,00", "(3)"])[0]
    ([1100.0, 950.0], [1100.0, -3.0])
    >>> parse_numerals(["$5.10", "-$2"])[0], parse_numerals(["85%", "7%"])[0]
    ([5.1, -2.0], [85.0, 7.0])
    >>> parse_numerals(["$5.10", "€2"])[0], parse_numerals(["3,5"])[0]
    (None, None)
    """
    if not texts:
        return None, None
    cells: list[re.Match[str]] = []
    for text in texts:
        cell = _CELL.fullmatch(text.strip())
        if cell is None:
            return None, None
        cells.append(cell)
    affixes = {(cell["before"] or "") + (cell["after"] or "") for cell in cells}
    if len(affixes) > 1 or any(bool(cell["open"]) != bool(cell["close"]) for cell in cells):
        return None, None
    for thousands_mark, decimal_mark in _candidate_marks(decimal):
        numbers = [_parse_number(cell, thousands_mark, decimal_mark) for cell in cells]
        if any(number is None for number in numbers):
            continue
        bodies = "".join(cell["body"] for cell in cells)
        has_thousands_marks = any(
            character in bodies for character in _THOUSANDS_MARKS.get(thousands_mark, "")
        )
        if decimal_mark != decimal and not (has_thousands_marks and decimal_mark in bodies):
            continue
        if (
            thousands_mark == "."
            and has_thousands_marks
            and decimal_mark not in bodies
            and not _has_two_marks(cells, ".")
        ):
            continue  # 1.500 could be 1.5
        has_parentheses = any(cell["open"] for cell in cells)
        style = NumeralStyle(
            thousands_mark if has_thousands_marks else "",
            decimal_mark,
            affixes.pop(),
            has_parentheses,
        )
        return [number for number in numbers if number is not None], style
    return None, None


def read_numerals(array: Any, decimal: str = ".") -> tuple[Any, NumeralStyle | None]:
    """Return an Arrow array of text as numbers, and their style, or None if the styles differ."""
    encoded = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    encoded = encoded.dictionary_encode()
    numbers, style = parse_numerals(encoded.dictionary.to_pylist(), decimal)
    if numbers is None or style is None:
        return None, None
    all_whole = all(number.is_integer() and abs(number) < MAX_EXACT_INTEGER for number in numbers)
    has_decimals = any(style.decimal in text for text in encoded.dictionary.to_pylist())
    values = pa.array(numbers, pa.float64())
    if all_whole and not has_decimals:
        values = values.cast(pa.int64())
    return values.take(encoded.indices), style


def open_end_position(text: str) -> float | None:
    """Return the position of a number, or of a range with an open end, in the order of a column.

    Examples
    --------
    >>> [open_end_position(text) for text in ("89", "90+", "under 5", "5 and under", "x")]
    [89.0, 90.5, 4.5, 4.5, None]
    """
    match = _OPEN_END.fullmatch(text.strip())
    if match is None:
        return None
    has_no_start, has_no_end = match["under"] or match["less"], match["over"] or match["more"]
    if has_no_start and has_no_end:
        return None
    shift = 0.5 if has_no_end else -0.5 if has_no_start else 0.0
    return float(match["number"]) + shift


def has_open_ends(texts: Sequence[str]) -> bool:
    """Return whether texts are numbers or ranges of numbers, possibly with an open end."""
    positions = [open_end_position(text) for text in texts]
    known_positions = [position for position in positions if position is not None]
    return len(known_positions) == len(texts) > 1 and any(
        position % 1 for position in known_positions
    )


def _has_two_marks(cells: Sequence[re.Match[str]], thousands_mark: str) -> bool:
    """Return whether a number has two marks of groups, so that they cannot be decimal marks."""
    return any(cell["body"].count(thousands_mark) > 1 for cell in cells)


def _candidate_marks(decimal: str) -> list[tuple[str, str]]:
    other_mark = "," if decimal == "." else "."
    return [
        (thousands_mark, decimal_mark)
        for decimal_mark in (decimal, other_mark)
        for thousands_mark in (other_mark, decimal, " ", "'")
        if thousands_mark != decimal_mark
    ]


def _parse_number(cell: re.Match[str], thousands_mark: str, decimal: str) -> float | None:
    thousands_marks = re.escape(_THOUSANDS_MARKS[thousands_mark])
    body = re.fullmatch(
        rf"(\d{{1,3}}(?:[{thousands_marks}]\d{{3}})+|\d+)?(?:{re.escape(decimal)}(\d*))?",
        cell["body"].strip(),
    )
    if body is None or not (body[1] or body[2]):
        return None
    integer_digits = re.sub(r"\D", "", body[1] or "")
    number = float(f"{integer_digits}.{body[2] or ''}0{cell['exponent'] or ''}")
    signs = {cell["sign"], cell["sign2"]} & {"-", "−"}
    return -number if signs or cell["open"] else number
