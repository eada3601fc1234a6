"""What a file says about its columns and about itself, beyond the values."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True, eq=False)
class ColumnNotes:
    """What a file says about one column.

    Parameters
    ----------
    label : str or None
        What the column means.
    value_labels : dict
        What single values mean; a letter stands for a missing code.
    format : str or None
        How the values are shown, in the words of the file's family.
    measure : str or None
        Level of measurement: ``"nominal"``, ``"ordinal"`` or ``"scale"``.
    width : int or None
        How wide the column is shown.
    missing : list
        Values and ranges that are declared as missing.
    codes : pyarrow.Array or None
        The missing code of each cell, null where there is none.
    declared : str or None
        The type, as a database spells it.
    kept : dict
        Harmless entries of a schema, by key.
    other : dict
        Further entries of a schema, by key.
    """

    label: str | None = None
    value_labels: Mapping[Any, str] = field(default_factory=dict)
    format: str | None = None
    measure: str | None = None
    width: int | None = None
    missing: list[Any] = field(default_factory=list)
    codes: pa.Array | None = None
    declared: str | None = None
    kept: Mapping[str, str] = field(default_factory=dict)
    other: Mapping[str, str] = field(default_factory=dict)

    def for_new_values(self, values: pa.ChunkedArray) -> "ColumnNotes":
        """Return what still holds when a step has written other values.

        A missing code among means would make a mean a hole, and a format without
        decimals would hide them. Entries of a schema may hold the old extremes. Labels stay with
        values that some record still shows: the others name values of the original.
        """
        shown = self.format if pa.types.is_temporal(values.type) else None
        return replace(
            self,
            value_labels=_labels_of(self.value_labels, values),
            format=shown,
            missing=[],
            codes=None,
            declared=None,
            other={},
        )


@dataclass(frozen=True, eq=False)
class Notes:
    """What a file says about itself.

    Parameters
    ----------
    family : str
        Whose words formats and codes are in, as ``"stata"``.
    columns : dict
        Notes on columns, by name.
    free : dict
        Free text about the whole file, by what it is called.
    frame : dict or None
        How pandas described the table that it wrote.
    """

    family: str = ""
    columns: Mapping[str, ColumnNotes] = field(default_factory=dict)
    free: Mapping[str, Any] = field(default_factory=dict)
    frame: Mapping[str, Any] | None = None

    LABEL = "the file's label"
    TEXT = "its notes"

    def on(self, name: str) -> ColumnNotes:
        """Return the notes on one column."""
        return self.columns.get(name, ColumnNotes())

    def released(
        self, data: pa.Table, unchanged: Collection[str], *, keep_notes: bool = False
    ) -> "Notes":
        """Return what may leave with ``data``: notes on its columns, and no free text.

        Free text may name persons or dropped columns, and no program can tell;
        ``keep_notes`` says that somebody has read it.
        """
        columns = {}
        for name in data.column_names:
            notes = self.on(name)
            if name not in unchanged:
                notes = notes.for_new_values(data.column(name))
            columns[name] = notes if keep_notes else replace(notes, other={})
        return replace(self, columns=columns, free=self.free if keep_notes else {})

    def left_behind(self, *, keep_notes: bool = False) -> list[str]:
        """Say which free text stays behind."""
        names = [name for name, text in self.free.items() if text]
        if keep_notes or not names:
            return []
        return [
            f"Free text about the whole file is left behind: {', '.join(names)}. It may name"
            " persons; read it, and use --keep-notes if it may leave."
        ]

    def without_place(self, kind: str, holds: Collection[str], family: str) -> list[str]:
        """Say what a file cannot hold; ``holds`` names kinds of notes, and free text."""
        lost = [name for name, text in self.free.items() if text and name not in holds]
        for what, of in _KINDS.items():
            names = [name for name, notes in self.columns.items() if of(notes)]
            foreign = what in _OWN and family != self.family
            if what == "missing codes" and {family, self.family} == {"sas", "stata"}:
                foreign = False  # both spell them with letters
            if names and (what not in holds or foreign):
                some = ", ".join(repr(name) for name in names[:3])
                lost.append(f"{what} of {some}{' and others' if len(names) > 3 else ''}")
        return [f"{kind} has no place for: {'; '.join(lost)}."] if lost else []


def _labels_of(labels: Mapping[Any, str], values: pa.ChunkedArray) -> dict[Any, str]:
    """Return the labels of values that a column holds; text may be labelled by its number."""
    if not labels:
        return {}
    held = values.type
    if pa.types.is_dictionary(held):
        values = values.cast(held.value_type)
    shown = set(pc.unique(values).to_pylist())
    shown |= {value for value in labels if str(value) in shown}
    return {value: label for value, label in labels.items() if value in shown}


_KINDS: dict[str, Callable[[ColumnNotes], Any]] = {
    "labels": lambda notes: notes.label,
    "value labels": lambda notes: notes.value_labels,
    "missing codes": lambda notes: notes.missing or notes.codes is not None,
    "formats": lambda notes: notes.format,
    "levels of measurement": lambda notes: notes.measure,
}

_OWN = ("missing codes", "formats", "levels of measurement")  # in the words of a family


def with_codes(column: pa.Array, codes: pa.Array | None) -> pa.Array:
    """Return the column with its missing codes in place."""
    return column if codes is None else pc.coalesce(codes.cast(column.type), column)
