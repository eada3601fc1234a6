"""What the user says about a table because its file does not."""

import codecs
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import ParameterError
from shoal.io.compression import strip_compression_suffix


@dataclass(frozen=True)
class Dialect:
    """How a table is written, where its file does not say.

    Parameters
    ----------
    separator : str or None
        One character between two cells of a text table; None takes the comma, or
        the tabulator for ``.tsv``.
    decimal : str
        The decimal mark of a text table, one character.
    encoding : str
        The character set, by a name that Python knows.
    missing : str
        What stands in a cell that has no value, besides nothing at all.
    sheet : str or None
        The sheet of an Excel file; None takes the only one.
    layout : Path or None
        The column map of a fixed-width text table, a ``.toml`` file.
    table : str or None
        The table of a database.
    keep_notes : bool
        Whether free text about the whole file, as its label and notes, is released.
    memory_limit : float or None
        GB of memory that a file may take when it is read; None refuses files that grow beyond
        all measure.
    mark_formulas : bool
        Whether text that a spreadsheet program takes for a formula gets an apostrophe in
        front when a text table is written.
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
        for name in ("separator", "decimal"):
            mark = getattr(self, name)
            if mark is not None and (len(mark) != 1 or mark in '"\r\n' or not mark.isascii()):
                raise ParameterError(
                    f"The {name} must be one plain character. Got {mark!r} instead.",
                    code="mark-not-a-character",
                    mark=name,
                )
        if self.separator == self.decimal:
            raise ParameterError(
                f"The separator and the decimal mark are both {self.decimal!r}. Change one.",
                code="marks-alike",
            )
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise ParameterError(
                f"There is no encoding {self.encoding!r}. Common ones are: utf-8, latin-1, cp1252,"
                " utf-16.",
                code="unknown-encoding",
                encoding=self.encoding,
            ) from None

    @property
    def is_utf8(self) -> bool:
        """Whether the character set is UTF-8, with or without a mark at the beginning."""
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig")

    @property
    def encoding_read(self) -> str:
        """The character set for Python to read with."""
        return "utf-8-sig" if self.is_utf8 else self.encoding

    def separator_for(self, path: Path) -> str:
        """Return the separator to use for ``path``."""
        return self.separator or (
            "\t" if strip_compression_suffix(path).suffix.lower() == ".tsv" else ","
        )
