"""Merge strata of fewer than k records with the nearest, by exact means over the whole table."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.scale.job import MicroaggregationJob, load_job, save_job
from shoal.scale.runners.runner import Runner, run_stage
from shoal.scale.sources.chunks import Chunk, read_batches
from shoal.scale.splitting.strata import MergedStrata
from shoal.scale.statistics.exact_sums import UNIT, exact_integer_sum
from shoal.scale.statistics.hashes import Hashes, record_hashes
from shoal.scale.worker_task import worker_task
from shoal.steps.constraints.strata import describe_merged_strata, join_small_strata, largest_strata

Codes = NDArray[np.int64]
Sums = dict[int, list[int]]  # by stratum, the exact sum of each axis


def merge_strata(
    runner: Runner,
    job: MicroaggregationJob,
    path: str,
    chunks: Sequence[Chunk],
    counts: Codes,
    unit_hashes: Sequence[Hashes] | None = None,
) -> tuple[MergedStrata | None, str]:
    """Merge small strata as for a table in memory; return the merged strata and a sentence on them.

    Means are computed from exact sums, so that they do not depend on the order of the records.
    Ties go to the stratum whose values come first.

    Parameters
    ----------
    runner : Runner
        What executes the tasks.
    job : MicroaggregationJob
        The job, whose strata are not yet divided into cells.
    path : str
        The file to write the job to, for the workers.
    chunks : list of Chunk
        The chunks of the table.
    counts : ndarray of shape (n_strata,)
        Number of records in each stratum.
    unit_hashes : list of ndarray, optional
        Hashes of up to k units of each stratum, if k counts units; see `smallest_unit_hashes`.

    Returns
    -------
    tuple of MergedStrata or None and str
        None and an empty string if no stratum is too small.
    """
    k, strata = job.step.k, job.strata
    record_counts = counts.tolist()
    # Of two strata that are merged, at most one has k units, so counting to k is enough.
    sizes = record_counts if unit_hashes is None else list(map(len, unit_hashes))
    if min(sizes) >= k:
        return None, ""
    sums = _sum_strata(runner, job, path, chunks)

    def group_size(group: Sequence[int]) -> int:
        if unit_hashes is None:
            return sum(record_counts[stratum] for stratum in group)
        return len(np.unique(np.concatenate([unit_hashes[stratum] for stratum in group])))

    def centroid(group: Sequence[int]) -> NDArray[np.float64]:
        totals = zip(*(sums[stratum] for stratum in group), strict=True)
        n_records = sum(record_counts[stratum] for stratum in group)
        return np.array([float(sum(total) * UNIT / n_records) for total in totals])

    groups = join_small_strata(len(counts), k, group_size, centroid)
    merged_into, representative = np.full_like(counts, -1), np.full_like(counts, -1)
    for merged_stratum, (group, largest) in enumerate(
        zip(groups, largest_strata(groups, sizes), strict=True)
    ):
        merged_into[group], representative[group] = merged_stratum, largest
    sentence = describe_merged_strata(
        groups, sizes, record_counts, k, columns=strata.columns, noun=job.step.unit_noun
    )
    return MergedStrata(merged_into, representative), sentence


def smallest_unit_hashes(
    runner: Runner, job: MicroaggregationJob, path: str, chunks: Sequence[Chunk]
) -> list[Hashes]:
    """Return the smallest hashes of the units of each stratum, up to k of them.

    Equal units have equal hashes. So fewer than k hashes are the exact number of units, and k
    hashes mean at least k units.
    """
    save_job(job, path)
    tasks = [(path, chunk) for chunk in chunks]
    sizes = [chunk.n_records for chunk in chunks]
    hashes_by_stratum = [np.empty(0, np.uint64) for _ in job.strata.codes]
    results = run_stage(runner, "counting units", unit_hashes_of_chunk, tasks, sizes)
    for _, hashes_of_chunk in results:
        for stratum, hashes in hashes_of_chunk.items():
            merged_hashes = np.union1d(hashes_by_stratum[stratum], hashes)
            hashes_by_stratum[stratum] = merged_hashes[: job.step.k]
    return hashes_by_stratum


@worker_task
def unit_hashes_of_chunk(job_file: str, chunk: Chunk) -> dict[int, Hashes]:
    """Return the smallest hashes of the units of each stratum of a chunk, up to k of them."""
    job: MicroaggregationJob = load_job(job_file)
    assert job.unit is not None
    hashes_by_stratum: dict[int, Hashes] = {}
    columns = list(dict.fromkeys([job.unit, *job.strata.columns, *job.required_columns]))
    for table in read_batches(chunk, columns, job.required_columns):
        stratum_of, hashes = job.strata.stratum_of(table), record_hashes(table, [job.unit])
        for stratum in np.unique(stratum_of).tolist():
            previous_hashes = hashes_by_stratum.get(stratum, hashes[:0])
            merged_hashes = np.union1d(previous_hashes, hashes[stratum_of == stratum])
            hashes_by_stratum[stratum] = merged_hashes[: job.step.k]
    return hashes_by_stratum


def _sum_strata(
    runner: Runner, job: MicroaggregationJob, path: str, chunks: Sequence[Chunk]
) -> Sums:
    """Return the sums of the masked columns in each stratum, in units of ``UNIT``."""
    save_job(job, path)
    tasks = [(path, chunk) for chunk in chunks]
    sizes = [chunk.n_records for chunk in chunks]
    sums: Sums = {}
    for _, chunk_sums in run_stage(runner, "comparing strata", sum_strata_of_chunk, tasks, sizes):
        _add_sums(sums, chunk_sums)
    return sums


@worker_task
def sum_strata_of_chunk(job_file: str, chunk: Chunk) -> Sums:
    """Return the sums of the masked columns in each stratum of a chunk."""
    job: MicroaggregationJob = load_job(job_file)
    sums: Sums = {}
    columns = [*job.step.columns, *job.strata.columns]
    for table in read_batches(chunk, columns, job.required_columns):
        stratum_of = job.strata.stratum_of(table)
        order = np.argsort(stratum_of, kind="stable")
        A = job.encoders.axes(job.encoders.read(table))[order]
        strata, starts = np.unique(stratum_of[order], return_index=True)
        axes_by_stratum = np.split(A, starts[1:])
        _add_sums(
            sums,
            {
                stratum: [exact_integer_sum(axis) for axis in axes.T]
                for stratum, axes in zip(strata.tolist(), axes_by_stratum, strict=True)
            },
        )
    return sums


def _add_sums(sums: Sums, new_sums: Sums) -> None:
    """Add ``new_sums`` to ``sums`` in place."""
    for stratum, new_sums_of_axes in new_sums.items():
        previous = sums.get(stratum, [0] * len(new_sums_of_axes))
        sums[stratum] = [a + b for a, b in zip(previous, new_sums_of_axes, strict=True)]
