"""Tables are written to files as other programs write them, without Shoal."""

import csv
import datetime as dt
import gzip
import io
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyreadstat
import xlsxwriter

from fuzz.columns import Column, Rng
from fuzz.frames import plain_values, to_frame, values_as


@dataclass(frozen=True)
class Place:
    """A table in a file or a database, with what the command line must be told about it.

    Parameters
    ----------
    format : str
        The ending of the file's name, or ``"db"``.
    path : Path
        The file.
    separator, decimal, encoding, missing : str
        How a text table is written.
    layout : list of (name, start, width) or None
        Where the columns of fixed-width text stand.
    codes : dict
        Values that are declared as missing, by column.
    """

    format: str
    path: Path
    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    missing: str = ""
    layout: tuple[tuple[str, int, int], ...] | None = None
    codes: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The format without its packing."""
        return self.format.split(".")[0]

    @property
    def address(self) -> str:
        """What the command line takes."""
        return f"sqlite:///{self.path}" if self.format == "db" else str(self.path)


TEXT = ("csv", "tsv", "txt", "csv.gz")
FIXED = ("fwf", "dat.gz")
ARROW = ("parquet", "feather")
STATISTICAL = ("dta", "sav", "zsav", "xpt")
FORMATS = (*TEXT, *FIXED, *ARROW, "xlsx", *STATISTICAL, "db", "sas7bdat")
WEIGHTS = (5, 1, 1, 0.5, 2, 0.5, 3, 2, 2, 3, 3, 0.5, 2, 2, 0.2)
SAMPLE = Path(__file__).parents[1] / "io" / "files" / "haven.sas7bdat"  # nobody but SAS writes such
TABLE = "people"


def write_source(columns: list[Column], place: Place, rng: Rng) -> Place:
    """Write a table; return its place with what was drawn on the way."""
    if place.format in TEXT:
        return _write_text(columns, place, rng)
    if place.format in FIXED:
        return _write_fixed(columns, place)
    writers: dict[str, Callable[[list[Column], Place, Rng], Place]] = {
        "parquet": _write_arrow, "feather": _write_arrow, "xlsx": _write_excel,
        "dta": _write_stata, "sav": _write_spss, "zsav": _write_spss, "xpt": _write_sas,
        "db": _write_database, "sas7bdat": _copy_sample,
    }  # fmt: skip
    return writers[place.format](columns, place, rng)


def text_of(value: Any, decimal: str = ".", missing: str = "") -> str:
    """Return a cell as a text file holds it."""
    if value is None:
        return missing
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).replace(".", decimal)
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _write_text(columns: list[Column], place: Place, rng: Rng) -> Place:
    if place.format == "tsv":
        place = replace(place, separator="\t")
    elif rng.random() < 0.2:
        place = replace(place, separator=";", decimal="," if rng.random() < 0.5 else ".")
    if rng.random() < 0.2:
        place = replace(place, missing="NA")
    if rng.random() < 0.1:
        place = replace(place, encoding=str(rng.choice(["utf-16", "latin-1", "utf-8-sig"])))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=place.separator, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    cells = [[text_of(v, place.decimal, place.missing) for v in c.values] for c in columns]
    writer.writerows(zip(*cells, strict=True))
    content = out.getvalue().encode(place.encoding, errors="replace")
    place.path.write_bytes(gzip.compress(content) if place.format.endswith("gz") else content)
    return place


def _write_fixed(columns: list[Column], place: Place) -> Place:
    cells = [[text_of(value).replace("\n", " ") for value in c.values] for c in columns]
    layout, at = [], 1
    for column, texts in zip(columns, cells, strict=True):
        width = max(26, *map(len, texts))
        layout.append((column.name, at, width))
        at += width + 1
    lines = [
        " ".join(text.ljust(width) for text, (_, _, width) in zip(row, layout, strict=True))
        for row in zip(*cells, strict=True)
    ]
    content = ("\n".join(lines) + "\n").encode()
    place.path.write_bytes(gzip.compress(content) if place.format.endswith("gz") else content)
    return replace(place, layout=tuple(layout))


def layout_text(columns: list[Column], layout: tuple[tuple[str, int, int], ...]) -> str:
    """Return the column map of fixed-width text."""
    kinds = {column.name: "number" if column.numeric else "text" for column in columns}
    return "".join(
        f'[[columns]]\nname = "{name}"\nstart = {start}\nwidth = {width}\ntype = "{kinds[name]}"\n'
        for name, start, width in layout
    )


def _write_arrow(columns: list[Column], place: Place, rng: Rng) -> Place:
    table = to_frame(columns, "pyarrow", rng)
    if rng.random() < 0.3:
        table = pa.Table.from_pandas(to_frame(columns, "pandas-nullable", rng))
    if place.format == "parquet":
        pyarrow.parquet.write_table(table, place.path)
    else:
        pyarrow.feather.write_feather(table, str(place.path))
    return place


def _write_excel(columns: list[Column], place: Place, rng: Rng) -> Place:
    del rng
    options = {"strings_to_formulas": False, "nan_inf_to_errors": False}
    with xlsxwriter.Workbook(place.path, options) as book:
        sheet = book.add_worksheet("data")
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})
        for at, column in enumerate(columns):
            sheet.write_string(0, at, column.name)
            for row, value in enumerate(column.values, start=1):
                if value is None or value in (float("inf"), ""):
                    continue
                if isinstance(value, dt.datetime):
                    sheet.write_datetime(row, at, value, moment)
                elif isinstance(value, dt.date) and value.year >= 1901:
                    sheet.write_datetime(row, at, value, day)
                elif isinstance(value, bool):
                    sheet.write_boolean(row, at, value)
                elif isinstance(value, int | float):
                    sheet.write_number(row, at, value)
                else:
                    sheet.write_string(row, at, str(value))
    return place


def _statistical_frame(columns: list[Column]) -> pd.DataFrame:
    """Return a table that pyreadstat writes: numbers as floats, no whole number beyond them."""
    frame = {}
    for column in columns:
        values: Any = column.values
        if column.kind == "boolean":
            values = [None if value is None else float(value) for value in values]
        elif column.numeric:
            values = [None if value is None else float(value) for value in values]
            values = [None if value in (float("inf"),) else value for value in values]
        elif column.kind == "moment":
            moments = pd.to_datetime(pd.Series(values, dtype="object"))
            frame[column.name] = moments.dt.floor("ms")  # what such programs keep
            continue
        elif column.kind == "date":
            frame[column.name] = pd.Series(values, dtype=object)
            continue
        else:
            values = values_as(column, "")
        kind = "float64" if column.numeric or column.kind == "boolean" else object
        frame[column.name] = pd.Series(values, dtype=kind)
    return pd.DataFrame(frame)


def _write_stata(columns: list[Column], place: Place, rng: Rng) -> Place:
    frame, letters = _statistical_frame(columns), {}
    for column in columns:
        if column.numeric and column.missing and rng.random() < 0.6:
            frame[column.name] = [
                str(rng.choice(["a", "b"])) if value is None or value == float("inf") else
                float(value) for value in column.values
            ]  # fmt: skip
            letters[column.name] = ["a", "b"]
    pyreadstat.write_dta(frame, str(place.path), version=15, missing_user_values=letters or None)
    return replace(place, codes=dict(letters))


def _write_spss(columns: list[Column], place: Place, rng: Rng) -> Place:
    frame, codes = _statistical_frame(columns), {}
    for column in columns:
        if column.numeric and column.missing and rng.random() < 0.6:
            given = [-8.0, -9.0]
            drawn = [float(rng.choice(given)) for _ in column.values]
            frame[column.name] = frame[column.name].where(
                frame[column.name].notna(), pd.Series(drawn)
            )
            codes[column.name] = given
    packed = place.format == "zsav"
    pyreadstat.write_sav(frame, str(place.path), compress=packed, missing_ranges=codes or None)
    return replace(place, codes=dict(codes))


def _write_sas(columns: list[Column], place: Place, rng: Rng) -> Place:
    del rng
    frame = _statistical_frame(columns)
    for name in frame:  # such files hold no greater numbers
        if frame[name].dtype == "float64":
            frame[name] = frame[name].where(frame[name].abs() < 1e70, 5.0)
    pyreadstat.write_xport(frame, str(place.path), file_format_version=8)
    return place


def sample_columns() -> list[Column]:
    """Return the columns of the sample that stands for all SAS files."""
    frame, _ = pyreadstat.read_sas7bdat(str(SAMPLE))
    kinds = {"visit": "date", "seen": "moment", "name": "text", "region": "text"}
    values = plain_values(pd.DataFrame(frame))
    return [Column(name, kinds.get(name, "float"), actual) for name, actual in values.items()]


def _copy_sample(columns: list[Column], place: Place, rng: Rng) -> Place:
    del columns, rng
    place.path.write_bytes(SAMPLE.read_bytes())
    return replace(place, codes={"income": ["A", "B"]})


def _write_database(columns: list[Column], place: Place, rng: Rng) -> Place:
    types = {
        "float": "REAL", "whole": "INTEGER", "boolean": "BOOLEAN", "date": "DATE",
        "moment": "TIMESTAMP",
    }  # fmt: skip
    del rng
    connection = sqlite3.connect(place.path)
    names = ", ".join(f'"{c.name}" {types.get(c.kind, "TEXT")}' for c in columns)
    connection.execute(f"CREATE TABLE {TABLE} ({names})")
    marks = ", ".join("?" * len(columns))
    rows = zip(*([_stored(value) for value in c.values] for c in columns), strict=True)
    connection.executemany(f"INSERT INTO {TABLE} VALUES ({marks})", rows)
    connection.commit()
    connection.close()
    return place


def _stored(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ", timespec="microseconds")
    return value.isoformat() if isinstance(value, dt.date) else value
