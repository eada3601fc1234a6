"""Repair groups with fewer than k units, at the least increase of the SSE.

Such a group is merged with a near group, dissolved into near groups, or extended by records of
other units from groups that can spare them. The repair that increases the SSE least is chosen.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.mward.cost import ward_cost
from shoal._kernels.spatial.box_tree import find_nearest, move_point, remove_point
from shoal._kernels.units.groups import (
    count_of,
    may_leave,
    move_record,
    sse_of,
    update_centroid,
)

MAX_NEAR_GROUPS = 8  # nearest groups that are considered
ROUNDING = 1e-11  # share of the SSE of a group up to which a change may be a rounding error


class MovedRecords(NamedTuple):
    """Records that were moved, in this order, and the groups that they left."""

    records: np.ndarray  # (k,)
    original_groups: np.ndarray  # (k,)


@compiled
def units_together(groups, g, h):
    """Return the number of distinct units in groups ``g`` and ``h`` together."""
    n_shared = 0
    i = groups.head[g]
    while i >= 0:
        unit = groups.unit[i]
        if count_of(groups, h, unit) > 0:
            n_shared += 1.0 / count_of(groups, g, unit)  # so that a unit counts once
        i = groups.next_record[i]
    return groups.n_units[g] + groups.n_units[h] - round(n_shared)


@compiled
def cheapest_join(groups, k, i, near):
    """Return the near group of at least k units that ``i`` can join at the least cost; the cost.

    The cost is the increase of the SSE of that group.
    """
    best, least = NONE, np.inf
    for h in near:
        if h != groups.labels[i] and groups.n_units[h] >= k:
            distance = squared_row_distance(groups.X, i, groups.centroids, h)
            cost = ward_cost(distance, 1.0, groups.sizes[h])
            if cost < least:
                best, least = h, cost
    return best, least


@compiled
def dissolution_cost(groups, k, g, near):
    """Return the cost of moving each record of ``g`` to a near group; inf if one cannot move."""
    total = -sse_of(groups, g)
    i = groups.head[g]
    while i >= 0:
        total += cheapest_join(groups, k, i, near)[1]
        i = groups.next_record[i]
    return total


@compiled
def cheapest_addition(groups, k, g, near):
    """Return the record of a new unit that can join ``g`` at the least cost, and the cost.

    It comes from a near group that keeps k units without it.
    """
    best, least = NONE, np.inf
    for h in near:
        if groups.n_units[h] < k:
            continue
        i = groups.head[h]
        while i >= 0:
            distance = squared_row_distance(groups.X, i, groups.centroids, g)
            own_distance = squared_row_distance(groups.X, i, groups.centroids, h)
            cost = ward_cost(distance, 1.0, groups.sizes[g])
            cost -= own_distance * (groups.sizes[h] / (groups.sizes[h] - 1.0))
            if (
                cost < least
                and count_of(groups, g, groups.unit[i]) == 0
                and may_leave(groups, k, i)
            ):
                best, least = i, cost
            i = groups.next_record[i]
    return best, least


@compiled
def add_units(groups, k, g, near, moved):
    """Move records of near groups to ``g`` until it holds k units; return number and cost.

    The cost is inf where the near groups cannot spare enough; the records moved until then are
    stored in ``moved``.
    """
    total, n_moved = 0.0, 0
    while groups.n_units[g] < k:
        i, cost = cheapest_addition(groups, k, g, near)
        if i == NONE:
            return n_moved, np.inf
        moved.records[n_moved], moved.original_groups[n_moved] = i, groups.labels[i]
        move_record(groups, i, g)
        total += cost
        n_moved += 1
    return n_moved, total


@compiled
def merge_groups(groups, tree, g, h):
    """Move all records of group ``g`` to group ``h``."""
    while groups.head[g] >= 0:
        move_record(groups, groups.head[g], h)
    move_point(tree, h, groups.centroids[h])
    remove_point(tree, g)


@compiled
def dissolve_group(groups, tree, k, g, near):
    """Move each record of group ``g`` to the near group where it costs least."""
    while groups.head[g] >= 0:
        i = groups.head[g]
        h = cheapest_join(groups, k, i, near)[0]
        move_record(groups, i, h)
        move_point(tree, h, groups.centroids[h])
    remove_point(tree, g)


@compiled
def repair_group(groups, tree, k, g):
    """Repair ``g`` at the least increase of the SSE; return a group that needs repair, or NONE.

    Nothing can be done if ``g`` is the only group. If no near group has enough units, ``g`` is
    merged with the nearest one, which then needs repair itself.
    """
    near, squares = np.empty(MAX_NEAR_GROUPS, np.int64), np.empty(MAX_NEAR_GROUPS)
    near = near[: find_nearest(tree, groups.centroids[g], g, near, squares)]
    if near.shape[0] == 0:
        return NONE
    partner, merging_cost = cheapest_merger(groups, k, g, near, squares)
    dissolving_cost = dissolution_cost(groups, k, g, near)
    moved = MovedRecords(np.empty(k, np.int64), np.empty(k, np.int64))
    n_moved, extension_cost = add_units(groups, k, g, near, moved)
    if extension_cost < np.inf and extension_cost <= min(merging_cost, dissolving_cost):
        move_point(tree, g, groups.centroids[g])
        for m in range(n_moved):
            move_point(tree, moved.original_groups[m], groups.centroids[moved.original_groups[m]])
        return NONE
    for m in range(n_moved - 1, -1, -1):
        move_record(groups, moved.records[m], moved.original_groups[m])
    if dissolving_cost < merging_cost:
        dissolve_group(groups, tree, k, g, near)
        return NONE
    if partner == NONE:
        partner = near[0]
    merge_groups(groups, tree, g, partner)
    return partner if groups.n_units[partner] < k else NONE


@compiled
def cheapest_merger(groups, k, g, near, squares):
    """Return the near group with which ``g`` has k units, at the least cost, and the cost.

    ``squares`` are the squared distances of the centroids.
    """
    best, least = NONE, np.inf
    for m in range(near.shape[0]):
        cost = ward_cost(squares[m], groups.sizes[g], groups.sizes[near[m]])
        if cost < least and units_together(groups, g, near[m]) >= k:
            best, least = near[m], cost
    return best, least


@compiled
def dissolve_if_cheaper(groups, tree, k, candidates):
    """Dissolve the ``candidates`` whose records cost less in other groups; return their number."""
    near, squares = np.empty(MAX_NEAR_GROUPS, np.int64), np.empty(MAX_NEAR_GROUPS)
    n_dissolved = 0
    for g in candidates:
        if groups.sizes[g] == 0:
            continue
        count = find_nearest(tree, groups.centroids[g], g, near, squares)
        sse = sse_of(groups, g)
        if sse > 0.0 and dissolution_cost(groups, k, g, near[:count]) < -ROUNDING * sse:
            dissolve_group(groups, tree, k, g, near[:count])
            n_dissolved += 1
    return n_dissolved


@compiled
def split_group(groups, k, g, h):
    """Move the outermost records of ``g``, of k units, to the empty group ``h``."""
    size = groups.sizes[g]
    members, squares = np.empty(size, np.int64), np.empty(size)
    i, farthest = groups.head[g], 0
    for m in range(size):
        members[m] = i
        squares[m] = squared_row_distance(groups.X, i, groups.centroids, g)
        if squares[m] > squares[farthest]:
            farthest = m
        i = groups.next_record[i]
    outermost = members[farthest]
    for m in range(size):
        squares[m] = squared_row_distance(groups.X, members[m], groups.X, outermost)
    order = np.argsort(squares, kind="mergesort")
    m = 0
    while groups.n_units[h] < k:
        move_record(groups, members[order[m]], h)
        m += 1
    update_centroid(groups, g)
    update_centroid(groups, h)


@compiled
def split_groups(groups, k, n_groups, split_equal):
    """Split groups of 2k units or more; return the number of groups.

    Groups of equal records are split only if ``split_equal``, since that saves nothing.
    """
    for g in range(n_groups):
        while groups.n_units[g] >= 2 * k and (split_equal or sse_of(groups, g) > 0.0):
            split_group(groups, k, g, n_groups)
            n_groups += 1
    return n_groups


@compiled
def repair_groups(groups, tree, k, queue, start, stop):
    """Repair those of the groups ``queue[start:stop]`` that hold fewer than k units."""
    for i in range(start, stop):
        g = queue[i]
        while g != NONE and groups.sizes[g] > 0 and groups.n_units[g] < k:
            g = repair_group(groups, tree, k, g)
