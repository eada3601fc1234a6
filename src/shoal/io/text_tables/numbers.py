"""Numbers parsed from the cells of a text table."""

import re
from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from shoal.frame.notation.numerals import read_numerals
from shoal.io.dialect import Dialect

_HAS_DIGIT = re.compile(r"\d")
_WHOLE = r"^[+-]?\d+$"
_NUMBER = r"^[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[iI]nf(inity)?|INF)$|^[nN][aA][nN]$"


def parse_columns(
    table: pa.Table, columns: Collection[str], dialect: Dialect, text_columns: Collection[str] = ()
) -> pa.Table:
    """Return the table with ``columns`` parsed as numbers if all their cells are numbers.

    A cell without a value becomes null, also in columns that contain other text and in
    ``text_columns``.
    """
    parsed_columns, fields = list(table.columns), list(table.schema)
    columns, text_columns = frozenset(columns), frozenset(text_columns)
    for i, name in enumerate(table.column_names):
        if (name in columns or name in text_columns) and pa.types.is_string(table.column(i).type):
            parsed = None if name in text_columns else parse_numbers(table.column(i), dialect)
            if parsed is None:
                parsed = blank_to_null(table.column(i), dialect)
                if name not in text_columns:
                    parsed = _parse_numerals(parsed, dialect)
            parsed_columns[i], fields[i] = parsed, pa.field(name, parsed.type)
    schema = pa.schema(fields, metadata=table.schema.metadata)
    return pa.Table.from_arrays(parsed_columns, schema=schema)


def blank_to_null(column: pa.ChunkedArray, dialect: Dialect) -> pa.ChunkedArray:
    """Return the column with null for empty cells and for the text of a missing value."""
    text = pc.utf8_trim_whitespace(column)
    is_missing = pc.equal(text, "")
    if dialect.missing:
        is_missing = pc.or_(is_missing, pc.equal(text, dialect.missing))
    return pc.if_else(is_missing, pa.scalar(None, pa.string()), column)


def parse_numbers(column: pa.ChunkedArray, dialect: Dialect) -> pa.ChunkedArray | None:
    """Return the column as integers or floats, or None if it contains other text."""
    text = pc.utf8_trim_whitespace(blank_to_null(column, dialect))
    if text.null_count == len(text):
        return None
    if dialect.decimal != ".":
        if pc.any(pc.match_substring(text, ".")).as_py():
            return None
        text = pc.replace_substring(text, dialect.decimal, ".")
    for pattern, arrow_type in ((_WHOLE, pa.int64()), (_NUMBER, pa.float64())):
        if pc.all(pc.match_substring_regex(text, pattern)).as_py():
            try:
                return pc.cast(pc.replace_substring_regex(text, r"^\+", ""), arrow_type)
            except pa.ArrowInvalid:  # too large for 64 bits
                return None
    return None


def _parse_numerals(text: pa.ChunkedArray, dialect: Dialect) -> pa.ChunkedArray | pa.Array:
    """Return text as numbers if it has thousands separators, a currency or the like."""
    first = next((cell for cell in text[:1000].to_pylist() if cell is not None), "")
    if not _HAS_DIGIT.search(first):
        return text
    numbers, style = read_numerals(pc.utf8_trim_whitespace(text), dialect.decimal)
    return text if style is None or style.is_plain else numbers
