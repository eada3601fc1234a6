"""Reading text tables, strictly: a line that does not fit the header is refused.

Columns that are not used in computations stay text, so that ``007`` is released as ``007``.
"""

import codecs
import contextlib
import csv
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.csv as pacsv

from shoal._text import count
from shoal.errors import FileError
from shoal.io.compression import open_decompressed, open_decompressed_text
from shoal.io.dialect import Dialect
from shoal.io.size_limits import check_columns, check_growth
from shoal.io.text_tables.numbers import parse_columns
from shoal.io.text_tables.style import TextStyle, read_style

MAX_LINE = 1 << 25  # characters
_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a\x1b"))  # control bytes, rare in text


def read_csv(
    path: Path, dialect: Dialect, numbers: Collection[str] | None
) -> tuple[pa.Table, TextStyle]:
    """Read a text table; parse ``numbers`` (None: every column that contains only numbers).

    Returns the table and its style.
    """
    names = read_header(path, dialect)
    check_columns(path.name, len(names))
    quotes = _has_quotes(path, dialect)
    if quotes:
        _check_quotes(path, dialect, len(names))
    table = _read_cells(path, dialect, names)
    style = read_style(path, dialect, quotes=quotes)
    return parse_columns(table, names if numbers is None else numbers, dialect), style


def read_header(path: Path, dialect: Dialect) -> list[str]:
    """Return the names in the first line of a text table."""
    separator = dialect.separator_for(path)
    try:
        with open_decompressed_text(path, dialect.encoding_read) as file:
            lines = _bounded_lines(file, path)
            names = next(csv.reader(lines, delimiter=separator, strict=True), [])
    except UnicodeError:
        raise wrong_encoding_error(path, dialect) from None
    except csv.Error:
        raise FileError(
            f"{path.name!r} has a header that cannot be read as text. Check its quotation marks.",
            code="header-unreadable",
            file=path.name,
        ) from None
    if not any(names):
        raise FileError(
            f"{path.name!r} is empty. A table needs a header line and records.",
            code="file-empty",
            file=path.name,
        )
    if len(names) == 1 and dialect.separator is None:
        likely_separator = next((mark for mark in ";\t|" if mark in names[0]), None)
        if likely_separator is not None:
            raise FileError(
                f"{path.name!r} seems to be separated by {likely_separator!r}. Say so with"
                f" `separator`, or give `separator='{separator}'` if it has one column.",
                code="wrong-separator",
                file=path.name,
                separator=likely_separator,
            )
    return names


def _bounded_lines(file: TextIO, path: Path) -> Iterator[str]:
    """Yield the lines; refuse a line longer than ``MAX_LINE``."""
    while line := file.readline(MAX_LINE):
        if len(line) == MAX_LINE:
            raise _long_line_error(path)
        yield line


def _has_quotes(path: Path, dialect: Dialect) -> bool:
    """Return whether the file has quotation marks; refuse one that is too large decompressed."""
    file_size = path.stat().st_size
    n_read = 0
    has_quotes = False
    with open_decompressed(path) as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            has_quotes = has_quotes or b'"' in chunk
            n_read += len(chunk)
            check_growth(path.name, file_size, n_read, dialect.memory_limit)
    return has_quotes


def _check_quotes(path: Path, dialect: Dialect, width: int) -> None:
    """Refuse an unbalanced or misplaced quotation mark, which would merge records."""
    csv.field_size_limit(MAX_LINE)
    with open_decompressed_text(path, dialect.encoding_read) as file:
        lines = _bounded_lines(file, path)
        rows = csv.reader(lines, delimiter=dialect.separator_for(path), strict=True)
        first_line = 1
        try:
            for row in rows:
                if len(row) != width and row and width > 1:
                    raise _ragged_error(path, first_line, len(row), width)
                first_line = rows.line_num + 1
        except UnicodeError:
            raise wrong_encoding_error(path, dialect) from None
        except csv.Error:
            raise FileError(
                f"A quotation mark is out of place in the record of {path.name!r} that begins in"
                f" line {first_line}: it is not closed, or text follows it. Correct the line.",
                code="stray-quotation-mark",
                file=path.name,
                line=first_line,
            ) from None


def _read_cells(path: Path, dialect: Dialect, names: list[str]) -> pa.Table:
    """Read every cell as text; refuse a line with more or fewer cells than the header."""
    ragged_rows: list[Any] = []
    try:
        table = _parse(path, dialect, len(names), ragged_rows, threads=True)
    except UnicodeError:
        raise wrong_encoding_error(path, dialect) from None
    except pa.ArrowInvalid as error:
        if ragged_rows:
            raise _ragged_line_error(path, dialect, len(names)) from None
        if "UTF8" in str(error):
            raise wrong_encoding_error(path, dialect) from None
        if "straddling" in str(error):
            raise _long_line_error(path) from None
        raise FileError(
            f"{path.name!r} cannot be read as a text table. Check `separator` and `encoding`.",
            code="file-damaged",
            file=path.name,
        ) from None
    return table.rename_columns(names)


def _parse(
    path: Path, dialect: Dialect, width: int, ragged_rows: list[Any], *, threads: bool
) -> pa.Table:
    """Return the cells as text, in columns named by number.

    A row with more or fewer cells than ``width`` is added to ``ragged_rows`` before Arrow raises
    `ArrowInvalid`; its line number is known only in a single thread.
    """

    def refuse(row: Any) -> str:
        ragged_rows.append(row)
        return "error"

    columns = [str(i) for i in range(width)]
    with open_decompressed(path) as file:
        return pacsv.read_csv(
            file,
            pacsv.ReadOptions(
                use_threads=threads,
                column_names=columns,
                skip_rows_after_names=1,
                encoding="utf8" if dialect.is_utf8 else dialect.encoding,
                block_size=MAX_LINE,
            ),
            pacsv.ParseOptions(
                delimiter=dialect.separator_for(path),
                newlines_in_values=True,
                ignore_empty_lines=width > 1,  # an empty line of a single column is a missing value
                invalid_row_handler=refuse,
            ),
            pacsv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
            ),
        )


def _ragged_line_error(path: Path, dialect: Dialect, width: int) -> FileError:
    """Return the error for the first bad line, found by reading again in a single thread."""
    ragged_rows: list[Any] = []
    with contextlib.suppress(pa.ArrowInvalid):
        _parse(path, dialect, width, ragged_rows, threads=False)
    row = ragged_rows[0]
    return _ragged_error(path, row.number, row.actual_columns, row.expected_columns)


def _ragged_error(path: Path, line: int, n_fields: int, expected: int) -> FileError:
    return FileError(
        f"Line {line} of {path.name!r} has {count(n_fields, 'field')}, but the"
        f" header has {expected:,}. Correct it (is a quotation mark open?), or check `separator`.",
        code="ragged-line",
        file=path.name,
        line=line,
        fields=n_fields,
        expected=expected,
    )


def _long_line_error(path: Path) -> FileError:
    return FileError(
        f"{path.name!r} has a line of more than {MAX_LINE >> 20} MB, or a quotation mark that"
        " is not closed.",
        code="line-too-long",
        file=path.name,
    )


def wrong_encoding_error(path: Path, dialect: Dialect) -> FileError:
    """Return the error for text in another encoding, with one to try, or for a binary file."""
    with open_decompressed(path) as file:
        beginning = file.read(1 << 16)
    is_utf16 = beginning[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    if not is_utf16 and len(beginning.translate(None, _CONTROL_BYTES)) < 0.99 * len(beginning):
        return FileError(
            f"{path.name!r} is not a text file. Give it the suffix of its format, or give"
            " `encoding` if it is text in a two-byte encoding.",
            code="not-text",
            file=path.name,
        )
    likely_encoding = "utf-16" if is_utf16 else "latin-1" if dialect.is_utf8 else "utf-8"
    return FileError(
        f'{path.name!r} is not encoded in {dialect.encoding}. Try `encoding="{likely_encoding}"`,'
        " or give the right encoding.",
        code="wrong-encoding",
        file=path.name,
        encoding=likely_encoding,
    )
