"""Scratch files: records sorted by a number, each number readable by itself.

A file is written under a temporary name and renamed, and its content depends on its task alone;
a task that runs again after its worker died therefore writes the same file again.
"""

import uuid
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

LZ4 = pa.ipc.IpcWriteOptions(compression="lz4")  # costs less time than the bytes it saves


class ScratchFile(NamedTuple):
    """A scratch file: for each number, the record batch that holds it and its records."""

    path: str
    batch: Mapping[int, int]
    records: Mapping[int, int]

    def only(self, numbers: Sequence[int]) -> "ScratchFile":
        """Return the file restricted to some numbers: all that a task needs to read them."""
        present = [number for number in numbers if number in self.batch]
        return ScratchFile(
            self.path,
            {number: self.batch[number] for number in present},
            {number: self.records[number] for number in present},
        )

    def without(self, numbers: Container[int]) -> "ScratchFile":
        """Return the file without some numbers, whose records are in another file now."""
        return self.only([number for number in self.batch if number not in numbers])

    def renumbered(self, new: Mapping[int, int]) -> "ScratchFile":
        """Return the file with other numbers for the same records."""
        return ScratchFile(
            self.path,
            {new[number]: batch for number, batch in self.batch.items()},
            {new[number]: count for number, count in self.records.items()},
        )


def write_scratch(path: Path, table: pa.Table, number: NDArray[np.int64]) -> ScratchFile:
    """Write the records of a table, those of the same number as one record batch."""
    order = np.argsort(number, kind="stable")
    table = table.take(pa.array(order)).combine_chunks()
    numbers, starts, counts = np.unique(number[order], return_index=True, return_counts=True)
    with (
        atomic_path(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, options=LZ4) as writer,
    ):
        for start, count in zip(starts, counts, strict=True):
            writer.write_table(table.slice(start, count).combine_chunks())
    return ScratchFile(
        str(path),
        {int(number): batch for batch, number in enumerate(numbers)},
        {int(number): int(count) for number, count in zip(numbers, counts, strict=True)},
    )


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
        files.append(write_scratch(Path(f"{stem}-{len(files):04d}.arrow"), table, number))

    for table in tables:
        buffer.append(table)
        if sum(map(len, buffer)) >= max_records:
            write()
    if buffer:
        write()
    return files


def read_scratch(files: Sequence[ScratchFile], numbers: Sequence[int]) -> pa.Table:
    """Return the records of some numbers from all files."""
    batches: list[pa.RecordBatch] = []
    for file in files:
        positions = [file.batch[number] for number in numbers if number in file.batch]
        if positions:
            with pa.OSFile(file.path, "rb") as source, pa.ipc.open_file(source) as reader:
                batches += [reader.get_batch(position) for position in positions]
    return pa.Table.from_batches(batches)


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; it is renamed to ``path`` when the block succeeds."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
