"""Text tables: CSV and similar formats."""

from collections.abc import Collection
from pathlib import Path

from shoal.io.dialect import Dialect
from shoal.io.source import Source
from shoal.io.text_tables.reading import read_csv
from shoal.io.text_tables.writing import write_csv


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a text table; parse ``numbers`` (None: every column that contains only numbers)."""
    table, style = read_csv(path, dialect, numbers)
    return Source(table, text_dialect=dialect, style=style)


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write a text table; return sentences about lost metadata."""
    write_csv(source.table, path, dialect, target, source.style)
    return source.metadata.describe_loss("A text table", (), "text")
