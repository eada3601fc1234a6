"""DuckDB files: one table, read only.

The database is opened without access to other files, so that a view cannot read them.
"""

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import FileError, MissingDependency
from shoal.io.dialect import Dialect
from shoal.io.formats import _arrow_schema
from shoal.io.formats._table_choice import choose_table
from shoal.io.size_limits import check_columns, check_growth
from shoal.io.source import Source

try:
    import duckdb
except ImportError:
    raise MissingDependency(
        'DuckDB files need the package duckdb: pip install "shoal[duckdb]".',
        code="package-missing",
        extra="duckdb",
    ) from None

ROWS_PER_BATCH = 1 << 16


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a table or a view of a DuckDB file."""
    del numbers  # the format has types
    try:
        settings: dict[str, Any] = {"enable_external_access": "false"}
        with duckdb.connect(str(path), read_only=True, config=settings) as connection:
            return _arrow_schema.source_of(_table(connection, path, dialect))
    except duckdb.Error:  # its message may show a value
        raise FileError(
            f"{path.name!r} is not a DuckDB file, or it is damaged, or another process writes to"
            " it.",
            code="file-damaged",
            file=path.name,
        ) from None


def _table(connection: Any, path: Path, dialect: Dialect) -> pa.Table:
    query = (
        "SELECT table_schema, table_name FROM information_schema.tables"
        " WHERE table_catalog = current_database() ORDER BY ALL"
    )
    tables = {
        name if schema == "main" else f"{schema}.{name}": (schema, name)
        for schema, name in connection.execute(query).fetchall()
    }
    table_name = choose_table(path, tables, dialect.table, noun="table", option="table")
    quoted_name = ".".join('"' + word.replace('"', '""') + '"' for word in tables[table_name])
    with warnings.catch_warnings(action="ignore"):
        relation = connection.sql(f"SELECT * FROM {quoted_name}")
        reader = relation.to_arrow_reader(ROWS_PER_BATCH)
    check_columns(path.name, len(reader.schema.names))
    batches = []
    size = 0
    for batch in reader:
        size += batch.nbytes
        check_growth(path.name, path.stat().st_size, size, dialect.memory_limit)
        batches.append(batch)
    return pa.Table.from_batches(batches, reader.schema)
