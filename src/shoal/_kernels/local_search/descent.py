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
from shoal._kernels.constants import NONE
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
def list_near_groups(grouping, record):
    """List the groups of the neighbours of ``record`` except its own; return their number."""
    count = 0
    grouping.counts[SCAN] += 1
    grouping.last_scan[grouping.labels[record]] = grouping.counts[SCAN]
    for position in range(grouping.near.shape[1]):
        group = grouping.labels[grouping.near[record, position]]
        if grouping.last_scan[group] != grouping.counts[SCAN]:
            grouping.last_scan[group] = grouping.counts[SCAN]
            grouping.near_groups[count] = group
            count += 1
            prefetch_group(grouping, group)
    return count


@compiled
def update_joins(grouping, record):
    """Store the two near groups that ``record`` can join at the least cost, and the costs."""
    group = grouping.labels[record]
    first, second, least, next_least = NONE, NONE, np.inf, np.inf
    for position in range(grouping.near.shape[1]):
        other = grouping.labels[grouping.near[record, position]]
        if other == group or other == first or other == second:
            continue
        cost = join_cost(grouping, record, other)
        if cost < least:
            first, second, least, next_least = other, first, cost, least
        elif cost < next_least:
            second, next_least = other, cost
    joins = grouping.joins
    joins.groups[record, 0], joins.groups[record, 1] = first, second
    joins.costs[record, 0], joins.costs[record, 1] = least, next_least
    if first != NONE:
        joins.versions[record, 0] = grouping.version[first]
    if second != NONE:
        joins.versions[record, 1] = grouping.version[second]
    store_least_join_cost(grouping, record)


@inlined
def choose_join(grouping, record, excluded):
    """Return which of the two stored joins of ``record`` is the better one, except to ``excluded``.

    They are computed again if one of the two groups has changed.
    """
    first, second = grouping.joins.groups[record, 0], grouping.joins.groups[record, 1]
    if (
        first == NONE
        or first == grouping.labels[record]
        or second == grouping.labels[record]
        or grouping.version[first] != grouping.joins.versions[record, 0]
        or (second != NONE and grouping.version[second] != grouping.joins.versions[record, 1])
    ):
        update_joins(grouping, record)
    return 1 if grouping.joins.groups[record, 0] == excluded else 0


@inlined
def measure_members(grouping, record, group, target, start):
    """Measure the differences of ``record`` to `LANES` records of group ``target``.

    Return their scalar products with the difference of the centroids of ``group`` and ``target``,
    and their squared lengths, for the records at positions from ``start`` on. Behind the last
    record, lanes have no meaning.
    """
    projections, squares = fill_lanes(0.0), fill_lanes(0.0)
    for column in range(grouping.X.shape[1]):
        differences = load_lanes(grouping.values, (target, start // LANES, column, 0)) - fill_lanes(
            grouping.X[record, column]
        )
        direction = grouping.centroids[group, column] - grouping.centroids[target, column]
        projections = projections + differences * fill_lanes(direction)
        squares = squares + differences * differences
    return projections, squares


@compiled
def best_move(grouping, k, record):
    """Return the best `Move` of ``record``; its target is NONE if no move lowers the SSE."""
    group = grouping.labels[record]
    size, sse_saved = grouping.sizes[group], 0.0
    may_leave = size > k
    if may_leave:
        sse_saved = grouping.squares[group, grouping.position[record]] * (size / (size - 1.0))
    leaving = LeavingRecord(record, group, may_leave, sse_saved)
    best = Move(0.0, NONE, NONE, NONE)
    for position in range(list_near_groups(grouping, record)):
        target = grouping.near_groups[position]
        target_size, square = grouping.sizes[target], 0.0
        sse = grouping.sse[group] + grouping.sse[target]
        margin = ROUNDING * sse + CENTROID_ROUNDING * np.sqrt(sse)
        if may_leave:
            square = squared_row_distance(grouping.X, record, grouping.centroids, target)
            sse_change = square * (target_size / (target_size + 1.0)) - sse_saved
            if sse_change < best.sse_change - margin:
                best = Move(sse_change, target, NONE, NONE)
        best = best_with_partner(grouping, leaving, target, square, margin, best)
    return best


@compiled
def best_with_partner(grouping, leaving, target, square, margin, best):
    """Return the best of ``best`` and the moves to group ``target`` with a partner there.

    ``square`` is the squared distance of the record to the centroid of ``target``, if it may leave.
    Few partners lower the SSE; the members are compared one by one only if one of them may.
    """
    target_size = grouping.sizes[target]
    weight = 1.0 / grouping.sizes[leaving.group] + 1.0 / target_size
    for start in range(0, target_size, LANES):
        projections, squares = measure_members(
            grouping, leaving.record, leaving.group, target, start
        )
        swaps = fill_lanes(-2.0) * projections - fill_lanes(weight) * squares
        limit = best.sse_change - margin
        is_promising = any_below(swaps, limit)
        chains = fill_lanes(0.0)
        if leaving.may_leave:
            # The change of the SSE of both groups, without the cost of the second move.
            chains = (
                fill_lanes(square)
                - load_lanes(grouping.squares, (target, start))
                - squares / fill_lanes(target_size)
                - fill_lanes(leaving.sse_saved)
            )
            costs = fill_lanes(DISCOUNT) * load_lanes(grouping.least_join_cost, (target, start))
            is_promising = is_promising or any_below(chains + costs, limit)
        if is_promising:
            store_lanes(grouping.swap_changes, (0,), swaps)
            store_lanes(grouping.chain_changes, (0,), chains)
            stop = min(start + LANES, target_size)
            best = best_partner(grouping, leaving, target, start, stop, margin, best)
    return best


@compiled
def best_partner(grouping, leaving, target, start, stop, margin, best):
    """Return the best of ``best`` and the moves with one of some partners in group ``target``.

    These are at the positions from ``start`` to ``stop``. ``swap_changes`` and ``chain_changes``
    hold the changes of the SSE by the moves, for a chain without its second move.
    """
    for position in range(start, stop):
        change = grouping.swap_changes[position - start]
        if change < best.sse_change - margin:
            best = Move(change, target, grouping.members[target, position], leaving.group)
        if not leaving.may_leave:
            continue
        change = grouping.chain_changes[position - start]
        if (
            change + DISCOUNT * grouping.least_join_cost[target, position]
            < best.sse_change - margin
        ):
            partner = grouping.members[target, position]
            choice = choose_join(grouping, partner, leaving.group)
            change += grouping.joins.costs[partner, choice]
            if change < best.sse_change - margin:
                best = Move(change, target, partner, grouping.joins.groups[partner, choice])
    return best


@compiled
def update_and_queue(grouping, k, group):
    """Compute ``group`` again, split it if it is too large, and queue its records."""
    update_group(grouping, group)
    if grouping.sizes[group] >= 2 * k:
        split(grouping, k, group)
    queue_group(grouping, group)


@compiled
def descend(grouping, k, max_moves):
    """Try the moves of the queued records until the queue is empty, or ``max_moves`` were tried.

    Return how many more may be tried.
    """
    while grouping.counts[N_QUEUED] > 0 and max_moves > 0:
        max_moves -= 1
        record = pop_record(grouping)
        group = grouping.labels[record]
        best = best_move(grouping, k, record)
        if best.target == NONE:
            continue
        move(grouping, record, best.target)
        if best.partner != NONE:
            move(grouping, best.partner, best.partner_target)
            if best.partner_target != group:
                update_and_queue(grouping, k, best.partner_target)
        update_and_queue(grouping, k, group)
        update_and_queue(grouping, k, best.target)
    return max_moves
