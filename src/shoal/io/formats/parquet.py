"""Parquet files."""

from collections.abc import Collection
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import FileError
from shoal.io.dialect import Dialect
from shoal.io.formats import _arrow_schema
from shoal.io.size_limits import check_columns, check_growth, growth_limit
from shoal.io.source import Source

_WIDTHS = {"BOOLEAN": 1 / 8, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8}
_BATCH_SIZE = 1 << 28  # bytes to decode at a time if a page may contain a long text


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a Parquet file."""
    del numbers  # the format has types
    with pq.ParquetFile(path) as file:
        _check_size(file, path, dialect.memory_limit)
        table = file.read()
    return _arrow_schema.source_of(table)


def _check_size(file: pq.ParquetFile, path: Path, limit: float | None) -> None:
    """Refuse a file that takes too much memory, by the sizes in its footer.

    The footer gives the size of pages, not of values: a page may contain one long text and many
    references to it. A column that could exceed the limit is decoded in batches and measured.
    """
    footer = file.metadata
    file_size = path.stat().st_size
    check_columns(path.name, footer.num_columns)
    # The sizes of single columns are not read: pyarrow aborts if they are damaged.
    leaves = [file.schema.column(number) for number in range(footer.num_columns)]
    text_columns = [
        leaf.path
        for leaf in leaves
        if leaf.physical_type not in _WIDTHS or leaf.max_repetition_level
    ]
    width = sum(_WIDTHS.get(leaf.physical_type, 4) for leaf in leaves)
    known_size = max_text_size = 0
    longest_row_group = 1
    for i in range(footer.num_row_groups):
        group = footer.row_group(i)
        group_size = max(group.total_byte_size, 0)
        known_size += max(group_size, int(group.num_rows * width))
        longest_row_group = max(longest_row_group, group_size)
        if text_columns:
            max_text_size += group_size * group.num_rows
    check_growth(path.name, file_size, known_size, limit)
    if known_size + max_text_size <= growth_limit(file_size, limit):
        return
    rows = min(max(_BATCH_SIZE // longest_row_group, 64), 1 << 16)
    read_size = 0
    for batch in file.iter_batches(rows, columns=text_columns):
        read_size += batch.nbytes
        check_growth(path.name, file_size, max(known_size, read_size), limit)


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write a Parquet file; return sentences about lost metadata."""
    del dialect, target
    for field in source.table.schema:
        if pa.types.is_interval(field.type):
            raise FileError(
                f"Column {field.name!r} contains {field.type} values, which a Parquet file cannot"
                " hold. Convert it to text first, or write another format.",
                code="unrepresentable-column",
                column=field.name,
            )
    pq.write_table(_arrow_schema.with_schema_metadata(source), path)
    return source.metadata.describe_loss(
        "A Parquet file", (*_arrow_schema.SUPPORTED_METADATA, *source.metadata.free_text), "arrow"
    )
