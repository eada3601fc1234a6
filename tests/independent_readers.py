"""Readers and counts of released files that share no code with those of Shoal."""

import sqlite3
import tomllib
from collections import Counter, defaultdict
from string import ascii_uppercase

import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
from pandas.io.stata import StataMissingValue
from pyarrow import feather

AS_STORED = {"disable_datetime_conversion": True}
EXACT = {"integer_object_nulls": True}  # as floats, large integers would look alike


def read_file(path, layout=None):
    """Return a released file as a pandas table, as other programs read it."""
    suffix = path.name.partition(".")[2]
    if suffix in ("csv", "csv.gz", "tsv"):
        separator = "\t" if suffix == "tsv" else ","
        return pd.read_csv(
            path, sep=separator, dtype=str, keep_default_na=False, skip_blank_lines=False
        )
    if suffix == "fwf":
        return _fixed_width(path, layout)
    if suffix == "db":
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
        "sav": lambda: pyreadstat.read_sav(path, user_missing=True, **AS_STORED)[0],
        "zsav": lambda: pyreadstat.read_sav(path, user_missing=True, **AS_STORED)[0],
        "xpt": lambda: _transport(path),
    }
    return readers[suffix]()


def smallest_class(frame, columns):
    """Return the size of the smallest set of records that are alike in ``columns``."""
    return min(Counter(_rows(frame, columns)).values())


def fewest_values(frame, columns, confidential):
    """Return the least number of distinct values of a confidential column in a class."""
    values_of_class = defaultdict(set)
    for row, value in zip(_rows(frame, columns), _rows(frame, [confidential]), strict=True):
        values_of_class[row].add(value)
    return min(map(len, values_of_class.values()))


def _rows(frame, columns):
    return list(zip(*([_text(cell) for cell in frame[name]] for name in columns), strict=True))


def _text(cell):
    """Return a cell as text that distinguishes values; missing and NaN are values of their own."""
    if cell is None or cell is pd.NaT or cell is pd.NA:
        return "missing"
    if isinstance(cell, float) and cell != cell:
        return "not a number"
    return repr(cell)


def _fixed_width(path, layout):
    positions = tomllib.loads(layout.read_text())["columns"]
    lines = path.read_text().split("\n")[:-1]
    return pd.DataFrame(
        {
            position["name"]: [
                line[position["start"] - 1 :][: position["width"]].rstrip() for line in lines
            ]
            for position in positions
        }
    )


def _stata(path):
    """Read a Stata file with its missing codes.

    pandas reads it, because pyreadstat repeats the value before a plain missing value among codes.
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
    """Read a SAS transport file with its missing codes, which pyreadstat ignores."""
    frame, metadata = pyreadstat.read_xport(path, **AS_STORED)
    content = path.read_bytes()
    records_start = content.index(b"HEADER RECORD*******OBS") + 80
    widths = [metadata.variable_storage_width[name] for name in frame]
    is_text = [metadata.readstat_variable_types[name].startswith("string") for name in frame]
    for i, name in enumerate(frame):
        if not is_text[i]:
            start, length = records_start + sum(widths[:i]), sum(widths)
            cells = [content[start + row * length :][: widths[i]] for row in range(len(frame))]
            letters = [_missing_code(cell) for cell in cells]
            values = zip(letters, frame[name].astype(object), strict=True)
            frame[name] = [
                letter if letter and value != value else value for letter, value in values
            ]
    return frame


def _missing_code(cell):
    """Return the letter of a missing code, which zeros follow; empty for a number."""
    letter = cell[:1].decode("latin-1")
    return letter if not any(cell[1:]) and letter in f"{ascii_uppercase}_" else ""
