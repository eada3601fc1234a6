"""The style of a text table: byte order mark, line ends and quotation marks.

Readers do not need it, but a release written in the style of its source differs from the source
only in the masked cells.
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from shoal.errors import FileError
from shoal.io.compression import open_compressed_text, open_decompressed, open_decompressed_text
from shoal.io.dialect import Dialect

SAMPLE = 1 << 18  # characters that decide on the quotation marks
MAX_UNQUOTED_TEXTS = 3  # distinct unquoted texts, such as NA, in a quoted column


@dataclass(frozen=True)
class TextStyle:
    """The style in which a text table is written.

    Parameters
    ----------
    bom : bool
        Whether it begins with a byte order mark of UTF-8.
    line_end : str
        Characters that end a line.
    quoted_names : frozenset of str
        Names of columns in quotation marks.
    quoted_columns : mapping of str to frozenset of str
        The columns whose cells are quoted without need, each with the texts that are nevertheless
        not quoted, such as ``NA``.
    """

    bom: bool = False
    line_end: str = "\n"
    quoted_names: frozenset[str] = frozenset()
    quoted_columns: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def encoding(self, dialect: Dialect) -> str:
        """Return the encoding to write with."""
        return "utf-8-sig" if self.bom and dialect.is_utf8 else dialect.encoding


@contextmanager
def open_styled(path: Path, dialect: Dialect, style: TextStyle, target: Path) -> Iterator[TextIO]:
    """Open a text table for writing, compressed if the suffix of ``target`` names a compression."""
    try:
        with open_compressed_text(path, style.encoding(dialect), target) as file:
            yield file
    except UnicodeEncodeError:
        raise FileError(
            f"The table contains characters that {dialect.encoding} cannot represent. Use"
            ' `encoding="utf-8"`.',
            code="cannot-encode",
            encoding=dialect.encoding,
        ) from None


def read_style(path: Path, dialect: Dialect, *, quotes: bool = False) -> TextStyle:
    """Return the style of a text table; ``quotes`` states whether it has quotation marks."""
    with open_decompressed(path) as file:
        bom = file.read(3) == codecs.BOM_UTF8
    with open_decompressed_text(path, dialect.encoding_read) as file:
        sample = file.read(SAMPLE)
    line_break = re.search(r"\r?\n", sample)
    line_end = line_break[0] if line_break else "\n"
    if not quotes:
        return TextStyle(bom, line_end)
    rows = list(_raw_rows(sample, dialect.separator_for(path)))
    if len(sample) == SAMPLE:
        rows = rows[:-1]  # the last one may be incomplete
    if not rows:
        return TextStyle(bom, line_end)
    names = [_unquote(cell) for cell in rows[0]]
    columns = zip(*(row for row in rows[1:] if len(row) == len(names)), strict=True)
    quoted_columns = {
        name: texts
        for name, cells in zip(names, columns, strict=False)
        if (texts := _unquoted_texts(cells)) is not None
    }
    quoted_names = frozenset(_unquote(cell) for cell in rows[0] if cell.startswith('"'))
    return TextStyle(bom, line_end, quoted_names, quoted_columns)


def _raw_rows(text: str, separator: str) -> Iterator[list[str]]:
    """Yield the cells of each record with their quotation marks."""
    separator_pattern = re.escape(separator)
    cell = re.compile(
        f'("(?:[^"]|"")*"|[^{separator_pattern}\r\n]*)({separator_pattern}|\r?\n|\r|$)'
    )
    row: list[str] = []
    position = 0
    while position < len(text):
        match = cell.match(text, position)
        if match is None:  # a quotation mark that is not closed in the sample
            return
        row.append(match[1])
        position = match.end()
        if match[2] != separator:
            yield row
            row = []


def _unquoted_texts(cells: tuple[str, ...]) -> frozenset[str] | None:
    """Return the texts without quotation marks in a quoted column, or None if it is not quoted."""
    quoted = {cell for cell in cells if cell.startswith('"')}
    unquoted = {cell for cell in cells if cell and not cell.startswith('"')}
    has_needless_quotes = any(
        not re.search('[",;\t|\r\n]', cell[1:-1]) for cell in quoted if len(cell) > 2
    )
    if not has_needless_quotes or len(unquoted) > MAX_UNQUOTED_TEXTS:
        return None
    # An empty cell is quoted only if the source quotes one.
    return frozenset(unquoted if '""' in quoted else {*unquoted, ""})


def _unquote(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell
