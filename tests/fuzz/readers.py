"""Files are read without Shoal: what stands in them, and what counts as missing."""

import csv
import datetime as dt
import gzip
import io
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow.feather
import pyarrow.parquet
import pyreadstat

from fuzz.alike import number_of
from fuzz.columns import Values
from fuzz.frames import plain_values
from fuzz.sources import Place

View = dict[str, Values]


def read_seen(place: Place, table: str) -> View:
    """Return the cells of a file as a reader of it sees them; a missing code is a value."""
    if place.layout is not None:
        return _fixed(place)
    if place.kind in ("csv", "tsv", "txt"):
        return _text(place)
    if place.kind == "db":
        return _database(place.path, table)
    if place.kind == "xlsx":
        return _excel(place.path)
    if place.kind == "parquet":
        return plain_values(pyarrow.parquet.read_table(place.path))
    if place.kind == "feather":
        return plain_values(pyarrow.feather.read_table(place.path))
    return _statistical(place)


def with_holes(seen: Mapping[str, Values], place: Place) -> View:
    """Return the same with None for whatever stands for a missing value."""
    empty = {"", place.missing} if place.kind in ("csv", "tsv", "txt", "fwf", "dat") else set()
    if place.kind in ("dta", "xpt", "sas7bdat"):
        empty = {""}
    view: View = {}
    for name, values in seen.items():
        codes = {*empty, *place.codes.get(name, [])}
        if place.layout is not None:  # numbers, and what stands for a missing one, are on the right
            values = [
                v.lstrip() if isinstance(v, str) and v.lstrip() in codes else v for v in values
            ]
        view[name] = [None if _is_in(value, codes) else value for value in values]
    return view


def _is_in(value: Any, codes: set[Any]) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value in codes


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def _text(place: Place) -> View:
    text = _content(place.path).decode(place.encoding)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=place.separator))
    rows = [row or [""] for row in rows]  # an empty line is a cell of a table of one column
    return {name: [row[at] for row in rows[1:]] for at, name in enumerate(rows[0])}


def _fixed(place: Place) -> View:
    lines = _content(place.path).decode(place.encoding).removesuffix("\n").split("\n")
    return {
        name: [_cell(line[start - 1 : start - 1 + width]) for line in lines]
        for name, start, width in place.layout or ()
    }


def _cell(text: str) -> str:
    """Return a cell of fixed-width text: what stands for numbers at the right, text at the left."""
    at_the_right = text == text.rstrip() or number_of(text) is not None
    return text.strip() if at_the_right else text.rstrip()


def _excel(path: Path) -> View:
    book = openpyxl.load_workbook(path, data_only=True)
    rows = list(book.worksheets[0].iter_rows(values_only=True))
    header = [str(name) for name in rows[0]]
    return {name: [row[at] for row in rows[1:]] for at, name in enumerate(header)}


def _statistical(place: Place) -> View:
    if place.kind == "xpt":
        frame, _ = pyreadstat.read_xport(str(place.path))
    else:
        readers = {"dta": pyreadstat.read_dta, "sas7bdat": pyreadstat.read_sas7bdat}
        reader = readers.get(place.kind, pyreadstat.read_sav)
        frame, _ = reader(str(place.path), user_missing=True)
    if place.kind == "dta":
        # pyreadstat reads a plain missing value among coded ones as the value before it.
        missing = pd.read_stata(place.path, convert_categoricals=False, convert_dates=False).isna()
        coded = pd.DataFrame(frame).map(lambda cell: isinstance(cell, str))
        frame = pd.DataFrame(frame).astype(object).mask(missing & ~coded, None)
        frame = _with_microseconds(frame, place.path)
    return plain_values(pd.DataFrame(frame))


def _with_microseconds(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return moments as the file stores them: in milliseconds, with a fraction that readers cut."""
    stored, _ = pyreadstat.read_dta(str(path), disable_datetime_conversion=True)
    start = dt.datetime(1960, 1, 1)
    frame = frame.copy()
    for name in frame.columns:
        if any(isinstance(cell, dt.datetime) for cell in frame[name]):
            frame[name] = pd.Series(
                [
                    start + dt.timedelta(microseconds=round(number * 1000))
                    if isinstance(cell, dt.datetime) and cell is not pd.NaT
                    else cell
                    for cell, number in zip(frame[name], stored[name], strict=True)
                ],
                dtype=object,
            )
    return frame


def _database(path: Path, table: str) -> View:
    connection = sqlite3.connect(path)
    cursor = connection.execute(f'SELECT * FROM "{table}"')
    names = [entry[0] for entry in cursor.description]
    rows = cursor.fetchall()
    connection.close()
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}
