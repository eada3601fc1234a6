"""Search for the released classes that are nearest to each target."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal import _progress as progress
from shoal._kernels.mixed_search import MixedIndex, MixedTable, list_within, tighten_bounds
from shoal.metrics._array_types import Labels, Values
from shoal.metrics._scaling import ROUNDING_TOLERANCE

STRIDE = 50  # targets whose neighbours are searched for at a time, in one thread


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest class of each target, or several classes that are equally near.

    Parameters
    ----------
    squared_distances : ndarray of shape (n_targets,)
        Squared distance to the nearest class.
    starts : ndarray of shape (n_targets + 1,)
        Positions in ``nearest`` at which the classes of each target begin.
    nearest : ndarray
        The nearest classes of all targets, one after the other.
    """

    squared_distances: Values
    starts: Labels
    nearest: Labels

    def nearest_to(self, target: int) -> Labels:
        """Return the nearest classes of a target."""
        return self.nearest[self.starts[target] : self.starts[target + 1]]


def search_neighbours(index: MixedIndex, targets: MixedTable, n_jobs: int) -> Neighbours:
    """Return the nearest classes of all targets, which are searched for in parallel."""
    n_targets = len(targets.numbers)
    chunks = [slice(start, min(n_targets, start + STRIDE)) for start in range(0, n_targets, STRIDE)]
    results = []
    with ThreadPoolExecutor(n_jobs) as pool:
        search = partial(_search_chunk, index, targets)
        for chunk, result in zip(chunks, pool.map(search, chunks), strict=True):
            results.append(result)
            progress.report("attacks: nearest records", chunk.stop, n_targets)
    counts = np.concatenate([np.diff(result.starts) for result in results])
    return Neighbours(
        np.concatenate([result.squared_distances for result in results]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([result.nearest for result in results]),
    )


def _search_chunk(index: MixedIndex, all_targets: MixedTable, chunk: slice) -> Neighbours:
    """Return the nearest classes of a chunk of the targets."""
    targets = all_targets.select_rows(chunk)
    squared_distances = np.full(len(targets.numbers), np.inf)
    tighten_bounds(index, targets, squared_distances)
    bounds = squared_distances * (1 + ROUNDING_TOLERANCE)  # equally near, up to rounding
    counts = np.zeros(len(squared_distances), np.int64)
    list_within(index, targets, bounds, counts, np.empty(0, np.int64))
    starts = np.concatenate([[0], np.cumsum(counts)])
    nearest = np.empty(starts[-1], np.int64)
    list_within(index, targets, bounds, starts[:-1].copy(), nearest)
    return Neighbours(squared_distances, starts, nearest)
