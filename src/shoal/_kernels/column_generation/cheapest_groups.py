"""What searches find from each of several records: the groups of lowest reduced cost."""

from typing import NamedTuple

import numpy as np


class CheapestGroups(NamedTuple):
    """The cheapest groups found from each of some records, and lower bounds of their reduced costs.

    No group that is found from record i has a reduced cost below ``bounds[i]``. Those stored are
    ``groups[i, :counts[i]]``, with the reduced costs ``costs[i, :counts[i]]``; further costs are 0.
    Kernels fill all four arrays.
    """

    bounds: np.ndarray
    groups: np.ndarray
    costs: np.ndarray
    counts: np.ndarray

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
