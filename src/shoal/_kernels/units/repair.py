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

MAX_NEAR_GROUPS = 8  # nearest groups that are tried
ROUNDING = 1e-11  # share of the SSE of a group up to which a change may be a rounding error


class MovedRecords(NamedTuple):
    """Records that were moved, in this order, and the groups that they left."""

    records: np.ndarray  # (k,)
    original_groups: np.ndarray  # (k,)


@compiled
def units_together(groups, group, other):
    """Return the number of distinct units in two groups together."""
    n_shared = 0
    record = groups.head[group]
    while record >= 0:
        unit = groups.unit[record]
        if count_of(groups, other, unit) > 0:
            n_shared += 1.0 / count_of(groups, group, unit)  # so that a unit counts once
        record = groups.next_record[record]
    return groups.n_units[group] + groups.n_units[other] - round(n_shared)


@compiled
def cheapest_join(groups, k, record, near):
    """Return the near group of at least k units that ``record`` joins at the least cost.

    Also return the cost, which is the increase of the SSE of that group.
    """
    best, least = NONE, np.inf
    for near_group in near:
        if near_group != groups.labels[record] and groups.n_units[near_group] >= k:
            square = squared_row_distance(groups.X, record, groups.centroids, near_group)
            cost = ward_cost(square, 1.0, groups.sizes[near_group])
            if cost < least:
                best, least = near_group, cost
    return best, least


@compiled
def dissolution_cost(groups, k, group, near):
    """Return the cost of moving all records of a group to near groups; inf if one cannot move."""
    total = -sse_of(groups, group)
    record = groups.head[group]
    while record >= 0:
        total += cheapest_join(groups, k, record, near)[1]
        record = groups.next_record[record]
    return total


@compiled
def cheapest_addition(groups, k, group, near):
    """Return the record of a further unit that joins ``group`` at the least cost, and the cost.

    It comes from a near group that keeps k units without it.
    """
    best, least = NONE, np.inf
    for near_group in near:
        if groups.n_units[near_group] < k:
            continue
        record = groups.head[near_group]
        while record >= 0:
            square = squared_row_distance(groups.X, record, groups.centroids, group)
            own_square = squared_row_distance(groups.X, record, groups.centroids, near_group)
            cost = ward_cost(square, 1.0, groups.sizes[group])
            cost -= own_square * (groups.sizes[near_group] / (groups.sizes[near_group] - 1.0))
            if (
                cost < least
                and count_of(groups, group, groups.unit[record]) == 0
                and may_leave(groups, k, record)
            ):
                best, least = record, cost
            record = groups.next_record[record]
    return best, least


@compiled
def add_units(groups, k, group, near, moved):
    """Move records of near groups to ``group`` until it has k units.

    They are stored in ``moved``. Return their number and the cost, which is inf if the near groups
    cannot spare enough.
    """
    total, n_moved = 0.0, 0
    while groups.n_units[group] < k:
        record, cost = cheapest_addition(groups, k, group, near)
        if record == NONE:
            return n_moved, np.inf
        moved.records[n_moved], moved.original_groups[n_moved] = record, groups.labels[record]
        move_record(groups, record, group)
        total += cost
        n_moved += 1
    return n_moved, total


@compiled
def merge_groups(groups, tree, group, target):
    """Move all records of ``group`` to ``target``."""
    while groups.head[group] >= 0:
        move_record(groups, groups.head[group], target)
    move_point(tree, target, groups.centroids[target])
    remove_point(tree, group)


@compiled
def dissolve_group(groups, tree, k, group, near):
    """Move each record of ``group`` to the near group where it costs least."""
    while groups.head[group] >= 0:
        record = groups.head[group]
        target = cheapest_join(groups, k, record, near)[0]
        move_record(groups, record, target)
        move_point(tree, target, groups.centroids[target])
    remove_point(tree, group)


@compiled
def repair_group(groups, tree, k, group):
    """Repair a group at the least increase of the SSE; return a group that needs repair, or NONE.

    Nothing can be done if it is the only group. If no near group has enough units, it is merged
    with the nearest one, which then needs repair itself.
    """
    near, squares = np.empty(MAX_NEAR_GROUPS, np.int64), np.empty(MAX_NEAR_GROUPS)
    near = near[: find_nearest(tree, groups.centroids[group], group, near, squares)]
    if near.shape[0] == 0:
        return NONE
    partner, merging_cost = cheapest_merger(groups, k, group, near, squares)
    dissolving_cost = dissolution_cost(groups, k, group, near)
    moved = MovedRecords(np.empty(k, np.int64), np.empty(k, np.int64))
    n_moved, extension_cost = add_units(groups, k, group, near, moved)
    if extension_cost < np.inf and extension_cost <= min(merging_cost, dissolving_cost):
        move_point(tree, group, groups.centroids[group])
        for original_group in moved.original_groups[:n_moved]:
            move_point(tree, original_group, groups.centroids[original_group])
        return NONE
    for position in range(n_moved - 1, -1, -1):
        move_record(groups, moved.records[position], moved.original_groups[position])
    if dissolving_cost < merging_cost:
        dissolve_group(groups, tree, k, group, near)
        return NONE
    if partner == NONE:
        partner = near[0]
    merge_groups(groups, tree, group, partner)
    return partner if groups.n_units[partner] < k else NONE


@compiled
def cheapest_merger(groups, k, group, near, squares):
    """Return the near group with which ``group`` has k units, at the least cost, and the cost.

    ``squares`` are the squared distances of the centroids.
    """
    best, least = NONE, np.inf
    for position in range(near.shape[0]):
        cost = ward_cost(squares[position], groups.sizes[group], groups.sizes[near[position]])
        if cost < least and units_together(groups, group, near[position]) >= k:
            best, least = near[position], cost
    return best, least


@compiled
def dissolve_if_cheaper(groups, tree, k, candidates):
    """Dissolve the ``candidates`` whose records cost less in other groups; return their number."""
    near, squares = np.empty(MAX_NEAR_GROUPS, np.int64), np.empty(MAX_NEAR_GROUPS)
    n_dissolved = 0
    for group in candidates:
        if groups.sizes[group] == 0:
            continue
        count = find_nearest(tree, groups.centroids[group], group, near, squares)
        sse = sse_of(groups, group)
        if sse > 0.0 and dissolution_cost(groups, k, group, near[:count]) < -ROUNDING * sse:
            dissolve_group(groups, tree, k, group, near[:count])
            n_dissolved += 1
    return n_dissolved


@compiled
def split_group(groups, k, group, new_group):
    """Move the outermost records of a group, of k units, to an empty group."""
    size = groups.sizes[group]
    members, squares = np.empty(size, np.int64), np.empty(size)
    record, farthest = groups.head[group], 0
    for position in range(size):
        members[position] = record
        squares[position] = squared_row_distance(groups.X, record, groups.centroids, group)
        if squares[position] > squares[farthest]:
            farthest = position
        record = groups.next_record[record]
    outermost = members[farthest]
    for position in range(size):
        squares[position] = squared_row_distance(groups.X, members[position], groups.X, outermost)
    order = np.argsort(squares, kind="mergesort")
    position = 0
    while groups.n_units[new_group] < k:
        move_record(groups, members[order[position]], new_group)
        position += 1
    update_centroid(groups, group)
    update_centroid(groups, new_group)


@compiled
def split_groups(groups, k, n_groups, split_equal):
    """Split groups of 2k units or more; return the number of groups.

    Groups of equal records are split only if ``split_equal``, since that saves nothing.
    """
    for group in range(n_groups):
        while groups.n_units[group] >= 2 * k and (split_equal or sse_of(groups, group) > 0.0):
            split_group(groups, k, group, n_groups)
            n_groups += 1
    return n_groups


@compiled
def repair_groups(groups, tree, k, queue, start, stop):
    """Repair the groups among ``queue[start:stop]`` that have fewer than k units."""
    for position in range(start, stop):
        group = queue[position]
        while group != NONE and groups.sizes[group] > 0 and groups.n_units[group] < k:
            group = repair_group(groups, tree, k, group)
