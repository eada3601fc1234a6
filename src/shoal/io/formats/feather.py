"""Feather files: tables in Arrow's memory format."""

from collections.abc import Collection
from pathlib import Path

import pyarrow as pa
from pyarrow import feather

from shoal.io.dialect import Dialect
from shoal.io.formats import _arrow_schema
from shoal.io.size_limits import check_columns
from shoal.io.source import Source


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a Feather file, or an Arrow file of one stream."""
    del dialect, numbers  # the format has types
    _check_width(path)
    try:
        table = feather.read_table(path, memory_map=False)
    except pa.ArrowInvalid:
        with path.open("rb") as file:
            table = pa.ipc.open_stream(file).read_all()
    return _arrow_schema.source_of(table)


def _check_width(path: Path) -> None:
    """Refuse a file of too many columns before it is read, if its header states them."""
    try:
        with path.open("rb") as file, pa.ipc.open_file(file) as opened_file:
            columns = len(opened_file.schema)
    except pa.ArrowInvalid:  # the first version of the format, or a stream
        return
    check_columns(path.name, columns)


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write a Feather file; return sentences about lost metadata."""
    del dialect, target
    feather.write_feather(_arrow_schema.with_schema_metadata(source), path)
    return source.metadata.describe_loss(
        "A Feather file", (*_arrow_schema.SUPPORTED_METADATA, *source.metadata.free_text), "arrow"
    )
