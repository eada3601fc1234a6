"""Reading a sheet of a workbook: .xlsx, .xls, .xlsb or .ods."""

import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Collection, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import openpyxl
import python_calamine

from shoal._text import count
from shoal.errors import ColumnError, FileError
from shoal.io.dialect import Dialect
from shoal.io.formats._excel.sheet_columns import SheetColumns
from shoal.io.formats._excel.xlsx_details import read_details
from shoal.io.formats._table_choice import choose_table
from shoal.io.metadata import ColumnMetadata, FileMetadata
from shoal.io.size_limits import check_growth
from shoal.io.source import Source

CELL_SIZE = 64  # approximate size of a value in Python, in bytes
_REPEATED_ROW = re.compile(
    rb'<table:table-row[^>]*number-rows-repeated="(\d+)"[^>]*(?<!/)>(.*?)</table:table-row>', re.S
)
_REPEATED_CELL = re.compile(rb'<table:table-cell[^>]*number-columns-repeated="(\d+)"[^>]*>')


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a sheet of a workbook: a row of names, then records."""
    del numbers  # cells have types
    _check_size(path, dialect)
    with _open_book(path) as book:
        title = _sheet_name(book, dialect.sheet, path)
        sheet = book.get_sheet_by_name(title)
        # Versions of python-calamine before 0.9 panic at the rows of an empty sheet.
        columns = SheetColumns(sheet.iter_rows() if sheet.height else iter(()), path)
    formats: dict[int, str] = {}
    if path.suffix.lower() == ".xlsx":
        with _refuse_damaged(path):
            details = read_details(path, title)
        formats = details.formats
        if details.has_errors or details.has_empty_formulas:
            _check_cells(path, title, columns)
    column_metadata = {
        name: ColumnMetadata(format=formats.get(i))
        for name, i in zip(columns.names, columns.positions, strict=True)
    }
    table = columns.table()
    return Source(table, FileMetadata("excel", column_metadata), remarks=tuple(columns.remarks))


@contextmanager
def _open_book(path: Path) -> Iterator[Any]:
    with _refuse_damaged(path), python_calamine.CalamineWorkbook.from_path(path) as book:
        yield book


@contextmanager
def _refuse_damaged(path: Path) -> Iterator[None]:
    try:
        yield
    except (FileError, ColumnError, OSError):
        raise
    except Exception:  # damaged files raise many kinds of errors, and some show values
        raise FileError(
            f"{path.name!r} is not a workbook, or it is damaged or protected by a password.",
            code="file-damaged",
            file=path.name,
        ) from None


def _check_size(path: Path, dialect: Dialect) -> None:
    """Refuse a workbook that takes too much memory, by the sizes of its parts."""
    if path.suffix.lower() == ".xls":  # not compressed
        return
    with _refuse_damaged(path), zipfile.ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
        check_growth(path.name, path.stat().st_size, size, dialect.memory_limit)
        if path.suffix.lower() == ".ods":
            size += CELL_SIZE * _repeated_cells(archive.read("content.xml"))
    check_growth(path.name, path.stat().st_size, size, dialect.memory_limit)


def _repeated_cells(content: bytes) -> int:
    """Return the number of cells that repeated rows and cells of an .ods file stand for."""
    in_rows = sum(int(repeats) * _cells_in(row) for repeats, row in _REPEATED_ROW.findall(content))
    return in_rows + _cells_in(content)


def _cells_in(content: bytes) -> int:
    repeated = _REPEATED_CELL.finditer(content)
    n_repeated = sum(int(cell[1]) for cell in repeated if b"office:value-type" in cell[0])
    return n_repeated + content.count(b"office:value-type")


def _sheet_name(book: Any, name: str | None, path: Path) -> str:
    """Return the name of the sheet to read."""
    kind = python_calamine.SheetTypeEnum.WorkSheet
    titles = [sheet.name for sheet in book.sheets_metadata if sheet.typ == kind]
    return choose_table(path, titles, name, noun="sheet", option="sheet")


def _check_cells(path: Path, title: str, columns: SheetColumns) -> None:
    """Refuse errors and formulas without a saved value, which would be read as missing values."""
    errors: Counter[str] = Counter()
    empty: Counter[str] = Counter()
    name_of = dict(zip(columns.positions, columns.names, strict=True))
    with (
        closing(_sheet_rows(path, title, formulas=False)) as value_rows,
        closing(_sheet_rows(path, title, formulas=True)) as formula_rows,
    ):
        for values, formulas in zip(value_rows, formula_rows, strict=False):
            for i, (value, formula) in enumerate(zip(values, formulas, strict=False)):
                if value.data_type == "e":
                    errors[name_of.get(i, "")] += 1
                elif formula.data_type == "f" and value.value is None:
                    empty[name_of.get(i, "")] += 1
    if errors:
        name, n_cells = next(iter(errors.items()))
        raise ColumnError(
            f"Column {name!r} has {count(n_cells, 'cell')} with an error such as"
            " #N/A. Correct or clear them.",
            code="cells-with-errors",
            column=name,
            count=n_cells,
        )
    if empty:
        name, n_formulas = next(iter(empty.items()))
        raise FileError(
            f"Column {name!r} of {path.name!r} has {count(n_formulas, 'formula')}"
            " without a value. Open and save it in a spreadsheet program first.",
            code="formula-without-value",
            column=name,
            count=n_formulas,
        )


def _sheet_rows(path: Path, title: str, *, formulas: bool) -> Generator[Any]:
    with warnings.catch_warnings(action="ignore"), _refuse_damaged(path):
        book = openpyxl.load_workbook(
            path, read_only=True, data_only=not formulas, keep_links=False
        )
        try:
            sheet = book[title]
            sheet.reset_dimensions()  # some programs write wrong dimensions
            yield from sheet.iter_rows()
        finally:
            book.close()
