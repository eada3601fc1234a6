"""Pricing: the lower bound that dual values prove, and the groups of negative reduced cost.

Every record has a dual value, and so has every triple of records, which applies to a group that
contains two or three of them, and the number of groups. The dual of a cluster of c records applies
to a group h // m times, where h is how many of these it contains and m the divisor of the cluster.
The reduced cost of a group is its SSE plus the duals of its triples and clusters plus the dual of
the number of groups, minus the duals of its records. A partition covers each record once and each
triple at most once, and the dual of a cluster applies c // m times at most, so its SSE is at least

    record duals - triple duals - c // m * cluster duals - groups * group dual
    + reduced costs of its groups,

and the reduced cost of a group is at least the minimum over all groups with the same first record,
in an order of the records that may differ from size to size. The bound is valid for any dual
values; good ones make it high.

Groups larger than k need a search only where the duals of triples or groups are large. Cover a
group S of s records evenly by its subsets of k, each with weight 1 / C(s-1, k-1). Their SSEs weigh
s (k-1) / (k (s-1)) of that of S, their group duals s / k of one, the dual of a triple with two
records in S less than once, that of a triple inside S `repeated` times, and that of a cluster at
most h / m times, but h // m times in S: at most (s - m) / s of h / m less often, as h is at most s.
So if no group of k has a negative reduced cost, neither has S, unless the duals of triples,
clusters and groups weigh more than its SSE saves. That SSE is bounded by the nearest distances of
its records, so only groups whose records have a positive `excess` need to be searched.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from math import comb, fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.pricing.candidates import NeighbourTable, PricingDuals
from shoal._kernels.pricing.group_search import price_groups
from shoal._kernels.spatial.index import open_index
from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._column_generation.columns import cluster_limits, incidence
from shoal.partitioners._column_generation.master_problem import Duals
from shoal.partitioners._neighbours import nearest_others

NEAR = 48  # listed neighbours; a search that needs more scans all records
STRIDE = 16  # records between two checks of the time
THREADS = 2
EXCESS_FACTOR = 10.0  # any positive factor is valid
MANY = 0.25  # of the records: with more of them, a search with higher duals comes first
RAISED_STEPS = 200  # of the search that rules out records with these duals
KEPT = 3  # groups of lowest reduced cost that are kept per record
EPSILON = float(np.finfo(np.float64).eps)


class PricingEffort(NamedTuple):
    """Limits of the search at a record: the number of candidates, and of search steps.

    Without a search for ``larger`` groups than k, their excess lowers the bound. Groups whose
    reduced cost is negative by less than ``tolerance`` are not searched for.
    """

    max_candidates: int
    max_steps: int
    larger: bool = True
    tolerance: float = 0.0


class PricedAnchors(NamedTuple):
    """Bounds of the reduced costs at some records, groups of negative ones, and their sum."""

    reduced_cost: Matrix
    groups: Labels
    violation: float


class Priced(NamedTuple):
    """A lower bound of all partitions, groups of negative reduced cost, and their sum.

    With the ``correction`` added to the duals of the records, no group has a negative reduced cost.
    """

    bound: float
    groups: list[Labels]
    violation: float
    correction: Matrix


def neighbour_table(X: Matrix, k: int) -> NeighbourTable:
    """Return the nearest neighbours of every record, with cumulative squared distances."""
    near, gaps = nearest_others(open_index(X), min(len(X) - 1, max(NEAR, 2 * k)))
    sums = np.zeros((len(X), 2 * k - 1))
    sums[:, 1:] = np.cumsum(gaps[:, : 2 * k - 2], axis=1)
    return NeighbourTable(X, near, gaps, sums)


def repeated(size: int, k: int) -> float:
    """Return how often the weighted subsets of ``k`` count the dual of a triple inside S."""
    two, three = comb(size - 3, k - 2), comb(size - 3, k - 3) if k > 2 else 0
    return (3 * two + three) / comb(size - 1, k - 1)


def excess(table: NeighbourTable, triples: Labels, duals: Duals, k: int, size: int) -> Matrix:
    """Return the contribution of each record to a negative reduced cost of groups of ``size`` > k.

    The contributions of the records of such a group have a positive sum.
    """
    load = np.zeros(len(table.X))
    np.add.at(load, triples, duals.triple_dual[:, None] / 3)
    cluster_load = np.zeros(len(table.X) + 1)  # the last stands for padding
    more = np.maximum(size - duals.divisors, 0) / (size * duals.divisors)
    np.add.at(cluster_load, duals.clusters, (duals.cluster_dual * more)[:, None])
    saved = table.sums[:, size - 1] * (size - k) / (2 * size * k * (size - 1))
    added = (repeated(size, k) - 1) * load + duals.group_dual * (size - k) / (k * size)
    return added + cluster_load[:-1] * (1 + 1e-12) - saved * (1 - 1e-12)


def duals_by_rank(
    table: NeighbourTable, triples: Labels, duals: Duals, order: Labels, size: int
) -> PricingDuals:
    """Return dual values in the form that the search needs; ``order`` decides the ranks."""
    n = len(order)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    net_dual = (duals.record_dual - table.sums[:, size - 2] / (2 * size))[order]
    later = np.maximum.accumulate(np.append(net_dual[1:], -np.inf)[::-1])[::-1]
    active = triples[duals.triple_dual > 0]
    used = duals.cluster_dual > 0
    return PricingDuals(
        duals.record_dual,
        rank,
        later[rank],
        active,
        duals.triple_dual[duals.triple_dual > 0],
        *incidence(active, n),
        duals.cluster_dual[used],
        *incidence(duals.clusters[used], n),
        duals.divisors[used],
    )


class Pricing:
    """Searches a table for groups of negative reduced cost."""

    def __init__(self, X: Matrix, k: int):
        self.k, self.table = k, neighbour_table(X, k)

    def prices(self, triples: Labels, duals: Duals, order: Labels, size: int) -> PricingDuals:
        """Return the dual values in the form that the compiled search needs."""
        return duals_by_rank(self.table, triples, duals, order, size)

    def order(self, duals: Duals, has_excess: NDArray[np.bool_]) -> tuple[Labels, Labels]:
        """Return all records, those with excess first, by decreasing dual; and these alone."""
        by_dual = np.argsort(-duals.record_dual, kind="stable").astype(np.int64)
        anchors = by_dual[has_excess[by_dual]]
        return np.concatenate([anchors, by_dual[~has_excess[by_dual]]]), anchors

    def price_anchors(
        self,
        prices: PricingDuals,
        anchors: Labels,
        size: int,
        group_dual: float,
        effort: PricingEffort,
    ) -> PricedAnchors:
        """Search for groups whose first record is one of ``anchors``."""
        n = len(anchors)
        reduced_cost, counts, costs = np.empty(n), np.zeros(n, np.int64), np.zeros((n, KEPT))
        result = np.empty((n, KEPT, size), np.int64)
        price_groups(
            self.table,
            prices,
            anchors,
            size,
            group_dual,
            -effort.tolerance,
            effort.max_candidates,
            effort.max_steps,
            reduced_cost,
            result,
            costs,
            counts,
        )
        return PricedAnchors(
            reduced_cost, result[np.arange(KEPT) < counts[:, None]], float(costs.min(axis=1).sum())
        )

    def search(
        self,
        triples: Labels,
        duals: Duals,
        effort: PricingEffort,
        check_interrupt: Callable[[], None],
    ) -> Iterator[tuple[Labels, PricedAnchors]]:
        """Yield records and the result of the search there, for all sizes.

        For sizes above k, a multiple of the excess is added to the duals first if many records
        have one: a group of negative reduced cost keeps it, but most duals fall, which rules out
        most records quickly.
        """
        briefly = effort._replace(max_steps=min(effort.max_steps, RAISED_STEPS))
        order, anchors = self.order(duals, np.ones(len(duals.record_dual), bool))
        yield from self.pass_over(triples, duals, order, anchors, self.k, effort, check_interrupt)
        for size in range(self.k + 1, 2 * self.k) if effort.larger else ():
            excess_dual = excess(self.table, triples, duals, self.k, size)
            raised = duals._replace(record_dual=duals.record_dual + EXCESS_FACTOR * excess_dual)
            order, anchors = self.order(raised, excess_dual > 0)
            if len(anchors) > MANY * len(order):
                negative = [
                    part[result.reduced_cost < -effort.tolerance]
                    for part, result in self.pass_over(
                        triples, raised, order, anchors, size, briefly, check_interrupt
                    )
                ]
                anchors = np.concatenate(negative)
            yield from self.pass_over(triples, duals, order, anchors, size, effort, check_interrupt)

    def pass_over(
        self,
        triples: Labels,
        duals: Duals,
        order: Labels,
        anchors: Labels,
        size: int,
        effort: PricingEffort,
        check_interrupt: Callable[[], None],
    ) -> Iterator[tuple[Labels, PricedAnchors]]:
        """Yield records and the result of the search there, for one size, in two threads."""
        prices = self.prices(triples, duals, order, size)
        steps = [anchors[i : i + STRIDE] for i in range(0, len(anchors), STRIDE)]
        with ThreadPoolExecutor(THREADS) as pool:
            futures = [
                pool.submit(self.price_anchors, prices, part, size, duals.group_dual, effort)
                for part in steps
            ]
            try:
                for part, one in zip(steps, futures, strict=True):
                    yield part, one.result()
                    check_interrupt()
            finally:
                for one in futures:
                    one.cancel()

    def cluster_duals(self, duals: Duals) -> float:
        """Return the duals of all clusters, times how often each may apply to a partition."""
        return fsum(cluster_limits(duals.clusters, duals.divisors) * duals.cluster_dual)

    def correction(self, reduced_cost: Matrix, tolerance: float) -> Matrix:
        """Return what has to be added to the duals so that no reduced cost is negative.

        ``reduced_cost`` are lower bounds of those of the groups at each record. A group has at
        least k records, so a k-th of the tolerance, or of the lowest reduced cost, is enough for
        all records.
        """
        clipped = np.minimum(reduced_cost + tolerance, 0.0) - tolerance / self.k
        least = min(float(reduced_cost.min()), 0.0) / self.k
        return clipped if fsum(clipped) > len(clipped) * least else np.full(len(clipped), least)

    def bound(self, correction: Matrix, duals: Duals, sse: float) -> float:
        """Return a lower bound of all partitions from the correction of the duals.

        ``sse`` is the SSE of some partition. The greatest possible rounding error is subtracted:
        every term is part of fewer additions than a group of 2k - 1 records needs, and none
        exceeds the sum of all terms.
        """
        n, columns = self.table.X.shape
        group_duals = duals.group_dual * (n // self.k) + self.cluster_duals(duals)
        record_duals = fsum(duals.record_dual)
        size = fsum(np.abs(duals.record_dual)) + fsum(duals.triple_dual) + group_duals + sse
        clusters = len(duals.cluster_dual)
        rounding = 8 * EPSILON * (columns + 16 + 4 * self.k**2 + 4 * clusters) * size
        return float(
            record_duals - fsum(duals.triple_dual) - group_duals + fsum(correction) - rounding
        )

    def unsearched_excess(self, triples: Labels, duals: Duals) -> Matrix:
        """Return by how much groups larger than k may lower duals if they are not searched."""
        largest = np.zeros(len(duals.record_dual))
        for size in range(self.k + 1, 2 * self.k):
            np.maximum(largest, excess(self.table, triples, duals, self.k, size), out=largest)
        return largest

    def __call__(
        self,
        triples: Labels,
        duals: Duals,
        sse: float,
        effort: PricingEffort,
        check_interrupt: Callable[[], None],
    ) -> Priced:
        """Return the lower bound that dual values prove, and groups of negative reduced cost."""
        reduced_cost, groups, violation = np.zeros(len(duals.record_dual)), [], 0.0
        for part, result in self.search(triples, duals, effort, check_interrupt):
            reduced_cost[part] = np.minimum(reduced_cost[part], result.reduced_cost)
            groups.append(result.groups)
            violation -= result.violation
        correction = self.correction(reduced_cost, effort.tolerance)
        if not effort.larger:
            correction = correction - self.unsearched_excess(triples, duals)
        return Priced(self.bound(correction, duals, sse), groups, violation, correction)
