"""Parquet files, with their types."""

from collections.abc import Collection
from pathlib import Path

import pyarrow.parquet as pq

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
    pq.write_table(_arrow.with_notes(source), path)
    return source.notes.without_place(
        "A Parquet file", (*_arrow.HOLDS, *source.notes.free), "arrow"
    )
