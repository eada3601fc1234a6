"""SAS files: data sets (read only) and transport files."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import FileError
from shoal.io.dialect import Dialect
from shoal.io.formats._statistical import reading, writing
from shoal.io.formats._statistical.date_encoding import DateEncoding
from shoal.io.formats._statistical.xport_missing_codes import read_letters, write_letters
from shoal.io.metadata import ColumnMetadata, FileMetadata
from shoal.io.source import Source

reading.pyreadstat()  # raises `MissingDependency` before any file is read or written
SUPPORTED_METADATA = ("labels", "missing codes", "formats", FileMetadata.LABEL)
DATES = DateEncoding("1960-01-01", milliseconds=86_400_000, is_date=True)
DATETIMES = DateEncoding("1960-01-01", milliseconds=1000, is_date=False)
_NAME = re.compile(r"[A-Za-z_]\w{0,31}", re.ASCII)
_DATE_FORMATS = (
    "DATE", "DAY", "DDMMYY", "MMDDYY", "YYMMDD", "E8601DA", "B8601DA", "IS8601DA", "MONYY",
)  # fmt: skip
_DATETIME_FORMATS = ("DATETIME", "E8601DT", "B8601DT", "IS8601DT", "DATEAMPM")
_CREATION_TIME = b"01JAN70:00:00:00"
_TIME_OFFSETS = (144, 160, 464, 480)  # created and modified, of library and member


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a SAS file."""
    del numbers  # the format has types
    labels: Mapping[str, Mapping[Any, str]] = {}
    if path.suffix.lower() == ".xpt":
        if path.stat().st_size % 80:  # such a file is made of records of 80 bytes
            raise FileError(
                f"{path.name!r} is not a SAS transport file, or it is truncated.",
                code="file-damaged",
                file=path.name,
            )
        reader = reading.pyreadstat().read_xport
        cells, meta = reading.read_columns(reader, path, dialect, "a SAS transport file")
        cells = _with_letters(cells, path)
    else:
        reader = reading.pyreadstat().read_sas7bdat
        cells, meta = reading.read_columns(reader, path, dialect, "a SAS file", user_missing=True)
        labels = _labels(_catalogue(path), dialect)
    columns, column_metadata = {}, {}
    for name, column in cells.items():
        display_format = meta.original_variable_types.get(name) or None
        columns[name], codes = reading.typed_column(
            column,
            meta.readstat_variable_types[name],
            date_encoding=_encoding_of_format(display_format),
            is_whole=display_format is None or "." not in display_format,
        )
        column_metadata[name] = ColumnMetadata(
            label=meta.column_names_to_labels.get(name) or None,
            value_labels=labels.get(meta.variable_to_label.get(name, ""), {}),
            format=display_format,
            codes=codes,
        )
    return Source(
        pa.table(columns),
        FileMetadata("sas", column_metadata, {FileMetadata.LABEL: meta.file_label}),
    )


def _catalogue(path: Path) -> Path | None:
    """Return the catalogue next to a file, with its name or the name ``formats``, or None."""
    catalogues = (path.with_suffix(".sas7bcat"), path.with_name("formats.sas7bcat"))
    return next((file for file in catalogues if file.is_file()), None)


def _labels(catalogue: Path | None, dialect: Dialect) -> Mapping[str, Mapping[Any, str]]:
    """Return the labels of values in a catalogue, by the name of their format."""
    if catalogue is None:
        return {}
    reader = reading.pyreadstat().read_sas7bcat
    meta = reading.read_metadata(reader, catalogue, dialect, "a SAS catalogue of formats")
    return meta.value_labels  # type: ignore[no-any-return]


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write a SAS transport file; return sentences about lost metadata."""
    del dialect, target
    writing.check_names(source.table, _NAME, (), "A SAS transport file", case_sensitive=False)
    metadata, remarks = writing.shorten_labels(
        source.metadata, "A SAS transport file", lambda text: writing.truncate(text, 256), str
    )
    formats = writing.display_formats(
        source, "sas", _encoding_of_format, {DATES: "YYMMDD10", DATETIMES: "DATETIME20"}
    )
    table = writing.to_storable(
        source.table,
        lambda name, arrow_type: DATES if pa.types.is_date(arrow_type) else DATETIMES,
        "A SAS transport file",
    )
    _check_range(table)
    writing.write_file(
        reading.pyreadstat().write_xport,
        writing.to_pandas(table),
        path,
        "A SAS transport file",
        table_name="RELEASE",
        file_format_version=_version(table, metadata),
        **writing.label_options(table, metadata, formats),
    )
    writing.check_length(path, table)
    letters = {
        number: codes
        for number, name in enumerate(table.column_names)
        if (codes := writing.missing_code_letters(metadata, name, str.upper)) is not None
    }
    write_letters(path, table.num_rows, letters)
    writing.fix_creation_times(path, [(i, _CREATION_TIME) for i in _TIME_OFFSETS])
    return [*remarks, *metadata.describe_loss("A SAS transport file", SUPPORTED_METADATA, "sas")]


def _with_letters(cells: Mapping[str, list[Any]], path: Path) -> dict[str, list[Any]]:
    """Return the columns of a transport file with missing codes as letters."""
    columns = dict(cells)
    names = list(cells)
    try:
        letters_by_number = read_letters(path, len(cells[names[0]])) if names else {}
    except (ValueError, IndexError):
        raise FileError(
            f"{path.name!r} is not a SAS transport file, or it is damaged.",
            code="file-damaged",
            file=path.name,
        ) from None
    for number, letters in letters_by_number.items():
        column = columns[names[number]]
        columns[names[number]] = [
            cell if cell is not None else letter
            for cell, letter in zip(column, letters, strict=True)
        ]
    return columns


def _version(table: pa.Table, metadata: FileMetadata) -> int:
    """Return 5, which all software reads, if names, labels and texts are short enough; else 8."""
    for name in table.column_names:
        column = table.column(name)
        longest = 0
        if pa.types.is_string(column.type):
            longest = pc.max(pc.binary_length(column)).as_py() or 0
        if (
            len(name) > 8
            or len((metadata.of_column(name).label or "").encode()) > 40
            or longest > 200
        ):
            return 8
    return 5


def _check_range(table: pa.Table) -> None:
    """Refuse numbers outside the range of a transport file."""
    for name in table.column_names:
        column = table.column(name)
        if not pa.types.is_floating(column.type):
            continue
        magnitude = pc.abs(column)
        in_range = pc.or_(
            pc.equal(magnitude, 0.0),
            pc.and_(pc.less(magnitude, 7e75), pc.greater(magnitude, 6e-79)),
        )
        if pc.any(pc.invert(in_range)).as_py():
            raise FileError(
                f"Column {name!r} contains numbers that a SAS transport file cannot hold: beyond"
                " 7e75 or too close to 0. Rescale it, or write another format.",
                code="values-too-large",
                column=name,
            )


def _encoding_of_format(display_format: str | None) -> DateEncoding | None:
    """Return the date encoding of a display format, or None if it shows no dates or times."""
    format_name = (display_format or "").upper().rstrip("0123456789.")
    if format_name in _DATETIME_FORMATS:
        return DATETIMES
    return DATES if format_name in _DATE_FORMATS else None
