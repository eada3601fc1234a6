"""Writing Stata, SPSS and SAS files with pyreadstat.

A ``file_phrase`` begins sentences about a format, such as "A Stata file".
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal._text import count
from shoal.errors import FileError
from shoal.frame.arrow_types import is_text
from shoal.frame.notation.decimals import MAX_EXACT_INTEGER
from shoal.io.formats._statistical.date_encoding import DateEncoding
from shoal.io.formats._statistical.reading import pyreadstat
from shoal.io.metadata import FileMetadata
from shoal.io.source import Source


def write_file(
    writer: Callable[..., None], table: Any, path: Path, file_phrase: str, **options: Any
) -> None:
    """Write with pyreadstat; translate its exceptions."""
    library = pyreadstat()
    try:
        writer(table, path, **options)
    except library.ReadstatError as error:  # a sentence from a fixed list
        if str(error).startswith("Unable to write"):
            raise OSError from None
        raise FileError(
            f"{file_phrase} cannot hold this table: {str(error).lower()}.",
            code="cannot-write",
            format=file_phrase,
        ) from None
    except library.PyreadstatError:  # may show values
        raise FileError(
            f"{file_phrase} cannot hold this table. Write another format.",
            code="cannot-write",
            format=file_phrase,
        ) from None


def label_options(
    table: pa.Table, metadata: FileMetadata, formats: Mapping[str, str | None]
) -> dict[str, Any]:
    """Return the options of all writers of pyreadstat: labels and display formats."""
    return {
        "file_label": metadata.free_text.get(FileMetadata.LABEL) or "",
        "column_labels": {name: metadata.of_column(name).label for name in table.column_names},
        "variable_format": {
            name: display_format for name, display_format in formats.items() if display_format
        },
    }


def display_formats(
    source: Source,
    family: str,
    encoding_of_format: Callable[[str | None], DateEncoding | None],
    defaults: Mapping[DateEncoding, str],
) -> dict[str, str | None]:
    """Return the display format of each column: its own, if the source is of the same family.

    ``defaults`` are the formats, by encoding, of dates and times in columns that have none.
    """
    dates, datetimes = defaults
    formats = {}
    for field in source.table.schema:
        source_format = (
            source.metadata.of_column(field.name).format
            if source.metadata.family == family
            else None
        )
        encoding = dates if pa.types.is_date(field.type) else None
        encoding = datetimes if pa.types.is_timestamp(field.type) else encoding
        formats[field.name] = (
            source_format
            if encoding in (None, encoding_of_format(source_format))
            else defaults[encoding]
        )
    return formats


def to_pandas(table: pa.Table) -> Any:
    """Return a pandas table for pyreadstat, with nullable integers."""
    import pandas

    pandas_types = {pa.int8(): pandas.Int8Dtype(), pa.int32(): pandas.Int32Dtype()}
    return table.to_pandas(types_mapper=pandas_types.get)


def to_storable(
    table: pa.Table, encoding_for: Callable[[str, pa.DataType], DateEncoding], file_phrase: str
) -> pa.Table:
    """Return the table with columns that such a file can store: numbers and text."""
    columns = []
    for field in table.schema:
        column = pa.concat_arrays(table.column(field.name).chunks)
        columns.append(_to_storable(column, field.name, encoding_for, file_phrase))
    return pa.table(columns, names=table.column_names)


def with_letters(column: Any, letters: list[str | None]) -> Any:
    """Return a pandas column with missing codes, as letters, in place of missing values."""
    with_codes = column.astype(object)
    for i, letter in enumerate(letters):
        if letter is not None:
            with_codes.iat[i] = letter
    return with_codes


def missing_code_letters(
    metadata: FileMetadata, name: str, spell_code: Callable[[str], str | None]
) -> list[str | None] | None:
    """Return the missing codes of a column as letters, or None if there are none."""
    codes = metadata.of_column(name).codes
    if codes is None or metadata.family not in ("stata", "sas"):
        return None
    return [None if code is None else spell_code(code) for code in codes.to_pylist()]


def labels_of_type(value_labels: Mapping[Any, str], column: pa.ChunkedArray) -> dict[Any, str]:
    """Return value labels with values of the column's type; missing codes stay letters."""
    if pa.types.is_string(column.type):
        return {str(value): label for value, label in value_labels.items()}
    converted_labels: dict[Any, str] = {}
    for value, label in value_labels.items():
        if isinstance(value, str) and len(value) == 1:
            converted_labels[value] = label
        elif isinstance(value, int | float):
            is_whole = float(value).is_integer()
            if is_whole or not pa.types.is_integer(column.type):
                converted_labels[int(value) if is_whole else value] = label
    return converted_labels


def shorten_labels(
    metadata: FileMetadata,
    file_phrase: str,
    shorten_label: Callable[[str], str],
    shorten_value_label: Callable[[str], str],
) -> tuple[FileMetadata, list[str]]:
    """Return the metadata with labels shortened to fit the format, and a remark on which."""
    columns, shortened_columns = {}, []
    for name, column in metadata.columns.items():
        values = {key: shorten_value_label(text) for key, text in column.value_labels.items()}
        columns[name] = replace(
            column, label=column.label and shorten_label(column.label), value_labels=values
        )
        if columns[name].label != column.label or values != column.value_labels:
            shortened_columns.append(repr(name))
    remarks = [
        f"{file_phrase} limits the length of labels, so the labels of"
        f" {', '.join(shortened_columns)} were shortened."
    ]
    return replace(metadata, columns=columns), remarks if shortened_columns else []


def check_names(
    table: pa.Table,
    pattern: Any,
    reserved_names: Collection[str],
    file_phrase: str,
    *,
    case_sensitive: bool,
) -> None:
    """Refuse column names that the format does not allow, or does not distinguish."""
    name_by_lower: dict[str, str] = {}
    for name in table.column_names:
        if not pattern.fullmatch(name) or name in reserved_names:
            raise FileError(
                f"{file_phrase} cannot hold a column named {name!r}. Give it a short name of"
                " letters, digits and _ that is no reserved word, or write another format.",
                code="name-not-writable",
                column=name,
                format=file_phrase,
            )
        if not case_sensitive and name.lower() in name_by_lower:
            raise FileError(
                f"{file_phrase} does not distinguish {name_by_lower[name.lower()]!r} and {name!r}."
                " Rename one.",
                code="names-alike",
                column=name,
                format=file_phrase,
            )
        name_by_lower[name.lower()] = name


def check_length(path: Path, table: pa.Table) -> None:
    """Raise `OSError` if a file is too short: pyreadstat may not report a full disk."""
    widths = [
        pc.max(pc.binary_length(column)).as_py() or 1 if pa.types.is_string(column.type) else 8
        for column in table.columns
    ]
    size = path.stat().st_size
    if size % 80 or size < 640 + table.num_rows * sum(widths):
        raise OSError


def fix_creation_times(path: Path, times_by_offset: list[tuple[int, bytes]]) -> None:
    """Overwrite the creation time in a file by a fixed time.

    The same release then gives the same bytes and does not disclose when it was made.
    """
    with path.open("r+b") as file:
        for offset, fixed_time in times_by_offset:
            file.seek(offset)
            file.write(fixed_time)


def _to_storable(
    column: pa.Array,
    name: str,
    encoding_for: Callable[[str, pa.DataType], DateEncoding],
    file_phrase: str,
) -> pa.Array:
    arrow_type = column.type
    if pa.types.is_dictionary(arrow_type):
        return _to_storable(column.cast(arrow_type.value_type), name, encoding_for, file_phrase)
    if pa.types.is_date(arrow_type) or pa.types.is_timestamp(arrow_type):
        if pa.types.is_timestamp(arrow_type) and arrow_type.tz is not None:
            column = column.cast(pa.timestamp(arrow_type.unit, "UTC")).cast(
                pa.timestamp(arrow_type.unit)
            )
        return encoding_for(name, arrow_type).encode(column)
    if pa.types.is_boolean(arrow_type):
        return column.cast(pa.int8())
    if pa.types.is_integer(arrow_type):
        return _fit_integers(column, name, file_phrase)
    if pa.types.is_decimal(arrow_type) or pa.types.is_floating(arrow_type):
        return _finite(column.cast(pa.float64()), name, file_phrase)
    if is_text(arrow_type):
        if pc.any(pc.match_substring(column, "\0")).as_py():
            raise FileError(
                f"Column {name!r} contains NUL characters, which {_mid_sentence(file_phrase)}"
                " cannot hold. Remove them.",
                code="nul-characters",
                column=name,
            )
        return column.cast(pa.string()).fill_null("")  # the formats have no missing text
    if pa.types.is_null(arrow_type):
        return column.cast(pa.float64())
    if pa.types.is_time(arrow_type):
        return column.cast(pa.string()).fill_null("")
    raise FileError(
        f"Column {name!r} contains {arrow_type} values, which {_mid_sentence(file_phrase)} cannot"
        " hold. Write another format.",
        code="type-not-writable",
        column=name,
        kind=str(arrow_type),
    )


def _finite(column: pa.Array, name: str, file_phrase: str) -> pa.Array:
    """Return floats with null for NaN; refuse infinite values."""
    column = pc.if_else(pc.is_nan(column), pa.scalar(None, pa.float64()), column)
    infinite = pc.sum(pc.is_inf(column).cast(pa.int64())).as_py() or 0
    if infinite:
        raise FileError(
            f"Column {name!r} has {count(infinite, 'infinite value')}, which"
            f" {_mid_sentence(file_phrase)} cannot hold. Correct or drop them.",
            code="infinite-values",
            column=name,
            count=infinite,
        )
    return column


def _fit_integers(column: pa.Array, name: str, file_phrase: str) -> pa.Array:
    """Return integers as int32 if they fit, or else as floats if these are exact."""
    bounds = pc.min_max(column).as_py()
    low, high = bounds["min"] or 0, bounds["max"] or 0
    if low > -(2**31) and high < 2**31 - 100:  # Stata reserves the largest for missing codes
        return column.cast(pa.int32())
    if max(-low, high) >= MAX_EXACT_INTEGER:
        raise FileError(
            f"Column {name!r} contains whole numbers beyond 2**53, which"
            f" {_mid_sentence(file_phrase)} cannot hold. Leave it out, or write another format.",
            code="whole-numbers-too-large",
            column=name,
        )
    return column.cast(pa.float64())


def truncate(text: str, max_bytes: int) -> str:
    """Return the beginning of a text that fits into ``max_bytes``."""
    return text.encode()[:max_bytes].decode(errors="ignore")


def _mid_sentence(file_phrase: str) -> str:
    """Return the phrase for the middle of a sentence."""
    return file_phrase[:1].lower() + file_phrase[1:]
