"""File formats, one module each, with the functions ``read`` and ``write``.

``read(path, dialect, numbers)`` returns a `Source`; ``write(source, path, dialect, target)`` writes
it to ``path`` in the format of the suffix of ``target`` and returns sentences about metadata that
the format cannot hold. Modules that need an optional package are imported on first use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from shoal.errors import FileError
from shoal.io.compression import COMPRESSION_SUFFIXES, compression_of, strip_compression_suffix
from shoal.io.dialect import Dialect


@dataclass(frozen=True)
class Format:
    """A file format.

    Parameters
    ----------
    name : str
        Name in messages, as in "it is not a ... file".
    module : str
        Module that reads and writes it.
    suffixes : tuple of str
        Suffixes of its files.
    signatures : tuple of bytes
        First bytes of its files; empty for text.
    write_suffix : str or None
        The suffix to write instead, where such files can only be read.
    compressible : bool
        Whether such files may be compressed.
    missing_code_families : tuple of str
        Software families whose missing codes the format can represent and tell apart.
    has_types : bool
        Whether columns have types; text formats store each value as it is spelled.
    long_integers : bool
        Whether whole numbers beyond 2**53 are stored exactly.
    """

    name: str
    module: str
    suffixes: tuple[str, ...]
    signatures: tuple[bytes, ...] = ()
    write_suffix: str | None = None
    compressible: bool = False
    missing_code_families: tuple[str, ...] = ()
    has_types: bool = True
    long_integers: bool = False

    @property
    def writable(self) -> bool:
        """Whether such files can be written."""
        return self.write_suffix is None

    def load(self) -> Any:
        """Import the module; raises `MissingDependency` if a package is missing."""
        return import_module(f"shoal.io.formats.{self.module}")


_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0"
_SAS = bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00"
FORMATS = (
    Format("text", "text", (".csv", ".tsv", ".txt"), compressible=True, has_types=False),
    Format(
        "fixed-width text",
        "fixed_width",
        (".fwf", ".dat", ".asc"),
        compressible=True,
        has_types=False,
    ),
    Format("Parquet", "parquet", (".parquet", ".pq"), (b"PAR1\x15",), long_integers=True),
    Format(
        "Feather",
        "feather",
        (".feather", ".arrow", ".ipc"),
        (b"ARROW1", b"FEA1\0"),
        long_integers=True,
    ),
    Format("Excel", "excel", (".xlsx",), (_ZIP,)),
    Format("old Excel", "excel", (".xls",), (_OLE,), write_suffix=".xlsx"),
    Format("binary Excel", "excel", (".xlsb",), (_ZIP,), write_suffix=".xlsx"),
    Format("OpenDocument", "excel", (".ods",), (_ZIP,), write_suffix=".xlsx"),
    Format(
        "JSON lines", "json_lines", (".jsonl", ".ndjson"), compressible=True, long_integers=True
    ),
    Format("Stata", "stata", (".dta",), (b"<stata_dta>",), missing_code_families=("stata", "sas")),
    Format(
        "SPSS",
        "spss",
        (".sav", ".zsav"),
        (b"$FL2@(#)", b"$FL3@(#)"),
        missing_code_families=("spss",),
    ),
    Format("portable SPSS", "spss", (".por",), write_suffix=".sav"),
    Format(
        "SAS transport",
        "sas",
        (".xpt",),
        (b"HEADER RECORD*******LIB",),
        missing_code_families=("sas", "stata"),
    ),
    Format("SAS", "sas", (".sas7bdat",), (_SAS,), write_suffix=".xpt"),
    Format("R", "r", (".rds", ".rda", ".rdata"), (b"\x1f\x8b",), write_suffix=".dta"),
    Format("DuckDB", "duckdb", (".duckdb", ".ddb"), write_suffix=".parquet"),
)
_TEXT, _FIXED_WIDTH = FORMATS[:2]
_OTHER_SIGNATURES = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"SQLite format 3\0": "SQLite",
}


def format_of(
    path: Path, dialect: Dialect | None = None, offered: Sequence[Format] | None = None
) -> Format:
    """Return the format that the suffix of ``path`` names; errors list the formats ``offered``."""
    suffix = strip_compression_suffix(path).suffix.lower()
    if suffix == ".txt" and dialect is not None and dialect.layout is not None:
        return _FIXED_WIDTH
    for candidate in FORMATS:
        if suffix in candidate.suffixes and (candidate.compressible or not compression_of(path)):
            return candidate
    formats = FORMATS if offered is None else offered
    suffixes = ", ".join(suffix for file_format in formats for suffix in file_format.suffixes)
    raise FileError(
        f"The suffix of {Path(path).name!r} names no format. Use one of: {suffixes}; text may be"
        f" compressed ({', '.join(COMPRESSION_SUFFIXES)}).",
        code="unknown-ending",
        file=Path(path).name,
    )


def writable_suffixes() -> list[str]:
    """Return the suffixes of the formats that can be written."""
    return [
        suffix for file_format in FORMATS if file_format.writable for suffix in file_format.suffixes
    ]


def check_signature(path: Path, expected: Format) -> None:
    """Refuse a file whose first bytes belong to another format than its suffix."""
    with path.open("rb") as file:
        first_bytes = file.read(64)
    name_by_signature = {
        signature: file_format.name
        for file_format in reversed(FORMATS)
        for signature in file_format.signatures
    }
    for signature, name in (name_by_signature | _OTHER_SIGNATURES).items():
        if not first_bytes.startswith(signature) or signature in expected.signatures:
            continue
        if name == compression_of(path):
            continue
        raise FileError(
            f"{path.name!r} contains {name} data, which does not match its suffix. Give it the"
            " right suffix.",
            code="ending-misleads",
            file=path.name,
            format=name,
        )
