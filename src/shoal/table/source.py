"""A table as a file holds it, between reading and writing."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from shoal.table.csv import parse_columns
from shoal.table.dialect import Dialect
from shoal.table.notes import Notes


@dataclass(frozen=True, eq=False)
class Source:
    """A table with what its file says about it.

    Parameters
    ----------
    table : pyarrow.Table
        The values; a cell with a missing code is missing.
    notes : Notes
        Labels, formats, missing codes and free text.
    text : Dialect or None
        How numbers are written in columns that were left as text; None where the
        file has types of its own.
    remarks : tuple of str
        What the reader must know about the way the table was read.
    """

    table: pa.Table
    notes: Notes = field(default_factory=Notes)
    text: Dialect | None = None
    remarks: tuple[str, ...] = ()

    def with_numbers(self, columns: Collection[str]) -> pa.Table:
        """Return the table with more columns as numbers, where text stands for them."""
        if self.text is None:
            return self.table
        return parse_columns(self.table, columns, self.text)

    def released(
        self, data: Any, unchanged: Collection[str], *, keep_notes: bool = False
    ) -> "Source":
        """Return what leaves: ``data``, with ``unchanged`` columns as they stand, to the letter."""
        for name in unchanged:
            data = data.set_column(data.column_names.index(name), name, self.table.column(name))
        bare = pa.schema([field.remove_metadata() for field in data.schema])
        data = pa.Table.from_arrays(data.columns, schema=bare)
        remarks = (*self.remarks, *self.notes.left_behind(keep_notes=keep_notes))
        notes = self.notes.released(data, unchanged, keep_notes=keep_notes)
        return replace(self, table=data, notes=notes, remarks=remarks)
