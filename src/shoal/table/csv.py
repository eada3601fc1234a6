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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from shoal.errors import FileError, ParameterError

LONGEST_LINE = 1 << 25
ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Dialect:
    """How a text table is written.

    Parameters
    ----------
    separator : str or None
        One character between two cells; None takes the comma, or the tabulator
        for ``.tsv``.
    decimal : str
        The decimal mark, one character.
    encoding : str
        The character set, by a name that Python knows.
    missing : str
        What stands in a cell that has no value, besides nothing at all.
    """

    separator: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    missing: str = ""

    def __post_init__(self) -> None:
        for name in ("separator", "decimal"):
            mark = getattr(self, name)
            if mark is not None and (len(mark) != 1 or mark in '"\r\n' or not mark.isascii()):
                raise ParameterError(
                    f"The {name} must be one plain character. Got {mark!r} instead."
                )
        if self.separator == self.decimal:
            raise ParameterError(
                f"The separator and the decimal mark are both {self.decimal!r}. Change one of them."
            )
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise ParameterError(
                f"There is no encoding {self.encoding!r}. Common ones are: utf-8, latin-1, cp1252,"
                " utf-16."
            ) from None

    def separator_for(self, path: Path) -> str:
        """Return the separator to use for ``path``."""
        return self.separator or ("\t" if path.suffix.lower() == ".tsv" else ",")


def read_csv(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> pa.Table:
    """Read a text table; parse ``numbers`` (None: every column that holds only numbers)."""
    names = _header(path, dialect)
    if _has_quotes(path):
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


def write_csv(table: pa.Table, path: Path, dialect: Dialect, separator: str) -> None:
    """Write ``table`` with shortest exact numbers; a cell is quoted only where it must be."""
    try:
        with path.open("w", encoding=dialect.encoding, newline="") as file:
            for block in _lines(table, dialect, separator):
                file.write(block)
    except UnicodeEncodeError:
        raise FileError(
            f"The table holds characters that {dialect.encoding} cannot write. Use"
            " --encoding utf-8."
        ) from None


def _header(path: Path, dialect: Dialect) -> list[str]:
    separator = dialect.separator_for(path)
    try:
        with path.open(encoding=_python_encoding(dialect), newline="") as file:
            names = next(csv.reader(file, delimiter=separator, strict=True), [])
    except UnicodeError:
        raise _wrong_encoding(path, dialect) from None
    except csv.Error:
        raise FileError(f"{path.name!r} has a header that cannot be read as text.") from None
    if not any(names):
        raise FileError(f"{path.name!r} is empty. A table needs a header line and records.")
    if len(names) == 1 and dialect.separator is None:
        other = next((mark for mark in ";\t|" if mark in names[0]), None)
        if other is not None:
            raise FileError(
                f"{path.name!r} seems to be separated by {other!r}. Say so with"
                f" --separator, or give --separator '{separator}' if it has one column."
            )
    return names


def _has_quotes(path: Path) -> bool:
    with path.open("rb") as file:
        return any(b'"' in chunk for chunk in iter(lambda: file.read(1 << 20), b""))


def _check_quotes(path: Path, dialect: Dialect, width: int) -> None:
    """Refuse a mark that is never closed or stands among text: it would swallow records."""
    csv.field_size_limit(LONGEST_LINE)
    with path.open(encoding=_python_encoding(dialect), newline="") as file:
        rows = csv.reader(file, delimiter=dialect.separator_for(path), strict=True)
        begins = 1
        try:
            for row in rows:
                if len(row) != width and row and width > 1:
                    raise _ragged(path, begins, len(row), width)
                begins = rows.line_num + 1
        except UnicodeError:
            raise _wrong_encoding(path, dialect) from None
        except csv.Error:
            raise FileError(
                f"A quotation mark is out of place in the record of {path.name!r} that begins in"
                f" line {begins}: it is never closed, or text follows it. Mend the line."
            ) from None


def _cells(path: Path, dialect: Dialect, names: list[str]) -> pa.Table:
    """Read every cell as text; a line of another length than the header is refused."""
    ragged: list[Any] = []

    def refuse(row: Any) -> str:
        ragged.append(row)
        return "error"

    def read(threads: bool) -> pa.Table:
        columns = [str(at) for at in range(len(names))]
        return pacsv.read_csv(
            path,
            pacsv.ReadOptions(
                use_threads=threads,
                column_names=columns,
                skip_rows_after_names=1,
                encoding="utf8" if _is_utf8(dialect) else dialect.encoding,
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
        raise _wrong_encoding(path, dialect) from None
    except pa.ArrowInvalid as error:
        if ragged:
            raise _ragged_line(path, read, ragged) from None
        if "UTF8" in str(error):
            raise _wrong_encoding(path, dialect) from None
        if "straddling" in str(error):
            raise FileError(
                f"{path.name!r} has a line of more than {LONGEST_LINE >> 20} MB, or a quotation"
                " mark that is never closed."
            ) from None
        raise FileError(f"{path.name!r} cannot be read as a text table.") from None
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
        f" header has {expected}. Mend it (is a quotation mark open?), or check --separator."
    )


def _wrong_encoding(path: Path, dialect: Dialect) -> FileError:
    with path.open("rb") as file:
        marked = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    other = "utf-16" if marked else "latin-1" if _is_utf8(dialect) else "utf-8"
    return FileError(
        f"{path.name!r} is not written in {dialect.encoding}. Try --encoding {other}, or name the"
        " right one."
    )


def _python_encoding(dialect: Dialect) -> str:
    return "utf-8-sig" if _is_utf8(dialect) else dialect.encoding


def _is_utf8(dialect: Dialect) -> bool:
    return codecs.lookup(dialect.encoding).name in ("utf-8", "utf-8-sig")


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
            _cell_texts(column, name, special, dialect)
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
        ]
        if len(cells) == 1:  # an empty line would not count as a record
            cells = [pc.if_else(pc.equal(cells[0], ""), '""', cells[0])]
        lines = pc.binary_join_element_wise(*cells, separator)
        yield "\n".join(lines.to_pylist()) + "\n" if len(lines) else ""


def _cell_texts(column: pa.Array, name: str, special: str, dialect: Dialect) -> pa.Array:
    kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise FileError(
            f"Column {name!r} holds {kind} values, which text cannot. Write Parquet instead."
        )
    text = pc.cast(column, pa.string())
    if dialect.decimal != "." and (pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        text = pc.replace_substring(text, ".", dialect.decimal)
    text = pc.fill_null(text, dialect.missing)
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(text, '"', '""'), '"', "")
    return pc.if_else(pc.match_substring_regex(text, special), quoted, text)
