"""Groups that hold fewer than k units are mended where it costs the least.

Such a group may join a near group, dissolve into near groups, or borrow records of
other units from groups that can spare them. Each way is priced by the rise of the SSE.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.mward.cost import ward
from shoal._kernels.spatial.box_tree import find_nearest, move_record, remove_record
from shoal._kernels.unit_groups import NOBODY, centre, gap, held, may_leave, move, sse_of

NEAR = 8  # groups that are looked at
ROUNDING = 1e-11  # share of the SSE of a group that a change must save to be more than rounding


@compiled
def units_together(s, g, h):
    """Return how many units the groups ``g`` and ``h`` hold together."""
    shared = 0
    i = s.head[g]
    while i >= 0:
        u = s.unit[i]
        if held(s, h, u) > 0:
            shared += 1.0 / held(s, g, u)  # so that a unit counts once
        i = s.after[i]
    return s.distinct[g] + s.distinct[h] - round(shared)


@compiled
def cheapest_join(s, k, i, near, count):
    """Return the group of k units that record ``i`` joins at the least cost, and the cost."""
    best, least = NOBODY, np.inf
    for m in range(count):
        h = near[m]
        if h != s.labels[i] and s.distinct[h] >= k:
            cost = ward(gap(s.X, i, s.centroids, h), 1.0, s.sizes[h])
            if cost < least:
                best, least = h, cost
    return best, least


@compiled
def price_of_dissolving(s, k, g, near, count):
    """Return what it costs that each record of ``g`` joins a near group; inf where none may."""
    total = -sse_of(s, g)
    i = s.head[g]
    while i >= 0:
        total += cheapest_join(s, k, i, near, count)[1]
        i = s.after[i]
    return total


@compiled
def cheapest_loan(s, k, g, near, count):
    """Return the record of another unit that group ``g`` gets at the least cost, and the cost."""
    best, least = NOBODY, np.inf
    for m in range(count):
        h = near[m]
        if s.distinct[h] < k:
            continue
        i = s.head[h]
        while i >= 0:
            cost = ward(gap(s.X, i, s.centroids, g), 1.0, s.sizes[g])
            cost -= gap(s.X, i, s.centroids, h) * (s.sizes[h] / (s.sizes[h] - 1.0))
            if cost < least and held(s, g, s.unit[i]) == 0 and may_leave(s, k, i):
                best, least = i, cost
            i = s.after[i]
    return best, least


@compiled
def borrow(s, k, g, near, count, taken, origin):
    """Let ``g`` borrow records until it holds k units; return their number and the cost.

    The cost is inf where the groups nearby cannot spare enough; what was borrowed until then is
    noted in ``taken`` and ``origin``.
    """
    total, number = 0.0, 0
    while s.distinct[g] < k:
        i, cost = cheapest_loan(s, k, g, near, count)
        if i == NOBODY:
            return number, np.inf
        taken[number], origin[number] = i, s.labels[i]
        move(s, i, g)
        total += cost
        number += 1
    return number, total


@compiled
def absorb(s, tree, g, h):
    """Let all records of group ``g`` join group ``h``; ``g`` is gone."""
    while s.head[g] >= 0:
        move(s, s.head[g], h)
    move_record(tree, h, s.centroids[h])
    remove_record(tree, g)


@compiled
def dissolve(s, tree, k, g, near, count):
    """Let each record of group ``g`` join the near group where it costs the least."""
    while s.head[g] >= 0:
        i = s.head[g]
        h = cheapest_join(s, k, i, near, count)[0]
        move(s, i, h)
        move_record(tree, h, s.centroids[h])
    remove_record(tree, g)


@compiled
def mend(s, tree, k, g):
    """Mend group ``g`` in the cheapest way; return a group that is still to be mended, or nobody.

    It is the only group, and nothing can be done, where no other is found.
    """
    near, apart = np.empty(NEAR, np.int64), np.empty(NEAR)
    count = find_nearest(tree, s.centroids[g], g, near, apart)
    if count == 0:
        return NOBODY
    partner, least = NOBODY, np.inf
    for m in range(count):
        cost = ward(apart[m], s.sizes[g], s.sizes[near[m]])
        if cost < least and units_together(s, g, near[m]) >= k:
            partner, least = near[m], cost
    scattered = price_of_dissolving(s, k, g, near, count)
    taken, origin = np.empty(k, np.int64), np.empty(k, np.int64)
    number, loan = borrow(s, k, g, near, count, taken, origin)
    if loan < np.inf and loan <= min(least, scattered):
        move_record(tree, g, s.centroids[g])
        for m in range(number):
            move_record(tree, origin[m], s.centroids[origin[m]])
        return NOBODY
    for m in range(number - 1, -1, -1):
        move(s, taken[m], origin[m])
    if scattered < least:
        dissolve(s, tree, k, g, near, count)
        return NOBODY
    if partner == NOBODY:
        partner = near[0]
    absorb(s, tree, g, partner)
    return partner if s.distinct[partner] < k else NOBODY


@compiled
def dissolve_worthwhile(s, tree, k, groups):
    """Dissolve each of ``groups`` whose records cost less elsewhere; return how many did."""
    near, apart = np.empty(NEAR, np.int64), np.empty(NEAR)
    gone = 0
    for g in groups:
        if s.sizes[g] == 0:
            continue
        count = find_nearest(tree, s.centroids[g], g, near, apart)
        own = sse_of(s, g)
        if own > 0.0 and price_of_dissolving(s, k, g, near, count) < -ROUNDING * own:
            dissolve(s, tree, k, g, near, count)
            gone += 1
    return gone


@compiled
def split_off(s, k, g, h):
    """Let the records of ``g`` that are farthest out make the empty group ``h`` of k units."""
    size = s.sizes[g]
    members, apart = np.empty(size, np.int64), np.empty(size)
    i, far = s.head[g], 0
    for m in range(size):
        members[m] = i
        apart[m] = gap(s.X, i, s.centroids, g)
        if apart[m] > apart[far]:
            far = m
        i = s.after[i]
    outermost = members[far]
    for m in range(size):
        apart[m] = gap(s.X, members[m], s.X, outermost)
    order = np.argsort(apart, kind="mergesort")
    m = 0
    while s.distinct[h] < k:
        move(s, members[order[m]], h)
        m += 1
    centre(s, g)
    centre(s, h)


@compiled
def split_all(s, k, groups, alike):
    """Split groups of 2k units or more; return how many groups there are.

    Those whose records are all alike are split only if ``alike``: that saves nothing.
    """
    for g in range(groups):
        while s.distinct[g] >= 2 * k and (alike or sse_of(s, g) > 0.0):
            split_off(s, k, g, groups)
            groups += 1
    return groups


@compiled
def mend_all(s, tree, k, queue, start, stop):
    """Mend those of the groups ``queue[start:stop]`` that still hold too few units."""
    for at in range(start, stop):
        g = queue[at]
        while g != NOBODY and s.sizes[g] > 0 and s.distinct[g] < k:
            g = mend(s, tree, k, g)
