"""Text that a spreadsheet program evaluates as a formula when it opens a text table."""

import pyarrow as pa
import pyarrow.compute as pc

from shoal.frame.arrow_types import is_text, without_dictionary

_STARTS = "^[=@\t\r]|^[+-]."
_NUMBER = r"^[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?$"


def formula_cells(table: pa.Table) -> dict[str, int]:
    """Count the cells of each column that look like a formula; columns without any are left out.

    Parameters
    ----------
    table : pyarrow.Table
        Table to be written.

    Returns
    -------
    dict of str to int
        Number of cells that begin with ``=``, ``@``, a tab or a line end, or with ``+``
        or ``-`` where no number follows; the name of a column counts as a cell.
    """
    counts = {}
    for name in table.column_names:
        count = int(_looks_like_formula(pa.array([name]))[0].as_py())
        column = without_dictionary(table.column(name))
        if is_text(column.type):
            count += pc.sum(_looks_like_formula(column)).as_py() or 0
        if count:
            counts[name] = count
    return counts


def mark_formulas(text: pa.Array) -> pa.Array:
    """Return text cells with an apostrophe before those that look like a formula."""
    marked_text = pc.binary_join_element_wise("'", text, "")
    return pc.if_else(pc.fill_null(_looks_like_formula(text), False), marked_text, text)


def _looks_like_formula(text: pa.Array) -> pa.Array:
    starts = pc.match_substring_regex(text, _STARTS)
    return pc.and_(starts, pc.invert(pc.match_substring_regex(text, _NUMBER)))
