"""A table with the metadata of its file."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.frame.hidden_values import clear_missing_cells, prune_dictionary
from shoal.frame.notation.numerals import parse_numerals
from shoal.frame.tables import text_among_numbers_error
from shoal.frame.types import Type
from shoal.io.dialect import Dialect
from shoal.io.metadata import FileMetadata
from shoal.io.text_tables.decimals import can_round, count_decimals, spelled_decimals
from shoal.io.text_tables.numbers import parse_columns
from shoal.io.text_tables.style import TextStyle
from shoal.io.text_tables.types import convert_columns


@dataclass(frozen=True, eq=False)
class Source:
    """A table with the metadata of its file.

    Parameters
    ----------
    table : pyarrow.Table
        The values; a cell with a missing code is missing.
    metadata : FileMetadata
        Labels, formats, missing codes and free text.
    text_dialect : Dialect or None
        How numbers are written in columns that were left as text, or None if the file format has
        types.
    remarks : tuple of str
        Remarks on how the table was read.
    style : TextStyle
        The style of a text table.
    declared_types : mapping of str to Type or "text"
        Types of columns that the description of a text file states.
    """

    table: pa.Table
    metadata: FileMetadata = field(default_factory=FileMetadata)
    text_dialect: Dialect | None = None
    remarks: tuple[str, ...] = ()
    style: TextStyle = field(default_factory=TextStyle)
    declared_types: Mapping[str, Type | Literal["text"]] = field(default_factory=dict)

    def table_with_numbers(
        self, columns: Collection[str], text_columns: Collection[str] = ()
    ) -> pa.Table:
        """Return the table with ``columns`` parsed as numbers if they contain numbers as text.

        Columns that contain other text, and ``text_columns``, stay text, with null for empty cells
        and for the text of a missing value.
        """
        if self.text_dialect is None:
            return self.table
        return parse_columns(self.table, columns, self.text_dialect, text_columns)

    def check_numbers(self, table: pa.Table, columns: Collection[str]) -> None:
        """Refuse ``columns`` that contain text in ``table``, the result of `table_with_numbers`."""
        if self.text_dialect is None:
            return
        for name in columns:
            column = table.column(name) if name in table.column_names else None
            if column is None or not pa.types.is_string(column.type) or not column.drop_null():
                continue
            counted = column.drop_null().value_counts()
            texts, counts = counted.field("values").to_pylist(), counted.field("counts")
            is_other_text = [
                parse_numerals([text], self.text_dialect.decimal)[0] is None for text in texts
            ]
            n_text = int(counts.to_numpy()[is_other_text].sum())
            if n_text:
                raise text_among_numbers_error(name, n_text, len(column))

    def without_codes(self, missing_codes: Mapping[str, Collection[str]]) -> "Source":
        """Return the source with blank cells for the missing codes of columns of a text table."""
        if self.text_dialect is None:
            return self
        table = self.table
        for name, codes in missing_codes.items():
            if name in table.column_names and pa.types.is_string(table.schema.field(name).type):
                column = table.column(name)
                is_code = pc.is_in(pc.utf8_trim_whitespace(column), pa.array(list(codes)))
                blank = pc.if_else(is_code, "", column)
                table = table.set_column(table.column_names.index(name), name, blank)
        return replace(self, table=table)

    def with_types(
        self,
        types: Mapping[str, Type],
        *,
        dates: Collection[str],
        long_integers: bool,
        untyped: Collection[str] = (),
    ) -> "Source":
        """Return the source with the columns of a text table converted to the types of their cells.

        ``untyped`` columns stay text; `shoal.io.text_tables.types.convert_columns` describes the
        other parameters.
        """
        if self.text_dialect is None:
            return self
        stated_types = {**self.declared_types, **types}
        columns = {name: stated_types.get(name) for name in self.table.column_names}
        columns = {
            name: stated_type
            for name, stated_type in columns.items()
            if name not in untyped and stated_type != "text"
        }
        table = convert_columns(
            self.table, columns, self.text_dialect, dates=dates, long_integers=long_integers
        )
        return replace(self, table=table)

    def shown_decimals(self, numbers: pa.Table, columns: Collection[str]) -> dict[str, int]:
        """Return the number of decimals that numeric columns show.

        ``numbers`` is the table with its numbers parsed. Columns that need all digits of a float
        are left out.
        """
        decimals_by_column: dict[str, int] = {}
        for name in filter(numbers.column_names.__contains__, columns):
            decimals = count_decimals(numbers.column(name))
            if decimals is None:
                continue
            spelled_column = self.table.column(name)
            if pa.types.is_string(spelled_column.type) and pa.types.is_floating(
                numbers.column(name).type
            ):
                decimals = max(
                    decimals, spelled_decimals(spelled_column, self.text_dialect or Dialect())
                )
            if can_round(numbers.column(name), decimals):
                decimals_by_column[name] = decimals
        return decimals_by_column

    def codes_as_categories(self, table: pa.Table, columns: Collection[str]) -> pa.Table:
        """Return ``table`` with the missing codes in ``columns`` as different values.

        A column with missing codes becomes categorical: two cells are equal if a file that keeps
        missing codes shows the same in both.
        """
        for i, name in enumerate(table.column_names):
            if name in columns and (codes := self.metadata.of_column(name).codes) is not None:
                table = table.set_column(i, name, _code_categories(self.table.column(name), codes))
        return table

    def without_blank_columns(self, table: pa.Table, columns: Collection[str]) -> pa.Table:
        """Return ``table`` without the ``columns`` that are empty in a text table."""
        if self.text_dialect is None:
            return table
        blank = [
            name
            for name in columns
            if name in table.column_names
            and pa.types.is_string(table.schema.field(name).type)
            and not pc.any(pc.not_equal(table.column(name), "")).as_py()
        ]
        return table.drop_columns(blank)

    def for_release(
        self,
        data: Any,
        unchanged: Collection[str],
        *,
        rows: NDArray[np.int64] | None = None,
        keep_free_text: bool = False,
    ) -> "Source":
        """Return the release: ``data``, with ``unchanged`` columns exactly as in the source.

        ``rows`` are the rows of the source that ``data`` contains, or None for all rows in order.
        """
        source = self if rows is None else self._take_rows(pa.array(rows))
        for name in unchanged:
            data = data.set_column(data.column_names.index(name), name, source.table.column(name))
        metadata = source.metadata.for_release(data, unchanged, keep_free_text=keep_free_text)
        for name in data.column_names:
            if name not in unchanged and self._has_coded_categories(data, name):
                data, metadata = self._restore_codes(data, metadata, name)
        for i, name in enumerate(data.column_names):
            data = data.set_column(
                i, name, _strip_hidden_values(data.column(i), prune_ordered=name not in unchanged)
            )
        schema = pa.schema([field.remove_metadata() for field in data.schema])
        data = pa.Table.from_arrays(data.columns, schema=schema)
        remarks = (
            *self.remarks,
            *self.metadata.describe_unreleased_text(keep_free_text=keep_free_text),
        )
        return replace(self, table=data, metadata=metadata, remarks=remarks)

    def _has_coded_categories(self, data: pa.Table, name: str) -> bool:
        """Return whether `codes_as_categories` turned a column of ``data`` into categories."""
        types = [table.schema.field(name).type for table in (data, self.table)]
        has_codes = self.metadata.of_column(name).codes is not None
        return (
            has_codes and pa.types.is_dictionary(types[0]) and not pa.types.is_dictionary(types[1])
        )

    def _restore_codes(
        self, data: pa.Table, metadata: FileMetadata, name: str
    ) -> tuple[pa.Table, FileMetadata]:
        """Return the table and metadata with categories replaced by values and missing codes."""
        column_metadata = self.metadata.of_column(name)
        column, codes = self.table.column(name).combine_chunks(), pa.array(column_metadata.codes)
        texts = _code_categories(column, codes).cast(pa.string())
        first = pc.index_in(data.column(name).cast(pa.string()).combine_chunks(), texts)
        data = data.set_column(data.column_names.index(name), name, column.take(first))
        columns = {
            **metadata.columns,
            name: replace(column_metadata, codes=codes.take(first), other_metadata={}),
        }
        return data, replace(metadata, columns=columns)

    def _take_rows(self, rows: pa.Array) -> "Source":
        table = self.table.take(rows)
        for i, name in enumerate(table.column_names):
            table = table.set_column(
                i, name, _strip_hidden_values(table.column(i), prune_ordered=True)
            )
        columns = {
            name: metadata
            if metadata.codes is None
            else replace(metadata, codes=metadata.codes.take(rows))
            for name, metadata in self.metadata.columns.items()
        }
        return replace(self, table=table, metadata=replace(self.metadata, columns=columns))


def _code_categories(column: Any, codes: pa.Array) -> pa.Array:
    """Return the values and missing codes of a column as categories."""
    texts = pc.coalesce(codes.cast(pa.string()), column.cast(pa.string()))
    texts = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    return texts.dictionary_encode()


def _strip_hidden_values(
    column: pa.ChunkedArray, *, prune_ordered: bool
) -> pa.ChunkedArray | pa.Array:
    """Return a column without unused categories and without values under missing cells.

    Ordered categories, which serve as a code book, are pruned only if ``prune_ordered``.
    """
    arrow_type = column.type
    if pa.types.is_dictionary(arrow_type):
        return prune_dictionary(column) if prune_ordered or not arrow_type.ordered else column
    return clear_missing_cells(column)
