"""Text tables: strict on the way in, exact on the way out.

Columns that nobody computes with stay text and come back as they were written,
so that ``007`` does not become 7.
"""

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from shoal.errors import FileError
from shoal.io.compression import open_compressed_text, open_decompressed, open_decompressed_text
from shoal.io.dialect import Dialect
from shoal.io.formulas import with_marks
from shoal.io.limits import check_columns, check_growth

LONGEST_LINE = 1 << 25
ROWS_AT_ONCE = 1 << 16


def read_csv(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> pa.Table:
    """Read a text table; parse ``numbers`` (None: every column that holds only numbers)."""
    names = _header(path, dialect)
    check_columns(path.name, len(names))
    if _has_quotes(path, dialect):
        _check_quotes(path, dialect, len(names))
    table = _cells(path, dialect, names)
    return parse_columns(table, names if numbers is None else numbers, dialect)


def parse_columns(
    table: pa.Table, columns: Collection[str], dialect: Dialect, words: Collection[str] = ()
) -> pa.Table:
    """Return the table with those of ``columns`` that are text and hold only numbers as numbers.

    Where they hold other text, and in ``words``, a cell without a value becomes a hole.
    """
    for at, name in enumerate(table.column_names):
        if (name in columns or name in words) and pa.types.is_string(table.column(at).type):
            parsed = None if name in words else _parse(table.column(at), dialect)
            if parsed is None:
                parsed = _with_holes(table.column(at), dialect)
            table = table.set_column(at, name, parsed)
    return table


def write_csv(table: pa.Table, path: Path, dialect: Dialect, target: Path) -> None:
    """Write ``table`` with shortest exact numbers; a cell is quoted only where it must be."""
    try:
        with open_compressed_text(path, dialect.encoding, target) as file:
            for block in _lines(table, dialect, dialect.separator_for(target)):
                file.write(block)
    except UnicodeEncodeError:
        raise FileError(
            f"The table holds characters that {dialect.encoding} cannot write. Use"
            ' `encoding="utf-8"`.',
            code="cannot-encode",
            encoding=dialect.encoding,
        ) from None


def _header(path: Path, dialect: Dialect) -> list[str]:
    separator = dialect.separator_for(path)
    try:
        with open_decompressed_text(path, dialect.encoding_read) as file:
            lines = _bounded(file, path)
            names = next(csv.reader(lines, delimiter=separator, strict=True), [])
    except UnicodeError:
        raise wrong_encoding(path, dialect) from None
    except csv.Error:
        raise FileError(
            f"{path.name!r} has a header that cannot be read as text.",
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
        other = next((mark for mark in ";\t|" if mark in names[0]), None)
        if other is not None:
            raise FileError(
                f"{path.name!r} seems to be separated by {other!r}. Say so with"
                f" `separator`, or give `separator='{separator}'` if it has one column.",
                code="wrong-separator",
                file=path.name,
                separator=other,
            )
    return names


def _bounded(file: TextIO, path: Path) -> Iterator[str]:
    """Yield the lines; refuse one that is longer than a memory should hold."""
    while line := file.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise _long_line(path)
        yield line


def _has_quotes(path: Path, dialect: Dialect) -> bool:
    """Look through the file for quotation marks, and see that it does not grow out of hand."""
    packed, seen, found = path.stat().st_size, 0, False
    with open_decompressed(path) as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            found = found or b'"' in chunk
            seen += len(chunk)
            check_growth(path.name, packed, seen, dialect.memory_limit)
    return found


def _check_quotes(path: Path, dialect: Dialect, width: int) -> None:
    """Refuse a mark that is never closed or stands among text: it would swallow records."""
    csv.field_size_limit(LONGEST_LINE)
    with open_decompressed_text(path, dialect.encoding_read) as file:
        lines = _bounded(file, path)
        rows = csv.reader(lines, delimiter=dialect.separator_for(path), strict=True)
        begins = 1
        try:
            for row in rows:
                if len(row) != width and row and width > 1:
                    raise _ragged(path, begins, len(row), width)
                begins = rows.line_num + 1
        except UnicodeError:
            raise wrong_encoding(path, dialect) from None
        except csv.Error:
            raise FileError(
                f"A quotation mark is out of place in the record of {path.name!r} that begins in"
                f" line {begins}: it is never closed, or text follows it. Mend the line.",
                code="stray-quotation-mark",
                file=path.name,
                line=begins,
            ) from None


def _cells(path: Path, dialect: Dialect, names: list[str]) -> pa.Table:
    """Read every cell as text; a line of another length than the header is refused."""
    ragged: list[Any] = []

    def refuse(row: Any) -> str:
        ragged.append(row)
        return "error"

    def read(threads: bool) -> pa.Table:
        columns = [str(at) for at in range(len(names))]
        with open_decompressed(path) as file:
            return pacsv.read_csv(
                file,
                pacsv.ReadOptions(
                    use_threads=threads,
                    column_names=columns,
                    skip_rows_after_names=1,
                    encoding="utf8" if dialect.is_utf8 else dialect.encoding,
                    block_size=LONGEST_LINE,
                ),
                pacsv.ParseOptions(
                    delimiter=dialect.separator_for(path),
                    newlines_in_values=True,
                    ignore_empty_lines=len(names) > 1,  # in one column, it is a missing value
                    invalid_row_handler=refuse,
                ),
                pacsv.ConvertOptions(
                    column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
                ),
            )

    try:
        table = read(threads=True)
    except UnicodeError:
        raise wrong_encoding(path, dialect) from None
    except pa.ArrowInvalid as error:
        if ragged:
            raise _ragged_line(path, read, ragged) from None
        if "UTF8" in str(error):
            raise wrong_encoding(path, dialect) from None
        if "straddling" in str(error):
            raise _long_line(path) from None
        raise FileError(
            f"{path.name!r} cannot be read as a text table.", code="file-damaged", file=path.name
        ) from None
    return table.rename_columns(names)


def _ragged_line(path: Path, read: Any, ragged: list[Any]) -> FileError:
    """Read once more, in order, to learn the number of the first bad line."""
    ragged.clear()
    with contextlib.suppress(pa.ArrowInvalid):
        read(threads=False)
    row = ragged[0]
    return _ragged(path, row.number, row.actual_columns, row.expected_columns)


def _ragged(path: Path, line: int, found: int, expected: int) -> FileError:
    return FileError(
        f"Line {line} of {path.name!r} has {found} field{'s' if found != 1 else ''} where the"
        f" header has {expected}. Mend it (is a quotation mark open?), or check `separator`.",
        code="ragged-line",
        file=path.name,
        line=line,
        fields=found,
        expected=expected,
    )


def _long_line(path: Path) -> FileError:
    return FileError(
        f"{path.name!r} has a line of more than {LONGEST_LINE >> 20} MB, or a quotation mark that"
        " is never closed.",
        code="line-too-long",
        file=path.name,
    )


def wrong_encoding(path: Path, dialect: Dialect) -> FileError:
    """Return the error that says which other character set may be the right one."""
    with open_decompressed(path) as file:
        marked = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    other = "utf-16" if marked else "latin-1" if dialect.is_utf8 else "utf-8"
    return FileError(
        f'{path.name!r} is not written in {dialect.encoding}. Try `encoding="{other}"`, or name the'
        " right one.",
        code="wrong-encoding",
        file=path.name,
        encoding=other,
    )


_WHOLE = r"^[+-]?\d+$"
_NUMBER = r"^[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[iI]nf(inity)?|INF)$|^[nN][aA][nN]$"


def _with_holes(column: pa.ChunkedArray, dialect: Dialect) -> pa.ChunkedArray:
    """Return the column with a hole where nothing stands, or the sign for a missing value."""
    text = pc.utf8_trim_whitespace(column)
    hole = pc.equal(text, "")
    if dialect.missing:
        hole = pc.or_(hole, pc.equal(text, dialect.missing))
    return pc.if_else(hole, pa.scalar(None, pa.string()), column)


def _parse(column: pa.ChunkedArray, dialect: Dialect) -> pa.ChunkedArray | None:
    """Return the column as whole numbers or as floats, or None if it holds other text."""
    text = pc.utf8_trim_whitespace(_with_holes(column, dialect))
    if text.null_count == len(text):
        return None
    if dialect.decimal != ".":
        foreign = pc.any(pc.match_substring(text, ".")).as_py()
        if foreign:
            return None
        text = pc.replace_substring(text, dialect.decimal, ".")
    for pattern, kind in ((_WHOLE, pa.int64()), (_NUMBER, pa.float64())):
        if pc.all(pc.match_substring_regex(text, pattern)).as_py():
            try:
                return pc.cast(pc.replace_substring_regex(text, r"^\+", ""), kind)
            except pa.ArrowInvalid:  # more digits than 64 bits hold
                return None
    return None


def _lines(table: pa.Table, dialect: Dialect, separator: str) -> Iterator[str]:
    special = f'[{re.escape(separator)}"\r\n]'
    header = io.StringIO()
    csv.writer(header, delimiter=separator, lineterminator="\n").writerow(table.column_names)
    yield header.getvalue()
    for batch in table.to_batches(max_chunksize=ROWS_AT_ONCE):
        cells = [
            _quoted(_text_cells(column, name, dialect), special)
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
        ]
        if len(cells) == 1:  # an empty line would not count as a record
            cells = [pc.if_else(pc.equal(cells[0], ""), '""', cells[0])]
        lines = pc.binary_join_element_wise(*cells, separator)
        yield "\n".join(lines.to_pylist()) + "\n" if len(lines) else ""


def _text_cells(column: pa.Array, name: str, dialect: Dialect) -> pa.Array:
    cells = cell_texts(column, name, dialect)
    held = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(held) or pa.types.is_large_string(held)
    return with_marks(cells) if dialect.mark_formulas and is_text else cells


def cell_texts(column: pa.Array, name: str, dialect: Dialect) -> pa.Array:
    """Return the cells of a column as they are written, without quotation marks."""
    kind = column.type
    try:
        if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise pa.ArrowNotImplementedError
        text = pc.cast(column, pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise FileError(
            f"Column {name!r} holds {kind} values, which text cannot. Write Parquet instead.",
            code="unrepresentable-column",
            column=name,
        ) from None
    if dialect.decimal != "." and (pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        text = pc.replace_substring(text, ".", dialect.decimal)
    return pc.fill_null(text, dialect.missing)


def _quoted(text: pa.Array, special: str) -> pa.Array:
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(text, '"', '""'), '"', "")
    return pc.if_else(pc.match_substring_regex(text, special), quoted, text)
