"""Split cells and shards that turned out too large, by their own records."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.scale.job import Job, ReleaseJob, load_job, worker_task
from shoal.scale.keys import content_keys
from shoal.scale.runner import Runner, run_stage
from shoal.scale.sample import Sample, sampling_share
from shoal.scale.scratch import ScratchFile, read_scratch, write_scratch_files
from shoal.scale.split_tree import SplitTree, build_split_tree
from shoal.scale.storage import join

TOLERANCE = 1.5  # a cell this many times too large is split; random errors of a sample are smaller

Codes = NDArray[np.int64]
Splitter = Callable[[str, int, Sequence[ScratchFile], str, int], list[ScratchFile]]


def resplit(
    runner: Runner,
    splitter: Splitter,
    job_file: str,
    folder: str,
    files: Sequence[ScratchFile],
    max_records: int,
) -> tuple[list[ScratchFile], dict[int, list[int]]]:
    """Split every number with far more than ``max_records`` records, until none has.

    The sample may miss a concentration of records that the exact counts show. A part misses
    less than the whole, so a few rounds are enough; what cannot be split stays as it is.

    Parameters
    ----------
    runner : Runner
        What executes the tasks.
    splitter : callable
        The task that splits the records of one number: `split_cell` or `split_shard`.
    job_file : str
        The file of the job.
    folder : str
        The folder of scratch files.
    files : list of ScratchFile
        The records by their number.
    max_records : int
        Records of a full cell or shard.

    Returns
    -------
    tuple of list of ScratchFile and dict
        The records by their new number, and the new numbers of each that was split, in order.
    """
    files = list(files)
    split_into: dict[int, list[int]] = {}
    indivisible: set[int] = set()
    while True:
        records: Counter[int] = Counter()
        for file in files:
            records.update(file.records)
        large = [
            number
            for number in sorted(records)
            if records[number] > TOLERANCE * max_records and number not in indivisible
        ]
        if not large:
            return files, split_into
        used = [number for numbers in split_into.values() for number in numbers]
        next_number = 1 + max(*records, *split_into, *used, 0)
        tasks = [
            (job_file, number, _files_with(files, number), folder, max_records) for number in large
        ]
        sizes = [records[number] for number in large]
        results = dict(run_stage(runner, "splitting again", splitter, tasks, sizes))
        new_files: list[ScratchFile] = []
        for position, number in enumerate(large):
            parts = sorted({part for file in results[position] for part in file.batch})
            if not parts:
                indivisible.add(number)
                continue
            split_into[number] = [next_number + part for part in range(len(parts))]
            next_number += len(parts)
            renumbering = dict(zip(parts, split_into[number], strict=True))
            new_files += [file.renumbered(renumbering) for file in results[position]]
        files = [*(file.without(split_into) for file in files), *new_files]


def final_numbers(number: int, split_into: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the numbers that a number was split into in the end, in order."""
    if number not in split_into:
        return [number]
    return [last for new in split_into[number] for last in final_numbers(new, split_into)]


@worker_task
def split_cell(
    job_file: str, cell: int, files: Sequence[ScratchFile], folder: str, max_records: int
) -> list[ScratchFile]:
    """Split the records of a cell by a new tree; return nothing if all are equal."""
    job: Job = load_job(job_file)
    tree = _cell_tree(job, cell, files, max_records)
    if tree.n_leaves == 1:
        return []

    def leaves(table: pa.Table) -> Codes:
        return tree.leaves(job.encoders.coordinates(table, job.encoders.read(table)))

    return _rewrite(cell, files, folder, max_records, leaves)


@worker_task
def split_shard(
    job_file: str, shard: int, files: Sequence[ScratchFile], folder: str, max_records: int
) -> list[ScratchFile]:
    """Split masked records between equivalence classes; return nothing if there is only one."""
    job: ReleaseJob = load_job(job_file)
    keys, counts = np.empty(0, np.uint64), np.empty(0, np.int64)
    for file in files:
        new_keys = content_keys(read_scratch([file], [shard]), job.quasi_identifiers)
        keys, inverse = np.unique(np.append(keys, new_keys), return_inverse=True)
        new_counts = np.append(counts, np.ones(len(new_keys)))
        counts = np.bincount(inverse, new_counts).astype(np.int64)
    if len(keys) == 1:
        return []
    bin_of_key = pack_in_order(counts, max_records)

    def bins(table: pa.Table) -> Codes:
        return bin_of_key[np.searchsorted(keys, content_keys(table, job.quasi_identifiers))]

    return _rewrite(shard, files, folder, max_records, bins)


def pack_in_order(counts: Codes, max_records: int) -> Codes:
    """Pack consecutive classes into bins of up to ``max_records`` records.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,)
        Records of each class.
    max_records : int
        Most records of a bin; exceeded only by a bin of a single class.

    Returns
    -------
    ndarray of shape (n_classes,)
        The bin of each class.

    Examples
    --------
    >>> pack_in_order(np.array([3, 4, 9, 1, 2]), 8)
    array([0, 0, 1, 2, 2])
    """
    bins = np.empty(len(counts), np.int64)
    current, filled = 0, 0
    for position, count in enumerate(counts.tolist()):
        if filled and filled + count > max_records:
            current, filled = current + 1, 0
        bins[position] = current
        filled += count
    return bins


def _cell_tree(job: Job, cell: int, files: Sequence[ScratchFile], max_records: int) -> SplitTree:
    """Return the split tree of a cell, built on a sample whose weights add up to its records."""
    encoders = (*job.encoders.masked, *job.encoders.confidential)
    columns = list(dict.fromkeys(encoder.name for encoder in encoders))
    n_records = sum(file.records[cell] for file in files)
    share = sampling_share(n_records, max_records)
    sample: Sample | None = None
    for file in files:
        table = read_scratch([file], [cell]).select(columns)
        of_file = Sample.of(table, content_keys(table, columns, job.seed), share)
        sample = of_file if sample is None else Sample.merge([sample, of_file])
    assert sample is not None  # a cell that is too large holds records
    weights = sample.counts * (n_records / sample.counts.sum())
    Z = job.encoders.coordinates(sample.table, job.encoders.read(sample.table))
    return build_split_tree(Z, max_records, weights)


def _files_with(files: Sequence[ScratchFile], number: int) -> list[ScratchFile]:
    return [file.restricted_to([number]) for file in files if number in file.batch]


def _rewrite(
    number: int,
    files: Sequence[ScratchFile],
    folder: str,
    max_records: int,
    new_number_of: Callable[[pa.Table], Codes],
) -> list[ScratchFile]:
    """Write the records of a number to new files, by new numbers."""
    tables = (read_scratch([file], [number]) for file in files)
    stem = join(folder, f"again-{number:08d}")
    return write_scratch_files(
        tables, stem, max_records, lambda table: (table, new_number_of(table))
    )
