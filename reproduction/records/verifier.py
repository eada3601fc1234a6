"""Check a partition and a lower bound of the SSE independently: plain NumPy, nothing of Shoal.

A certificate is one dual value per record. It may also have nonnegative dual values for triples and
*clusters* of records. The dual of a triple applies to a group with two or three of its records;
only one group of a partition can have them. A cluster of c records has a *divisor* m. Its dual
applies h // m times to a group with h of its records; since the sum of all h is c, it applies at
most c // m times in a partition. So if no group of k to 2k - 1 records has an SSE below the duals
of its records less the duals of the triples and clusters, each as often as it applies to the group,
then no partition into groups of at least k records has an SSE below

    duals of records - duals of triples - sum of c // m * dual of the cluster.

(A group of 2k records or more can be divided, which never raises the SSE.)

Without triples and clusters, groups of k records suffice: cover a group of s records evenly by its
subsets of k, so that each record is covered once; the weighted SSEs of these subsets add up to
s (k - 1) / (k (s - 1)) times the SSE of the group, and this factor is less than 1.

The check is exhaustive, by branch and bound. The SSE of s records is the sum of the squared
distances of all pairs, divided by s. A group is built from its record of greatest dual. Each record
that may still join adds at least its distances to the members, half of the duals of triples that
have one member, and half of the distances to the nearest records that may join with it, as many as
are missing, less its dual.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

MAX_PAIRED = 400  # with more candidates, the distances between them are not used for bounds
ROUNDS = 3  # rounds in which candidates are excluded by their distances to the remaining ones

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class NotAPartition(ValueError):
    """A group has fewer than k records, or not every record has a group."""


def squared_distances(X: Floats, Y: Floats) -> Floats:
    """Return the squared distances of all rows of ``X`` to all rows of ``Y``."""
    total = np.zeros((len(X), len(Y)))
    for column in range(X.shape[1]):
        total += np.subtract.outer(X[:, column], Y[:, column]) ** 2
    return total


def sums_of_least(values: Floats, n_least: int) -> Floats:
    """Return for each row the sums of its 0, 1, ..., ``n_least`` smallest values."""
    sums = np.zeros((len(values), n_least + 1))
    if n_least:
        least = np.sort(np.partition(values, n_least - 1, axis=1)[:, :n_least], axis=1)
        sums[:, 1:] = np.cumsum(least, axis=1)
    return sums


def sort_by_floor(
    floors: Floats, candidates: Integers, costs: Floats
) -> tuple[Integers, Floats, Floats]:
    """Return candidates, costs and floors in the order of the floors."""
    order = np.argsort(floors, kind="stable")
    return candidates[order], costs[order], floors[order]


class Certificate(NamedTuple):
    """Duals of records, triples and clusters, in the squared units of a table."""

    duals: Floats
    triples: Sequence[tuple[int, int, int]] = ()
    triple_duals: Sequence[float] = ()
    clusters: Sequence[Sequence[int]] = ()
    divisors: Sequence[int] = ()
    cluster_duals: Sequence[float] = ()

    def bound(self) -> float:
        """Return the lower bound of the SSE of all partitions, if the duals are feasible."""
        clusters = zip(self.clusters, self.divisors, self.cluster_duals, strict=True)
        set_duals = fsum(len(cluster) // divisor * dual for cluster, divisor, dual in clusters)
        return fsum(self.duals) - fsum(self.triple_duals) - set_duals

    def is_well_formed(self, n_records: int) -> bool:
        """Return whether duals of sets are not negative, and sets have different records each."""
        sets = [*self.triples, *self.clusters]
        return (
            len(self.duals) == n_records
            and bool(np.isfinite(self.duals).all())
            and all(0 <= dual < np.inf for dual in (*self.triple_duals, *self.cluster_duals))
            and all(len(triple) == 3 for triple in self.triples)
            and all(
                len({*records}) == len(records) and {*records} <= {*range(n_records)}
                for records in sets
            )
            and len(self.triples) == len(self.triple_duals)
            and len(self.clusters) == len(self.divisors) == len(self.cluster_duals)
            and all(isinstance(divisor, int) and divisor > 1 for divisor in self.divisors)
        )


class RecordSets:
    """The triples and clusters of each record, with their duals."""

    def __init__(self, certificate: Certificate):
        n_records = len(certificate.duals)
        self.triples: list[list[tuple[int, int, float]]] = [[] for _ in range(n_records)]
        for (a, b, c), dual in zip(certificate.triples, certificate.triple_duals, strict=True):
            for record, first, second in ((a, b, c), (b, a, c), (c, a, b)):
                self.triples[record].append((first, second, dual))
        self.clusters: list[list[int]] = [[] for _ in range(n_records)]
        self.is_in_cluster = np.zeros((len(certificate.clusters), n_records), bool)
        for i, cluster in enumerate(certificate.clusters):
            self.is_in_cluster[i, list(cluster)] = True
            for member in cluster:
                self.clusters[member].append(i)
        self.divisors = list(certificate.divisors)
        self.cluster_duals = [float(dual) for dual in certificate.cluster_duals]


class GroupSearch:
    """A search for the lowest reduced cost of groups of ``size`` records.

    The group so far has some members. ``half_duals`` is, for each record, half of the duals of the
    triples that contain it and exactly one member; ``n_in_cluster`` is the number of members in
    each cluster. A candidate is a record that may still join, at a cost that does not include duals
    of triples, and its floor is a lower bound of what it adds to a complete group.
    """

    def __init__(
        self, distances: Floats, size: int, sums: Floats, sets: RecordSets, tolerance: float
    ):
        self.distances, self.size, self.sums = distances, size, sums
        self.sets, self.lowest, self.tolerance = sets, 0.0, tolerance
        self.half_duals, self.is_member = np.zeros(len(sums)), np.zeros(len(sums), bool)
        self.n_in_cluster = [0] * len(sets.cluster_duals)

    @property
    def cutoff(self) -> float:
        """The reduced cost below which a group is of interest."""
        return self.lowest - self.tolerance

    @contextmanager
    def with_member(self, record: int) -> Iterator[None]:
        """Within the context, add a record to the members."""
        changes = []
        for first, second, dual in self.sets.triples[record]:
            if self.is_member[first] and self.is_member[second]:
                continue
            share = -dual / 2 if self.is_member[first] or self.is_member[second] else dual / 2
            changes.append((first, second, share))
            self.half_duals[first] += share
            self.half_duals[second] += share
        for cluster in self.sets.clusters[record]:
            self.n_in_cluster[cluster] += 1
        self.is_member[record] = True
        yield
        self.is_member[record] = False
        for cluster in self.sets.clusters[record]:
            self.n_in_cluster[cluster] -= 1
        for first, second, share in changes:
            self.half_duals[first] -= share
            self.half_duals[second] -= share

    def may_join(self, n_missing: int, cost: float, floors: Floats) -> NDArray[np.bool_]:
        """Return which candidates may join a group below the cutoff, given their floors.

        ``cost`` is the cost of the members, and ``n_missing`` records complete the group.
        """
        if len(floors) < n_missing:
            return np.zeros(len(floors), bool)
        least_floors = np.partition(floors, n_missing - 1)[:n_missing]
        cost_without_candidate = cost + least_floors.sum() - least_floors.max()
        is_below: NDArray[np.bool_] = cost_without_candidate + floors < self.cutoff
        return is_below

    def exclude(
        self, n_missing: int, cost: float, candidates: Integers, costs: Floats
    ) -> tuple[Integers, Floats, Floats]:
        """Return the candidates that may join a group below the cutoff, their costs and floors.

        The candidates are sorted by their floors.
        """
        floors = (
            costs
            + self.half_duals[candidates]
            + self.sums[candidates, n_missing - 1] / (2 * self.size)
        )
        may_join = self.may_join(n_missing, cost, floors)
        candidates, costs, floors = candidates[may_join], costs[may_join], floors[may_join]
        if n_missing < 3 or not n_missing < len(candidates) <= MAX_PAIRED:
            return sort_by_floor(floors, candidates, costs)
        pair_distances = self.distances[np.ix_(candidates, candidates)] / self.size
        for _ in range(ROUNDS):
            own_costs, half_sums = (
                costs + self.half_duals[candidates],
                sums_of_least(pair_distances, n_missing - 1) / 2,
            )
            floors = own_costs + half_sums[:, n_missing - 1]
            least_with = sums_of_least(
                pair_distances + own_costs + half_sums[:, n_missing - 2], n_missing - 1
            )[:, n_missing - 1]
            may_join = self.may_join(n_missing, cost, floors) & (
                cost + own_costs + least_with < self.cutoff
            )
            candidates, costs, floors = candidates[may_join], costs[may_join], floors[may_join]
            if may_join.all() or len(candidates) < n_missing:
                break
            pair_distances = pair_distances[np.ix_(may_join, may_join)]
        return sort_by_floor(floors, candidates, costs)

    def cluster_dual(self, record: int) -> float:
        """Return the sum of the duals of clusters that apply once more if a record joins."""
        return sum(
            self.sets.cluster_duals[cluster]
            for cluster in self.sets.clusters[record]
            if (self.n_in_cluster[cluster] + 1) % self.sets.divisors[cluster] == 0
        )

    def least_cost_of_joining(self, n_missing: int, candidates: Integers, floors: Floats) -> float:
        """Return a lower bound of what ``n_missing`` candidates add, given their sorted floors.

        Either the group contains records of a cluster up to the next multiple of its divisor, so
        that its dual applies once more, or it contains fewer of its records.
        """
        best = total = float(floors[:n_missing].sum())
        for cluster, n_held in enumerate(self.n_in_cluster):
            divisor, dual = self.sets.divisors[cluster], self.sets.cluster_duals[cluster]
            n_to_multiple = divisor - n_held % divisor
            if n_held and n_to_multiple <= n_missing and total + dual > best:
                is_inside = self.sets.is_in_cluster[cluster, candidates]
                fewer_floors = floors[~is_inside | (np.cumsum(is_inside) < n_to_multiple)][
                    :n_missing
                ]
                cost_without = (
                    float(fewer_floors.sum()) if len(fewer_floors) == n_missing else np.inf
                )
                best = max(best, min(total + dual, cost_without))
        return best

    def search(self, n_missing: int, cost: float, candidates: Integers, costs: Floats) -> None:
        """Search the groups that ``n_missing`` candidates complete.

        ``cost`` is the cost of the members, and ``costs`` is what each candidate adds to it.
        """
        if n_missing == 1:
            added_costs = costs + 2 * self.half_duals[candidates]
            for i in np.flatnonzero(cost + added_costs < self.cutoff).tolist():
                group_cost = cost + added_costs[i] + self.cluster_dual(int(candidates[i]))
                self.lowest = group_cost if group_cost < self.cutoff else self.lowest
            return
        candidates, costs, floors = self.exclude(n_missing, cost, candidates, costs)
        if (
            len(candidates) < n_missing
            or cost + self.least_cost_of_joining(n_missing, candidates, floors) >= self.cutoff
        ):
            return
        for i in range(len(candidates) - n_missing + 1):
            if cost + floors[i : i + n_missing].sum() >= self.cutoff:
                break
            record, later = int(candidates[i]), candidates[i + 1 :]
            group_cost = cost + costs[i] + 2 * self.half_duals[record] + self.cluster_dual(record)
            later_costs = costs[i + 1 :] + self.distances[record, later] / self.size
            with self.with_member(record):
                self.search(n_missing - 1, group_cost, later, later_costs)


def check_duals(
    table: ArrayLike,
    k: int,
    values: ArrayLike | Certificate,
    records: Iterable[int] | None = None,
    tolerance: float = 1e-9,
) -> float:
    """Return the lowest SSE minus duals of all groups; 0 if the duals are feasible.

    Parameters
    ----------
    table : array-like of shape (n_records, n_columns)
        The records.
    k : int
        Minimum number of records in a group, at least 2.
    values : array-like of shape (n_records,), or Certificate
        The duals: a value per record, possibly with duals of triples and clusters.
    records : iterable of int, optional
        Records at which groups are checked: each group belongs to its record of greatest dual. All
        records if None.
    tolerance : float
        Rounding errors that do not count, as a share of the mean dual.

    Returns
    -------
    float
        The lowest reduced cost. If it is 0, the bound of the certificate (without triples and
        clusters, the sum of the duals) is a lower bound of the SSE of every partition, up to the
        tolerance per record. Duals that are not well formed give minus infinity.
    """
    X = np.asarray(table, np.float64)
    certificate = values if isinstance(values, Certificate) else Certificate(np.asarray(values))
    duals = np.asarray(certificate.duals, np.float64)
    if not certificate.is_well_formed(len(X)):
        return -np.inf
    has_sets = len(certificate.triples) + len(certificate.clusters) > 0
    largest = min(2 * k - 1 if has_sets else k, len(X))
    distances = squared_distances(X, X)
    np.fill_diagonal(distances, np.inf)
    sums = sums_of_least(distances, largest - 2)
    order, rank = np.argsort(-duals, kind="stable"), np.empty(len(X), int)
    rank[order] = np.arange(len(X))
    sets, tolerance = RecordSets(certificate), tolerance * float(np.abs(duals).mean())
    searches = [
        GroupSearch(distances, size, sums, sets, tolerance) for size in range(k, largest + 1)
    ]
    for record in order.tolist() if records is None else records:
        candidates = order[rank[record] + 1 :]
        for search in searches:
            if len(candidates) >= search.size - 1:
                with search.with_member(record):
                    costs = distances[record, candidates] / search.size - duals[candidates]
                    search.search(search.size - 1, -float(duals[record]), candidates, costs)
    return float(min((search.lowest for search in searches), default=0.0))


def check_partition(table: ArrayLike, k: int, labels: ArrayLike) -> float:
    """Return the SSE of a partition; raise `NotAPartition` if a group has too few records."""
    X, groups, total = np.asarray(table, np.float64), np.asarray(labels), 0.0
    if groups.shape != (len(X),):
        raise NotAPartition(f"There are {len(X)} records and {groups.size} labels.")
    for label in np.unique(groups):
        group = X[groups == label]
        if len(group) < k:
            raise NotAPartition(f"A group has {len(group)} records; k is {k}.")
        total += float(((group - group.mean(axis=0)) ** 2).sum())
    return total
