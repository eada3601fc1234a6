"""Scratch files: records sorted by a number, each number readable by itself.

A file appears complete or not at all, and its content depends on its task alone; a task that runs
again after its worker died therefore writes the same file again. On a disk a file is written under
a temporary name and renamed. In a store it consists of a stream for each number, which one request
reads.
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

from shoal.scale.scratch_folder import write_scratch_object
from shoal.scale.storage import is_remote, read_ranges, write_bytes

REQUESTS = 8  # files of a store that a worker reads at a time
LZ4 = pa.ipc.IpcWriteOptions(compression="lz4")  # costs less time than the bytes it saves


# The number of a record batch on a disk; the first byte and the one after the last in a store.
Position = int | tuple[int, int]


class ScratchFile(NamedTuple):
    """A scratch file: for each number, the position of its records in the file, and how many."""

    path: str
    batch: Mapping[int, Position]
    records: Mapping[int, int]

    def restricted_to(self, numbers: Sequence[int]) -> "ScratchFile":
        """Return the file restricted to some numbers: all that a task needs to read them."""
        present = [number for number in numbers if number in self.batch]
        return ScratchFile(
            self.path,
            {number: self.batch[number] for number in present},
            {number: self.records[number] for number in present},
        )

    def without(self, numbers: Container[int]) -> "ScratchFile":
        """Return the file without some numbers, whose records are in another file now."""
        return self.restricted_to([number for number in self.batch if number not in numbers])

    def renumbered(self, new: Mapping[int, int]) -> "ScratchFile":
        """Return the file with other numbers for the same records."""
        return ScratchFile(
            self.path,
            {new[number]: batch for number, batch in self.batch.items()},
            {new[number]: count for number, count in self.records.items()},
        )


def write_scratch(
    path: str | os.PathLike[str], table: pa.Table, number: NDArray[np.int64]
) -> ScratchFile:
    """Write the records of a table, those of the same number together."""
    path = os.fspath(path)
    order = np.argsort(number, kind="stable")
    table = table.take(pa.array(order)).combine_chunks()
    numbers, starts, counts = np.unique(number[order], return_index=True, return_counts=True)
    parts = (
        table.slice(start, count).combine_chunks()
        for start, count in zip(starts, counts, strict=True)
    )
    positions = _write_streams(path, parts) if is_remote(path) else _write_batches(path, parts)
    return ScratchFile(
        path,
        {int(number): position for number, position in zip(numbers, positions, strict=True)},
        {int(number): int(count) for number, count in zip(numbers, counts, strict=True)},
    )


def _write_batches(path: str, parts: Iterable[pa.Table]) -> list[Position]:
    """Write parts of a table as record batches of one file."""
    parts = iter(parts)
    first = next(parts)
    positions: list[Position] = []
    with (
        atomic_path(Path(path)) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, first.schema, options=LZ4) as writer,
    ):
        for part in chain([first], parts):
            writer.write_table(part)
            positions.append(len(positions))
    return positions


def _write_streams(path: str, parts: Iterable[pa.Table]) -> list[Position]:
    """Write parts of a table to a store, each readable by its own range of bytes."""
    sink = pa.BufferOutputStream()
    positions: list[Position] = []
    for part in parts:
        start = sink.tell()
        with pa.ipc.new_stream(sink, part.schema, options=LZ4) as writer:
            writer.write_table(part)
        positions.append((start, sink.tell()))
    write_scratch_object(path, sink.getvalue())
    return positions


def write_scratch_files(
    tables: Iterable[pa.Table],
    stem: str,
    max_records: int,
    number_records: Callable[[pa.Table], tuple[pa.Table, NDArray[np.int64]]],
) -> list[ScratchFile]:
    """Write tables that arrive one by one; a file as soon as ``max_records`` are in memory.

    ``number_records`` returns what to write of a table, and the number of each record.
    """
    files: list[ScratchFile] = []
    buffer: list[pa.Table] = []

    def write() -> None:
        table, number = number_records(pa.concat_tables(buffer))
        buffer.clear()
        files.append(write_scratch(f"{stem}-{len(files):04d}.arrow", table, number))

    for table in tables:
        buffer.append(table)
        if sum(map(len, buffer)) >= max_records:
            write()
    if buffer:
        write()
    return files


def read_scratch(files: Sequence[ScratchFile], numbers: Sequence[int]) -> pa.Table:
    """Return the records of some numbers from all files."""
    wanted: list[tuple[str, list[Any]]] = [
        (file.path, [file.batch[number] for number in numbers if number in file.batch])
        for file in files
    ]
    wanted = [(path, positions) for path, positions in wanted if positions]
    if not any(is_remote(path) for path, _ in wanted):
        parts = [_read_batches(path, positions) for path, positions in wanted]
    else:  # a store takes long to answer, but answers many requests at a time
        with ThreadPoolExecutor(REQUESTS) as pool:
            parts = list(pool.map(_read_streams, *zip(*wanted, strict=True)))
    return pa.Table.from_batches([batch for part in parts for batch in part])


def _read_batches(path: str, positions: Sequence[int]) -> list[pa.RecordBatch]:
    with pa.OSFile(path, "rb") as source, pa.ipc.open_file(source) as reader:
        return [reader.get_batch(position) for position in positions]


def _read_streams(path: str, positions: Sequence[tuple[int, int]]) -> list[pa.RecordBatch]:
    streams = read_ranges(path, positions)
    return [
        batch for stream in streams for batch in pa.ipc.open_stream(stream).read_all().to_batches()
    ]


def files_with(files: Sequence[ScratchFile], numbers: Sequence[int]) -> list[ScratchFile]:
    """Return the files that hold records of some numbers, restricted to these."""
    restricted = (file.restricted_to(numbers) for file in files)
    return [file for file in restricted if file.batch]


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
