"""Types of the columns of a text table, inferred from their cells for formats that store types.

A column is converted only if its cells leave no doubt: ``007`` is a code, ``3,5`` in a table with
decimal points is text, and so is a whole number with more digits than the target format stores
exactly.
"""

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.frame.notation.date_formats import EXCEL, parse_date, possible_formats
from shoal.frame.notation.decimals import MAX_EXACT_INTEGER
from shoal.frame.notation.numerals import parse_numerals, read_numerals
from shoal.frame.types import Type
from shoal.io.dialect import Dialect
from shoal.io.text_tables.numbers import blank_to_null, parse_numbers

SAMPLE = 100  # texts that are tried first, before all texts
_WHOLE = r"^(0|-?[1-9]\d*)$"
_FLOAT = r"^-?((0|[1-9]\d{0,14})(\.\d*)?|\.\d+)([eE][+-]\d+)?$|^[nN][aA][nN]$"
_BOOLEAN = "^(true|false)$"
_DAY = r"^\d{4}-\d{2}-\d{2}"
_CLOCK = r"[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
_DATETIME_TYPES = {
    f"{_DAY}$": pa.date32(),
    f"{_DAY}{_CLOCK}$": pa.timestamp("us"),
    f"{_DAY}{_CLOCK}Z$": pa.timestamp("us", "UTC"),
}


def convert_columns(
    table: pa.Table,
    columns: Mapping[str, Any],
    dialect: Dialect,
    *,
    dates: Collection[str],
    long_integers: bool,
) -> pa.Table:
    """Return the table with the text in ``columns`` converted to the type of its cells.

    Parameters
    ----------
    table : pyarrow.Table
        The table.
    columns : mapping of str to Type or None
        The columns, with their declared types. Nominal and ordinal columns are converted only to
        whole numbers; numeric columns may have leading zeros.
    dialect : Dialect
        How numbers and missing values are written.
    dates : collection of str
        The columns in which dates are recognised without a declaration.
    long_integers : bool
        Whether the target format stores whole numbers beyond 2**53; otherwise they stay text.

    Returns
    -------
    pyarrow.Table
        The converted table. A cell without a value is null, also in columns that stay text.
    """
    for i, name in enumerate(table.column_names):
        column = table.column(i)
        if name in columns and pa.types.is_string(column.type):
            typed = _convert_column(column, dialect, columns[name], dates=name in dates)
            if typed is None or (not long_integers and _is_long(typed)):
                typed = blank_to_null(column, dialect)
            table = table.set_column(i, name, typed)
    return table


def _convert_column(
    column: pa.ChunkedArray, dialect: Dialect, declared_type: Type | None, *, dates: bool
) -> pa.Array | None:
    """Return a column of text converted to the type of its cells, or None if it stays text."""
    kind = None if declared_type is None else declared_type.kind
    if kind == "numeric":
        return parse_numbers(column, dialect)
    cells = pc.utf8_trim_whitespace(blank_to_null(column, dialect))
    if cells.null_count == len(cells):
        return None
    if kind in ("nominal", "ordinal"):
        return _cast(cells, pa.int64()) if _all_match(cells, _WHOLE) else None
    date_format = "" if declared_type is None else declared_type.format
    if kind != "date" or date_format == EXCEL:
        if (numbers := _plain_numbers(cells, dialect)) is not None:
            return numbers
        if _all_match(cells, _BOOLEAN, ignore_case=True):
            return pc.equal(pc.utf8_lower(cells), "true")
    if kind is None and (numbers := _marked_numbers(cells, dialect)) is not None:
        return numbers
    return _datetimes(cells, date_format) if dates or kind == "date" else None


def _datetimes(cells: pa.ChunkedArray, date_format: str) -> pa.Array | None:
    """Return dates, or dates with times, or None for other text and for dates without a day."""
    if not date_format:
        for pattern, arrow_type in _DATETIME_TYPES.items():
            if _all_match(cells, pattern):
                return _cast(cells, arrow_type)
    encoded = cells.combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    if not date_format:
        # The first texts decide for most columns.
        formats = possible_formats(texts[:SAMPLE]) and possible_formats(texts)
        date_format = formats[0] if len(formats) == 1 else ""
    if "%d" not in date_format or "%Y" not in date_format:
        return None
    parsed = [parse_date(text, date_format) for text in texts]
    if any(moment is None or moment.tzinfo is not None for moment in parsed):
        return None
    datetimes = pa.array(parsed, pa.timestamp("us"))
    if "%H" not in date_format and "%I" not in date_format:
        datetimes = datetimes.cast(pa.date32())
    return datetimes.take(encoded.indices)


def _plain_numbers(cells: pa.ChunkedArray, dialect: Dialect) -> pa.Array | None:
    """Return numbers, or None if a cell could be a code (leading zero, plus sign)."""
    if dialect.decimal != ".":
        if pc.any(pc.match_substring(cells, ".")).as_py():
            return None
        cells = pc.replace_substring(cells, dialect.decimal, ".")
    if _all_match(cells, _WHOLE):
        return _cast(cells, pa.int64())
    shows_digits = pc.any(pc.match_substring_regex(cells, r"\d")).as_py()
    return _cast(cells, pa.float64()) if shows_digits and _all_match(cells, _FLOAT) else None


def _marked_numbers(cells: pa.ChunkedArray, dialect: Dialect) -> pa.Array | None:
    """Return numbers with thousands separators, a currency or percent signs, or None for others."""
    values = pc.unique(cells.drop_null())
    if parse_numerals(values.slice(0, SAMPLE).to_pylist(), dialect.decimal)[0] is None:
        return None  # the first texts decide for most columns
    numbers, style = read_numerals(cells, dialect.decimal)
    return None if style is None or style.is_plain else numbers


def _all_match(cells: pa.ChunkedArray, pattern: str, *, ignore_case: bool = False) -> bool:
    # The first cell decides for most columns.
    for cells_to_match in (cells.drop_null().slice(0, 1), cells):
        if not pc.all(
            pc.match_substring_regex(cells_to_match, pattern, ignore_case=ignore_case)
        ).as_py():
            return False
    return True


def _cast(cells: pa.ChunkedArray, arrow_type: pa.DataType) -> pa.Array | None:
    try:
        return pc.cast(cells, arrow_type)
    except pa.ArrowInvalid:  # too large for 64 bits, or not in the calendar
        return None


def _is_long(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_integer(column.type):
        return False
    bounds = pc.min_max(column).as_py()
    return max(-(bounds["min"] or 0), bounds["max"] or 0) >= MAX_EXACT_INTEGER
