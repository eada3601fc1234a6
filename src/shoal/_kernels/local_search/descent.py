"""Descent: move records between near groups while the SSE falls.

A record moves to a near group (relocate), is swapped with a record there (swap), or moves
there while a record of that group moves on to a third (chain). Only the groups of its
nearest others are tried, and no group falls below k.
"""

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.local_search.grouping import N_QUEUED, SCAN, join_cost, move, update_group
from shoal._kernels.local_search.record_queue import pop_record, queue_group
from shoal._kernels.local_search.split import split

ROUNDING = 1e-11  # share of the SSE of the groups that a move must save to be more than rounding
CENTROID_ROUNDING = 1e-15  # rounding error of a centroid, in units of the extent of the table
NONE = -1
# The cost of the second move of a chain is expensive to compute. It is computed again only if the
# chain would lower the SSE at this share of the cost that was computed last.
DISCOUNT = 0.5


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
    # A record all of whose neighbours are in its own group has no join now, but may have one later.
    grouping.least_join_cost[group, grouping.position[j]] = 0.0 if first == NONE else least


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


@compiled
def measure_members(grouping, i, a, b):
    """Compute the squared distances from record ``i`` to the records of group ``b``.

    ``squared_gaps`` are the squared lengths of the differences, and ``projections`` their scalar
    products with the difference of the centroids of ``a`` and ``b``. The loop over records is the
    inner one, so that it is vectorised.
    """
    size = grouping.sizes[b]
    grouping.projections[:size] = 0.0
    grouping.squared_gaps[:size] = 0.0
    for c in range(grouping.X.shape[1]):
        value, direction = grouping.X[i, c], grouping.centroids[a, c] - grouping.centroids[b, c]
        for m in range(size):
            d = grouping.values[b, c, m] - value
            grouping.projections[m] += d * direction
            grouping.squared_gaps[m] += d * d


@compiled
def best_move(grouping, k, i):
    """Return the best move of record ``i``: its target, its partner, and the partner's target.

    Without a partner, the record is relocated. A partner moves to the group of ``i`` (swap) or
    to a third group (chain). All three are NONE if no move lowers the SSE.
    """
    a = grouping.labels[i]
    size_a, sse_saved = grouping.sizes[a], 0.0
    may_leave = size_a > k
    if may_leave:
        sse_saved = grouping.squares[a, grouping.position[i]] * (size_a / (size_a - 1.0))
    least, target, partner, third = 0.0, NONE, NONE, NONE
    for t in range(list_near_groups(grouping, i)):
        b = grouping.near_groups[t]
        size_b, distance = grouping.sizes[b], 0.0
        sse = grouping.sse[a] + grouping.sse[b]
        margin = ROUNDING * sse + CENTROID_ROUNDING * np.sqrt(sse)
        if may_leave:  # relocate
            distance = squared_row_distance(grouping.X, i, grouping.centroids, b)
            sse_change = distance * (size_b / (size_b + 1.0)) - sse_saved
            if sse_change < least - margin:
                least, target, partner, third = sse_change, b, NONE, NONE
        weight = 1.0 / size_a + 1.0 / size_b
        measure_members(grouping, i, a, b)
        for m in range(size_b):
            # Swap.
            sse_change = -2.0 * grouping.projections[m] - weight * grouping.squared_gaps[m]
            if sse_change < least - margin:
                least, target, partner, third = sse_change, b, grouping.members[b, m], a
            if not may_leave:
                continue
            # Chain: the SSE of a and b as it changes, without the cost of the second move.
            sse_change = (
                distance - grouping.squares[b, m] - grouping.squared_gaps[m] / size_b - sse_saved
            )
            if sse_change + DISCOUNT * grouping.least_join_cost[b, m] < least - margin:
                j = grouping.members[b, m]
                choice = choose_join(grouping, j, a)
                sse_change += grouping.joins.costs[j, choice]
                if sse_change < least - margin:
                    least, target, partner = sse_change, b, j
                    third = grouping.joins.groups[j, choice]
    return target, partner, third


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
        b, j, h = best_move(grouping, k, i)
        if b == NONE:
            continue
        move(grouping, i, b)
        if j != NONE:
            move(grouping, j, h)
            if h != a:
                update_and_queue(grouping, k, h)
        update_and_queue(grouping, k, a)
        update_and_queue(grouping, k, b)
    return max_moves
