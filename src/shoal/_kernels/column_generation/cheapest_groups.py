"""The groups of lowest reduced cost that searches find at each of several records."""

from typing import NamedTuple

import numpy as np


class CheapestGroups(NamedTuple):
    """The cheapest groups anchored at each of several records, and lower bounds of reduced costs.

    No group anchored at a record has a reduced cost below its entry of ``bounds``. The first
    ``counts[i]`` entries of ``groups[i]`` and ``costs[i]`` are the groups stored for the i-th
    record, and their reduced costs; further costs are 0. Kernels fill all four arrays.
    """

    bounds: np.ndarray  # (n_records,)
    groups: np.ndarray  # (n_records, max_groups, size)
    costs: np.ndarray  # (n_records, max_groups)
    counts: np.ndarray  # (n_records,)

    @property
    def is_stored(self) -> np.ndarray:
        """Mask of the entries of ``groups`` that are filled."""
        return np.arange(self.costs.shape[1]) < self.counts[:, None]


def open_cheapest_groups(n_records: int, max_groups: int, size: int) -> CheapestGroups:
    """Return space for ``max_groups`` groups of ``size`` for each record."""
    return CheapestGroups(
        bounds=np.empty(n_records),
        groups=np.empty((n_records, max_groups, size), np.int64),
        costs=np.zeros((n_records, max_groups)),
        counts=np.zeros(n_records, np.int64),
    )
