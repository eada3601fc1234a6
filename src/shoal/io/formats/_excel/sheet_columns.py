"""Names and typed columns of a sheet, from its rows of cells."""

import datetime as dt
from collections.abc import Iterable, Sequence
from itertools import count as counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal._text import count
from shoal.errors import FileError
from shoal.frame.notation.decimals import MAX_EXACT_INTEGER
from shoal.io.size_limits import check_columns

_KIND_OF_TYPE = {bool: "yes/no", int: "number", float: "number", str: "text", dt.datetime: "date"}
_KIND_OF_TYPE |= {dt.date: "date", dt.time: "time", dt.timedelta: "time"}


class SheetColumns:
    """The cells of a sheet by column: a row of names, then records.

    Empty rows above the names are left out, and so are columns with neither a name nor values. A
    column without a name is called by its position, and a number in the row of names is the name.

    Parameters
    ----------
    rows : iterable of list
        The cells of each row; an empty string is an empty cell.
    path : Path
        The file, for messages.
    """

    def __init__(self, rows: Iterable[Sequence[Any]], path: Path):
        self.path = path
        self.remarks: list[str] = []
        row_iterator = iter(rows)
        header: Sequence[Any] = next((row for row in row_iterator if _has_values(row)), ())
        if not header:
            raise self._header_error()
        check_columns(path.name, len(header))
        cells: list[list[Any]] = [[] for _ in header]
        length = 0
        for row in row_iterator:
            while len(cells) < len(row):
                cells.append([None] * length)
            for i, column in enumerate(cells):
                value = row[i] if i < len(row) else None
                column.append(None if value is None or value == "" else value)
            length += 1
        while length and all(column[length - 1] is None for column in cells):
            length -= 1
        self._set_names(header, [column[:length] for column in cells])

    def table(self) -> pa.Table:
        """Return the table."""
        arrays = [
            self._typed_column(name, cells)
            for name, cells in zip(self.names, self.cells, strict=True)
        ]
        return pa.Table.from_arrays(arrays, names=self.names)

    def _set_names(self, header: Sequence[Any], cells: list[list[Any]]) -> None:
        """Set the names, the cells and the positions of the columns."""
        names = [_as_name(header[i]) if i < len(header) else "" for i in range(len(cells))]
        has_cells = [any(cell is not None for cell in column) for column in cells]
        unnamed = [i for i, name in enumerate(names) if not name and has_cells[i]]
        if len(unnamed) > sum(map(bool, names)):
            raise self._header_error()
        for i in unnamed:
            candidates = (f"column_{i + 1}{'_' * n_marks}" for n_marks in counter())
            names[i] = next(name for name in candidates if name not in names)
        if unnamed:
            new_names = ", ".join(repr(names[i]) for i in unnamed[:3])
            self.remarks.append(
                f"{count(len(unnamed), 'column')} of {self.path.name!r} had"
                f" no name in the first line, and {'are' if len(unnamed) > 1 else 'is'} now called"
                f" {new_names}{' and so on' if len(unnamed) > 3 else ''}."
            )
        self.positions = [i for i, name in enumerate(names) if name]
        self.names = [names[i] for i in self.positions]
        self.cells = [cells[i] for i in self.positions]

    def _header_error(self) -> FileError:
        return FileError(
            f"{self.path.name!r} has no column names in the first line of its sheet. Remove"
            " any lines above the names.",
            code="header-missing",
            file=self.path.name,
        )

    def _typed_column(self, name: str, cells: list[Any]) -> pa.Array:
        """Return a column of one type; mixed kinds become text."""
        kinds = {_KIND_OF_TYPE.get(kind, "text") for kind in set(map(type, cells)) - {type(None)}}
        if kinds == {"date"}:
            return _dates(cells)
        if kinds == {"number"}:
            return _numbers(cells)
        if len(kinds) > 1:
            self.remarks.append(
                f"Column {name!r} mixes {' and '.join(sorted(kinds))}; it is now text."
            )
        if len(kinds) > 1 or kinds == {"time"}:
            return pa.array([None if cell is None else _as_text(cell) for cell in cells])
        return pa.array(cells, pa.null() if not kinds else None)


def _has_values(row: Sequence[Any]) -> bool:
    return any(cell is not None and cell != "" for cell in row)


def _as_name(cell: Any) -> str:
    return "" if cell is None else _as_text(cell)


def _as_text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < MAX_EXACT_INTEGER:
        return str(int(cell))
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    return str(cell)


def _numbers(cells: list[Any]) -> pa.Array:
    """Return numbers, as integers if all are whole: a sheet stores every number as a float."""
    missing = np.array([cell is None for cell in cells])
    values = np.array([0.0 if cell is None else cell for cell in cells], np.float64)
    all_whole = np.all(values == np.rint(values)) and np.all(np.abs(values) < MAX_EXACT_INTEGER)
    if all_whole and not np.any(np.signbit(values) & (values == 0)):
        return pa.array(values.astype(np.int64), mask=missing)
    return pa.array(values, mask=missing)


def _dates(cells: list[Any]) -> pa.Array:
    whole_days = all(type(cell) is dt.date for cell in cells if cell is not None)
    if whole_days:
        return pa.array(cells, pa.date32())
    moments = [
        dt.datetime(cell.year, cell.month, cell.day) if type(cell) is dt.date else cell
        for cell in cells
    ]
    array = pa.array(moments, pa.timestamp("us")).cast(pa.timestamp("ms"), safe=False)
    days = array.cast(pa.date32(), safe=False)
    return days if days.cast(pa.timestamp("ms")).equals(array) else array
