"""Writing an Excel file of one sheet."""

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import xlsxwriter

from shoal.errors import FileError
from shoal.frame.arrow_types import is_text, without_dictionary
from shoal.frame.notation.decimals import MAX_EXACT_INTEGER
from shoal.io.dialect import Dialect
from shoal.io.source import Source

MAX_RECORDS = 1_048_575  # rows of a sheet below the row of names
MAX_COLUMNS = 16_384
MAX_TEXT = 32_767  # characters of a cell


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write an Excel file of one sheet; return sentences about lost metadata."""
    del dialect, target
    table, metadata = source.table, source.metadata
    keeps_formats = metadata.family == "excel"
    if table.num_rows > MAX_RECORDS or table.num_columns > MAX_COLUMNS:
        raise FileError(
            f"An Excel file can hold at most {MAX_RECORDS:,} records and {MAX_COLUMNS:,} columns;"
            f" there are {table.num_rows:,} and {table.num_columns:,}. Write another format.",
            code="too-long-for-excel",
            records=table.num_rows,
            columns=table.num_columns,
        )
    columns = {name: _to_writable(table.column(name), name) for name in table.column_names}
    formats = {name: metadata.of_column(name).format for name in columns if keeps_formats}
    try:
        _write_book(path, columns, formats)
    except xlsxwriter.exceptions.FileCreateError as error:
        raise OSError(*error.args[0].args) from None
    return metadata.describe_loss("An Excel file", ("formats",), "excel")


def _write_book(path: Path, columns: dict[str, Any], formats: dict[str, str | None]) -> None:
    with xlsxwriter.Workbook(str(path), {"in_memory": True}) as book:
        # A fixed time, so that the same table gives the same bytes.
        book.set_properties({"created": dt.datetime(2000, 1, 1)})
        sheet = book.add_worksheet()
        quoted = book.add_format({"quote_prefix": True})
        for i, (name, column) in enumerate(columns.items()):
            sheet.write_string(0, i, name)
            cell_format = _cell_format(book, column.type, formats.get(name))
            for number, value in enumerate(column.to_pylist(), 1):
                _write_cell(sheet, number, i, value, cell_format, quoted)


class _Exact(float):
    """A number written with all its digits: XlsxWriter writes 16, and 17 can be needed."""

    def __new__(cls, value: float) -> "_Exact":
        number = super().__new__(cls, value)
        number.digits = repr(value)
        return number

    digits: str

    def __format__(self, form: str) -> str:
        return self.digits


def _to_writable(column: Any, name: str) -> Any:
    """Return a column of values that a cell can hold."""
    column = without_dictionary(column)
    arrow_type = column.type
    if (
        pa.types.is_nested(arrow_type)
        or pa.types.is_binary(arrow_type)
        or pa.types.is_large_binary(arrow_type)
        or pa.types.is_interval(arrow_type)
    ):
        raise FileError(
            f"Column {name!r} contains {arrow_type} values, which an Excel file cannot hold. Write"
            " another format.",
            code="unrepresentable-column",
            column=name,
        )
    if pa.types.is_integer(arrow_type):
        bounds = pc.min_max(column).as_py()
        is_inexact = max(-(bounds["min"] or 0), bounds["max"] or 0) > MAX_EXACT_INTEGER
        return column.cast(pa.string()) if is_inexact else column
    if pa.types.is_decimal(arrow_type) or pa.types.is_floating(arrow_type):
        column = column.cast(pa.float64())
        if pc.any(pc.is_inf(column)).as_py():
            raise FileError(
                f"Column {name!r} has infinite values, which an Excel file cannot hold. Correct or"
                " drop them.",
                code="infinite-values",
                column=name,
            )
        return column
    if pa.types.is_timestamp(arrow_type):
        return column.cast(pa.timestamp("ms", arrow_type.tz), safe=False).cast(pa.timestamp("ms"))
    if pa.types.is_time(arrow_type) or pa.types.is_duration(arrow_type):
        return column.cast(pa.string())
    if is_text(arrow_type) and (pc.max(pc.utf8_length(column)).as_py() or 0) > MAX_TEXT:
        raise FileError(
            f"Column {name!r} contains a text of more than {MAX_TEXT:,} characters, which an Excel"
            " cell cannot hold. Write another format.",
            code="text-too-long",
            column=name,
        )
    return column


def _cell_format(book: Any, arrow_type: pa.DataType, display_format: str | None) -> Any:
    if display_format is None and pa.types.is_timestamp(arrow_type):
        display_format = "yyyy-mm-dd hh:mm:ss"
    if display_format is None and pa.types.is_date(arrow_type):
        display_format = "yyyy-mm-dd"
    return None if display_format is None else book.add_format({"num_format": display_format})


def _write_cell(
    sheet: Any, row: int, column: int, value: Any, cell_format: Any, quoted: Any
) -> None:
    if value is None or value != value:
        return  # missing or NaN: an empty cell
    if isinstance(value, str):
        # Text that looks like a formula is marked, so that it stays text when it is edited.
        sheet.write_string(
            row, column, value, quoted if value[:1] in "=+-@" and value else cell_format
        )
    elif isinstance(value, bool):
        sheet.write_boolean(row, column, value, cell_format)
    elif isinstance(value, dt.date):
        # Excel has no dates before 1900, and takes 1900 for a leap year.
        if value.year < 1900 or (value.year == 1900 and value.month < 3):
            sheet.write_string(row, column, value.isoformat())
        else:
            sheet.write_datetime(row, column, value, cell_format)
    else:
        sheet.write_number(row, column, _Exact(value), cell_format)
