"""A table as a file holds it, between reading and writing."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.frame.residue import used_dictionary, without_hidden
from shoal.io.csv import parse_columns
from shoal.io.dialect import Dialect
from shoal.io.notes import Notes


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

    def with_numbers(self, columns: Collection[str], words: Collection[str] = ()) -> pa.Table:
        """Return the table with more columns as numbers, where text stands for them.

        Those of ``columns`` that hold other text, and ``words``, stay text, in which
        nothing and the sign for a missing value are holes.
        """
        if self.text is None:
            return self.table
        return parse_columns(self.table, columns, self.text, words)

    def released(
        self,
        data: Any,
        unchanged: Collection[str],
        *,
        kept: NDArray[np.bool_] | None = None,
        keep_notes: bool = False,
    ) -> "Source":
        """Return what leaves: ``data``, with ``unchanged`` columns as they stand, to the letter.

        ``kept`` says which records of the file ``data`` holds, where it lacks some.
        """
        source = self if kept is None else self._where(pa.array(kept))
        for name in unchanged:
            data = data.set_column(data.column_names.index(name), name, source.table.column(name))
        for at, name in enumerate(data.column_names):
            data = data.set_column(at, name, _bare(data.column(at), books=name not in unchanged))
        bare = pa.schema([field.remove_metadata() for field in data.schema])
        data = pa.Table.from_arrays(data.columns, schema=bare)
        remarks = (*self.remarks, *self.notes.left_behind(keep_notes=keep_notes))
        notes = source.notes.released(data, unchanged, keep_notes=keep_notes)
        return replace(self, table=data, notes=notes, remarks=remarks)

    def _where(self, kept: pa.Array) -> "Source":
        table = self.table.filter(kept)
        for at, name in enumerate(table.column_names):
            table = table.set_column(at, name, _bare(table.column(at), books=True))
        columns = {
            name: notes if notes.codes is None else replace(notes, codes=notes.codes.filter(kept))
            for name, notes in self.notes.columns.items()
        }
        return replace(self, table=table, notes=replace(self.notes, columns=columns))


def _bare(column: pa.ChunkedArray, *, books: bool) -> pa.ChunkedArray | pa.Array:
    """Return a column with its values alone: no unused categories, nothing beneath missing cells.

    Ordered categories, which are a code book, are pruned where ``books`` says so.
    """
    held = column.type
    if pa.types.is_dictionary(held):
        return used_dictionary(column) if books or not held.ordered else column
    return without_hidden(column)
