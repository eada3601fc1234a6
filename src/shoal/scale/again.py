"""What came out too large is cut again, by its own records."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.scale.cluster import stage
from shoal.scale.job import Job, load_job, task
from shoal.scale.keys import Keys, content_keys
from shoal.scale.sample import Sample, share_of
from shoal.scale.slices import Slices, read_slices, write_portions
from shoal.scale.tree import Tree, grow

if TYPE_CHECKING:
    from distributed import Client

OVERFULL = 1.5  # times the records of a full cell: what a sample misses by chance stays below

Codes = NDArray[np.int64]
Cutter = Callable[[str, int, Sequence[Slices], str, int], list[Slices]]


def cut_again(
    client: "Client", cutter: Cutter, job_file: str, folder: str, files: Sequence[Slices], most: int
) -> tuple[list[Slices], dict[int, list[int]]]:
    """Cut all that holds far more than ``most`` records, until it no longer does.

    What a sample missed shows in exact counts only. What is cut has less to miss, so a few
    rounds are enough; what cannot be parted stays as it is.

    Parameters
    ----------
    client : Client
        The cluster.
    cutter : callable
        The task that cuts one number: `cut_cell` or `cut_part`.
    job_file : str
        Where the job is kept.
    folder : str
        Where scratch files go.
    files : list of Slices
        The records by their number.
    most : int
        Records of a full cell.

    Returns
    -------
    tuple of list of Slices and dict
        The records by their new number, and the new numbers of each that was cut, in order.
    """
    files = list(files)
    into: dict[int, list[int]] = {}
    whole: set[int] = set()
    while True:
        records: Counter[int] = Counter()
        for file in files:
            records.update(file.records)
        large = [n for n in sorted(records) if records[n] > OVERFULL * most and n not in whole]
        if not large:
            return files, into
        free = 1 + max(*records, *into, *(n for new in into.values() for n in new), 0)
        tasks = [(job_file, n, _only(files, n), folder, most) for n in large]
        found = dict(stage(client, "cutting again", cutter, tasks, [records[n] for n in large]))
        made: list[Slices] = []
        for at, n in enumerate(large):
            leaves = sorted({leaf for file in found[at] for leaf in file.batch})
            if not leaves:
                whole.add(n)
                continue
            into[n] = [free + leaf for leaf in range(len(leaves))]
            free += len(leaves)
            new = dict(zip(leaves, into[n], strict=True))
            made += [file.renumbered(new) for file in found[at]]
        files = [*(file.without(into) for file in files), *made]


def opened(number: int, into: Mapping[int, Sequence[int]]) -> list[int]:
    """Return what a number was cut into in the end, in order."""
    if number not in into:
        return [number]
    return [last for new in into[number] for last in opened(new, into)]


@task
def cut_cell(
    job_file: str, cell: int, files: Sequence[Slices], folder: str, most: int
) -> list[Slices]:
    """Part the records of a cell by cuts of its own; return nothing if all are equal."""
    job = load_job(job_file)
    tree = _tree(job, cell, files, most)
    if tree.n_leaves == 1:
        return []

    def leaves(table: pa.Table) -> Codes:
        return tree.leaves(job.book.space(table, job.book.read(table)))

    return _parted(cell, files, folder, most, leaves)


@task
def cut_part(
    job_file: str, part: int, files: Sequence[Slices], folder: str, most: int
) -> list[Slices]:
    """Part masked records that do not look alike; return nothing if all of them do."""
    job = load_job(job_file)
    keys, counts = np.empty(0, np.uint64), np.empty(0, np.int64)
    for file in files:
        found = content_keys(read_slices([file], [part]), job.known)
        keys, of = np.unique(np.append(keys, found), return_inverse=True)
        counts = np.bincount(of, np.append(counts, np.ones(len(found)))).astype(np.int64)
    if len(keys) == 1:
        return []
    heap = packed(counts, most)

    def heaps(table: pa.Table) -> Codes:
        return heap[np.searchsorted(keys, content_keys(table, job.known))]

    return _parted(part, files, folder, most, heaps)


def packed(counts: Codes, most: int) -> Codes:
    """Pack classes that follow each other into heaps of up to ``most`` records.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,)
        Records of each class.
    most : int
        Records of a heap; more only in one of a single class.

    Returns
    -------
    ndarray of shape (n_classes,)
        The heap of each class.

    Examples
    --------
    >>> packed(np.array([3, 4, 9, 1, 2]), 8)
    array([0, 0, 1, 2, 2])
    """
    heap = np.empty(len(counts), np.int64)
    at, held = 0, 0
    for number, count in enumerate(counts.tolist()):
        if held and held + count > most:
            at, held = at + 1, 0
        heap[number] = at
        held += count
    return heap


def _tree(job: Job, cell: int, files: Sequence[Slices], most: int) -> Tree:
    """Return the cuts of a cell, by a sample of its own whose weights keep its exact number."""
    columns = [reading.name for reading in (*job.book.masked, *job.book.secret)]
    columns = list(dict.fromkeys(columns))
    count = sum(file.records[cell] for file in files)
    share = share_of(count, most)
    sample: Sample | None = None
    for file in files:
        table = read_slices([file], [cell]).select(columns)
        found = Sample.of(table, _keys(job, table), share)
        sample = found if sample is None else Sample.joined([sample, found])
    assert sample is not None  # a cell that is too large holds records
    weights = sample.counts * (count / sample.counts.sum())
    return grow(job.book.space(sample.table, job.book.read(sample.table)), most, weights)


def _keys(job: Job, table: pa.Table) -> Keys:
    return content_keys(table, table.column_names, job.seed)


def _only(files: Sequence[Slices], number: int) -> list[Slices]:
    return [file.only([number]) for file in files if number in file.batch]


def _parted(
    number: int,
    files: Sequence[Slices],
    folder: str,
    most: int,
    numbers: Callable[[pa.Table], Codes],
) -> list[Slices]:
    """Write the records of a number anew, by other numbers."""
    tables = (read_slices([file], [number]) for file in files)
    stem = str(Path(folder, f"again-{number:08d}"))
    return write_portions(tables, stem, most, lambda table: (table, numbers(table)))
