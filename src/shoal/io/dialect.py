"""Dialects: separator, decimal mark, encoding and the like, which many files do not state."""

import codecs
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import ParameterError
from shoal.io.compression import strip_compression_suffix


@dataclass(frozen=True)
class Dialect:
    """How a file is written, as far as the file does not state it.

    Parameters
    ----------
    separator : str or None
        Cell separator of a text table, one character; None for a comma, or a tab in ``.tsv``.
    decimal : str
        Decimal mark of a text table, one character.
    encoding : str
        Character encoding, by its Python name.
    missing : str
        Text of a missing value, besides an empty cell.
    sheet : str or None
        Sheet of an Excel file, or None if it has only one.
    layout : Path or None
        Column map of a fixed-width text table, a ``.toml`` file.
    table : str or None
        Table of a database.
    keep_notes : bool
        Whether free text about the whole file, such as its label and notes, is released.
    memory_limit : float or None
        GB of memory that a file may take once it is read; None refuses only files that
        decompress to an implausible size.
    mark_formulas : bool
        Whether to write an apostrophe before text that a spreadsheet program would evaluate as a
        formula.
    """

    separator: str | None = None
    decimal: str = "."
    encoding: str = "utf-8"
    missing: str = ""
    sheet: str | None = None
    layout: Path | None = None
    table: str | None = None
    keep_notes: bool = False
    memory_limit: float | None = None
    mark_formulas: bool = False

    def __post_init__(self) -> None:
        for name, noun in (("separator", "separator"), ("decimal", "decimal mark")):
            mark = getattr(self, name)
            if mark is not None and (len(mark) != 1 or mark in '"\r\n' or not mark.isascii()):
                raise ParameterError(
                    f"The {noun} must be one ASCII character other than a quotation mark or a line"
                    f" break. Got {mark!r} instead.",
                    code="mark-not-a-character",
                    mark=name,
                )
        if self.separator == self.decimal:
            raise ParameterError(
                f"The separator and the decimal mark are both {self.decimal!r}. Change one.",
                code="marks-alike",
            )
        if not _encodes_text(self.encoding):
            raise ParameterError(
                f"There is no character encoding {self.encoding!r}. Common ones are: utf-8,"
                " latin-1, cp1252, utf-16.",
                code="unknown-encoding",
                encoding=self.encoding,
            )

    @property
    def is_utf8(self) -> bool:
        """Whether the encoding is UTF-8, with or without a byte order mark."""
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig")

    @property
    def encoding_read(self) -> str:
        """The encoding for reading, which accepts a byte order mark in UTF-8."""
        return "utf-8-sig" if self.is_utf8 else self.encoding

    def separator_for(self, path: Path) -> str:
        """Return the cell separator of ``path``."""
        return self.separator or (
            "\t" if strip_compression_suffix(path).suffix.lower() == ".tsv" else ","
        )


_SAMPLE = 'a,"b"\n1;2.5\t\r\n'


def _encodes_text(encoding: str) -> bool:
    """Return whether an encoding stores the text of tables, and not other data as text."""
    try:
        codec = codecs.lookup(encoding)
        return (
            codec._is_text_encoding  # as open() asks; codecs such as hex store bytes
            and codec.name not in ("idna", "punycode")  # for names of hosts
            and _SAMPLE.encode(encoding).decode(encoding) == _SAMPLE
        )
    except (LookupError, ValueError, TypeError):  # unknown, with a NUL character, undefined
        return False
