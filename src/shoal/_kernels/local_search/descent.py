"""Descent: move records between near groups while the SSE falls.

A record leaves for a near group (relocate), changes places with a record there
(swap), or goes there while a record of that group goes on to a third (chain). Only
the groups of its nearest others are tried, and no group falls below k.
"""

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.distances import row_distance
from shoal._kernels.local_search.grouping import LOOK, N_QUEUED, move, refresh
from shoal._kernels.local_search.record_queue import pop_record, queue_group
from shoal._kernels.local_search.split import split

ROUNDING = 1e-11  # share of the SSE of the groups that a move must save to be more than rounding
CENTROID = 1e-15  # rounding of a centroid, in units of the extent of the table: it moves no record
NONE = -1
# A chain is worked out only if it would pay at this share of what its second step cost when that
# was last worked out: computing it takes longer than all else, and it may have fallen since.
DISCOUNT = 0.5


@inlined
def near_groups(s, i):
    """List the groups of the nearest neighbours of ``i`` except its own; return their number."""
    count = 0
    s.counts[LOOK] += 1
    s.seen[s.labels[i]] = s.counts[LOOK]
    for m in range(s.near.shape[1]):
        g = s.labels[s.near[i, m]]
        if s.seen[g] != s.counts[LOOK]:
            s.seen[g] = s.counts[LOOK]
            s.group_list[count] = g
            count += 1
    return count


@compiled
def update_joins(s, j):
    """Store the two near groups that record ``j`` can join at the least cost, and the costs."""
    own = s.labels[j]
    first, second, least, next_least = NONE, NONE, np.inf, np.inf
    for m in range(s.near.shape[1]):
        h = s.labels[s.near[j, m]]
        if h == own or h == first or h == second:
            continue
        cost = row_distance(s.X, j, s.centroids, h) * (s.sizes[h] / (s.sizes[h] + 1.0))
        if cost < least:
            first, second, least, next_least = h, first, cost, least
        elif cost < next_least:
            second, next_least = h, cost
    s.joins[j, 0], s.joins[j, 1] = first, second
    s.joins[j, 2], s.joins[j, 3] = s.version[first], s.version[second]
    s.costs[j, 0], s.costs[j, 1] = least, next_least
    s.leave_cost[own, s.place[j]] = least


@inlined
def next_join(s, j, excluded):
    """Return the better of the two stored joins of ``j`` that is not to group ``excluded``."""
    first, second = s.joins[j, 0], s.joins[j, 1]
    if (
        first == s.labels[j]
        or second == s.labels[j]
        or s.version[first] != s.joins[j, 2]
        or s.version[second] != s.joins[j, 3]
    ):
        update_joins(s, j)
    return 1 if s.joins[j, 0] == excluded else 0


@compiled
def measure(s, i, a, b):
    """Compute the squared distances from record ``i`` to the records of group ``b``.

    ``across`` is its squared length, ``along`` its product with the way from centroid ``b``
    to centroid ``a``. All records at a time, column by column: vector instructions.
    """
    size = s.sizes[b]
    s.along[:size] = 0.0
    s.across[:size] = 0.0
    for c in range(s.X.shape[1]):
        here, towards = s.X[i, c], s.centroids[a, c] - s.centroids[b, c]
        for m in range(size):
            d = s.values[b, c, m] - here
            s.along[m] += d * towards
            s.across[m] += d * d


@compiled
def best_move(s, k, i):
    """Return the best move of ``i``: target, partner, their target."""
    a = s.labels[i]
    size = s.sizes[a]
    free = size > k
    saved = s.squares[a, s.place[i]] * (size / (size - 1.0)) if free else 0.0
    least, target, partner, third = 0.0, NONE, NONE, NONE
    for t in range(near_groups(s, i)):
        b = s.group_list[t]
        other, far = s.sizes[b], 0.0
        both = s.sse[a] + s.sse[b]
        margin = ROUNDING * both + CENTROID * np.sqrt(both)
        if free:
            far = row_distance(s.X, i, s.centroids, b)
            sse_change = far * (other / (other + 1.0)) - saved
            if sse_change < least - margin:
                least, target, partner, third = sse_change, b, NONE, NONE
        weight = 1.0 / size + 1.0 / other
        measure(s, i, a, b)
        for m in range(other):
            sse_change = -2.0 * s.along[m] - weight * s.across[m]
            if sse_change < least - margin:
                least, target, partner, third = sse_change, b, s.members[b, m], a
            sse_change = far - s.squares[b, m] - s.across[m] / other - saved
            if free and sse_change + DISCOUNT * s.leave_cost[b, m] < least - margin:
                j = s.members[b, m]
                q = next_join(s, j, a)
                if sse_change + s.costs[j, q] < least - margin:
                    least, target, partner, third = sse_change + s.costs[j, q], b, j, s.joins[j, q]
    return target, partner, third


@compiled
def refresh_and_queue(s, k, g):
    """Compute group ``g`` again, split it if it is too large, and queue its records."""
    refresh(s, g)
    if s.sizes[g] >= 2 * k:
        split(s, k, g)
    queue_group(s, g)


@compiled
def descend(s, k, most):
    """Try the moves of the queued records until the queue is empty, or ``most`` were tried.

    Return how many more may be tried.
    """
    while s.counts[N_QUEUED] > 0 and most > 0:
        most -= 1
        i = pop_record(s)
        a = s.labels[i]
        b, j, h = best_move(s, k, i)
        if b == NONE:
            continue
        move(s, i, b)
        if j != NONE:
            move(s, j, h)
            if h != a:
                refresh_and_queue(s, k, h)
        refresh_and_queue(s, k, a)
        refresh_and_queue(s, k, b)
    return most
