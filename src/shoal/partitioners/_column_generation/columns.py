"""The columns and the cuts of the master problem: groups, triples and clusters of records.

Groups are the columns of a linear programme: select them so that each record is covered once and
the sum of their SSEs is minimal. *Subset-row cuts* [JPSP08]_ strengthen it. Such a cut is defined
by a set of c records and a *divisor* m. It says that the groups, each counted h // m times if it
contains h of these records, add up to at most c // m. Every partition satisfies it; a fractional
solution may not.

A *triple* is a set of three records with divisor 2: at most one group can contain two or more of
them. All other sets are called *clusters*, since the sets whose cuts a fractional solution violates
consist of records that are near each other. For example, twelve records may be covered by groups of
ten of total weight 1.2, although with m = 10 only one group can contain ten of them.

References
----------
.. [JPSP08] Jepsen, M., Petersen, B., Spoorendonk, S. and Pisinger, D. (2008). Subset-row
   inequalities applied to the vehicle-routing problem with time windows. Operations Research
   56(2), 497-511.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal._kernels.column_generation.cut_coefficients import (
    list_cluster_groups,
    list_triple_groups,
)
from shoal.partitioners._base import Indices, Labels, Matrix, Values

CLUSTER_FACTOR = 4  # a cluster has fewer records than this times k


class Incidence(NamedTuple):
    """The items that contain record i: ``items[start[i] : start[i + 1]]``."""

    start: Indices
    items: Indices


def incidence(rows: Indices, n: int) -> Incidence:
    """Return which of the ``rows``, each a set of records, contain each of ``n`` records.

    Rows are padded with -1.
    """
    records = rows.ravel()
    order = np.argsort(records, kind="stable")
    order = order[np.searchsorted(records[order], 0) :]
    start = np.searchsorted(records[order], np.arange(n + 1))
    return Incidence(start.astype(np.int64), order // rows.shape[1])


def cluster_limits(clusters: Indices, divisors: Indices) -> Values:
    """Return the right-hand sides of the cuts of clusters: size by divisor, rounded down."""
    limits: Values = ((clusters >= 0).sum(axis=1) // divisors).astype(np.float64)
    return limits


class Columns:
    """Distinct groups of ``k`` to 2k - 1 records with their SSEs, and the sets that define cuts.

    A row of ``members`` contains the records of a group in ascending order, padded with -1;
    ``costs`` are the SSEs. ``triples`` has three records in a row. A row of ``clusters`` contains
    the records of a cluster, padded with -1; ``divisors`` has one divisor per cluster.
    """

    def __init__(self, X: Matrix, k: int):
        self.X, self.k = X, k
        self.members = np.empty((0, 2 * k - 1), np.int64)
        self.costs = np.empty(0)
        self.triples = np.empty((0, 3), np.int64)
        self.clusters = np.empty((0, CLUSTER_FACTOR * k - 1), np.int64)
        self.divisors = np.empty(0, np.int64)
        self._keys: set[bytes] = set()

    def __len__(self) -> int:
        return len(self.costs)

    def add(self, groups: Indices) -> int:
        """Add the rows of ``groups``, all of one size; return the number of new ones."""
        rows = np.full((len(groups), self.members.shape[1]), -1, np.int64)
        rows[:, : groups.shape[1]] = np.sort(groups, axis=1)
        new_rows = []
        for i, row in enumerate(rows):
            key = row.tobytes()
            if key not in self._keys:
                self._keys.add(key)
                new_rows.append(i)
        if new_rows:
            records = self.X[rows[new_rows, : groups.shape[1]]]
            centred = records - records.mean(axis=1, keepdims=True)
            self.members = np.concatenate([self.members, rows[new_rows]])
            self.costs = np.concatenate([self.costs, np.einsum("ijk,ijk->i", centred, centred)])
        return len(new_rows)

    def add_partition(self, labels: Labels) -> None:
        """Add the groups of a partition, except those of 2k records or more."""
        sizes = np.bincount(labels)
        order = np.argsort(labels, kind="stable")
        for size in np.unique(sizes[sizes < 2 * self.k]):
            self.add(order[np.isin(labels[order], np.flatnonzero(sizes == size))].reshape(-1, size))

    def groups_with_triples(self, triples: Indices, first_group: int = 0) -> Indices:
        """Return pairs (triple, group) for which the group is part of the cut of the triple.

        The group then contains two or three records of the triple. Only groups from ``first_group``
        on are listed.
        """
        return self._pairs(list_triple_groups, triples, first_group)

    def groups_with_clusters(
        self, clusters: Indices, divisors: Indices, first_group: int = 0
    ) -> Indices:
        """Return pairs (cluster, group), each as often as the group counts in the cut.

        A group that contains h records of the cluster counts h // divisor times. Only groups from
        ``first_group`` on are listed.
        """
        return self._pairs(list_cluster_groups, clusters, first_group, divisors)

    def _pairs(
        self, kernel: Callable[..., int], sets: Indices, first_group: int, *options: Indices
    ) -> Indices:
        """Return the pairs (set, group) that a compiled function lists.

        The function fills an array and returns the number of pairs, so a longer array is used if
        the first one is too short. Only groups from ``first_group`` on are listed.
        """
        if len(sets) == 0 or first_group == len(self):
            return np.empty((0, 2), np.int64)
        start, items = incidence(sets, len(self.X))
        pairs = np.empty((4 * len(self), 2), np.int64)
        while True:
            count = kernel(self.members[first_group:], sets, start, items, pairs, *options)
            if count <= len(pairs):
                listed_pairs: Indices = pairs[:count] + np.array([0, first_group])
                return listed_pairs
            pairs = np.empty((count, 2), np.int64)
