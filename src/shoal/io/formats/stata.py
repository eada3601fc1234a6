"""Stata files: labels, formats and the missing codes .a to .z."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import FileError
from shoal.io.dialect import Dialect
from shoal.io.formats._statistical import reading, writing
from shoal.io.formats._statistical.date_encoding import DateEncoding
from shoal.io.metadata import ColumnMetadata, FileMetadata
from shoal.io.source import Source

reading.pyreadstat()  # raises `MissingDependency` before any file is read or written
SUPPORTED_METADATA = ("labels", "value labels", "missing codes", "formats", FileMetadata.LABEL)
DATES = DateEncoding("1960-01-01", milliseconds=86_400_000, is_date=True)
DATETIMES = DateEncoding("1960-01-01", milliseconds=1, is_date=False)
_NAME = re.compile(r"[^\W\d]\w{0,31}")
_RESERVED_WORDS = {
    "_all", "_b", "_coef", "_cons", "_n", "_N", "_pi", "_pred", "_rc", "_skip", "byte", "double",
    "float", "if", "in", "int", "long", "strL", "using", "with",
}  # fmt: skip
_RESERVED_WORDS |= {f"str{width}" for width in range(1, 2046)}
_CREATION_TIME = b"01 Jan 1970 00:00"


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a Stata file."""
    del numbers  # the format has types
    _check_end(path)
    reader = reading.pyreadstat().read_dta
    cells, meta = reading.read_columns(reader, path, dialect, "a Stata file", user_missing=True)
    columns, column_metadata = {}, {}
    for name, column in cells.items():
        display_format = meta.original_variable_types.get(name)
        columns[name], codes = reading.typed_column(
            column,
            meta.readstat_variable_types[name],
            date_encoding=_encoding_of_format(display_format),
            is_whole=False,
        )
        column_metadata[name] = ColumnMetadata(
            label=meta.column_names_to_labels.get(name) or None,
            value_labels=meta.variable_value_labels.get(name, {}),
            format=display_format,
            codes=codes,
        )
    free_text = {FileMetadata.LABEL: meta.file_label, FileMetadata.NOTES: meta.notes}
    return Source(pa.table(columns), FileMetadata("stata", column_metadata, free_text))


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write a Stata file; return sentences about lost metadata."""
    del dialect, target
    writing.check_names(source.table, _NAME, _RESERVED_WORDS, "A Stata file", case_sensitive=True)
    metadata, remarks = writing.shorten_labels(
        source.metadata, "A Stata file", lambda text: text[:80], lambda text: text[:8_000]
    )
    formats = writing.display_formats(
        source, "stata", _encoding_of_format, {DATES: "%td", DATETIMES: "%tc"}
    )
    table = writing.to_storable(
        source.table,
        lambda name, arrow_type: _encoding_of_format(formats[name]) or DATES,
        "A Stata file",
    )
    labels = {name: _labels(metadata, name, table.column(name)) for name in table.column_names}
    remarks += [
        f"A Stata file labels whole numbers only; other labels of {name!r} are lost."
        for name in table.column_names
        if len(labels[name]) < len(metadata.of_column(name).value_labels)
    ]
    frame = writing.to_pandas(table)
    missing_codes = {}
    for name in table.column_names:
        letters = writing.missing_code_letters(metadata, name, _stata_code)
        if letters is not None:
            frame[name] = writing.with_letters(frame[name], letters)
        used_codes = {*(letters or ()), *(key for key in labels[name] if isinstance(key, str))}
        missing_codes[name] = sorted(letter for letter in used_codes if letter is not None)
    writing.write_file(
        reading.pyreadstat().write_dta,
        frame,
        path,
        "A Stata file",
        version=14,
        variable_value_labels={name: texts for name, texts in labels.items() if texts},
        missing_user_values={name: codes for name, codes in missing_codes.items() if codes},
        **writing.label_options(table, metadata, formats),
    )
    _fix_time(path)
    return [*remarks, *metadata.describe_loss("A Stata file", SUPPORTED_METADATA, "stata")]


def _labels(metadata: FileMetadata, name: str, column: pa.ChunkedArray) -> dict[Any, str]:
    """Return the value labels that Stata supports: of whole numbers and missing codes."""
    if pa.types.is_string(column.type):
        return {}
    labels = writing.labels_of_type(metadata.of_column(name).value_labels, column)
    spelled_labels = {
        _stata_code(key) if isinstance(key, str) else key: label for key, label in labels.items()
    }
    return {
        key: label
        for key, label in spelled_labels.items()
        if isinstance(key, str) or (isinstance(key, int) and abs(key) < 2**31)
    }


def _stata_code(letter: str) -> str | None:
    """Return a missing code in Stata's notation, or None for the SAS code ``._``."""
    return letter.lower() if letter.isascii() and letter.isalpha() else None


def _encoding_of_format(display_format: str | None) -> DateEncoding | None:
    """Return the date encoding of a display format, or None if it shows no dates or times."""
    format_name = (display_format or "").replace("-", "")
    if format_name.startswith(("%td", "%d")):
        return DATES
    return DATETIMES if format_name.startswith("%tc") else None


def _check_end(path: Path) -> None:
    """Refuse a file that is truncated after the data, whose labels would be lost."""
    mark = b"</stata_dta>"
    with path.open("rb") as file:
        marked = file.read(11) == b"<stata_dta>"
        file.seek(max(0, path.stat().st_size - 64))
        if marked and mark not in file.read():
            raise FileError(
                f"{path.name!r} is a truncated Stata file.",
                code="file-damaged",
                file=path.name,
            )


def _fix_time(path: Path) -> None:
    """Overwrite the creation time in the header; see `writing.fix_creation_times`."""
    with path.open("rb") as file:
        head = file.read(1 << 12)
    writing.fix_creation_times(path, [(head.index(b"<timestamp>") + 12, _CREATION_TIME)])
