"""Stata files: labels, formats and the missing codes .a to .z."""

import re
from collections.abc import Collection
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pyarrow as pa

from shoal.table.dialect import Dialect
from shoal.table.formats import _statistical as common
from shoal.table.formats._calendar import Clock
from shoal.table.notes import ColumnNotes, Notes
from shoal.table.source import Source

common.pyreadstat()
HOLDS = ("labels", "value labels", "missing codes", "formats")
DAYS = Clock("1960-01-01", 86_400_000, True)
MOMENTS = Clock("1960-01-01", 1, False)
_NAME = re.compile(r"[^\W\d]\w{0,31}")
_MADE = b"01 Jan 1970 00:00"


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a Stata file."""
    del numbers  # it says what is a number
    reader = common.pyreadstat().read_dta
    cells, meta = common.parsed(reader, path, dialect, "a Stata file", user_missing=True)
    columns, notes = {}, {}
    for name, column in cells.items():
        shown = meta.original_variable_types.get(name)
        kind = meta.readstat_variable_types[name]
        codes = None
        if kind.startswith("string"):
            columns[name] = common.text(column)
        else:
            columns[name], codes = common.numbers(column, kind, clock=_clock(shown), whole=False)
        notes[name] = ColumnNotes(
            label=meta.column_names_to_labels.get(name) or None,
            value_labels=meta.variable_value_labels.get(name, {}),
            format=shown,
            codes=codes,
        )
    free = {"the file's label": meta.file_label, "its notes": meta.notes}
    return Source(pa.table(columns), Notes("stata", notes, free))


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write a Stata file; say what had no place."""
    del dialect, target
    common.check_names(source.table, _NAME, "A Stata file")
    notes = source.notes
    formats = _formats(source)
    table = common.plain(
        source.table, lambda name, held: _clock(formats[name]) or DAYS, "A Stata file"
    )
    frame = common.frame(table)
    missing: dict[str, list[str]] = {}
    labels: dict[str, dict[Any, str]] = {}
    for name in table.column_names:
        if pa.types.is_string(table.column(name).type):
            continue  # Stata labels numbers alone, and so are its missing codes
        letters = common.letters(notes, name, str.lower)
        if letters is not None:
            frame[name] = common.with_letters(frame[name], letters)
        named = common.labels_for(notes.on(name).value_labels, table.column(name))
        labels[name] = {k.lower() if isinstance(k, str) else k: v for k, v in named.items()}
        found = {*(letters or ()), *(k for k in labels[name] if isinstance(k, str))} - {None}
        missing[name] = sorted(str(letter) for letter in found if letter in ascii_lowercase)
    common.pyreadstat().write_dta(
        frame,
        path,
        file_label=notes.free.get("the file's label") or "",
        column_labels={name: notes.on(name).label for name in table.column_names},
        version=14,
        variable_value_labels={name: named for name, named in labels.items() if named},
        missing_user_values={name: found for name, found in missing.items() if found},
        variable_format={name: shown for name, shown in formats.items() if shown},
    )
    _fix_time(path)
    return notes.without_place("A Stata file", HOLDS, "stata")


def _formats(source: Source) -> dict[str, str | None]:
    """Return the display format of each column; dates need one that says so."""
    formats = {}
    for field in source.table.schema:
        shown = source.notes.on(field.name).format if source.notes.family == "stata" else None
        clock = _clock(shown)
        if pa.types.is_date(field.type):
            shown = shown if clock is DAYS else "%td"
        elif pa.types.is_timestamp(field.type):
            shown = shown if clock is MOMENTS else "%tc"
        formats[field.name] = shown
    return formats


def _clock(shown: str | None) -> Clock | None:
    """Return how a column counts time by its display format; weeks and the like do not."""
    words = (shown or "").replace("-", "")
    if words.startswith(("%td", "%d")):
        return DAYS
    return MOMENTS if words.startswith("%tc") else None


def _fix_time(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(1 << 12)
    common.fix_times(path, [(head.index(b"<timestamp>") + 12, _MADE)])
