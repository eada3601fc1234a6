"""Descent: move records between near groups while the SSE falls.

A record moves to a near group (relocate), is swapped with a record there (swap), or moves there
while a record of that group moves on to a third (chain). Only the groups of its nearest others are
tried, and no group falls below k.

With c and n the centroids and sizes of groups a and b, and x and y a record of each, the SSE of
both changes by

    relocate   |x - c_b|² n_b / (n_b + 1) - |x - c_a|² n_a / (n_a - 1),
    swap       -2 (y - x) (c_a - c_b) - |y - x|² (1 / n_a + 1 / n_b),
    chain      |x - c_b|² - |y - c_b|² - |y - x|² / n_b - |x - c_a|² n_a / (n_a - 1), and by the
               cost of y joining the third group.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.lanes import LANES, any_below, fill_lanes, load_lanes, store_lanes
from shoal._kernels.local_search.grouping import (
    N_QUEUED,
    SCAN,
    join_cost,
    move,
    prefetch_group,
    store_least_join_cost,
    update_group,
)
from shoal._kernels.local_search.record_queue import pop_record, queue_group
from shoal._kernels.local_search.split import split

ROUNDING = 1e-11  # share of the SSE of the groups that a move must save to be more than rounding
CENTROID_ROUNDING = 1e-15  # rounding error of a centroid, in units of the extent of the table
# A NumPy integer, since numba compiles an inner kernel again for every plain constant passed to it.
NONE = np.int64(-1)
# The cost of the second move of a chain is expensive to compute. It is computed again only if the
# chain would lower the SSE at this share of the cost that was computed last.
DISCOUNT = 0.5


class Move(NamedTuple):
    """A move of a record to group ``target``, and the change of the SSE.

    Without a ``partner`` (NONE), the record is relocated. A partner, which is a record of the
    target, moves to the group of the record (swap) or to a third group (chain).
    """

    sse_change: float
    target: int
    partner: int
    partner_target: int


class LeavingRecord(NamedTuple):
    """A record, its group, whether that keeps k records without it, and what the SSE then loses."""

    record: int
    group: int
    may_leave: bool
    sse_saved: float


@inlined
def list_near_groups(grouping, i):
    """List the groups of the nearest neighbours of ``i`` except its own; return their number."""
    count = 0
    grouping.counts[SCAN] += 1
    grouping.last_scan[grouping.labels[i]] = grouping.counts[SCAN]
    for m in range(grouping.near.shape[1]):
        g = grouping.labels[grouping.near[i, m]]
        if grouping.last_scan[g] != grouping.counts[SCAN]:
            grouping.last_scan[g] = grouping.counts[SCAN]
            grouping.near_groups[count] = g
            count += 1
            prefetch_group(grouping, g)
    return count


@compiled
def update_joins(grouping, j):
    """Store the two near groups that record ``j`` can join at the least cost, and the costs."""
    group = grouping.labels[j]
    first, second, least, next_least = NONE, NONE, np.inf, np.inf
    for m in range(grouping.near.shape[1]):
        other = grouping.labels[grouping.near[j, m]]
        if other == group or other == first or other == second:
            continue
        cost = join_cost(grouping, j, other)
        if cost < least:
            first, second, least, next_least = other, first, cost, least
        elif cost < next_least:
            second, next_least = other, cost
    joins = grouping.joins
    joins.groups[j, 0], joins.groups[j, 1] = first, second
    joins.costs[j, 0], joins.costs[j, 1] = least, next_least
    if first != NONE:
        joins.versions[j, 0] = grouping.version[first]
    if second != NONE:
        joins.versions[j, 1] = grouping.version[second]
    store_least_join_cost(grouping, j)


@inlined
def choose_join(grouping, j, excluded):
    """Return which of the two stored joins of ``j`` is the better one, except to ``excluded``.

    They are computed again if one of the two groups has changed.
    """
    first, second = grouping.joins.groups[j, 0], grouping.joins.groups[j, 1]
    if (
        first == NONE
        or first == grouping.labels[j]
        or second == grouping.labels[j]
        or grouping.version[first] != grouping.joins.versions[j, 0]
        or (second != NONE and grouping.version[second] != grouping.joins.versions[j, 1])
    ):
        update_joins(grouping, j)
    return 1 if grouping.joins.groups[j, 0] == excluded else 0


@inlined
def measure_members(grouping, i, a, b, start):
    """Measure the differences of record ``i`` to `LANES` records of group ``b``.

    Return their scalar products with the difference of the centroids of ``a`` and ``b``, and
    their squared lengths, for the records at positions from ``start`` on. Behind the last record,
    lanes have no meaning.
    """
    projections, squared_gaps = fill_lanes(0.0), fill_lanes(0.0)
    for c in range(grouping.X.shape[1]):
        gaps = load_lanes(grouping.values, (b, start // LANES, c, 0)) - fill_lanes(grouping.X[i, c])
        direction = grouping.centroids[a, c] - grouping.centroids[b, c]
        projections = projections + gaps * fill_lanes(direction)
        squared_gaps = squared_gaps + gaps * gaps
    return projections, squared_gaps


@compiled
def best_move(grouping, k, i):
    """Return the best `Move` of record ``i``; its target is NONE if no move lowers the SSE."""
    a = grouping.labels[i]
    size_a, sse_saved = grouping.sizes[a], 0.0
    may_leave = size_a > k
    if may_leave:
        sse_saved = grouping.squares[a, grouping.position[i]] * (size_a / (size_a - 1.0))
    leaving = LeavingRecord(i, a, may_leave, sse_saved)
    best = Move(0.0, NONE, NONE, NONE)
    for t in range(list_near_groups(grouping, i)):
        b = grouping.near_groups[t]
        size_b, distance = grouping.sizes[b], 0.0
        sse = grouping.sse[a] + grouping.sse[b]
        margin = ROUNDING * sse + CENTROID_ROUNDING * np.sqrt(sse)
        if may_leave:
            distance = squared_row_distance(grouping.X, i, grouping.centroids, b)
            sse_change = distance * (size_b / (size_b + 1.0)) - sse_saved
            if sse_change < best.sse_change - margin:
                best = Move(sse_change, b, NONE, NONE)
        best = best_with_partner(grouping, leaving, b, distance, margin, best)
    return best


@compiled
def best_with_partner(grouping, leaving, b, distance, margin, best):
    """Return the best of ``best`` and the moves to group ``b`` with a partner there.

    ``distance`` is the squared distance of the record to the centroid of ``b``, if it may leave.
    Few partners lower the SSE; the members are compared one by one only if one of them may.
    """
    size_b = grouping.sizes[b]
    weight = 1.0 / grouping.sizes[leaving.group] + 1.0 / size_b
    for start in range(0, size_b, LANES):
        projections, squared_gaps = measure_members(
            grouping, leaving.record, leaving.group, b, start
        )
        swaps = fill_lanes(-2.0) * projections - fill_lanes(weight) * squared_gaps
        limit = best.sse_change - margin
        is_promising = any_below(swaps, limit)
        chains = fill_lanes(0.0)
        if leaving.may_leave:
            # The SSE of a and b as it changes, without the cost of the second move.
            chains = (
                fill_lanes(distance)
                - load_lanes(grouping.squares, (b, start))
                - squared_gaps / fill_lanes(size_b)
                - fill_lanes(leaving.sse_saved)
            )
            costs = fill_lanes(DISCOUNT) * load_lanes(grouping.least_join_cost, (b, start))
            is_promising = is_promising or any_below(chains + costs, limit)
        if is_promising:
            store_lanes(grouping.swap_changes, (0,), swaps)
            store_lanes(grouping.chain_changes, (0,), chains)
            stop = min(start + LANES, size_b)
            best = best_partner(grouping, leaving, b, start, stop, margin, best)
    return best


@compiled
def best_partner(grouping, leaving, b, start, stop, margin, best):
    """Return the best of ``best`` and the moves with a partner at ``start`` to ``stop`` of ``b``.

    ``swap_changes`` and ``chain_changes`` hold the changes of the SSE by the moves, for a chain
    without its second move.
    """
    for m in range(start, stop):
        change = grouping.swap_changes[m - start]
        if change < best.sse_change - margin:
            best = Move(change, b, grouping.members[b, m], leaving.group)
        if not leaving.may_leave:
            continue
        change = grouping.chain_changes[m - start]
        if change + DISCOUNT * grouping.least_join_cost[b, m] < best.sse_change - margin:
            j = grouping.members[b, m]
            choice = choose_join(grouping, j, leaving.group)
            change += grouping.joins.costs[j, choice]
            if change < best.sse_change - margin:
                best = Move(change, b, j, grouping.joins.groups[j, choice])
    return best


@compiled
def update_and_queue(grouping, k, g):
    """Compute group ``g`` again, split it if it is too large, and queue its records."""
    update_group(grouping, g)
    if grouping.sizes[g] >= 2 * k:
        split(grouping, k, g)
    queue_group(grouping, g)


@compiled
def descend(grouping, k, max_moves):
    """Try the moves of the queued records until the queue is empty, or ``max_moves`` were tried.

    Return how many more may be tried.
    """
    while grouping.counts[N_QUEUED] > 0 and max_moves > 0:
        max_moves -= 1
        i = pop_record(grouping)
        a = grouping.labels[i]
        best = best_move(grouping, k, i)
        if best.target == NONE:
            continue
        move(grouping, i, best.target)
        if best.partner != NONE:
            move(grouping, best.partner, best.partner_target)
            if best.partner_target != a:
                update_and_queue(grouping, k, best.partner_target)
        update_and_queue(grouping, k, a)
        update_and_queue(grouping, k, best.target)
    return max_moves
