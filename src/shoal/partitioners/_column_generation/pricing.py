"""Pricing: groups of negative reduced cost, and the lower bound that dual values prove.

Every record has a dual value, and so have every triple and every cluster, which are the sets of
subset-row cuts (see `shoal.partitioners._column_generation.columns`), and the number of groups.
The reduced cost of a group is

    SSE - record duals + triple duals + h // m * cluster duals + group dual,

where the dual of a triple applies if the group contains two or three of its records, and the dual
of a cluster with divisor m applies h // m times if the group contains h of its records.

A partition covers each record once, the dual of a triple applies to it at most once, and the dual
of a cluster of c records at most c // m times. So its SSE is at least

    record duals - triple duals - c // m * cluster duals - max. number of groups * group dual
    + reduced costs of its groups,

and the reduced cost of a group is at least the minimum over all groups with the same anchor, the
first record of a group in an order that may differ from size to size. This Lagrangian bound is
valid for any dual values; good dual values make it high. A pricing that ends early gives lower
bounds of the reduced costs instead of their minima, and so still a valid bound.
"""

from collections.abc import Iterator
from functools import partial
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.column_generation.candidate_list import PricingDuals
from shoal.partitioners._base import Indices, Matrix, Values
from shoal.partitioners._budget import OnProgress
from shoal.partitioners._column_generation.anchor_search import (
    AnchorResult,
    PricingEffort,
    duals_by_rank,
    neighbour_table,
    price_anchors,
    price_in_threads,
    split_anchors,
)
from shoal.partitioners._column_generation.columns import cluster_limits
from shoal.partitioners._column_generation.larger_groups import (
    greatest_deficit,
    larger_group_deficit,
)
from shoal.partitioners._column_generation.master_problem import Duals

DEFICIT_FACTOR = 30.0  # factor of the deficit by which duals are shifted; any above 0 is valid
SCREENING_STEPS = 200  # minimum number of search steps with shifted duals
SCREENING_SHARE = 0.1  # share of all search steps that are made with shifted duals
RETRY_FACTOR = 10  # factor of the steps when at most one anchor in this many is searched again
EPSILON = float(np.finfo(np.float64).eps)


class PricingResult(NamedTuple):
    """A lower bound of all partitions, and groups of negative reduced cost.

    ``violation`` is minus the sum over anchors of their lowest reduced cost; it is at least 0. An
    anchor that is searched for several sizes, or again with more steps, counts each time. With the
    ``correction`` added to the duals of the records, no group has a negative reduced cost.
    """

    bound: float
    groups: list[Indices]
    violation: float
    correction: Values


class Pricing:
    """Searches a table for groups of negative reduced cost."""

    def __init__(self, X: Matrix, k: int):
        self.k, self.table = k, neighbour_table(X, k)

    def price(
        self,
        duals: Duals,
        sse: float,
        effort: PricingEffort,
        on_progress: OnProgress,
    ) -> PricingResult:
        """Return the lower bound that dual values prove, and groups of negative reduced cost.

        ``sse`` is the SSE of a partition, from which rounding errors are bounded.
        """
        reduced_cost_bound, groups, violation = np.zeros(len(duals.record_dual)), [], 0.0
        for anchors, result in self.search(duals, effort, on_progress):
            reduced_cost_bound[anchors] = np.minimum(
                reduced_cost_bound[anchors], result.reduced_cost_bound
            )
            groups.append(result.groups)
            violation += result.violation
        correction = self.correction(reduced_cost_bound, effort.tolerance)
        if not effort.include_larger:
            correction = correction - greatest_deficit(self.table, duals, self.k)
        return PricingResult(self.bound(correction, duals, sse), groups, violation, correction)

    def search(
        self,
        duals: Duals,
        effort: PricingEffort,
        on_progress: OnProgress,
    ) -> Iterator[tuple[Indices, AnchorResult]]:
        """Yield anchors and the results of their searches, for all sizes."""
        order, anchors = self.rank_records(duals, np.ones(len(duals.record_dual), bool))
        ranked_duals = self.ranked_duals(duals, order, self.k)
        yield from self.search_size(ranked_duals, anchors, effort, on_progress)
        if not effort.include_larger:
            return
        for size in range(self.k + 1, 2 * self.k):
            order, anchors = self.screen_anchors(duals, size, effort, on_progress)
            ranked_duals = self.ranked_duals(duals, order, size)
            yield from self.search_size(ranked_duals, anchors, effort, on_progress)

    def screen_anchors(
        self,
        duals: Duals,
        size: int,
        effort: PricingEffort,
        on_progress: OnProgress,
    ) -> tuple[Indices, Indices]:
        """Return the ranking of records for groups of ``size`` > k, and the anchors to search.

        A brief search with shifted duals rules out most anchors. A multiple of the deficit is added
        to each dual: a negative reduced cost stays negative, but most duals fall.
        """
        steps = max(SCREENING_STEPS, int(SCREENING_SHARE * effort.max_steps))
        screening_effort = effort._replace(max_steps=min(effort.max_steps, steps))
        deficit = larger_group_deficit(self.table, duals, self.k, size)
        shifted_duals = duals._replace(record_dual=duals.record_dual + DEFICIT_FACTOR * deficit)
        order, anchors = self.rank_records(shifted_duals, deficit > 0)
        ranked_duals = self.ranked_duals(shifted_duals, order, size)
        price = partial(price_anchors, self.table, ranked_duals, screening_effort)
        negative_anchors = [
            chunk[result.reduced_cost_bound < -effort.tolerance]
            for chunk, result in price_in_threads(
                price, split_anchors(anchors, screening_effort), on_progress
            )
        ]
        return order, np.concatenate([anchors[:0], *negative_anchors])

    def search_size(
        self,
        ranked_duals: PricingDuals,
        anchors: Indices,
        effort: PricingEffort,
        on_progress: OnProgress,
    ) -> Iterator[tuple[Indices, AnchorResult]]:
        """Yield anchors and the results of their searches, for the size of the ranked duals.

        While the search is complete for all but a few anchors, it is repeated for the few with more
        steps, which takes no longer than the first search.
        """
        while len(anchors):
            price = partial(price_anchors, self.table, ranked_duals, effort)
            retry_effort = effort._replace(max_steps=max(RETRY_FACTOR * effort.max_steps, 1))
            incomplete = []
            for chunk, result in price_in_threads(
                price, split_anchors(anchors, effort), on_progress
            ):
                is_done, bounds = result.is_complete, result.reduced_cost_bound
                incomplete.append((chunk[~is_done], bounds[~is_done]))
                done_anchors = chunk[is_done]
                yield (
                    done_anchors,
                    result._replace(
                        reduced_cost_bound=bounds[is_done],
                        is_complete=np.ones(len(done_anchors), bool),
                    ),
                )
            remaining = np.concatenate([chunk for chunk, _ in incomplete])
            has_many_left = RETRY_FACTOR * len(remaining) > len(self.table.X)
            if retry_effort.max_steps > effort.max_steps_on_retry or has_many_left:
                bounds = np.concatenate([bounds for _, bounds in incomplete])
                no_groups = np.empty((0, ranked_duals.size), np.int64)  # they were yielded before
                yield (
                    remaining,
                    AnchorResult(bounds, no_groups, 0.0, np.zeros(len(remaining), bool)),
                )
                return
            anchors, effort = remaining, retry_effort

    def ranked_duals(self, duals: Duals, order: Indices, size: int) -> PricingDuals:
        """Return the dual values in the form that `price_anchors` needs."""
        return duals_by_rank(self.table, duals, order, size)

    def rank_records(self, duals: Duals, is_anchor: NDArray[np.bool_]) -> tuple[Indices, Indices]:
        """Return all records in the order of their ranks, and the anchors.

        ``is_anchor`` marks the anchors, which come first. The anchors, and then the other records,
        are in the order of decreasing duals.
        """
        by_dual = np.argsort(-duals.record_dual, kind="stable").astype(np.int64)
        anchors = by_dual[is_anchor[by_dual]]
        return np.concatenate([anchors, by_dual[~is_anchor[by_dual]]]), anchors

    def correction(self, reduced_cost_bound: Values, tolerance: float) -> Values:
        """Return what must be added to the duals so that no reduced cost is negative.

        ``reduced_cost_bound`` contains, for each record, a lower bound of the reduced costs of the
        groups with this anchor. There are two ways: either the dual of each anchor falls as far as
        its bound is below minus the tolerance, and all duals fall by a k-th of the tolerance; or
        all duals fall by a k-th of the lowest bound. The way that lowers the sum of the duals less
        is chosen. A k-th is enough, since a group has at least k records.
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

        ``sse`` is the SSE of a partition. The greatest possible rounding error is subtracted:
        every term is part of fewer additions than a group of 2k - 1 records needs, and none
        exceeds the sum of all terms.
        """
        n, p = self.table.X.shape
        cluster_duals = fsum(cluster_limits(duals.clusters, duals.divisors) * duals.cluster_dual)
        group_duals = duals.group_dual * (n // self.k) + cluster_duals
        record_duals = fsum(duals.record_dual)
        terms = fsum(np.abs(duals.record_dual)) + fsum(duals.triple_dual) + group_duals + sse
        n_clusters = len(duals.cluster_dual)
        rounding = 8 * EPSILON * (p + 16 + 4 * self.k**2 + 4 * n_clusters) * terms
        return float(
            record_duals - fsum(duals.triple_dual) - group_duals + fsum(correction) - rounding
        )
