"""Split cells and shards that turned out too large, by counts or samples of their records."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.scale.job import MicroaggregationJob, ReleaseJob, load_job
from shoal.scale.runners.runner import Runner, run_stage
from shoal.scale.splitting.split_tree import SplitTree, build_split_tree
from shoal.scale.statistics.counts import sum_counts
from shoal.scale.statistics.hashes import record_hashes
from shoal.scale.statistics.sample import Sample, sampling_share
from shoal.scale.storage.files import join
from shoal.scale.storage.scratch_files import (
    ScratchFile,
    files_with,
    read_scratch,
    write_scratch_files,
)
from shoal.scale.worker_task import worker_task

TOLERANCE = 1.5  # a cell this many times too large is split: sampling errors are smaller

Codes = NDArray[np.int64]
Splitter = Callable[[str, int, Sequence[ScratchFile], str, int], list[ScratchFile]]


def split_large_buckets(
    runner: Runner,
    splitter: Splitter,
    job_file: str,
    folder: str,
    files: Sequence[ScratchFile],
    max_records: int,
) -> tuple[list[ScratchFile], dict[int, list[int]]]:
    """Split every bucket with far more than ``max_records`` records, until none has.

    The sample of the table may miss a concentration of records that the exact counts show. A sample
    of one bucket misses less, so a few rounds are enough; a bucket of equal records stays whole.

    Parameters
    ----------
    runner : Runner
        What executes the tasks.
    splitter : callable
        The task that splits the records of one bucket: `split_cell` or `split_shard`.
    job_file : str
        The file of the job.
    folder : str
        The folder of scratch files.
    files : list of ScratchFile
        The records by bucket.
    max_records : int
        Number of records in a full cell or shard.

    Returns
    -------
    tuple of list of ScratchFile and dict
        The records by their new bucket, and the buckets that each bucket was split into, in order.
    """
    files = list(files)
    split_into: dict[int, list[int]] = {}
    indivisible: set[int] = set()
    record_counts = sum_counts(file.record_counts for file in files)
    first_unused = 1 + max(record_counts, default=0)
    while True:
        large = [
            bucket
            for bucket, n_records in record_counts.items()
            if n_records > TOLERANCE * max_records and bucket not in indivisible
        ]
        if not large:
            return files, split_into
        tasks = [
            (job_file, bucket, files_with(files, [bucket]), folder, max_records) for bucket in large
        ]
        sizes = [record_counts[bucket] for bucket in large]
        results = dict(run_stage(runner, "splitting again", splitter, tasks, sizes))
        new_files: list[ScratchFile] = []
        for position, bucket in enumerate(large):
            parts = sorted({part for file in results[position] for part in file.positions})
            if not parts:
                indivisible.add(bucket)
                continue
            split_into[bucket] = list(range(first_unused, first_unused + len(parts)))
            first_unused += len(parts)
            bucket_of_part = dict(zip(parts, split_into[bucket], strict=True))
            new_files += [file.renumbered(bucket_of_part) for file in results[position]]
        files = [*(file.without(split_into) for file in files), *new_files]
        record_counts = sum_counts(file.record_counts for file in files)


def final_buckets(bucket: int, split_into: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the buckets into which a bucket was finally split, in order."""
    if bucket not in split_into:
        return [bucket]
    return [
        final_bucket
        for new_bucket in split_into[bucket]
        for final_bucket in final_buckets(new_bucket, split_into)
    ]


@worker_task
def split_cell(
    job_file: str, cell: int, files: Sequence[ScratchFile], folder: str, max_records: int
) -> list[ScratchFile]:
    """Split the records of a cell by a new tree; return no file if all records are equal."""
    job: MicroaggregationJob = load_job(job_file)
    tree = _cell_tree(job, cell, files, max_records)
    if tree.n_leaves == 1:
        return []

    def leaves_of(table: pa.Table) -> Codes:
        return tree.leaves(job.encoders.coordinates(table, job.encoders.read(table)))

    return _write_parts(cell, files, folder, max_records, leaves_of)


@worker_task
def split_shard(
    job_file: str, shard: int, files: Sequence[ScratchFile], folder: str, max_records: int
) -> list[ScratchFile]:
    """Split masked records between equivalence classes; return no file if there is only one."""
    job: ReleaseJob = load_job(job_file)
    hashes, counts = np.empty(0, np.uint64), np.empty(0, np.int64)
    for file in files:
        new_hashes = record_hashes(read_scratch([file], [shard]), job.quasi_identifiers)
        hashes, inverse = np.unique(np.append(hashes, new_hashes), return_inverse=True)
        new_counts = np.append(counts, np.ones(len(new_hashes)))
        counts = np.bincount(inverse, new_counts).astype(np.int64)
    if len(hashes) == 1:
        return []
    bin_of_hash = pack_in_order(counts, max_records)

    def bins_of(table: pa.Table) -> Codes:
        return bin_of_hash[np.searchsorted(hashes, record_hashes(table, job.quasi_identifiers))]

    return _write_parts(shard, files, folder, max_records, bins_of)


def pack_in_order(counts: Codes, max_records: int) -> Codes:
    """Pack consecutive classes into bins of up to ``max_records`` records.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,)
        Number of records of each class.
    max_records : int
        Maximum number of records in a bin; exceeded only by a bin of a single class.

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
    current_bin, n_packed = 0, 0
    for position, count in enumerate(counts.tolist()):
        if n_packed and n_packed + count > max_records:
            current_bin, n_packed = current_bin + 1, 0
        bins[position] = current_bin
        n_packed += count
    return bins


def _cell_tree(
    job: MicroaggregationJob, cell: int, files: Sequence[ScratchFile], max_records: int
) -> SplitTree:
    """Return the split tree of a cell, built on a sample; its weights add up to the records."""
    encoders = (*job.encoders.masked, *job.encoders.confidential)
    columns = list(dict.fromkeys(encoder.name for encoder in encoders))
    n_records = sum(file.record_counts[cell] for file in files)
    share = sampling_share(n_records, max_records)

    def sample_file(file: ScratchFile) -> Sample:
        table = read_scratch([file], [cell]).select(columns)
        return Sample.from_records(table, record_hashes(table, columns, job.seed), share)

    sample = sample_file(files[0])
    for file in files[1:]:
        sample = Sample.merge([sample, sample_file(file)])
    weights = sample.counts * (n_records / sample.counts.sum())
    Z = job.encoders.coordinates(sample.table, job.encoders.read(sample.table))
    return build_split_tree(Z, max_records, weights)


def _write_parts(
    bucket: int,
    files: Sequence[ScratchFile],
    folder: str,
    max_records: int,
    parts_of: Callable[[pa.Table], Codes],
) -> list[ScratchFile]:
    """Write the records of a bucket to new files, by the part of the bucket that they are in."""
    tables = (read_scratch([file], [bucket]) for file in files)
    stem = join(folder, f"again-{bucket:08d}")
    return write_scratch_files(tables, stem, max_records, lambda table: (table, parts_of(table)))
