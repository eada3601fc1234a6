"""Sort records by their values, so that nothing depends on the order in which they arrived."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import ColumnError


def sort_by(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return the records sorted by ``columns``, then by all other columns.

    Tied records are equal in all columns, so the result does not depend on their order.
    """
    names = [*columns, *(name for name in table.column_names if name not in columns)]
    positions = [str(position) for position in range(len(names))]
    sort_columns = pa.table([table.column(name) for name in names], positions)
    return table.take(
        pc.sort_indices(sort_columns, [(name, "ascending") for name in sort_columns.column_names])
    )


def check_sortable(schema: pa.Schema) -> None:
    """Refuse columns of types that cannot be sorted."""
    for field in schema:
        if not _is_sortable(field.type):
            raise ColumnError(
                f"Column {field.name!r} holds {field.type} values, which cannot be sorted, and the"
                " released records are sorted. Leave it out, or convert it to text.",
                code="no-order",
                column=field.name,
            )


def _is_sortable(arrow_type: Any) -> bool:
    """Return whether values of a type can be sorted."""
    if pa.types.is_struct(arrow_type):  # sorting an empty table does not check the fields
        return all(_is_sortable(field.type) for field in arrow_type)
    try:
        pc.sort_indices(pa.table({"x": pa.array([], arrow_type)}), [("x", "ascending")])
    except (pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return False
    return True
