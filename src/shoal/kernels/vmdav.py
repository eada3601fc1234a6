"""V-MDAV: groups from the outside in, extended while the next record is theirs."""

import math

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.pool import assign, locate, measure, nearest, take


@compiled
def draw_near(pool, reach):
    """Let ``reach`` count the point last measured as a member: keep the lesser distance."""
    for i in range(pool.size[0]):
        reach[i] = min(reach[i], pool.distance[i])


@compiled
def within_reach(pool, reach):
    """Return the place nearest to any member of the group; ties go to the lowest record."""
    best = 0
    for i in range(1, pool.size[0]):
        if reach[i] < reach[best] or (
            reach[i] == reach[best] and pool.records[i] < pool.records[best]
        ):
            best = i
    return best


@compiled
def to_another(pool, place):
    """Return the least distance last measured to a living record other than ``place``."""
    least = np.inf
    for i in range(pool.size[0]):
        if i != place:
            least = min(least, pool.distance[i])
    return least


@compiled
def extend(pool, X, members, gamma, reach):
    """Add records to the group formed last, to 2k - 1 at most; return the passes made.

    The living record nearest to any member is added while its distance to the
    group is below ``gamma`` times its distance to the nearest other living one.
    """
    k = members.shape[0]
    if k == 1:
        return 0
    reach[: pool.size[0]] = np.inf
    for record in members:
        measure(pool, X[record])
        draw_near(pool, reach)

    point = np.empty(X.shape[1])
    for size in range(k, 2 * k - 1):
        place = within_reach(pool, reach)
        locate(pool, place, point)
        measure(pool, point)
        if not math.sqrt(reach[place]) < gamma * math.sqrt(to_another(pool, place)):
            return size + 1
        assign(pool, place, pool.groups[0] - 1)
        reach[place] = reach[pool.size[0]]  # as the last living record took this place
        draw_near(pool, reach)
    return 2 * k - 1


@compiled
def rounds(pool, X, order, k, gamma, work):
    """Form groups until about ``work`` distances are measured; say whether to go on.

    ``order`` are the records by falling distance to the mean of the whole table.
    """
    group = np.empty(k, np.int64)
    reach = np.empty(X.shape[0])
    at = 0
    while pool.size[0] >= 2 * k and work > 0:
        while pool.labels[order[at]] >= 0:
            at += 1
        measure(pool, X[order[at]])
        nearest(pool, group)
        members = pool.records[group]
        take(pool, group)
        work -= pool.size[0] * (1 + extend(pool, X, members, gamma, reach))
    return pool.size[0] >= 2 * k
