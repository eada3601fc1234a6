"""Missing codes in the files of a source: read as missing values, and counted."""

import pyarrow as pa
import pyarrow.compute as pc

from shoal.frame import tables
from shoal.frame.missing_codes import MissingCodes, is_missing_code


def without_missing_codes(table: pa.Table, missing_codes: MissingCodes) -> pa.Table:
    """Return a table with null for the missing codes of its columns, and for NaN in these columns.

    NaN is replaced whether or not a table contains codes, so that all missing values of a column
    are equal, however its records are divided into tables.
    """
    frame = tables.open_frame(table)
    for position, name in enumerate(table.column_names):
        if name in missing_codes:
            column = table.column(position)
            is_code = pa.array(is_missing_code(frame, name, missing_codes[name]))
            is_missing = pc.or_(pc.is_null(column, nan_is_null=True), is_code)
            column = pc.if_else(is_missing, pa.scalar(None, column.type), column)
            table = table.set_column(position, table.field(position), column)
    return table
