"""Strata of fewer than k records join the nearest, by sums over the whole table."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.scale.cluster import stage
from shoal.scale.exact import UNIT, exact_sum
from shoal.scale.job import Job, Merged, load_job, save_job, task
from shoal.scale.pieces import Piece, batches
from shoal.steps.strata import describe_merged_strata, join_small, largest_of

if TYPE_CHECKING:
    from distributed import Client

Codes = NDArray[np.int64]
Sums = dict[int, list[int]]


def merge_strata(
    client: "Client", job: Job, path: Path, pieces: Sequence[Piece], counts: Codes
) -> tuple[Merged | None, str]:
    """Join small strata as in memory; return what became of each, and a sentence about it.

    Means are those of exact sums, so a tie is a tie in whatever order records come; it goes
    to the stratum whose values come first.

    Parameters
    ----------
    client : Client
        The cluster.
    job : Job
        The job, with strata that have no cuts yet.
    path : Path
        Where workers find it.
    pieces : list of Piece
        The table.
    counts : ndarray of shape (n_strata,)
        Records of each stratum.

    Returns
    -------
    tuple of Merged or None and str
        None where no stratum is too small.
    """
    k, strata = job.step.k, job.strata
    if counts.min() >= k:
        return None, ""
    sums = _sums(client, job, path, pieces)

    def size(group: Sequence[int]) -> int:
        return sum(int(counts[at]) for at in group)

    def centre(group: Sequence[int]) -> NDArray[np.float64]:
        totals = zip(*(sums[at] for at in group), strict=True)
        return np.array([float(sum(total) * UNIT / size(group)) for total in totals])

    members = join_small(len(counts), k, size, centre)
    into, shown = np.full_like(counts, -1), np.full_like(counts, -1)
    for number, (group, kept) in enumerate(
        zip(members, largest_of(members, counts.tolist()), strict=True)
    ):
        into[group], shown[group] = number, kept
    sizes = counts.tolist()
    told = describe_merged_strata(members, sizes, sizes, k, columns=strata.columns)
    return Merged(into, shown), told


def _sums(client: "Client", job: Job, path: Path, pieces: Sequence[Piece]) -> Sums:
    """Return the sums of the masked columns in each stratum, in units of ``UNIT``."""
    save_job(job, path)
    tasks = [(str(path), piece) for piece in pieces]
    sizes = [piece.records for piece in pieces]
    sums: Sums = {}
    for _, found in stage(client, "comparing strata", sum_piece, tasks, sizes):
        _add(sums, found)
    return sums


@task
def sum_piece(job_file: str, piece: Piece) -> Sums:
    """Return the sums of the masked columns in each stratum of a piece."""
    job = load_job(job_file)
    sums: Sums = {}
    for table in batches(piece, [*job.step.columns, *job.strata.columns], job.needed):
        stratum = job.strata.of(table)
        order = np.argsort(stratum, kind="stable")
        A = job.book.axes(job.book.read(table))[order]
        numbers, starts = np.unique(stratum[order], return_index=True)
        parts = np.split(A, starts[1:])
        found = zip(numbers.tolist(), parts, strict=True)
        _add(sums, {at: [exact_sum(axis) for axis in part.T] for at, part in found})
    return sums


def _add(sums: Sums, more: Sums) -> None:
    for at, found in more.items():
        before = sums.get(at)
        sums[at] = found if before is None else [a + b for a, b in zip(before, found, strict=True)]
