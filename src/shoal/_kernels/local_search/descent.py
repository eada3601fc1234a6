"""Descent: move records between near groups while the SSE falls.

A record moves to a near group (relocate), is swapped with a record there (swap), or moves
there while a record of that group moves on to a third (chain). Only the groups of its
nearest others are tried, and no group falls below k.
"""

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.distances import row_distance
from shoal._kernels.local_search.grouping import N_QUEUED, SCAN, move, refresh
from shoal._kernels.local_search.record_queue import pop_record, queue_group
from shoal._kernels.local_search.split import split

ROUNDING = 1e-11  # share of the SSE of the groups that a move must save to be more than rounding
CENTROID = 1e-15  # rounding of a centroid, in units of the extent of the table: it moves no record
NONE = -1
# The cost of the second move of a chain is expensive to compute. It is computed again only if the
# chain would lower the SSE at this share of the cost that was computed last.
DISCOUNT = 0.5


@inlined
def near_groups(grouping, i):
    """List the groups of the nearest neighbours of ``i`` except its own; return their number."""
    count = 0
    grouping.counts[SCAN] += 1
    grouping.last_scan[grouping.labels[i]] = grouping.counts[SCAN]
    for m in range(grouping.near.shape[1]):
        g = grouping.labels[grouping.near[i, m]]
        if grouping.last_scan[g] != grouping.counts[SCAN]:
            grouping.last_scan[g] = grouping.counts[SCAN]
            grouping.group_list[count] = g
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
        cost = row_distance(grouping.X, j, grouping.centroids, other) * (
            grouping.sizes[other] / (grouping.sizes[other] + 1.0)
        )
        if cost < least:
            first, second, least, next_least = other, first, cost, least
        elif cost < next_least:
            second, next_least = other, cost
    grouping.joins[j, 0], grouping.joins[j, 1] = first, second
    grouping.joins[j, 2], grouping.joins[j, 3] = grouping.version[first], grouping.version[second]
    grouping.costs[j, 0], grouping.costs[j, 1] = least, next_least
    grouping.leave_cost[group, grouping.place[j]] = least


@inlined
def next_join(grouping, j, excluded):
    """Return the better of the two stored joins of ``j`` that is not to group ``excluded``."""
    first, second = grouping.joins[j, 0], grouping.joins[j, 1]
    if (
        first == grouping.labels[j]
        or second == grouping.labels[j]
        or grouping.version[first] != grouping.joins[j, 2]
        or grouping.version[second] != grouping.joins[j, 3]
    ):
        update_joins(grouping, j)
    return 1 if grouping.joins[j, 0] == excluded else 0


@compiled
def measure(grouping, i, a, b):
    """Compute the squared distances from record ``i`` to the records of group ``b``.

    For the difference of the two records, ``across`` is its squared length and ``along`` its
    scalar product with the difference of the centroids of ``a`` and ``b``. The loop over
    records is the inner one, so that it is vectorised.
    """
    size = grouping.sizes[b]
    grouping.along[:size] = 0.0
    grouping.across[:size] = 0.0
    for c in range(grouping.X.shape[1]):
        here, towards = grouping.X[i, c], grouping.centroids[a, c] - grouping.centroids[b, c]
        for m in range(size):
            d = grouping.values[b, c, m] - here
            grouping.along[m] += d * towards
            grouping.across[m] += d * d


@compiled
def best_move(grouping, k, i):
    """Return the best move of record ``i``: its target, its partner, and the partner's target.

    Without a partner, the record is relocated. A partner moves to the group of ``i`` (swap) or
    to a third group (chain). All three are NONE if no move lowers the SSE.
    """
    a = grouping.labels[i]
    size_a = grouping.sizes[a]
    may_leave = size_a > k
    saved = grouping.squares[a, grouping.place[i]] * (size_a / (size_a - 1.0)) if may_leave else 0.0
    least, target, partner, third = 0.0, NONE, NONE, NONE
    for t in range(near_groups(grouping, i)):
        b = grouping.group_list[t]
        size_b, distance = grouping.sizes[b], 0.0
        sse = grouping.sse[a] + grouping.sse[b]
        margin = ROUNDING * sse + CENTROID * np.sqrt(sse)
        if may_leave:  # relocate
            distance = row_distance(grouping.X, i, grouping.centroids, b)
            sse_change = distance * (size_b / (size_b + 1.0)) - saved
            if sse_change < least - margin:
                least, target, partner, third = sse_change, b, NONE, NONE
        weight = 1.0 / size_a + 1.0 / size_b
        measure(grouping, i, a, b)
        for m in range(size_b):
            # Swap.
            sse_change = -2.0 * grouping.along[m] - weight * grouping.across[m]
            if sse_change < least - margin:
                least, target, partner, third = sse_change, b, grouping.members[b, m], a
            # Chain: the SSE of a and b as it changes, without the cost of the second move.
            sse_change = distance - grouping.squares[b, m] - grouping.across[m] / size_b - saved
            if may_leave and sse_change + DISCOUNT * grouping.leave_cost[b, m] < least - margin:
                j = grouping.members[b, m]
                choice = next_join(grouping, j, a)
                if sse_change + grouping.costs[j, choice] < least - margin:
                    least, target, partner, third = (
                        sse_change + grouping.costs[j, choice],
                        b,
                        j,
                        grouping.joins[j, choice],
                    )
    return target, partner, third


@compiled
def refresh_and_queue(grouping, k, g):
    """Compute group ``g`` again, split it if it is too large, and queue its records."""
    refresh(grouping, g)
    if grouping.sizes[g] >= 2 * k:
        split(grouping, k, g)
    queue_group(grouping, g)


@compiled
def descend(grouping, k, most):
    """Try the moves of the queued records until the queue is empty, or ``most`` were tried.

    Return how many more may be tried.
    """
    while grouping.counts[N_QUEUED] > 0 and most > 0:
        most -= 1
        i = pop_record(grouping)
        a = grouping.labels[i]
        b, j, h = best_move(grouping, k, i)
        if b == NONE:
            continue
        move(grouping, i, b)
        if j != NONE:
            move(grouping, j, h)
            if h != a:
                refresh_and_queue(grouping, k, h)
        refresh_and_queue(grouping, k, a)
        refresh_and_queue(grouping, k, b)
    return most
