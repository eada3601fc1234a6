"""Scratch files: records sorted into numbered buckets, each readable separately.

A bucket is a cell of near records, a range of hashes of combinations, or a shard of the release.

A file appears complete or not at all, and its content depends only on its task, so a task that runs
again after its worker died writes the same file again. On a disk a file is written under
a temporary name and renamed. In a store a file consists of one stream per bucket, so that a single
request reads a bucket.
"""

import os
import uuid
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from shoal.scale.storage.files import is_remote, read_ranges, write_bytes
from shoal.scale.storage.scratch_folder import write_scratch_object

MAX_REQUESTS = 8  # files of a store that a worker reads at a time
LZ4 = pa.ipc.IpcWriteOptions(compression="lz4")  # compressing is faster than writing more bytes


# The number of a record batch on a disk; the first byte and the one after the last in a store.
Position = int | tuple[int, int]


class ScratchFile(NamedTuple):
    """The entry of a scratch file: position and number of records of each bucket in it."""

    path: str
    positions: Mapping[int, Position]
    record_counts: Mapping[int, int]

    def restricted_to(self, buckets: Sequence[int]) -> "ScratchFile":
        """Return the entry of this file restricted to ``buckets``, for a task that reads them."""
        present_buckets = [bucket for bucket in buckets if bucket in self.positions]
        return ScratchFile(
            self.path,
            {bucket: self.positions[bucket] for bucket in present_buckets},
            {bucket: self.record_counts[bucket] for bucket in present_buckets},
        )

    def without(self, buckets: Container[int]) -> "ScratchFile":
        """Return the entry of this file without ``buckets``, which were written to other files."""
        return self.restricted_to([bucket for bucket in self.positions if bucket not in buckets])

    def renumbered(self, new_buckets: Mapping[int, int]) -> "ScratchFile":
        """Return the entry of this file with other numbers for the same buckets."""
        return ScratchFile(
            self.path,
            {new_buckets[bucket]: position for bucket, position in self.positions.items()},
            {new_buckets[bucket]: count for bucket, count in self.record_counts.items()},
        )


def write_scratch(
    path: str | os.PathLike[str], table: pa.Table, bucket_of_record: NDArray[np.int64]
) -> ScratchFile:
    """Write the records of a table, sorted by bucket."""
    path = os.fspath(path)
    order = np.argsort(bucket_of_record, kind="stable")
    table = table.take(pa.array(order)).combine_chunks()
    buckets, starts, counts = np.unique(
        bucket_of_record[order], return_index=True, return_counts=True
    )
    bucket_tables = (
        table.slice(start, count).combine_chunks()
        for start, count in zip(starts, counts, strict=True)
    )
    positions = (
        _write_streams(path, bucket_tables)
        if is_remote(path)
        else _write_batches(path, bucket_tables)
    )
    return ScratchFile(
        path,
        {int(bucket): position for bucket, position in zip(buckets, positions, strict=True)},
        {int(bucket): int(count) for bucket, count in zip(buckets, counts, strict=True)},
    )


def _write_batches(path: str, bucket_tables: Iterable[pa.Table]) -> list[Position]:
    """Write the tables of the buckets as record batches of one file."""
    bucket_tables = iter(bucket_tables)
    first = next(bucket_tables)
    positions: list[Position] = []
    with (
        atomic_path(Path(path)) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, first.schema, options=LZ4) as writer,
    ):
        for bucket_table in chain([first], bucket_tables):
            writer.write_table(bucket_table)
            positions.append(len(positions))
    return positions


def _write_streams(path: str, bucket_tables: Iterable[pa.Table]) -> list[Position]:
    """Write the tables of the buckets to a store, each readable by its own range of bytes."""
    sink = pa.BufferOutputStream()
    positions: list[Position] = []
    for bucket_table in bucket_tables:
        start = sink.tell()
        with pa.ipc.new_stream(sink, bucket_table.schema, options=LZ4) as writer:
            writer.write_table(bucket_table)
        positions.append((start, sink.tell()))
    write_scratch_object(path, sink.getvalue())
    return positions


def write_scratch_files(
    tables: Iterable[pa.Table],
    stem: str,
    max_records: int,
    assign_buckets: Callable[[pa.Table], tuple[pa.Table, NDArray[np.int64]]],
) -> list[ScratchFile]:
    """Write tables that arrive one by one: a file as soon as ``max_records`` are in memory.

    ``assign_buckets`` returns the table to write, and the bucket of each record.
    """
    files: list[ScratchFile] = []
    buffer: list[pa.Table] = []

    def write() -> None:
        table, buckets = assign_buckets(pa.concat_tables(buffer))
        buffer.clear()
        files.append(write_scratch(f"{stem}-{len(files):04d}.arrow", table, buckets))

    for table in tables:
        buffer.append(table)
        if sum(map(len, buffer)) >= max_records:
            write()
    if buffer:
        write()
    return files


def read_scratch(files: Sequence[ScratchFile], buckets: Sequence[int]) -> pa.Table:
    """Return the records of ``buckets`` from all files."""
    requested: list[tuple[str, list[Any]]] = [
        (file.path, [file.positions[bucket] for bucket in buckets if bucket in file.positions])
        for file in files
    ]
    requested = [(path, positions) for path, positions in requested if positions]
    if not any(is_remote(path) for path, _ in requested):
        batches_by_file = [_read_batches(path, positions) for path, positions in requested]
    else:  # a store takes long to answer, but answers many requests at a time
        with ThreadPoolExecutor(MAX_REQUESTS) as pool:
            batches_by_file = list(pool.map(_read_streams, *zip(*requested, strict=True)))
    return pa.Table.from_batches([batch for batches in batches_by_file for batch in batches])


def _read_batches(path: str, positions: Sequence[int]) -> list[pa.RecordBatch]:
    with pa.OSFile(path, "rb") as source, pa.ipc.open_file(source) as reader:
        return [reader.get_batch(position) for position in positions]


def _read_streams(path: str, positions: Sequence[tuple[int, int]]) -> list[pa.RecordBatch]:
    streams = read_ranges(path, positions)
    return [
        batch for stream in streams for batch in pa.ipc.open_stream(stream).read_all().to_batches()
    ]


def files_with(files: Sequence[ScratchFile], buckets: Sequence[int]) -> list[ScratchFile]:
    """Return the entries of the files with records of ``buckets``, restricted to these."""
    restricted = (file.restricted_to(buckets) for file in files)
    return [file for file in restricted if file.positions]


def write_file(path: str, content: Any) -> None:
    """Write a file of a run, on a disk or in a store; it appears complete or not at all."""
    if is_remote(path):
        write_bytes(path, content)
        return
    with atomic_path(Path(path)) as temporary:
        temporary.write_bytes(content)


def write_parquet(path: str, table: pa.Table) -> None:
    """Write a Parquet file of a run, on a disk or in a store."""
    if is_remote(path):
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink)
        write_scratch_object(path, sink.getvalue())
        return
    with atomic_path(Path(path)) as temporary:
        pq.write_table(table, temporary)


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; it is renamed to ``path`` when the block succeeds."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
