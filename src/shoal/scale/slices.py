"""Records parted by a number, in scratch files that others read piece by piece.

A file is written beside its name and renamed, and its content depends on its task alone; so a
task that runs again after its worker died writes the same file once more.
"""

import uuid
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

LIGHT = pa.ipc.IpcWriteOptions(compression="lz4")  # costs less than the bytes it saves


class Slices(NamedTuple):
    """A scratch file: where in it the records of each number lie, and how many they are."""

    path: str
    batch: Mapping[int, int]
    records: Mapping[int, int]

    def only(self, numbers: Sequence[int]) -> "Slices":
        """Return what a task needs to know that reads some numbers."""
        there = [one for one in numbers if one in self.batch]
        return Slices(
            self.path,
            {one: self.batch[one] for one in there},
            {one: self.records[one] for one in there},
        )

    def without(self, numbers: Container[int]) -> "Slices":
        """Return the file without the records of some numbers, which lie elsewhere now."""
        return self.only([one for one in self.batch if one not in numbers])

    def renumbered(self, new: Mapping[int, int]) -> "Slices":
        """Return the file with other numbers for the same records."""
        return Slices(
            self.path,
            {new[one]: at for one, at in self.batch.items()},
            {new[one]: count for one, count in self.records.items()},
        )


def write_slices(path: Path, table: pa.Table, number: NDArray[np.int64]) -> Slices:
    """Write the records of a table, those of one number together."""
    order = np.argsort(number, kind="stable")
    table = table.take(pa.array(order)).combine_chunks()
    numbers, starts, counts = np.unique(number[order], return_index=True, return_counts=True)
    with (
        appearing(path) as part,
        pa.OSFile(str(part), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, options=LIGHT) as writer,
    ):
        for start, count in zip(starts, counts, strict=True):
            writer.write_table(table.slice(start, count).combine_chunks())
    found = [int(one) for one in numbers]
    return Slices(
        str(path),
        {one: at for at, one in enumerate(found)},
        {one: int(count) for one, count in zip(found, counts, strict=True)},
    )


def write_portions(
    tables: Iterable[pa.Table],
    stem: str,
    most: int,
    numbered: Callable[[pa.Table], tuple[pa.Table, NDArray[np.int64]]],
) -> list[Slices]:
    """Write tables that come one by one; a file whenever ``most`` records are in hand.

    ``numbered`` says what is written of a table, and the number of each record.
    """
    written: list[Slices] = []
    held: list[pa.Table] = []

    def write() -> None:
        table, number = numbered(pa.concat_tables(held))
        held.clear()
        written.append(write_slices(Path(f"{stem}-{len(written):04d}.arrow"), table, number))

    for table in tables:
        held.append(table)
        if sum(map(len, held)) >= most:
            write()
    if held:
        write()
    return written


def read_slices(files: Sequence[Slices], numbers: Sequence[int]) -> pa.Table:
    """Return the records of some numbers from all files."""
    found: list[pa.RecordBatch] = []
    for file in files:
        wanted = [file.batch[one] for one in numbers if one in file.batch]
        if wanted:
            with pa.OSFile(file.path, "rb") as opened, pa.ipc.open_file(opened) as reader:
                found += [reader.get_batch(at) for at in wanted]
    return pa.Table.from_batches(found)


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """Yield a name to write to; the file gets its own name when it is whole."""
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
