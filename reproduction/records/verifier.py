"""Check a partition and a lower bound of the SSE independently: plain NumPy, nothing of Shoal.

A certificate is one dual value per record. It may also have a dual value, not negative, for some
triples and some *clusters* of records. The dual of a triple applies to a group with two or three of
its records; only one group of a partition can have them. A cluster of c records has a *divisor* m.
Its dual applies h // m times to a group with h of its records; since the sum of all h is c, these
are c // m times at most in a partition. So if no group of k to 2k - 1 records has an SSE below the
duals of its records less those of the triples and clusters, as often as they apply to it, no
partition into groups of at least k records has an SSE below

    duals of records - duals of triples - sum of c // m * dual of the cluster.

(A group of 2k records or more can be divided, which never raises the SSE.)

Without triples and clusters, groups of k records suffice: cover a group of s records evenly by its
subsets of k, so that each record is covered once; the SSEs of these subsets weigh
s (k - 1) / (k (s - 1)) of that of the group, which is less than 1.

The check is exhaustive, by branch and bound. The SSE of s records is the sum of the squared
distances of all pairs over s. A group is built from its record of greatest dual; each record that
may still join adds at least its distances to the members, half of the duals of triples that have
one member, and half of the distances to the nearest of the records that may join with it, as many
as are missing, less its dual.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_PAIRED = 400  # records that may join up to which their distances are used for bounds
ROUNDS = 3  # of excluding records by the distances of those that are left

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


def sums_of_least(values: Floats, most: int) -> Floats:
    """Return for each row the sums of its 0 to ``most`` least values."""
    sums = np.zeros((len(values), most + 1))
    if most:
        least = np.sort(np.partition(values, most - 1, axis=1)[:, :most], axis=1)
        sums[:, 1:] = np.cumsum(least, axis=1)
    return sums


def sorted_by(floor: Floats, later: Integers, extra: Floats) -> tuple[Integers, Floats, Floats]:
    """Return records, extras and floors in the order of the floors."""
    order = np.argsort(floor, kind="stable")
    return later[order], extra[order], floor[order]


class Certificate(NamedTuple):
    """Duals of records, triples and clusters, in the squared units of a table."""

    duals: Floats
    triples: Sequence[tuple[int, int, int]] = ()
    triple_duals: Sequence[float] = ()
    clusters: Sequence[Sequence[int]] = ()
    divisors: Sequence[int] = ()
    cluster_duals: Sequence[float] = ()

    def bound(self) -> float:
        """Return the SSE that no partition is below, if the duals are feasible."""
        clusters = zip(self.clusters, self.divisors, self.cluster_duals, strict=True)
        least = fsum(len(cluster) // divisor * dual for cluster, divisor, dual in clusters)
        return fsum(self.duals) - fsum(self.triple_duals) - least

    def well_formed(self, n: int) -> bool:
        """Return whether duals of sets are not negative, and sets have different records each."""
        sets = [*self.triples, *self.clusters]
        return (
            len(self.duals) == n
            and bool(np.isfinite(self.duals).all())
            and all(0 <= dual < np.inf for dual in (*self.triple_duals, *self.cluster_duals))
            and all(len(triple) == 3 for triple in self.triples)
            and all(len({*one}) == len(one) and {*one} <= {*range(n)} for one in sets)
            and len(self.triples) == len(self.triple_duals)
            and len(self.clusters) == len(self.divisors) == len(self.cluster_duals)
            and all(isinstance(divisor, int) and divisor > 1 for divisor in self.divisors)
        )


class Sets:
    """The triples and clusters of each record, with their duals."""

    def __init__(self, certificate: Certificate):
        n = len(certificate.duals)
        self.triples: list[list[tuple[int, int, float]]] = [[] for _ in range(n)]
        for (a, b, c), dual in zip(certificate.triples, certificate.triple_duals, strict=True):
            for one, two, three in ((a, b, c), (b, a, c), (c, a, b)):
                self.triples[one].append((two, three, dual))
        self.clusters: list[list[int]] = [[] for _ in range(n)]
        self.inside = np.zeros((len(certificate.clusters), n), bool)
        for number, cluster in enumerate(certificate.clusters):
            self.inside[number, list(cluster)] = True
            for record in cluster:
                self.clusters[record].append(number)
        self.divisors = list(certificate.divisors)
        self.cluster_duals = [float(dual) for dual in certificate.cluster_duals]


class Check:
    """A search for the lowest reduced cost of groups of ``size`` records.

    ``half`` is, for each record, half of the duals of the triples that contain it and exactly one
    of the members so far; ``held`` counts the members in each cluster.
    """

    def __init__(self, distances: Floats, size: int, sums: Floats, sets: Sets, tolerance: float):
        self.distances, self.size, self.sums = distances, size, sums
        self.sets, self.lowest, self.tolerance = sets, 0.0, tolerance
        self.half, self.members = np.zeros(len(sums)), np.zeros(len(sums), bool)
        self.held = [0] * len(sets.cluster_duals)

    @property
    def cutoff(self) -> float:
        """Reduced costs below it are of interest."""
        return self.lowest - self.tolerance

    @contextmanager
    def joined(self, record: int) -> Iterator[None]:
        """Make a record a member for a while."""
        before = []
        for one, two, dual in self.sets.triples[record]:
            if self.members[one] and self.members[two]:
                continue
            share = -dual / 2 if self.members[one] or self.members[two] else dual / 2
            before.append((one, two, share))
            self.half[one] += share
            self.half[two] += share
        for cluster in self.sets.clusters[record]:
            self.held[cluster] += 1
        self.members[record] = True
        yield
        self.members[record] = False
        for cluster in self.sets.clusters[record]:
            self.held[cluster] -= 1
        for one, two, share in before:
            self.half[one] -= share
            self.half[two] -= share

    def may_join(self, need: int, cost: float, floor: Floats) -> NDArray[np.bool_]:
        """Return which records may join, given lower bounds of what each adds to a group."""
        if len(floor) < need:
            return np.zeros(len(floor), bool)
        least = np.partition(floor, need - 1)[:need]
        kept: NDArray[np.bool_] = cost + least.sum() - least.max() + floor < self.cutoff
        return kept

    def exclude(
        self, need: int, cost: float, later: Integers, extra: Floats
    ) -> tuple[Integers, Floats, Floats]:
        """Return the records that may join a group below the cutoff, their extras and floors.

        They are sorted by floors, which are lower bounds of what they add to a group.
        """
        floor = extra + self.half[later] + self.sums[later, need - 1] / (2 * self.size)
        kept = self.may_join(need, cost, floor)
        later, extra, floor = later[kept], extra[kept], floor[kept]
        if need < 3 or not need < len(later) <= MOST_PAIRED:
            return sorted_by(floor, later, extra)
        paired = self.distances[np.ix_(later, later)] / self.size
        for _ in range(ROUNDS):
            own, sums = extra + self.half[later], sums_of_least(paired, need - 1) / 2
            floor = own + sums[:, need - 1]
            with_it = sums_of_least(paired + own + sums[:, need - 2], need - 1)[:, need - 1]
            kept = self.may_join(need, cost, floor) & (cost + own + with_it < self.cutoff)
            later, extra, floor = later[kept], extra[kept], floor[kept]
            if kept.all() or len(later) < need:
                break
            paired = paired[np.ix_(kept, kept)]
        return sorted_by(floor, later, extra)

    def cluster_dual(self, record: int) -> float:
        """Return the duals of clusters that a record would add."""
        return sum(
            self.sets.cluster_duals[cluster]
            for cluster in self.sets.clusters[record]
            if (self.held[cluster] + 1) % self.sets.divisors[cluster] == 0
        )

    def least(self, need: int, later: Integers, floor: Floats) -> float:
        """Return a lower bound of what ``need`` records add, given their sorted floors.

        A group either has records of a cluster up to the next multiple of its divisor, and its
        dual once more, or it has fewer.
        """
        best = total = float(floor[:need].sum())
        for cluster, held in enumerate(self.held):
            divisor, dual = self.sets.divisors[cluster], self.sets.cluster_duals[cluster]
            missing = divisor - held % divisor
            if held and missing <= need and total + dual > best:
                inside = self.sets.inside[cluster, later]
                fewer = floor[~inside | (np.cumsum(inside) < missing)][:need]
                without = float(fewer.sum()) if len(fewer) == need else np.inf
                best = max(best, min(total + dual, without))
        return best

    def search(self, need: int, cost: float, later: Integers, extra: Floats) -> None:
        """Search the groups for which ``need`` records are missing.

        ``cost`` is that of the members so far, ``later`` are the records that may join, and
        ``extra`` is what each of them adds beside the members, without duals of triples.
        """
        if need == 1:
            added = extra + 2 * self.half[later]
            for at in np.flatnonzero(cost + added < self.cutoff).tolist():
                own = cost + added[at] + self.cluster_dual(int(later[at]))
                self.lowest = own if own < self.cutoff else self.lowest
            return
        later, extra, floor = self.exclude(need, cost, later, extra)
        if len(later) < need or cost + self.least(need, later, floor) >= self.cutoff:
            return
        for at in range(len(later) - need + 1):
            if cost + floor[at : at + need].sum() >= self.cutoff:
                break
            record, rest = int(later[at]), later[at + 1 :]
            own = cost + extra[at] + 2 * self.half[record] + self.cluster_dual(record)
            beside = extra[at + 1 :] + self.distances[record, rest] / self.size
            with self.joined(record):
                self.search(need - 1, own, rest, beside)


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
        Least number of records in a group, at least 2.
    values : array-like of shape (n_records,), or Certificate
        The duals: a value per record, possibly with duals of triples and clusters.
    records : iterable of int, optional
        Records of greatest dual whose groups are checked; all if None.
    tolerance : float
        Times the mean dual: rounding errors that do not count.

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
    if not certificate.well_formed(len(X)):
        return -np.inf
    with_sets = len(certificate.triples) + len(certificate.clusters) > 0
    largest = min(2 * k - 1 if with_sets else k, len(X))
    distances = squared_distances(X, X)
    np.fill_diagonal(distances, np.inf)
    sums = sums_of_least(distances, largest - 2)
    order, rank = np.argsort(-duals, kind="stable"), np.empty(len(X), int)
    rank[order] = np.arange(len(X))
    sets, tolerance = Sets(certificate), tolerance * float(np.abs(duals).mean())
    checks = [Check(distances, size, sums, sets, tolerance) for size in range(k, largest + 1)]
    for first in order.tolist() if records is None else records:
        later = order[rank[first] + 1 :]
        for check in checks:
            if len(later) >= check.size - 1:
                with check.joined(first):
                    extra = distances[first, later] / check.size - duals[later]
                    check.search(check.size - 1, -float(duals[first]), later, extra)
    return float(min((check.lowest for check in checks), default=0.0))


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
