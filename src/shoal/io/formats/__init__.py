"""Formats of files: each is one file here, with ``read`` and ``write``.

``read(path, dialect, numbers)`` gives a `Source`; ``write(source, path, dialect, target)``
writes it to ``path`` as the name of ``target`` asks for, and says what had no place.
A format that needs a package of its own is imported when it is met.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from shoal.errors import FileError
from shoal.io.compression import COMPRESSION_SUFFIXES, compression_of, strip_compression_suffix
from shoal.io.dialect import Dialect


@dataclass(frozen=True)
class Format:
    """A format: its name, its endings and how its files begin.

    Parameters
    ----------
    name : str
        What such a file is called, as in "it is no ... file".
    module : str
        The file here that reads and writes it.
    endings : tuple of str
        How the names of its files end.
    beginnings : tuple of bytes
        How its files begin; empty for text.
    writes : bool
        Whether such files can be written.
    packs : bool
        Whether such files may be packed.
    codes : tuple of str
        The families of files whose missing codes such a file keeps apart.
    """

    name: str
    module: str
    endings: tuple[str, ...]
    beginnings: tuple[bytes, ...] = ()
    writes: bool = True
    packs: bool = False
    codes: tuple[str, ...] = ()

    def load(self) -> Any:
        """Import what reads and writes such files; say so if a package is missing."""
        return import_module(f"shoal.io.formats.{self.module}")


_ZIP = b"PK\x03\x04"
_SAS = bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00"
FORMATS = (
    Format("text", "text", (".csv", ".tsv", ".txt"), packs=True),
    Format("fixed-width text", "fixed_width", (".fwf", ".dat", ".asc"), packs=True),
    Format("Parquet", "parquet", (".parquet", ".pq"), (b"PAR1\x15",)),
    Format("Feather", "feather", (".feather", ".arrow", ".ipc"), (b"ARROW1", b"FEA1\0")),
    Format("Excel", "excel", (".xlsx",), (_ZIP,)),
    Format("Stata", "stata", (".dta",), (b"<stata_dta>",), codes=("stata", "sas")),
    Format("SPSS", "spss", (".sav", ".zsav"), (b"$FL2@(#)", b"$FL3@(#)"), codes=("spss",)),
    Format(
        "SAS transport", "sas", (".xpt",), (b"HEADER RECORD*******LIB",), codes=("sas", "stata")
    ),
    Format("SAS", "sas", (".sas7bdat",), (_SAS,), writes=False),
)
_TEXT, _FIXED_WIDTH = FORMATS[:2]
_STRANGE = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"SQLite format 3\0": "SQLite",
    b"\xd0\xcf\x11\xe0": "old Excel",
}


def format_of(path: Path, dialect: Dialect | None = None) -> Format:
    """Return the format that the ending of ``path`` names."""
    suffix = strip_compression_suffix(path).suffix.lower()
    if suffix == ".txt" and dialect is not None and dialect.layout is not None:
        return _FIXED_WIDTH
    for found in FORMATS:
        if suffix in found.endings and (found.packs or not compression_of(path)):
            return found
    endings = ", ".join(ending for known in FORMATS for ending in known.endings)
    raise FileError(
        f"The ending of {Path(path).name!r} names no format. Use one of: {endings}; text may be"
        f" packed ({', '.join(COMPRESSION_SUFFIXES)}).",
        code="unknown-ending",
        file=Path(path).name,
    )


def check_beginning(path: Path, expected: Format) -> None:
    """Refuse a file that is by its first bytes of another format than its name says."""
    with path.open("rb") as file:
        head = file.read(64)
    others = {start: form.name for form in FORMATS for start in form.beginnings} | _STRANGE
    for start, name in others.items():
        if not head.startswith(start) or start in expected.beginnings:
            continue
        if name == compression_of(path):
            continue
        raise FileError(
            f"{path.name!r} holds {name} data, which its ending does not say. Give it its own"
            " ending.",
            code="ending-misleads",
            file=path.name,
            format=name,
        )
