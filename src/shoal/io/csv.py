"""Text tables: strict when reading, exact when writing.

Columns that are not used in computations stay text and are written unchanged, so that ``007`` does
not become 7.
"""

import codecs
import contextlib
import csv
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from shoal._text import count
from shoal.errors import FileError
from shoal.frame.arrow_types import is_text, value_type
from shoal.io.compression import open_decompressed, open_decompressed_text
from shoal.io.dialect import Dialect
from shoal.io.formulas import mark_formulas
from shoal.io.size_limits import check_columns, check_growth
from shoal.io.text_numbers import parse_columns
from shoal.io.text_style import TextStyle, open_styled, read_style

MAX_LINE = 1 << 25  # characters
_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a\x1b"))  # control bytes, rare in text
ROWS_PER_BATCH = 1 << 16


def read_csv(
    path: Path, dialect: Dialect, numbers: Collection[str] | None
) -> tuple[pa.Table, TextStyle]:
    """Read a text table; parse ``numbers`` (None: every column that holds only numbers).

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


def write_csv(
    table: pa.Table, path: Path, dialect: Dialect, target: Path, style: TextStyle | None = None
) -> None:
    """Write ``table`` with the shortest exact numbers, in the style of its source.

    Without a style, cells are quoted only where necessary.
    """
    style = style or TextStyle()
    with open_styled(path, dialect, style, target) as file:
        for block in _format_lines(table, dialect, dialect.separator_for(target), style):
            file.write(block)


def read_header(path: Path, dialect: Dialect) -> list[str]:
    """Return the names in the first line of a text table."""
    separator = dialect.separator_for(path)
    try:
        with open_decompressed_text(path, dialect.encoding_read) as file:
            lines = _bounded_lines(file, path)
            names = next(csv.reader(lines, delimiter=separator, strict=True), [])
    except UnicodeError:
        raise wrong_encoding(path, dialect) from None
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
            raise _long_line(path)
        yield line


def _has_quotes(path: Path, dialect: Dialect) -> bool:
    """Return whether the file has quotation marks; refuse one that decompresses too far."""
    file_size, n_read, has_quotes = path.stat().st_size, 0, False
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
            raise wrong_encoding(path, dialect) from None
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
        raise wrong_encoding(path, dialect) from None
    except pa.ArrowInvalid as error:
        if ragged_rows:
            raise _ragged_line(path, dialect, len(names)) from None
        if "UTF8" in str(error):
            raise wrong_encoding(path, dialect) from None
        if "straddling" in str(error):
            raise _long_line(path) from None
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
    `ArrowInvalid`; its line number is known in a single thread only.
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
                ignore_empty_lines=width > 1,  # in a single column, it is a missing value
                invalid_row_handler=refuse,
            ),
            pacsv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
            ),
        )


def _ragged_line(path: Path, dialect: Dialect, width: int) -> FileError:
    """Return the error for the first bad line, found by reading again in a single thread."""
    ragged_rows: list[Any] = []
    with contextlib.suppress(pa.ArrowInvalid):
        _parse(path, dialect, width, ragged_rows, threads=False)
    row = ragged_rows[0]
    return _ragged_error(path, row.number, row.actual_columns, row.expected_columns)


def _ragged_error(path: Path, line: int, n_fields: int, expected: int) -> FileError:
    return FileError(
        f"Line {line} of {path.name!r} has {count(n_fields, 'field')} where the"
        f" header has {expected}. Correct it (is a quotation mark open?), or check `separator`.",
        code="ragged-line",
        file=path.name,
        line=line,
        fields=n_fields,
        expected=expected,
    )


def _long_line(path: Path) -> FileError:
    return FileError(
        f"{path.name!r} has a line of more than {MAX_LINE >> 20} MB, or a quotation mark that"
        " is not closed.",
        code="line-too-long",
        file=path.name,
    )


def wrong_encoding(path: Path, dialect: Dialect) -> FileError:
    """Return the error for text in another encoding, with one to try, or for a binary file."""
    with open_decompressed(path) as file:
        beginning = file.read(1 << 16)
    is_utf16 = beginning[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    if not is_utf16 and len(beginning.translate(None, _CONTROL_BYTES)) < 0.99 * len(beginning):
        return FileError(
            f"{path.name!r} is not a text file. Give it the suffix of its format; or `encoding`, if"
            " it is text in an encoding of two bytes.",
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


def _format_lines(
    table: pa.Table, dialect: Dialect, separator: str, style: TextStyle
) -> Iterator[str]:
    special_characters, line_end = f'[{re.escape(separator)}"\r\n]', style.line_end
    names = _quote_names(table.column_names, special_characters, style)
    yield ('""' if names == [""] else separator.join(names)) + line_end
    for batch in table.to_batches(max_chunksize=ROWS_PER_BATCH):
        cells = [
            _quote(
                _text_cells(column, name, dialect),
                special_characters,
                style.unquoted_texts.get(name),
            )
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
        ]
        if len(cells) == 1:  # an empty line would not be read as a record
            cells = [pc.if_else(pc.equal(cells[0], ""), '""', cells[0])]
        lines = pc.binary_join_element_wise(*cells, separator)
        yield line_end.join(lines.to_pylist()) + line_end if len(lines) else ""


def _quote_names(names: list[str], special: str, style: TextStyle) -> list[str]:
    quoted = _quote(pa.array(names, pa.string()), special).to_pylist()
    return [
        f'"{name}"' if name in style.quoted_names and cell == name else cell
        for name, cell in zip(names, quoted, strict=True)
    ]


def _text_cells(column: pa.Array, name: str, dialect: Dialect) -> pa.Array:
    cells = cell_texts(column, name, dialect)
    is_marked = dialect.mark_formulas and is_text(value_type(column.type))
    return mark_formulas(cells) if is_marked else cells


def cell_texts(column: pa.Array, name: str, dialect: Dialect) -> pa.Array:
    """Return the cells of a column as text, without quotation marks."""
    arrow_type = column.type
    is_bytes = pa.types.is_binary(arrow_type) or pa.types.is_large_binary(arrow_type)
    try:
        if pa.types.is_nested(arrow_type) or is_bytes:
            raise pa.ArrowNotImplementedError
        text = pc.cast(column, pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise FileError(
            f"Column {name!r} holds {arrow_type} values, which a text table cannot hold. Write"
            " Parquet instead.",
            code="unrepresentable-column",
            column=name,
        ) from None
    if dialect.decimal != "." and (
        pa.types.is_floating(arrow_type) or pa.types.is_decimal(arrow_type)
    ):
        text = pc.replace_substring(text, ".", dialect.decimal)
    return pc.fill_null(text, dialect.missing)


def _quote(text: pa.Array, special: str, unquoted: Collection[str] | None = None) -> pa.Array:
    """Return cells in quotation marks: where necessary, or all except the texts ``unquoted``."""
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(text, '"', '""'), '"', "")
    needs_quotes = pc.match_substring_regex(text, special)
    if unquoted is not None:
        needs_quotes = pc.or_(
            needs_quotes, pc.invert(pc.is_in(text, pa.array(sorted(unquoted), text.type)))
        )
    return pc.if_else(needs_quotes, quoted, text)
