"""The groups of k rows that are known for a block, with their SSEs."""

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.dual_bound.net_duals import group_costs
from shoal.partitioners._base import Indices, Matrix, Values

# Odd numbers with random-looking bits; their products modulo 2 ** 64 distinguish groups.
MULTIPLIER, STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)
HALF = np.uint64(32)

Members = NDArray[np.int32]
Keys = NDArray[np.uint64]


def group_keys(members: Members) -> Keys:
    """Return a number for each group, which does not depend on the order of its rows.

    Different groups have the same number only by chance, about once in 2 ** 64 pairs.
    """
    keys = np.zeros(len(members), np.uint64)
    for column in np.sort(members, axis=1).T:
        keys = (keys ^ (column.astype(np.uint64) + STEP)) * MULTIPLIER
        keys ^= keys >> HALF
    return keys


class GroupPool:
    """Distinct groups of k rows of ``X`` and their SSEs.

    The groups that cross the border from other blocks come first in ``members``;
    ``n_border_groups`` is their number.
    """

    def __init__(self, X: Matrix, members: NDArray[np.integer], n_border_groups: int = 0):
        self.X = X
        self.members = np.empty((0, members.shape[1]), np.int32)
        self.costs = np.empty(0)
        self._keys = np.empty(0, np.uint64)  # sorted
        self.n_border_groups = self.add(members[:n_border_groups])
        self.add(members[n_border_groups:])

    def __len__(self) -> int:
        return len(self.costs)

    def add(self, groups: NDArray[np.integer]) -> int:
        """Add the rows of ``groups``; return the number of new ones."""
        keys, rows = np.unique(group_keys(groups.astype(np.int32)), return_index=True)
        if len(self):
            position = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
            is_new = self._keys[position] != keys
            keys, rows = keys[is_new], rows[is_new]
        members = groups[np.sort(rows)].astype(np.int32)
        self.members = np.concatenate([self.members, members])
        self.costs = np.concatenate([self.costs, group_costs(self.X, members)])
        self._keys = np.sort(np.concatenate([self._keys, keys]))
        return len(members)

    def dual_excess(self, dual: Values) -> Values:
        """Return by how much the duals of each group exceed its cost."""
        dual_excess = -self.costs
        for column in self.members.T:
            dual_excess += dual[column]
        return dual_excess

    def incidence(self, n: int) -> tuple[Indices, Indices]:
        """Return which groups contain each of the first ``n`` rows, in compressed row format."""
        all_rows = self.members.ravel()
        positions = np.flatnonzero(all_rows < n)
        rows = all_rows[positions]
        start = np.zeros(n + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=n), out=start[1:])
        return start, positions[np.argsort(rows, kind="stable")] // self.members.shape[1]
