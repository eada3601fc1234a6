"""The groups, the triples and the clusters that a proof has generated so far.

Groups are the columns of a linear programme: select them so that each record is covered once and
the sum of their SSEs is minimal. At most one group can contain two or more of any three records;
this inequality is added for every triple that violates it in a fractional solution. At most
c // m groups can contain m or more of any c records, and the sum of h // m over all groups, where h
is how many of these records a group contains, is no greater; this is added for clusters of records
that violate it, such as twelve that are near each other and covered by groups of ten (m = 10). The
number m is the divisor of a cluster. A triple is a cluster of three records with divisor 2.
"""

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from shoal._kernels.column_generation.dual_ascent import list_cluster_groups, list_triple_groups
from shoal.partitioners._base import Indices, Labels, Matrix, Values

MAX_PAIRS = 40_000  # pairs of records in the fractional groups that are searched for triples
CLUSTER_FACTOR = 4  # times k: clusters have fewer records
MIN_VIOLATED_WEIGHT = 1.02  # of the groups with two or three records of a triple; 1 is feasible


class Incidence(NamedTuple):
    """The items that contain record i: ``items[start[i] : start[i + 1]]``."""

    start: Indices
    items: Indices


def incidence(rows: Indices, n: int) -> Incidence:
    """Return which ``rows`` contain each of ``n`` records; -1 is padding."""
    flat = rows.ravel()
    order = np.argsort(flat, kind="stable")
    order = order[np.searchsorted(flat[order], 0) :]
    start = np.searchsorted(flat[order], np.arange(n + 1))
    return Incidence(start.astype(np.int64), order // rows.shape[1])


def cluster_limits(clusters: Indices, divisors: Indices) -> Values:
    """Return the size of each cluster divided by its divisor, rounded down.

    No more groups of a partition can contain as many records of a cluster as its divisor.
    """
    limits: Values = ((clusters >= 0).sum(axis=1) // divisors).astype(np.float64)
    return limits


class Columns:
    """Distinct groups of ``k`` to 2k - 1 records with their SSEs, triples and clusters of records.

    A row of ``members`` contains the records of a group in ascending order, padded with -1. A row
    of ``clusters`` contains those of a cluster in the same way; ``divisors`` has one per cluster.
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
        """Return pairs (triple, group): the group contains two or three records of the triple.

        Only groups from ``first_group`` on are listed.
        """
        return self._pairs(list_triple_groups, triples, first_group)

    def groups_with_clusters(
        self, clusters: Indices, divisors: Indices, first_group: int = 0
    ) -> Indices:
        """Return pairs (cluster, group), each h // divisor times.

        Here h is the number of records of the cluster that the group contains. Only groups from
        ``first_group`` on are listed.
        """
        return self._pairs(list_cluster_groups, clusters, first_group, divisors)

    def _pairs(
        self, kernel: Callable[..., int], sets: Indices, first_group: int, *options: Indices
    ) -> Indices:
        """Return the pairs (set, group) that a compiled function lists.

        It writes them into an array and returns their number, so a longer array is used if the
        first one is too short. Only groups from ``first_group`` on are listed.
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

    def violated_triples(self, weights: Values, max_triples: int) -> Indices:
        """Return the triples that a fractional solution violates most, in that order."""
        fractional = np.flatnonzero((weights > 1e-6) & (weights < 1 - 1e-6))
        heaviest = np.argsort(-weights[fractional], kind="stable")
        fractional = fractional[heaviest[: MAX_PAIRS // self.k**2]]
        groups = [[i for i in row if i >= 0] for row in self.members[fractional].tolist()]
        near: dict[int, set[int]] = {}
        for group in groups:
            for record in group:
                near.setdefault(record, set()).update(group)
        triple_weight: dict[tuple[int, ...], float] = {}
        for group, weight in zip(groups, weights[fractional].tolist(), strict=True):
            touched_triples = {
                tuple(sorted((a, b, c)))
                for a, b in combinations(group, 2)
                for c in (near[a] | near[b]) - {a, b}
            }
            for triple in touched_triples:
                triple_weight[triple] = triple_weight.get(triple, 0.0) + weight
        for triple in map(tuple, self.triples.tolist()):
            triple_weight.pop(triple, None)
        worst = sorted(
            (-weight, triple)
            for triple, weight in triple_weight.items()
            if weight > MIN_VIOLATED_WEIGHT
        )
        return np.array([triple for _, triple in worst[:max_triples]], np.int64).reshape(-1, 3)
