"""Reading a sheet of an Excel file."""

import datetime as dt
import warnings
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa

from shoal._params import hint
from shoal.errors import ColumnError, FileError
from shoal.io.dialect import Dialect
from shoal.io.limits import check_growth
from shoal.io.notes import ColumnNotes, Notes
from shoal.io.source import Source

_KINDS = {bool: "yes/no", int: "number", float: "number", str: "text", dt.datetime: "date"}
_KINDS |= {dt.date: "date", dt.time: "time", dt.timedelta: "time"}


class _ErrorCell:
    """Marks a cell that shows an error, such as #N/A."""


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a sheet of an Excel file: a row of names, then records."""
    del numbers  # cells have types
    _check_size(path, dialect)
    with _opened(path, formulas=False) as book:
        sheet = _sheet(book, dialect.sheet, path)
        title = sheet.title
        names, cells, formats = _content(sheet, path)
    if _has_formulas(path):
        _check_formulas(path, title, names, cells)
    remarks: list[str] = []
    columns = [_typed(name, column, remarks) for name, column in zip(names, cells, strict=True)]
    notes = {
        name: ColumnNotes(format=None if shown == "General" else shown)
        for name, shown in zip(names, formats, strict=True)
    }
    table = pa.Table.from_arrays(columns, names=names)
    return Source(table, Notes("excel", notes), remarks=tuple(remarks))


def _content(sheet: Any, path: Path) -> tuple[list[str], list[list[Any]], list[str | None]]:
    """Return the names, the values by column, and the display format of each column."""
    rows = sheet.iter_rows()
    names = _names(next(rows, ()), path)
    cells: list[list[Any]] = [[] for _ in names]
    formats: list[str | None] = [None] * len(names)
    for row in rows:
        _check_width(row, len(names), path)
        for at, column in enumerate(cells):
            value = row[at].value if at < len(row) else None
            if value is not None:
                formats[at] = formats[at] or row[at].number_format
                value = _ErrorCell if row[at].data_type == "e" else value
            column.append(value)
    while cells[0] and all(column[-1] is None for column in cells):
        for column in cells:
            column.pop()
    return names, cells, formats


@contextmanager
def _opened(path: Path, *, formulas: bool) -> Iterator[Any]:
    with warnings.catch_warnings(action="ignore"):  # a warning may show the value of a cell
        yield from _book(path, formulas=formulas)


def _book(path: Path, *, formulas: bool) -> Iterator[Any]:
    try:
        book = openpyxl.load_workbook(
            path, read_only=True, data_only=not formulas, keep_links=False
        )
    except FileError:
        raise
    except Exception:  # openpyxl raises many kinds of errors for a damaged file
        raise FileError(
            f"{path.name!r} is not an Excel file, or it is damaged.",
            code="file-damaged",
            file=path.name,
        ) from None
    try:
        yield book
    except (FileError, ColumnError):
        raise
    except Exception:
        raise FileError(
            f"{path.name!r} is not an Excel file, or it is damaged.",
            code="file-damaged",
            file=path.name,
        ) from None
    finally:
        book.close()


def _check_size(path: Path, dialect: Dialect) -> None:
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
    except zipfile.BadZipFile:
        raise FileError(
            f"{path.name!r} is not an Excel file, or it is damaged.",
            code="file-damaged",
            file=path.name,
        ) from None
    check_growth(path.name, path.stat().st_size, size, dialect.memory_limit)


def _sheet(book: Any, name: str | None, path: Path) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    titles = ", ".join(repr(title) for title in sheets)
    if name is None and len(sheets) != 1:
        raise FileError(
            f"{path.name!r} has several sheets: {titles}. Choose one with `sheet`.",
            code="sheet-needed",
            file=path.name,
            sheets=tuple(sheets),
        )
    if name is not None and name not in sheets:
        raise FileError(
            f"{path.name!r} has no sheet {name!r}.{hint(name, sheets)} The sheets are: {titles}.",
            code="no-such-sheet",
            file=path.name,
            sheet=name,
        )
    sheet = sheets[name] if name is not None else next(iter(sheets.values()))
    sheet.reset_dimensions()  # some programs write wrong dimensions
    return sheet


def _names(row: Any, path: Path) -> list[str]:
    values = [cell.value for cell in row]
    while values and values[-1] is None:
        values.pop()
    if not values:
        raise FileError(
            f"{path.name!r} has no names of columns in the first line of its sheet.",
            code="header-missing",
            file=path.name,
        )
    for at, value in enumerate(values, 1):
        if value is None:
            raise FileError(
                f"Column {at} of {path.name!r} has no name in the first line.",
                code="name-missing",
                file=path.name,
                position=at,
            )
        if not isinstance(value, str):
            raise FileError(
                f"The name of column {at} of {path.name!r} is not text. The first line must hold"
                " the names.",
                code="name-not-text",
                file=path.name,
                position=at,
            )
    return values


def _check_width(row: Any, width: int, path: Path) -> None:
    if any(cell.value is not None for cell in row[width:]):
        raise FileError(
            f"{path.name!r} has values to the right of its last named column. Name their columns,"
            " or remove them.",
            code="values-beside-columns",
            file=path.name,
        )


def _has_formulas(path: Path) -> bool:
    """Return whether the sheets contain formulas, by a fast search in their XML."""
    with zipfile.ZipFile(path) as packed:
        for name in packed.namelist():
            if name.startswith("xl/worksheets/"):
                with packed.open(name) as file:
                    tail = b""
                    for chunk in iter(lambda: file.read(1 << 20), b""):  # noqa: B023
                        if b"<f>" in tail + chunk or b"<f " in tail + chunk:
                            return True
                        tail = chunk[-2:]
    return False


def _check_formulas(path: Path, title: str, names: list[str], cells: list[list[Any]]) -> None:
    """Refuse formulas without saved values, which would read as missing values."""
    without_value: Counter[str] = Counter()
    with _opened(path, formulas=True) as book:
        sheet = book[title]
        sheet.reset_dimensions()
        for number, row in enumerate(sheet.iter_rows(min_row=2)):
            for at, cell in enumerate(row[: len(names)]):
                if cell.data_type == "f" and (
                    number >= len(cells[at]) or cells[at][number] is None
                ):
                    without_value[names[at]] += 1
    for name, count in without_value.items():
        raise FileError(
            f"Column {name!r} of {path.name!r} has {count} formula{'s' if count > 1 else ''}"
            " without a value. Open and save it in a spreadsheet program first.",
            code="formula-without-value",
            column=name,
            count=count,
        )


def _typed(name: str, cells: list[Any], remarks: list[str]) -> pa.Array:
    """Return a column of one type; mixed kinds become text."""
    n_errors = sum(cell is _ErrorCell for cell in cells)
    if n_errors:
        raise ColumnError(
            f"Column {name!r} has {n_errors} cell{'s' if n_errors > 1 else ''} with an error such"
            " as #N/A. Correct or clear them.",
            code="cells-with-errors",
            column=name,
            count=n_errors,
        )
    kinds = {_KINDS.get(type(cell), "text") for cell in cells if cell is not None}
    if kinds == {"date"}:
        return _dates(cells)
    if len(kinds) > 1 or kinds == {"time"}:
        if len(kinds) > 1:
            remarks.append(f"Column {name!r} mixes {' and '.join(sorted(kinds))}; it is now text.")
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
    if kinds == {"number"} and any(isinstance(cell, float) for cell in cells):
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    return pa.array(cells, pa.null() if not kinds else None)


def _dates(cells: list[Any]) -> pa.Array:
    moments = pa.array(cells, pa.timestamp("ms"))
    days = moments.cast(pa.date32(), safe=False)
    return days if days.cast(pa.timestamp("ms")).equals(moments) else moments
