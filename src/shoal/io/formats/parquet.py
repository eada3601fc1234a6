"""Parquet files, with their types."""

from collections.abc import Collection
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import FileError
from shoal.io.dialect import Dialect
from shoal.io.formats import _arrow
from shoal.io.source import Source


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a Parquet file."""
    del dialect, numbers  # it says all about itself
    with pq.ParquetFile(path) as file:
        table = file.read()
    return _arrow.source_of(table)


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write a Parquet file; say what had no place."""
    del dialect, target
    for field in source.table.schema:
        if pa.types.is_interval(field.type):
            raise FileError(
                f"Column {field.name!r} holds {field.type} values, which a Parquet file cannot."
                " Turn it into text first, or write another format.",
                code="unrepresentable-column",
                column=field.name,
            )
    pq.write_table(_arrow.with_notes(source), path)
    return source.notes.without_place(
        "A Parquet file", (*_arrow.HOLDS, *source.notes.free), "arrow"
    )
