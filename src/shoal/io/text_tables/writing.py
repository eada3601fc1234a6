"""Writing text tables: numbers with all their digits, in the style of the source."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import FileError
from shoal.frame.arrow_types import is_text, value_type
from shoal.io.dialect import Dialect
from shoal.io.text_tables.formulas import mark_formulas
from shoal.io.text_tables.style import TextStyle, open_styled

ROWS_PER_BATCH = 1 << 16


def write_csv(
    table: pa.Table, path: Path, dialect: Dialect, target: Path, style: TextStyle | None = None
) -> None:
    """Write ``table`` with the shortest exact numbers, in the style of its source.

    Without a style, cells are quoted only where necessary.
    """
    style = style or TextStyle()
    with open_styled(path, dialect, style, target) as file:
        for block in _format_lines(table, dialect, dialect.separator_for(target), style):
            file.write(block)


def _format_lines(
    table: pa.Table, dialect: Dialect, separator: str, style: TextStyle
) -> Iterator[str]:
    """Yield the header and then the lines, a batch of records at a time."""
    special_characters = f'[{re.escape(separator)}"\r\n]'
    line_end = style.line_end
    names = _quote_names(table.column_names, special_characters, style)
    yield ('""' if names == [""] else separator.join(names)) + line_end
    for batch in table.to_batches(max_chunksize=ROWS_PER_BATCH):
        cells = [
            _quote(
                _text_cells(column, name, dialect),
                special_characters,
                style.quoted_columns.get(name),
            )
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
        ]
        if len(cells) == 1:  # an empty line would not be read as a record
            cells = [pc.if_else(pc.equal(cells[0], ""), '""', cells[0])]
        lines = pc.binary_join_element_wise(*cells, separator)
        yield line_end.join(lines.to_pylist()) + line_end if len(lines) else ""


def _quote_names(names: list[str], special_characters: str, style: TextStyle) -> list[str]:
    quoted = _quote(pa.array(names, pa.string()), special_characters).to_pylist()
    return [
        f'"{name}"' if name in style.quoted_names and cell == name else cell
        for name, cell in zip(names, quoted, strict=True)
    ]


def _text_cells(column: pa.Array, name: str, dialect: Dialect) -> pa.Array:
    """Return the cells of a column as text, with formulas marked if the dialect asks for it."""
    cells = cell_texts(column, name, dialect)
    is_marked = dialect.mark_formulas and is_text(value_type(column.type))
    return mark_formulas(cells) if is_marked else cells


def cell_texts(column: pa.Array, name: str, dialect: Dialect) -> pa.Array:
    """Return the cells of a column as text, without quotation marks."""
    arrow_type = column.type
    is_bytes = pa.types.is_binary(arrow_type) or pa.types.is_large_binary(arrow_type)
    try:
        if pa.types.is_nested(arrow_type) or is_bytes:
            raise pa.ArrowNotImplementedError
        text = pc.cast(column, pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise FileError(
            f"Column {name!r} contains {arrow_type} values, which a text table cannot hold. Write"
            " Parquet instead.",
            code="unrepresentable-column",
            column=name,
        ) from None
    if dialect.decimal != "." and (
        pa.types.is_floating(arrow_type) or pa.types.is_decimal(arrow_type)
    ):
        text = pc.replace_substring(text, ".", dialect.decimal)
    return pc.fill_null(text, dialect.missing)


def _quote(
    text: pa.Array, special_characters: str, unquoted: Collection[str] | None = None
) -> pa.Array:
    """Return cells in quotation marks where necessary, or all but the ``unquoted`` texts.

    ``special_characters`` is a regular expression; a cell that it matches needs quotation marks.
    """
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(text, '"', '""'), '"', "")
    needs_quotes = pc.match_substring_regex(text, special_characters)
    if unquoted is not None:
        needs_quotes = pc.or_(
            needs_quotes, pc.invert(pc.is_in(text, pa.array(sorted(unquoted), text.type)))
        )
    return pc.if_else(needs_quotes, quoted, text)
