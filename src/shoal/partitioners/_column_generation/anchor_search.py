"""Search for groups of negative reduced cost at given anchors, with limited effort, in threads.

The *anchor* of a group is its record of lowest rank, so that every group is generated once.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.column_generation.candidate_list import NeighbourTable, PricingDuals
from shoal._kernels.column_generation.cheapest_groups import open_cheapest_groups
from shoal._kernels.column_generation.group_search import SearchLimits, price_groups
from shoal._kernels.spatial.index import open_index
from shoal.partitioners._base import Indices, Matrix, Values
from shoal.partitioners._budget import OnProgress
from shoal.partitioners._column_generation.columns import incidence
from shoal.partitioners._column_generation.master_problem import Duals
from shoal.partitioners._neighbours import nearest_others

N_NEIGHBOURS = 48  # listed neighbours; a search that needs more scans all records
STRIDE = 16  # anchors between two checks of the time, unless their searches may take long
MANY_STEPS = 100_000  # steps from which a search may take long
THREADS = 2  # threads that search at the same time, however many cores there are
MAX_GROUPS_PER_ANCHOR = 3  # groups of lowest reduced cost that are kept per anchor


class PricingEffort(NamedTuple):
    """Limits of the search at an anchor: the number of candidates, and of search steps.

    If the steps suffice for most anchors, the others are searched again with more steps, at most
    ``max_steps_on_retry``. Unless ``include_larger``, groups of more than k records are not
    searched for; the amount by which they might lower the bound, the `greatest_deficit`, is
    subtracted from it. Groups whose reduced cost is negative by less than ``tolerance`` are not
    searched for either.
    """

    max_candidates: int
    max_steps: int
    include_larger: bool = True
    tolerance: float = 0.0
    max_steps_on_retry: int = 0


class AnchorResult(NamedTuple):
    """Lower bounds of reduced costs at several anchors, and groups of negative reduced cost.

    ``violation`` is minus the sum over anchors of their lowest reduced cost; it is at least 0.
    ``is_complete`` is True for an anchor whose bound is the reduced cost of a group that was found,
    or at which no group of interest exists.
    """

    reduced_cost_bound: Values
    groups: Indices
    violation: float
    is_complete: NDArray[np.bool_]


def neighbour_table(X: Matrix, k: int) -> NeighbourTable:
    """Return the nearest neighbours of every record, with cumulative squared distances."""
    near, squares = nearest_others(open_index(X), min(len(X) - 1, max(N_NEIGHBOURS, 2 * k)))
    square_sums = np.zeros((len(X), 2 * k - 1))
    square_sums[:, 1:] = np.cumsum(squares[:, : 2 * k - 2], axis=1)
    return NeighbourTable(X, near, squares, square_sums)


def duals_by_rank(table: NeighbourTable, duals: Duals, order: Indices, size: int) -> PricingDuals:
    """Return dual values in the form that the compiled search for groups of ``size`` needs.

    The rank of a record is its position in ``order``.
    """
    n = len(order)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    net_dual = (duals.record_dual - table.square_sums[:, size - 2] / (2 * size))[order]
    greatest_later = np.maximum.accumulate(np.append(net_dual[1:], -np.inf)[::-1])[::-1]
    has_triple_dual, has_cluster_dual = duals.triple_dual > 0, duals.cluster_dual > 0
    triples = duals.triples[has_triple_dual]
    triples_of, clusters_of = incidence(triples, n), incidence(duals.clusters[has_cluster_dual], n)
    return PricingDuals(
        size=size,
        record_dual=duals.record_dual,
        group_dual=duals.group_dual,
        rank=rank,
        ceiling=greatest_later[rank],
        triples=triples,
        triple_dual=duals.triple_dual[has_triple_dual],
        triple_start=triples_of.start,
        triples_of_record=triples_of.items,
        cluster_dual=duals.cluster_dual[has_cluster_dual],
        cluster_start=clusters_of.start,
        clusters_of_record=clusters_of.items,
        divisors=duals.divisors[has_cluster_dual],
    )


def price_anchors(
    table: NeighbourTable,
    ranked_duals: PricingDuals,
    effort: PricingEffort,
    anchors: Indices,
) -> AnchorResult:
    """Search for groups of negative reduced cost at ``anchors``."""
    cheapest = open_cheapest_groups(len(anchors), MAX_GROUPS_PER_ANCHOR, ranked_duals.size)
    limits = SearchLimits(-effort.tolerance, effort.max_candidates, effort.max_steps)
    price_groups(table, ranked_duals, anchors, limits, cheapest)
    lowest_costs = cheapest.costs.min(axis=1)
    is_complete = cheapest.bounds >= np.minimum(lowest_costs, -effort.tolerance)
    groups = cheapest.groups[cheapest.is_stored]
    return AnchorResult(cheapest.bounds, groups, -float(lowest_costs.sum()), is_complete)


def split_anchors(anchors: Indices, effort: PricingEffort) -> list[Indices]:
    """Split anchors into chunks; the time is checked after each chunk."""
    stride = STRIDE if effort.max_steps < MANY_STEPS else 1
    return [anchors[i : i + stride] for i in range(0, len(anchors), stride)]


def price_in_threads(
    price: Callable[[Indices], AnchorResult],
    chunks: Sequence[Indices],
    on_progress: OnProgress,
) -> Iterator[tuple[Indices, AnchorResult]]:
    """Yield chunks of anchors and the results of ``price`` for them, in order, from two threads.

    ``on_progress`` is called after each and may raise, which cancels the remaining searches.
    """
    with ThreadPoolExecutor(THREADS) as pool:
        futures = [pool.submit(price, chunk) for chunk in chunks]
        try:
            for chunk, future in zip(chunks, futures, strict=True):
                yield chunk, future.result()
                on_progress()
        finally:
            for future in futures:
                future.cancel()
