"""Readers of released files that share nothing with Shoal's own: pandas, pyreadstat, sqlite3."""

import sqlite3
import tomllib
from collections import Counter, defaultdict

import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
from pandas.io.stata import StataMissingValue
from pyarrow import feather

STATISTICAL = {"disable_datetime_conversion": True}
EXACT = {"integer_object_nulls": True}  # as floats, large integers would look alike


def read_file(path, layout=None):
    """Return a released file as a frame, as other programs see it."""
    kind = path.name.partition(".")[2]
    if kind in ("csv", "csv.gz", "tsv"):
        mark = "\t" if kind == "tsv" else ","
        return pd.read_csv(path, sep=mark, dtype=str, keep_default_na=False, skip_blank_lines=False)
    if kind == "fwf":
        return _fixed_width(path, layout)
    if kind == "db":
        connection = sqlite3.connect(path)
        rows = connection.execute("SELECT * FROM release")
        names = [name for name, *_ in rows.description]
        table = pd.DataFrame(rows.fetchall(), columns=names, dtype=object)
        connection.close()
        return table
    readers = {
        "parquet": lambda: pq.read_table(path).to_pandas(**EXACT),
        "feather": lambda: feather.read_table(path).to_pandas(**EXACT),
        "xlsx": lambda: pd.read_excel(path, engine="openpyxl", dtype=object, keep_default_na=False),
        "dta": lambda: _stata(path),
        "sav": lambda: pyreadstat.read_sav(path, user_missing=True, **STATISTICAL)[0],
        "zsav": lambda: pyreadstat.read_sav(path, user_missing=True, **STATISTICAL)[0],
        "xpt": lambda: _transport(path),
    }
    return readers[kind]()


def smallest_class(frame, columns):
    """Count the smallest set of records that look alike."""
    return min(Counter(_rows(frame, columns)).values())


def fewest_values(frame, columns, secret):
    """Count the different values of a confidential column in the class that has fewest."""
    seen = defaultdict(set)
    for row, value in zip(_rows(frame, columns), _rows(frame, [secret]), strict=True):
        seen[row].add(value)
    return min(map(len, seen.values()))


def _rows(frame, columns):
    return list(zip(*([_text(cell) for cell in frame[name]] for name in columns), strict=True))


def _text(cell):
    """Return what stands in a cell; a missing value, and one that is not a number, are such."""
    if cell is None or cell is pd.NaT or cell is pd.NA:
        return "missing"
    if isinstance(cell, float) and cell != cell:
        return "not a number"
    return repr(cell)


def _fixed_width(path, layout):
    places = tomllib.loads(layout.read_text())["columns"]
    lines = path.read_text().split("\n")[:-1]
    return pd.DataFrame(
        {
            place["name"]: [line[place["start"] - 1 :][: place["width"]].rstrip() for line in lines]
            for place in places
        }
    )


def _stata(path):
    """Read a Stata file with its missing codes.

    pyreadstat is not asked: it reads a plain missing value among coded ones as the value before.
    """
    frame = pd.read_stata(
        path, convert_missing=True, convert_dates=False, convert_categoricals=False
    )
    return frame.map(
        lambda cell: _stata_code(cell) if isinstance(cell, StataMissingValue) else cell
    )


def _stata_code(cell):
    return str(cell).removeprefix(".") or float("nan")


def _transport(path):
    """Read a SAS transport file with its missing codes, which pyreadstat leaves aside."""
    frame, about = pyreadstat.read_xport(path, **STATISTICAL)
    content = path.read_bytes()
    begin = content.index(b"HEADER RECORD*******OBS") + 80
    widths = [about.variable_storage_width[name] for name in frame]
    texts = [about.readstat_variable_types[name].startswith("string") for name in frame]
    for at, name in enumerate(frame):
        if not texts[at]:
            start, step = begin + sum(widths[:at]), sum(widths)
            cells = [content[start + row * step :][: widths[at]] for row in range(len(frame))]
            letters = [c[:1].decode() if not any(c[1:]) and c[:1] >= b"A" else "" for c in cells]
            letters = [c if c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ_" else "" for c in letters]
            values = zip(letters, frame[name].astype(object), strict=True)
            frame[name] = [
                letter if letter and value != value else value for letter, value in values
            ]
    return frame
