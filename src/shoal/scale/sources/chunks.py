"""Chunks of a source: row groups of a Parquet file that a worker reads at a time."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.errors import ColumnError, FileError, InputError
from shoal.frame import tables
from shoal.frame.missing_codes import MissingCodes, count_missing_codes
from shoal.io.store_addresses import name_of, redact
from shoal.scale.sources.missing_codes import without_missing_codes
from shoal.scale.storage.files import is_remote, open_input, store_error
from shoal.scale.worker_task import worker_task

BATCH_SIZE = 50_000  # records that are decoded at a time


@dataclass(frozen=True)
class Chunk:
    """Consecutive row groups of a Parquet file.

    Parameters
    ----------
    path : str
        The path or address of the file.
    row_groups : tuple of int
        The numbers of the row groups.
    n_records : int
        Number of records in the row groups.
    missing_codes : mapping of str to tuple of str
        Values that are read as missing values, by column.
    """

    path: str
    row_groups: tuple[int, ...]
    n_records: int
    missing_codes: MissingCodes = field(default_factory=dict)


class Footer(NamedTuple):
    """The metadata of a Parquet file: schema, lengths of row groups, ordered categoricals."""

    schema: pa.Schema
    lengths: list[int]
    ordered_columns: frozenset[str] = frozenset()


def read_footer(path: str) -> Footer:
    """Return the metadata of a file; refuse column names that occur twice."""
    with _translate_read_errors(path), pq.ParquetFile(open_input(path)) as file:
        row_groups = range(file.metadata.num_row_groups)
        lengths = [file.metadata.row_group(row_group).num_rows for row_group in row_groups]
        schema = file.schema_arrow
        _check_names(schema, path)
        ordered_columns = frozenset(field.name for field in schema if _is_ordered(field))
        return Footer(_canonical_schema(schema), lengths, ordered_columns)


def make_chunks(
    paths: Sequence[str],
    footers: Sequence[Footer],
    chunk_size: int,
    missing_codes: MissingCodes | None = None,
) -> list[Chunk]:
    """Return chunks of about ``chunk_size`` records; a row group is never split.

    Files must have the same columns of the same types.
    """
    first_schema = footers[0].schema
    chunks: list[Chunk] = []
    for path, (schema, lengths, _) in zip(paths, footers, strict=True):
        _check_same_columns(first_schema, schema, paths[0], path)
        row_groups: list[int] = []
        for row_group in range(len(lengths)):
            row_groups.append(row_group)
            n_records = sum(lengths[row_groups[0] : row_group + 1])
            if n_records >= chunk_size or row_group + 1 == len(lengths):
                chunks.append(Chunk(path, tuple(row_groups), n_records, missing_codes or {}))
                row_groups = []
    if not sum(chunk.n_records for chunk in chunks):
        raise InputError("The data contain no records.", code="no-records")
    return [chunk for chunk in chunks if chunk.n_records]


def read_batches(
    chunk: Chunk,
    columns: Sequence[str],
    required_columns: Sequence[str],
    max_records: int = BATCH_SIZE,
) -> Iterator[pa.Table]:
    """Yield ``columns`` of the records of a chunk, in non-empty tables.

    Missing codes are read as missing values, and records with a missing value in the columns
    ``required_columns`` are left out. No table has more than ``max_records`` records.
    """
    for table in _read_coded_batches(chunk, columns, max_records):
        table = without_missing_codes(table, chunk.missing_codes)
        if required_columns:
            incomplete = tables.has_missing(tables.open_frame(table), required_columns)
            table = table.filter(pa.array(~incomplete))
        if len(table):
            yield table


@worker_task
def count_codes_of_chunk(chunk: Chunk) -> dict[str, int]:
    """Return the number of missing codes in each column of a chunk that contains any."""
    counts: Counter[str] = Counter()
    for table in _read_coded_batches(chunk, list(chunk.missing_codes)):
        counts.update(count_missing_codes(tables.open_frame(table), chunk.missing_codes))
    return dict(counts)


def _read_coded_batches(
    chunk: Chunk, columns: Sequence[str], max_records: int = BATCH_SIZE
) -> Iterator[pa.Table]:
    """Yield ``columns`` of the records of a chunk, in non-empty tables, with missing codes."""
    n_read = 0
    with _translate_read_errors(chunk.path), _open_parquet(chunk.path) as file:
        batch_size = min(BATCH_SIZE, max_records)
        for batch in file.iter_batches(batch_size, list(chunk.row_groups), columns=list(columns)):
            n_read += len(batch)
            if len(batch):
                yield canonical_table(pa.Table.from_batches([batch]).select(list(columns)))
    if n_read != chunk.n_records:
        raise FileError(
            f"{name_of(chunk.path)!r} changed while it was read. Run again.",
            code="file-changed",
            file=name_of(chunk.path),
        )


def read_columns(path: str, columns: Sequence[str]) -> pa.Table:
    """Return ``columns`` of all records of a file."""
    with _translate_read_errors(path), _open_parquet(path) as file:
        return file.read(columns=list(columns)).select(list(columns))


def canonical_table(table: pa.Table) -> pa.Table:
    """Return a table without schema metadata, in types that can be sorted, with one zero and NaN.

    Dictionary-encoded columns are decoded, since each file has its own dictionary.
    """
    return normalise_floats(table.cast(_canonical_schema(table.schema)))


def normalise_floats(table: pa.Table) -> pa.Table:
    """Return a table without negative zeros, and with one bit pattern for NaN.

    Zeros of either sign, and all NaN, compare as equal, so sorting could not order records that
    differ only in them.
    """
    for position in range(table.num_columns):
        column = table.column(position)
        if column.type in (pa.float32(), pa.float64()):
            column = pc.add(column, pa.scalar(0.0, column.type))
            nan = pa.scalar(float("nan"), column.type)
            column = pc.if_else(pc.is_nan(column), nan, column)
            table = table.set_column(position, table.field(position), column)
    return table


def _open_parquet(path: str) -> pq.ParquetFile:
    """Open a file to be read through a small buffer, verifying checksums if there are any."""
    return pq.ParquetFile(open_input(path), buffer_size=2**20, page_checksum_verification=True)


def _canonical_schema(schema: pa.Schema) -> pa.Schema:
    return pa.schema([pa.field(field.name, _canonical_type(field.type)) for field in schema])


def _canonical_type(arrow_type: Any) -> Any:
    """Return the type as which values of a type are read: one that can be sorted and grouped."""
    if pa.types.is_dictionary(arrow_type):
        return _canonical_type(arrow_type.value_type)
    replacements = {
        pa.string_view(): pa.large_string(),
        pa.binary_view(): pa.large_binary(),
        pa.float16(): pa.float32(),
    }
    return replacements.get(arrow_type, arrow_type)


def _check_same_columns(
    first_schema: pa.Schema, other_schema: pa.Schema, first_path: str, other_path: str
) -> None:
    """Refuse two files that do not have the same columns of the same types."""
    expected = {field.name: field.type for field in first_schema}
    types = {field.name: field.type for field in other_schema}
    differing = [name for name in {**expected, **types} if expected.get(name) != types.get(name)]
    if differing:
        raise FileError(
            f"{name_of(other_path)!r} and {name_of(first_path)!r} differ in column"
            f" {differing[0]!r}: it is missing in one of them, or its types differ. All files of a"
            " table must have the same columns.",
            code="files-differ",
            column=differing[0],
        )


def _check_names(schema: pa.Schema, path: str) -> None:
    """Refuse names that several columns share."""
    duplicates = [name for name in dict.fromkeys(schema.names) if schema.names.count(name) > 1]
    if duplicates:
        raise ColumnError(
            f"{name_of(path)!r} has several columns named {duplicates[0]!r}. Rename them, so that a"
            " plan can refer to each.",
            code="name-twice",
            column=duplicates[0],
        )


def _is_ordered(field: Any) -> bool:
    return bool(pa.types.is_dictionary(field.type) and field.type.ordered)


@contextmanager
def _translate_read_errors(path: str) -> Iterator[None]:
    """Translate exceptions of pyarrow and of the file system into `FileError`."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(
            f"{redact(path)!r} does not exist, or a worker cannot access it. Nothing was released.",
            code="file-gone",
            file=redact(path),
        ) from None
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError | FileError | ColumnError):
            raise
        if is_remote(path) and (translated := store_error(error, path)) is not None:
            raise translated from None
        raise FileError(
            f"{name_of(path)!r} is not a Parquet file, or it is damaged. Nothing was released.",
            code="file-damaged",
            file=name_of(path),
        ) from None
