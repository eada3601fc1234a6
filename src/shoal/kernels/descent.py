"""Records move between near groups while the SSE falls.

A record leaves for a near group (relocate), changes places with a record there
(swap), or goes there while a record of that group goes on to a third (chain). Only
the groups of its nearest others are looked at, and no group falls below k.
"""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.grouping import TOUCHED, WAITING, gap, move, pop, push_group, refresh
from shoal.kernels.split import split

ROUNDING = 1e-11  # share of the SSE of the groups that a move must save to be more than rounding
NOBODY = -1


@compiled
def near_groups(s, i, found):
    """Write the groups of the nearest others of ``i``, its own apart; return their number."""
    count = 0
    own = s.labels[i]
    for m in range(s.near.shape[1]):
        g = s.labels[s.near[i, m]]
        if g == own:
            continue
        known = False
        for t in range(count):
            if found[t] == g:
                known = True
                break
        if not known:
            found[count] = g
            count += 1
    return count


@compiled
def best_move(s, k, i, found, beyond):
    """Return the best move of ``i``: what it adds to the SSE, target, partner, their target."""
    a, p = s.labels[i], s.X.shape[1]
    size = s.sizes[a]
    free = size > k
    least, target, partner, third = 0.0, NOBODY, NOBODY, NOBODY
    saved = 0.0
    if free:
        saved = gap(s.X[i], s.centroids[a]) * (size / (size - 1.0))
    for t in range(near_groups(s, i, found)):
        b = found[t]
        other = s.sizes[b]
        margin = ROUNDING * (s.sse[a] + s.sse[b])
        if free:
            rise = gap(s.X[i], s.centroids[b]) * (other / (other + 1.0)) - saved
            if rise < least - margin:
                least, target, partner, third = rise, b, NOBODY, NOBODY
        weight = 1.0 / size + 1.0 / other
        for m in range(other):
            j = s.members[b, m]
            along, across, inside = 0.0, 0.0, 0.0
            for c in range(p):
                d = s.X[j, c] - s.X[i, c]
                along += d * (s.centroids[a, c] - s.centroids[b, c])
                across += d * d
            rise = -2.0 * along - weight * across
            if rise < least - margin:
                least, target, partner, third = rise, b, j, a
            if free:
                for c in range(p):
                    inside += (s.X[j, c] - s.X[i, c]) * s.centroids[b, c]
                rise = 2.0 * inside - across / other - saved
                for c in range(p):
                    rise += s.X[i, c] * s.X[i, c] - s.X[j, c] * s.X[j, c]
                if rise < least - margin:
                    for q in range(near_groups(s, j, beyond)):
                        h = beyond[q]
                        if h != a:
                            on = gap(s.X[j], s.centroids[h])
                            on = rise + on * (s.sizes[h] / (s.sizes[h] + 1.0))
                            if on < least - margin - ROUNDING * s.sse[h]:
                                least, target, partner, third = on, b, j, h
    return least, target, partner, third


@compiled
def settle(s, k, g):
    """Compute group ``g`` afresh, split it if it is too large, and let its records wait."""
    refresh(s, g)
    if s.sizes[g] >= 2 * k:
        split(s, k, g)
    push_group(s, g)


@compiled
def descend(s, k, most):
    """Try the moves of those who wait until nobody does, or ``most`` were tried.

    Return how many more may be tried.
    """
    found = np.empty(s.near.shape[1], np.int64)
    beyond = np.empty(s.near.shape[1], np.int64)
    while s.counts[WAITING] > 0 and most > 0:
        most -= 1
        i = pop(s)
        a = s.labels[i]
        _, b, j, h = best_move(s, k, i, found, beyond)
        if b == NOBODY:
            continue
        move(s, i, b)
        if j != NOBODY:
            move(s, j, h)
            if h != a:
                settle(s, k, h)
        settle(s, k, a)
        settle(s, k, b)
    return most
