"""Repair groups with fewer than k units, at the least increase of the SSE.

Such a group is merged with a near group, dissolved into near groups, or extended by records of
other units from groups that can spare them. The cheapest way is chosen, by the increase of the SSE.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.mward.cost import ward
from shoal._kernels.spatial.box_tree import find_nearest, move_record, remove_record
from shoal._kernels.unit_groups import NONE, centre, count_of, may_leave, move, sse_of

NEAR = 8  # groups that are looked at
ROUNDING = 1e-11  # share of the SSE of a group that a change must save to be more than rounding


@compiled
def units_together(s, g, h):
    """Return the number of distinct units in groups ``g`` and ``h`` together."""
    shared = 0
    i = s.head[g]
    while i >= 0:
        u = s.unit[i]
        if count_of(s, h, u) > 0:
            shared += 1.0 / count_of(s, g, u)  # so that a unit counts once
        i = s.after[i]
    return s.distinct[g] + s.distinct[h] - round(shared)


@compiled
def cheapest_join(s, k, i, near, count):
    """Return the group of at least k units that ``i`` can join at the least cost, and the cost."""
    best, least = NONE, np.inf
    for m in range(count):
        h = near[m]
        if h != s.labels[i] and s.distinct[h] >= k:
            cost = ward(row_distance(s.X, i, s.centroids, h), 1.0, s.sizes[h])
            if cost < least:
                best, least = h, cost
    return best, least


@compiled
def dissolution_cost(s, k, g, near, count):
    """Return the cost of moving each record of ``g`` to a near group; inf if one cannot move."""
    total = -sse_of(s, g)
    i = s.head[g]
    while i >= 0:
        total += cheapest_join(s, k, i, near, count)[1]
        i = s.after[i]
    return total


@compiled
def cheapest_addition(s, k, g, near, count):
    """Return the record of a new unit that ``g`` can take at the least cost, and the cost."""
    best, least = NONE, np.inf
    for m in range(count):
        h = near[m]
        if s.distinct[h] < k:
            continue
        i = s.head[h]
        while i >= 0:
            cost = ward(row_distance(s.X, i, s.centroids, g), 1.0, s.sizes[g])
            cost -= row_distance(s.X, i, s.centroids, h) * (s.sizes[h] / (s.sizes[h] - 1.0))
            if cost < least and count_of(s, g, s.unit[i]) == 0 and may_leave(s, k, i):
                best, least = i, cost
            i = s.after[i]
    return best, least


@compiled
def add_units(s, k, g, near, count, moved, origin):
    """Move records of near groups to ``g`` until it holds k units; return number and cost.

    The cost is inf where the groups nearby cannot spare enough; the records moved until then are
    stored in ``moved`` and ``origin``.
    """
    total, number = 0.0, 0
    while s.distinct[g] < k:
        i, cost = cheapest_addition(s, k, g, near, count)
        if i == NONE:
            return number, np.inf
        moved[number], origin[number] = i, s.labels[i]
        move(s, i, g)
        total += cost
        number += 1
    return number, total


@compiled
def absorb(s, tree, g, h):
    """Move all records of group ``g`` to group ``h``."""
    while s.head[g] >= 0:
        move(s, s.head[g], h)
    move_record(tree, h, s.centroids[h])
    remove_record(tree, g)


@compiled
def dissolve(s, tree, k, g, near, count):
    """Move each record of group ``g`` to the near group where it costs least."""
    while s.head[g] >= 0:
        i = s.head[g]
        h = cheapest_join(s, k, i, near, count)[0]
        move(s, i, h)
        move_record(tree, h, s.centroids[h])
    remove_record(tree, g)


@compiled
def repair(s, tree, k, g):
    """Repair ``g`` in the cheapest way; return a group that still needs repair, or NONE.

    Nothing can be done if ``g`` is the only group.
    """
    near, apart = np.empty(NEAR, np.int64), np.empty(NEAR)
    count = find_nearest(tree, s.centroids[g], g, near, apart)
    if count == 0:
        return NONE
    partner, least = NONE, np.inf
    for m in range(count):
        cost = ward(apart[m], s.sizes[g], s.sizes[near[m]])
        if cost < least and units_together(s, g, near[m]) >= k:
            partner, least = near[m], cost
    dissolving = dissolution_cost(s, k, g, near, count)
    moved, origin = np.empty(k, np.int64), np.empty(k, np.int64)
    number, extension_cost = add_units(s, k, g, near, count, moved, origin)
    if extension_cost < np.inf and extension_cost <= min(least, dissolving):
        move_record(tree, g, s.centroids[g])
        for m in range(number):
            move_record(tree, origin[m], s.centroids[origin[m]])
        return NONE
    for m in range(number - 1, -1, -1):
        move(s, moved[m], origin[m])
    if dissolving < least:
        dissolve(s, tree, k, g, near, count)
        return NONE
    if partner == NONE:
        partner = near[0]
    absorb(s, tree, g, partner)
    return partner if s.distinct[partner] < k else NONE


@compiled
def dissolve_worthwhile(s, tree, k, groups):
    """Dissolve those of ``groups`` whose records cost less elsewhere; return their number."""
    near, apart = np.empty(NEAR, np.int64), np.empty(NEAR)
    n_dissolved = 0
    for g in groups:
        if s.sizes[g] == 0:
            continue
        count = find_nearest(tree, s.centroids[g], g, near, apart)
        own = sse_of(s, g)
        if own > 0.0 and dissolution_cost(s, k, g, near, count) < -ROUNDING * own:
            dissolve(s, tree, k, g, near, count)
            n_dissolved += 1
    return n_dissolved


@compiled
def split_off(s, k, g, h):
    """Move the outermost records of ``g``, of k units, to the empty group ``h``."""
    size = s.sizes[g]
    members, apart = np.empty(size, np.int64), np.empty(size)
    i, far = s.head[g], 0
    for m in range(size):
        members[m] = i
        apart[m] = row_distance(s.X, i, s.centroids, g)
        if apart[m] > apart[far]:
            far = m
        i = s.after[i]
    outermost = members[far]
    for m in range(size):
        apart[m] = row_distance(s.X, members[m], s.X, outermost)
    order = np.argsort(apart, kind="mergesort")
    m = 0
    while s.distinct[h] < k:
        move(s, members[order[m]], h)
        m += 1
    centre(s, g)
    centre(s, h)


@compiled
def split_all(s, k, groups, alike):
    """Split groups of 2k units or more; return the number of groups.

    Those whose records are all alike are split only if ``alike``: that saves nothing.
    """
    for g in range(groups):
        while s.distinct[g] >= 2 * k and (alike or sse_of(s, g) > 0.0):
            split_off(s, k, g, groups)
            groups += 1
    return groups


@compiled
def repair_all(s, tree, k, queue, start, stop):
    """Repair those of the groups ``queue[start:stop]`` that hold fewer than k units."""
    for at in range(start, stop):
        g = queue[at]
        while g != NONE and s.sizes[g] > 0 and s.distinct[g] < k:
            g = repair(s, tree, k, g)
