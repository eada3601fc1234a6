"""Types of the columns of a release, restored if a file stores them in another form."""

import contextlib
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from shoal.frame.arrow_types import is_text, value_type


def column_types(table: pa.Table) -> dict[str, str]:
    """Return the Arrow types of the columns that hold neither text nor categories, as names."""
    return {
        field.name: str(field.type)
        for field in table.schema
        if not is_text(field.type) and not pa.types.is_dictionary(field.type)
    }


def empty_table(types: Mapping[str, str]) -> pa.Table:
    """Return a table without rows from what `column_types` returned; unknown types are left out."""
    fields = []
    for name, alias in types.items():
        with contextlib.suppress(ValueError):
            fields.append(pa.field(name, pa.type_for_alias(alias)))
    return pa.schema(fields).empty_table()


def cast_like(table: pa.Table, like: pa.Table) -> pa.Table:
    """Return ``table`` with columns cast to their types in ``like``, where that is exact.

    Text tables and SPSS files store dates and categories in another form. A column that cannot be
    converted is left as it is.
    """
    for i, name in enumerate(table.column_names):
        if name in like.column_names:
            table = table.set_column(i, name, _cast_column_like(table.column(i), like.column(name)))
    return table


def _cast_column_like(column: pa.ChunkedArray, like: pa.ChunkedArray) -> pa.ChunkedArray:
    arrow_type = like.type
    if column.type == arrow_type:
        return column
    try:
        if pa.types.is_string(column.type) and not is_text(value_type(arrow_type)):
            column = pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
        if not pa.types.is_dictionary(arrow_type):
            return column.cast(arrow_type)
        values = column.cast(arrow_type.value_type).combine_chunks()
        categories = like.unify_dictionaries().chunk(0).dictionary
        positions = pc.index_in(values, categories)
        if positions.null_count > values.null_count:
            return values  # the file has a value that ``like`` does not have
        positions = positions.cast(arrow_type.index_type)
        return pa.chunked_array(
            [pa.DictionaryArray.from_arrays(positions, categories, ordered=arrow_type.ordered)]
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return column
