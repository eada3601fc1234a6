"""SPSS files: labels, formats, levels of measurement and declared missing values."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.io.dialect import Dialect
from shoal.io.formats._statistical import reading, writing
from shoal.io.formats._statistical.date_encoding import DateEncoding
from shoal.io.metadata import ColumnMetadata, FileMetadata, with_codes
from shoal.io.source import Source

reading.pyreadstat()  # raises `MissingDependency` before any file is read or written
SUPPORTED_METADATA = (
    "labels",
    "value labels",
    "missing codes",
    "formats",
    "levels of measurement",
    FileMetadata.LABEL,
    FileMetadata.NOTES,
)
DATES = DateEncoding("1582-10-14", milliseconds=1000, is_date=True)
DATETIMES = DateEncoding("1582-10-14", milliseconds=1000, is_date=False)
_NAME = re.compile(r"[^\W\d_][\w.@#$]{0,63}")
_RESERVED_WORDS = (
    "ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH",
)  # fmt: skip
_DATE_FORMATS = ("DATE", "ADATE", "EDATE", "SDATE", "JDATE")
_DATETIME_FORMATS = ("DATETIME", "YMDHMS")
_CREATION_TIMES = [(92, b"01 Jan 70"), (101, b"00:00:00")]


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read an SPSS file."""
    del numbers  # the format has types
    if path.suffix.lower() == ".por":  # pyreadstat returns no declared missing values of these
        reader, options = reading.pyreadstat().read_por, {}
    else:
        reader, options = reading.pyreadstat().read_sav, {"user_missing": True}
    cells, meta = reading.read_columns(reader, path, dialect, "an SPSS file", **options)
    columns, column_metadata = {}, {}
    for name, column in cells.items():
        display_format = meta.original_variable_types.get(name)
        ranges = meta.missing_ranges.get(name, [])
        columns[name], codes = _column(
            column, meta.readstat_variable_types[name], display_format, ranges
        )
        measure = meta.variable_measure.get(name)
        column_metadata[name] = ColumnMetadata(
            label=meta.column_names_to_labels.get(name) or None,
            value_labels=meta.variable_value_labels.get(name, {}),
            format=display_format,
            measure=measure if measure in ("nominal", "ordinal", "scale") else None,
            width=meta.variable_display_width.get(name),
            missing=ranges,
            codes=codes,
        )
    free_text = {
        FileMetadata.LABEL: meta.file_label,
        FileMetadata.NOTES: meta.notes,
        "its multiple-response sets": list(meta.mr_sets),
    }
    return Source(pa.table(columns), FileMetadata("spss", column_metadata, free_text))


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write an SPSS file; return sentences about lost metadata."""
    del dialect
    writing.check_names(source.table, _NAME, _RESERVED_WORDS, "An SPSS file", case_sensitive=False)
    metadata, remarks = writing.shorten_labels(
        source.metadata,
        "An SPSS file",
        lambda text: writing.truncate(text, 256),
        lambda text: writing.truncate(text, 120),
    )
    formats = writing.display_formats(
        source, "spss", _encoding_of_format, {DATES: "SDATE10", DATETIMES: "DATETIME20"}
    )
    for field in source.table.schema:
        if pa.types.is_integer(field.type):
            formats[field.name] = formats[field.name] or "F8.0"
    table = _storable_table(source, metadata)
    labels = {
        name: _labels(metadata.of_column(name), table.column(name)) for name in table.column_names
    }
    columns = metadata.columns if metadata.family == "spss" else {}
    compressed = target.suffix.lower() == ".zsav"
    writing.write_file(
        reading.pyreadstat().write_sav,
        writing.to_pandas(table),
        path,
        "An SPSS file",
        compress=compressed,
        row_compress=not compressed,
        note=list(metadata.free_text.get(FileMetadata.NOTES) or ()) or None,
        variable_value_labels={name: texts for name, texts in labels.items() if texts},
        missing_ranges={name: column.missing for name, column in columns.items() if column.missing},
        variable_display_width={name: column.width for name, column in columns.items()},
        variable_measure={
            name: column.measure for name, column in columns.items() if column.measure
        },
        **writing.label_options(table, metadata, formats),
    )
    writing.fix_creation_times(path, _CREATION_TIMES)
    return [*remarks, *metadata.describe_loss("An SPSS file", SUPPORTED_METADATA, "spss")]


def _storable_table(source: Source, metadata: FileMetadata) -> pa.Table:
    """Return the table with numbers as floats, and with the missing codes of an SPSS file."""
    table = writing.to_storable(
        source.table,
        lambda name, arrow_type: DATES if pa.types.is_date(arrow_type) else DATETIMES,
        "An SPSS file",
    )
    from_spss = metadata.family == "spss"
    for i, name in enumerate(table.column_names):
        column = _to_storable(table.column(name), metadata.of_column(name), from_spss)
        table = table.set_column(i, name, column)
    return table


def _column(
    cells: list[Any], kind: str, display_format: str | None, ranges: list[Any]
) -> tuple[pa.Array, pa.Array | None]:
    """Return a column with declared missing values as null, and their codes if there are any."""
    if kind.startswith("string"):
        column = reading.text(cells, blank_is_missing=False)
        is_code = np.isin(
            np.array(cells, object), [missing_range["lo"] for missing_range in ranges]
        )
    else:
        values = np.array([np.nan if cell is None else cell for cell in cells], np.float64)
        is_code = np.zeros(len(values), bool)
        for missing_range in ranges:
            is_code |= (values >= missing_range["lo"]) & (values <= missing_range["hi"])
        is_whole = (display_format or "").endswith(".0") or (display_format or "").isalnum()
        column = reading.to_type(
            np.where(is_code, np.nan, values),
            kind,
            date_encoding=_encoding_of_format(display_format),
            is_whole=is_whole,
        )
        cells = values.tolist()
    if not is_code.any():
        return column, None
    codes = [cell if code else None for cell, code in zip(cells, is_code, strict=True)]
    is_value = pa.array(~is_code)
    codes = pa.array(codes, pa.string() if kind.startswith("string") else pa.float64())
    valid = pa.compute.if_else(is_value, column, pa.scalar(None, column.type))
    return valid, codes


def _to_storable(
    column: pa.ChunkedArray, metadata: ColumnMetadata, from_spss: bool
) -> pa.ChunkedArray:
    """Return a column as SPSS stores it: numbers as floats, with missing codes."""
    if not pa.types.is_string(column.type):
        column = column.cast(pa.float64())
    if not from_spss:
        return column
    return _pad_to_width(with_codes(column, metadata.codes), metadata.format)


def _pad_to_width(column: pa.ChunkedArray, display_format: str | None) -> pa.ChunkedArray:
    """Pad the first text of a column to the column's original width.

    pyreadstat makes a column as wide as its longest text. SPSS pads all texts with blanks and
    strips them again, so no value changes.
    """
    width = re.fullmatch(r"A(\d+)", display_format or "")
    if width is None or not pa.types.is_string(column.type):
        return column
    cells = column.to_pylist()
    cells[0] += " " * (int(width[1]) - len(cells[0].encode()))
    return pa.chunked_array([cells], pa.string())


def _labels(metadata: ColumnMetadata, column: pa.ChunkedArray) -> dict[Any, str]:
    """Return the value labels without letters, which are missing codes of other software."""
    labels = writing.labels_of_type(metadata.value_labels, column)
    text = pa.types.is_string(column.type)
    return {value: label for value, label in labels.items() if text or not isinstance(value, str)}


def _encoding_of_format(display_format: str | None) -> DateEncoding | None:
    """Return the date encoding of a display format, or None if it shows no dates or times."""
    format_name = (re.match(r"[A-Z]+", display_format or "") or [""])[0]
    if format_name in _DATE_FORMATS:
        return DATES
    return DATETIMES if format_name in _DATETIME_FORMATS else None
