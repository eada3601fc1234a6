"""JSON lines: one object per line, with the same keys for the same columns."""

import json
import math
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import ColumnError, FileError
from shoal.frame.arrow_types import is_text, without_dictionary
from shoal.io.compression import open_compressed_text, open_decompressed_text
from shoal.io.dialect import Dialect
from shoal.io.size_limits import check_columns, check_growth
from shoal.io.source import Source
from shoal.io.text_tables.reading import MAX_LINE, wrong_encoding_error

_TYPE_OF_KINDS: dict[frozenset[type], pa.DataType] = {
    frozenset({int}): pa.int64(),
    frozenset({float}): pa.float64(),
    frozenset({int, float}): pa.float64(),
    frozenset({bool}): pa.bool_(),
    frozenset({str}): pa.string(),
    frozenset(): pa.null(),
}


def read(path: Path, dialect: Dialect, numbers: Collection[str] | None) -> Source:
    """Read a file of JSON lines; a key that an object lacks is a missing value."""
    del numbers  # values have types
    columns: dict[str, list[Any]] = {}
    for i, (number, line) in enumerate(_lines(path, dialect)):
        for name, value in _record(line, number, path).items():
            if name not in columns:
                columns[name] = [None] * i
                check_columns(path.name, len(columns))
            columns[name].append(value)
        for cells in columns.values():
            if len(cells) == i:
                cells.append(None)
    return Source(pa.table({name: _column(name, cells) for name, cells in columns.items()}))


def write(source: Source, path: Path, dialect: Dialect, target: Path) -> list[str]:
    """Write JSON lines: dates as ISO text, missing values as null."""
    del dialect
    table = source.table
    names = table.column_names
    columns = [_to_writable(table.column(name), name) for name in names]
    with open_compressed_text(path, "utf-8", target) as file:
        for batch in pa.table(columns, names=names).to_batches(max_chunksize=1 << 14):
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            for row in rows:
                record = dict(zip(names, row, strict=True))
                file.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
    return source.metadata.describe_loss("A file of JSON lines", (), "json")


def _lines(path: Path, dialect: Dialect) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers."""
    file_size = path.stat().st_size
    n_read = 0
    number = 0
    try:
        with open_decompressed_text(path, dialect.encoding_read) as file:
            while line := file.readline(MAX_LINE):
                number += 1
                n_read += len(line)
                check_growth(path.name, file_size, n_read, dialect.memory_limit)
                if line.strip():
                    yield number, line
    except UnicodeError:
        raise wrong_encoding_error(path, dialect) from None


def _record(line: str, number: int, path: Path) -> dict[str, Any]:
    names: list[str] = []

    def keep_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names[:] = [name for name, _ in pairs]  # the names of the outermost object are set last
        return dict(pairs)

    try:
        record = json.loads(line, object_pairs_hook=keep_names)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or len(set(names)) < len(names):
        raise FileError(
            f"Line {number} of {path.name!r} is not a JSON object with unique keys. Each line must"
            " be one record.",
            code="not-a-json-object",
            file=path.name,
            line=number,
        )
    return record


def _column(name: str, cells: list[Any]) -> pa.Array:
    kinds = frozenset(map(type, cells)) - {type(None)}
    if kinds & {dict, list}:
        raise ColumnError(
            f"Column {name!r} contains objects or lists, which a table cannot hold. Make columns of"
            " their parts first, or leave it out.",
            code="nested-column",
            column=name,
        )
    if kinds not in _TYPE_OF_KINDS:
        raise ColumnError(
            f"Column {name!r} mixes kinds of values. Convert it to text first.",
            code="mixed-values",
            column=name,
        )
    try:
        return pa.array(cells, _TYPE_OF_KINDS[kinds])
    except (pa.ArrowInvalid, OverflowError):
        raise ColumnError(
            f"Column {name!r} contains whole numbers beyond 64 bits. Write them as text.",
            code="whole-numbers-too-large",
            column=name,
        ) from None


def _to_writable(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return a column of values that JSON has."""
    column = without_dictionary(column)
    arrow_type = column.type
    if pa.types.is_floating(arrow_type) or pa.types.is_decimal(arrow_type):
        cells = column.cast(pa.float64()).to_pylist()
        if any(cell is not None and math.isinf(cell) for cell in cells):
            raise FileError(
                f"Column {name!r} has infinite values, which JSON cannot hold. Correct or drop"
                " them.",
                code="infinite-values",
                column=name,
            )
        # NaN is missing.
        return pa.chunked_array([pa.array(cells, pa.float64(), from_pandas=True)])
    is_plain = (
        pa.types.is_integer(arrow_type)
        or pa.types.is_boolean(arrow_type)
        or pa.types.is_null(arrow_type)
    )
    if is_plain or is_text(arrow_type):
        return column
    if pa.types.is_temporal(arrow_type) and not pa.types.is_interval(arrow_type):
        return column.cast(pa.string())
    raise FileError(
        f"Column {name!r} contains {arrow_type} values, which a file of JSON lines cannot hold."
        " Write Parquet instead.",
        code="unrepresentable-column",
        column=name,
    )
