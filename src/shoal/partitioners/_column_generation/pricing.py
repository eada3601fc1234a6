"""Pricing: the lower bound that dual values prove, and the groups of negative reduced cost.

Every record has a dual value, and so has every triple of records, which applies to a group that
contains two or three of them, and the number of groups. The dual of a cluster of c records applies
to a group h // m times, where h is how many of these it contains and m the divisor of the cluster.
The reduced cost of a group is its SSE plus the duals of its triples and clusters plus the dual of
the number of groups, minus the duals of its records. A partition covers each record once and each
triple at most once, and the dual of a cluster applies c // m times at most, so its SSE is at least

    record duals - triple duals - c // m * cluster duals - groups * group dual
    + reduced costs of its groups,

and the reduced cost of a group is at least the minimum over all groups with the same anchor, their
first record in an order that may differ from size to size. The bound is valid for any dual
values; good ones make it high.

Groups larger than k need a search only where the duals of triples, clusters or groups are large.
Cover a group S of s records evenly by its subsets of k, each with weight 1 / C(s-1, k-1), so that
each record is covered once. In the weighted sum over these subsets,

- their SSEs add up to s (k-1) / (k (s-1)) times the SSE of S;
- the group dual counts s / k times;
- the dual of a triple counts less than once if S contains two of its records, and
  `triple_multiplicity` times if S contains all three;
- the dual of a cluster counts at most h // m + h * `cluster_excess_share` times if S contains h of
  its records.

So if no group of k has a negative reduced cost, neither has S, unless these duals weigh more than
the SSE of S exceeds that of the subsets. The SSE of S is bounded from below by the nearest
distances of its records. So only the groups need to be searched in which some record has a positive
`excess`.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from math import comb, fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.column_generation.candidate_list import NeighbourTable, PricingDuals
from shoal._kernels.column_generation.cheapest_groups import open_cheapest_groups
from shoal._kernels.column_generation.group_search import price_groups
from shoal._kernels.spatial.index import open_index
from shoal.partitioners._base import Indices, Matrix, Values
from shoal.partitioners._column_generation.columns import cluster_limits, incidence
from shoal.partitioners._column_generation.master_problem import Duals
from shoal.partitioners._neighbours import nearest_others

N_NEIGHBOURS = 48  # listed neighbours; a search that needs more scans all records
STRIDE = 16  # records between two checks of the time; 1 if their searches may take long
MANY_STEPS = 100_000  # of a search that may take long, at least
THREADS = 2
EXCESS_FACTOR = 30.0  # any positive factor is valid
SCREENING_STEPS, SCREENING_SHARE = 200, 0.1  # steps with shifted duals: at least; of all steps
MAX_GROUPS_PER_RECORD = 3  # groups of lowest reduced cost that are kept per record
RETRY_FACTOR = 10  # times the steps; at most one record in this number is searched again
EPSILON = float(np.finfo(np.float64).eps)


class PricingEffort(NamedTuple):
    """Limits of the search at a record: the number of candidates, and of search steps.

    If the steps suffice for most records, the others are searched with more of them, at most
    ``max_steps_on_retry``. Unless ``include_larger``, groups of more than k records are not
    searched for, and their excess lowers the bound. Nor are groups whose reduced cost is negative
    by less than ``tolerance``.
    """

    max_candidates: int
    max_steps: int
    include_larger: bool = True
    tolerance: float = 0.0
    max_steps_on_retry: int = 0


class AnchorResult(NamedTuple):
    """Lower bounds of reduced costs at some anchors, and groups of negative reduced cost.

    ``violation``: minus the sum over anchors of their lowest reduced cost; at least 0.
    ``is_complete`` is True where the bound is the reduced cost of a group that was found, or no
    group of interest exists.
    """

    reduced_cost_bound: Values
    groups: Indices
    violation: float
    is_complete: NDArray[np.bool_]


class PricingResult(NamedTuple):
    """A lower bound of all partitions, and groups of negative reduced cost.

    ``violation``: minus the sum over anchors of their lowest reduced cost; at least 0. An anchor
    that is searched for several sizes, or again with more steps, counts each time. With the
    ``correction`` added to the duals of the records, no group has a negative reduced cost.
    """

    bound: float
    groups: list[Indices]
    violation: float
    correction: Values


def neighbour_table(X: Matrix, k: int) -> NeighbourTable:
    """Return the nearest neighbours of every record, with cumulative squared distances."""
    near, gaps = nearest_others(open_index(X), min(len(X) - 1, max(N_NEIGHBOURS, 2 * k)))
    sums = np.zeros((len(X), 2 * k - 1))
    sums[:, 1:] = np.cumsum(gaps[:, : 2 * k - 2], axis=1)
    return NeighbourTable(X, near, gaps, sums)


def triple_multiplicity(size: int, k: int) -> float:
    """Return how often the weighted subsets of ``k`` count the dual of a triple.

    They are subsets of a group of ``size`` records that contains the whole triple.
    """
    two, three = comb(size - 3, k - 2), comb(size - 3, k - 3) if k > 2 else 0
    return (3 * two + three) / comb(size - 1, k - 1)


@cache
def cluster_excess_share(size: int, k: int, divisor: int) -> float:
    """Return how much more often the weighted subsets count the dual of a cluster than the group.

    The subsets have ``k`` records each, and the group ``size``. The group counts the dual
    h // divisor times if it contains h records of the cluster. The difference is divided by h; the
    result is the greatest quotient for any h, and at least 0.
    """

    def weighted_count(h: int) -> float:
        max_inside = min(h, k)
        terms = (comb(h, j) * comb(size - h, k - j) * (j // divisor) for j in range(max_inside + 1))
        return sum(terms) / comb(size - 1, k - 1)

    return max(0.0, max((weighted_count(h) - h // divisor) / h for h in range(1, size + 1)))


def excess(table: NeighbourTable, duals: Duals, k: int, size: int) -> Values:
    """Return the contribution of each record to a negative reduced cost of groups of ``size`` > k.

    The contributions of the records of such a group have a positive sum.
    """
    triple_load = np.zeros(len(table.X))
    np.add.at(triple_load, duals.triples, duals.triple_dual[:, None] / 3)
    cluster_load = np.zeros(len(table.X) + 1)  # the last stands for padding
    excess_shares = np.array(
        [cluster_excess_share(size, k, int(divisor)) for divisor in duals.divisors]
    )
    np.add.at(cluster_load, duals.clusters, (duals.cluster_dual * excess_shares)[:, None])
    saved_cost = table.gap_sums[:, size - 1] * (size - k) / (2 * size * k * (size - 1))
    added_cost = (triple_multiplicity(size, k) - 1) * triple_load + duals.group_dual * (
        size - k
    ) / (k * size)
    return added_cost + cluster_load[:-1] * (1 + 1e-12) - saved_cost * (1 - 1e-12)


def duals_by_rank(table: NeighbourTable, duals: Duals, order: Indices, size: int) -> PricingDuals:
    """Return dual values in the form that the compiled search needs.

    The rank of a record is its position in ``order``.
    """
    n = len(order)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    net_dual = (duals.record_dual - table.gap_sums[:, size - 2] / (2 * size))[order]
    greatest_later = np.maximum.accumulate(np.append(net_dual[1:], -np.inf)[::-1])[::-1]
    has_triple_dual, has_cluster_dual = duals.triple_dual > 0, duals.cluster_dual > 0
    triples = duals.triples[has_triple_dual]
    triples_of, clusters_of = incidence(triples, n), incidence(duals.clusters[has_cluster_dual], n)
    return PricingDuals(
        record_dual=duals.record_dual,
        group_dual=duals.group_dual,
        rank=rank,
        ceiling=greatest_later[rank],
        triples=triples,
        triple_dual=duals.triple_dual[has_triple_dual],
        start=triples_of.start,
        incidence=triples_of.items,
        cluster_dual=duals.cluster_dual[has_cluster_dual],
        cluster_start=clusters_of.start,
        cluster_incidence=clusters_of.items,
        divisors=duals.divisors[has_cluster_dual],
    )


def price_anchors(
    table: NeighbourTable,
    ranked_duals: PricingDuals,
    size: int,
    effort: PricingEffort,
    anchors: Indices,
) -> AnchorResult:
    """Search for groups of ``size`` at some ``anchors``.

    The anchor of a group is its record of lowest rank.
    """
    cheapest = open_cheapest_groups(len(anchors), MAX_GROUPS_PER_RECORD, size)
    max_candidates, max_steps = effort.max_candidates, effort.max_steps
    price_groups(
        table, ranked_duals, anchors, size, -effort.tolerance, max_candidates, max_steps, cheapest
    )
    lowest_costs = cheapest.costs.min(axis=1)
    is_complete = cheapest.bounds >= np.minimum(lowest_costs, -effort.tolerance)
    groups = cheapest.groups[cheapest.is_stored]
    return AnchorResult(cheapest.bounds, groups, -float(lowest_costs.sum()), is_complete)


def split_anchors(anchors: Indices, effort: PricingEffort) -> list[Indices]:
    """Split anchors into parts, between which the time is checked."""
    stride = STRIDE if effort.max_steps < MANY_STEPS else 1
    return [anchors[i : i + stride] for i in range(0, len(anchors), stride)]


def price_in_threads(
    price: Callable[[Indices], AnchorResult],
    parts: Sequence[Indices],
    check_interrupt: Callable[[], None],
) -> Iterator[tuple[Indices, AnchorResult]]:
    """Yield parts of anchors and the results of ``price`` for them, in order, from two threads.

    ``check_interrupt`` is called after each and may raise, which cancels the remaining searches.
    """
    with ThreadPoolExecutor(THREADS) as pool:
        futures = [pool.submit(price, part) for part in parts]
        try:
            for part, future in zip(parts, futures, strict=True):
                yield part, future.result()
                check_interrupt()
        finally:
            for future in futures:
                future.cancel()


class Pricing:
    """Searches a table for groups of negative reduced cost."""

    def __init__(self, X: Matrix, k: int):
        self.k, self.table = k, neighbour_table(X, k)

    def ranked_duals(self, duals: Duals, order: Indices, size: int) -> PricingDuals:
        """Return the dual values in the form that `price_anchors` needs."""
        return duals_by_rank(self.table, duals, order, size)

    def rank_records(self, duals: Duals, has_excess: NDArray[np.bool_]) -> tuple[Indices, Indices]:
        """Return all records in the order of their ranks, and the anchors.

        The anchors are the records with excess. They come first, and both parts are in order of
        decreasing duals.
        """
        by_dual = np.argsort(-duals.record_dual, kind="stable").astype(np.int64)
        anchors = by_dual[has_excess[by_dual]]
        return np.concatenate([anchors, by_dual[~has_excess[by_dual]]]), anchors

    def search(
        self,
        duals: Duals,
        effort: PricingEffort,
        check_interrupt: Callable[[], None],
    ) -> Iterator[tuple[Indices, AnchorResult]]:
        """Yield anchors and the results of their searches, for all sizes.

        For sizes above k, a brief search with shifted duals comes first: a multiple of the excess
        is added to them. A reduced cost that is negative stays negative, but most duals fall, which
        rules out most records quickly.
        """
        steps = max(SCREENING_STEPS, int(SCREENING_SHARE * effort.max_steps))
        screening_effort = effort._replace(max_steps=min(effort.max_steps, steps))
        order, anchors = self.rank_records(duals, np.ones(len(duals.record_dual), bool))
        ranked_duals = self.ranked_duals(duals, order, self.k)
        yield from self.search_size(ranked_duals, anchors, self.k, effort, check_interrupt)
        for size in range(self.k + 1, 2 * self.k) if effort.include_larger else ():
            excess_dual = excess(self.table, duals, self.k, size)
            shifted_duals = duals._replace(
                record_dual=duals.record_dual + EXCESS_FACTOR * excess_dual
            )
            order, anchors = self.rank_records(shifted_duals, excess_dual > 0)
            ranked_duals = self.ranked_duals(shifted_duals, order, size)
            price = partial(price_anchors, self.table, ranked_duals, size, screening_effort)
            negative_anchors = [
                part[result.reduced_cost_bound < -effort.tolerance]
                for part, result in price_in_threads(
                    price, split_anchors(anchors, screening_effort), check_interrupt
                )
            ]
            anchors = np.concatenate([anchors[:0], *negative_anchors])
            ranked_duals = self.ranked_duals(duals, order, size)
            yield from self.search_size(ranked_duals, anchors, size, effort, check_interrupt)

    def search_size(
        self,
        ranked_duals: PricingDuals,
        anchors: Indices,
        size: int,
        effort: PricingEffort,
        check_interrupt: Callable[[], None],
    ) -> Iterator[tuple[Indices, AnchorResult]]:
        """Yield anchors and the results of their searches, for one size.

        While the search is complete for all but a few records, it is repeated for these with more
        steps, which takes no longer than the first search may.
        """
        while len(anchors):
            price = partial(price_anchors, self.table, ranked_duals, size, effort)
            retry_effort = effort._replace(max_steps=max(RETRY_FACTOR * effort.max_steps, 1))
            unfinished_parts = []
            for part, result in price_in_threads(
                price, split_anchors(anchors, effort), check_interrupt
            ):
                is_done, bounds = result.is_complete, result.reduced_cost_bound
                unfinished_parts.append((part[~is_done], bounds[~is_done]))
                yield (
                    part[is_done],
                    result._replace(
                        reduced_cost_bound=bounds[is_done], is_complete=is_done[is_done]
                    ),
                )
            remaining = np.concatenate([part for part, _ in unfinished_parts])
            has_many_left = RETRY_FACTOR * len(remaining) > len(self.table.X)
            if retry_effort.max_steps > effort.max_steps_on_retry or has_many_left:
                bounds = np.concatenate([bound for _, bound in unfinished_parts])
                no_groups = np.empty((0, size), np.int64)  # they were yielded before
                yield (
                    remaining,
                    AnchorResult(bounds, no_groups, 0.0, np.zeros(len(remaining), bool)),
                )
                return
            anchors, effort = remaining, retry_effort

    def cluster_duals(self, duals: Duals) -> float:
        """Return the duals of all clusters, times how often each may apply to a partition."""
        return fsum(cluster_limits(duals.clusters, duals.divisors) * duals.cluster_dual)

    def correction(self, reduced_cost_bound: Values, tolerance: float) -> Values:
        """Return what has to be added to the duals so that no reduced cost is negative.

        ``reduced_cost_bound`` holds for each record a lower bound of the reduced costs of the
        groups with this anchor. Either the dual of each anchor falls by what its bound exceeds the
        tolerance by, and all duals fall by a k-th of the tolerance; or all fall by a k-th of the
        lowest bound. A k-th is enough, since a group has at least k records.
        """
        clipped_bounds = np.minimum(reduced_cost_bound + tolerance, 0.0) - tolerance / self.k
        even_correction = min(float(reduced_cost_bound.min()), 0.0) / self.k
        return (
            clipped_bounds
            if fsum(clipped_bounds) > len(clipped_bounds) * even_correction
            else np.full(len(clipped_bounds), even_correction)
        )

    def bound(self, correction: Values, duals: Duals, sse: float) -> float:
        """Return a lower bound of all partitions from the correction of the duals.

        ``sse`` is the SSE of some partition. The greatest possible rounding error is subtracted:
        every term is part of fewer additions than a group of 2k - 1 records needs, and none
        exceeds the sum of all terms.
        """
        n, p = self.table.X.shape
        group_duals = duals.group_dual * (n // self.k) + self.cluster_duals(duals)
        record_duals = fsum(duals.record_dual)
        terms = fsum(np.abs(duals.record_dual)) + fsum(duals.triple_dual) + group_duals + sse
        n_clusters = len(duals.cluster_dual)
        rounding = 8 * EPSILON * (p + 16 + 4 * self.k**2 + 4 * n_clusters) * terms
        return float(
            record_duals - fsum(duals.triple_dual) - group_duals + fsum(correction) - rounding
        )

    def unsearched_excess(self, duals: Duals) -> Values:
        """Return by how much each dual must fall if groups larger than k are not searched.

        It is the greatest excess of the record for any size, or 0.
        """
        greatest_excess = np.zeros(len(duals.record_dual))
        for size in range(self.k + 1, 2 * self.k):
            np.maximum(
                greatest_excess, excess(self.table, duals, self.k, size), out=greatest_excess
            )
        return greatest_excess

    def price(
        self,
        duals: Duals,
        sse: float,
        effort: PricingEffort,
        check_interrupt: Callable[[], None],
    ) -> PricingResult:
        """Return the lower bound that dual values prove, and groups of negative reduced cost."""
        reduced_cost_bound, groups, violation = np.zeros(len(duals.record_dual)), [], 0.0
        for part, result in self.search(duals, effort, check_interrupt):
            reduced_cost_bound[part] = np.minimum(
                reduced_cost_bound[part], result.reduced_cost_bound
            )
            groups.append(result.groups)
            violation += result.violation
        correction = self.correction(reduced_cost_bound, effort.tolerance)
        if not effort.include_larger:
            correction = correction - self.unsearched_excess(duals)
        return PricingResult(self.bound(correction, duals, sse), groups, violation, correction)
