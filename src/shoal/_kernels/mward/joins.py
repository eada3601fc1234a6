"""Ward's method in which two groups of at least k records are never joined.

Only groups of fewer than k records search for partners. Ward's linkage is reducible:
when the nearest pair joins, the new group is no nearer to any other than the nearer
of its parts was. So a lower bound on the distance of far groups stays valid: each
small group keeps a short list of its nearest groups and the key of the last of them,
and searches all groups again only when no listed group has a lower key.

A group has the number of its lowest record. The key of a partner is the increase in
the sum of squares, then its number.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.mward.cost import NEGLIGIBLE, rounded, ward
from shoal._kernels.mward.nearest_list import insert, is_listed, precedes
from shoal._kernels.spatial.group_boxes import (
    WIDTH,
    box_distances,
    group_distances,
    move_group,
    remove_group,
)
from shoal._kernels.structures.tournament import open_tournament, replay
from shoal._kernels.structures.union_find import find_root

LIST = 8  # length of the list of nearest groups
N_SMALL, N_DONE = 0, 1  # places in the counts: small groups, and joins and first searches so far


class Groups(NamedTuple):
    """Groups that are being joined.

    ``near[g]`` is the list of group g, with ``known[g]`` entries; every group not
    listed has a key above ``(bound[g], bound_group[g])``. ``increase[g]`` and
    ``partner[g]`` are a lower bound of the key of g; ``tournament`` is that of
    these keys. ``count`` has the number of small groups and of joins and first
    searches so far.
    """

    centre: np.ndarray
    size: np.ndarray
    parent: np.ndarray
    near: np.ndarray
    known: np.ndarray
    bound: np.ndarray
    bound_group: np.ndarray
    increase: np.ndarray
    partner: np.ndarray
    tournament: np.ndarray
    count: np.ndarray


def open_groups(centre, size, parent, k):
    """Return groups with empty lists."""
    n = len(centre)
    small = (parent == np.arange(n)) & (size < k)
    return Groups(
        centre,
        size,
        parent,
        np.empty((n, LIST), np.int64),
        np.zeros(n, np.int64),
        np.zeros(n),
        np.full(n, -1),
        np.zeros(n),
        np.full(n, -1),
        open_tournament(small),
        np.array([small.sum(), 0]),
    )


@compiled
def advance(groups, boxes, k, work):
    """Join until about ``work`` distances are measured; return whether small groups are left."""
    while groups.count[N_SMALL] > 0 and work > 0:
        g = groups.tournament[1]
        increase = groups.increase[g]
        partner = groups.partner[g]
        is_exact = update_key(groups, g)
        work -= LIST
        if groups.increase[g] == increase and groups.partner[g] == partner:
            if is_exact:
                join(groups, boxes, min(g, partner), max(g, partner), k)
                continue
            groups.count[N_DONE] += groups.bound_group[g] < 0
            work -= search(groups, boxes, g)
            update_key(groups, g)
        replay(groups.tournament, groups.increase, groups.partner, g, True)
    return groups.count[N_SMALL] > 0


@compiled
def update_key(groups, g):
    """Set the key of ``g`` from its list or its bound; return whether the partner is exact."""
    increase = np.inf
    partner = -1
    for at in range(groups.known[g]):
        other = find_root(groups.parent, groups.near[g, at])
        if other != g:
            cost = cost_of(groups, g, other)
            if cost < increase or (cost == increase and other < partner):
                increase = cost
                partner = other
    bound = groups.bound[g]
    is_exact = increase < bound or (increase == bound and partner <= groups.bound_group[g])
    groups.increase[g] = increase if is_exact else bound
    groups.partner[g] = partner if is_exact else groups.bound_group[g]
    return is_exact


@compiled
def search(groups, boxes, g):
    """Make a new list for ``g`` from all groups; return the number of distances measured."""
    centre = groups.centre[g]
    size = float(groups.size[g])
    distance = np.empty(WIDTH)
    increases = np.full(LIST, np.inf)
    partners = np.full(LIST, groups.parent.shape[0])
    measured = boxes.distance_to_box.shape[0]
    home = boxes.places[g] // WIDTH
    reach = np.inf
    box_distances(boxes, centre)
    for visit in range(-1, boxes.distance_to_box.shape[0]):
        b = home if visit < 0 else visit
        if visit == home or boxes.distance_to_box[b] > reach:
            continue
        group_distances(boxes, b, centre, distance)
        measured += WIDTH
        for at in range(WIDTH):
            if distance[at] <= reach and distance[at] < np.inf and boxes.groups[b, at] != g:
                increase = rounded(ward(distance[at], size, boxes.weights[b, at]))
                insert(increases, partners, increase, boxes.groups[b, at])
                # A partner has at least one record; the margin keeps ties despite rounding.
                reach = 1.0000001 * max(increases[-1], NEGLIGIBLE) / ward(1.0, size, 1.0)
    groups.bound[g] = np.inf
    groups.bound_group[g] = groups.parent.shape[0]
    set_list(groups, g, increases, partners)
    return measured


@compiled
def join(groups, boxes, a, b, k):
    """Join group ``b`` into ``a``, the lower number."""
    groups.count[N_SMALL] -= (groups.size[a] < k) + (groups.size[b] < k)
    groups.count[N_DONE] += 1
    size = groups.size[a] + groups.size[b]
    share = groups.size[b] / size
    for j in range(groups.centre.shape[1]):
        groups.centre[a, j] += (groups.centre[b, j] - groups.centre[a, j]) * share
    groups.size[a] = size
    groups.parent[b] = a
    remove_group(boxes, b)
    move_group(boxes, a, groups.centre[a], size)
    replay(groups.tournament, groups.increase, groups.partner, b, False)
    if size < k:
        groups.count[N_SMALL] += 1
        share_lists(groups, a, b)
        update_key(groups, a)
    replay(groups.tournament, groups.increase, groups.partner, a, size < k)


@compiled
def share_lists(groups, a, b):
    """Merge the lists of both into that of ``a``, up to the lower of the two bounds."""
    increases = np.full(LIST, np.inf)
    partners = np.full(LIST, groups.parent.shape[0])
    for source in (a, b):
        for at in range(groups.known[source]):
            other = find_root(groups.parent, groups.near[source, at])
            if other != a and not is_listed(partners, other):
                insert(increases, partners, cost_of(groups, a, other), other)
    if precedes(groups.bound[b], groups.bound_group[b], groups.bound[a], groups.bound_group[a]):
        groups.bound[a] = groups.bound[b]
        groups.bound_group[a] = groups.bound_group[b]
    set_list(groups, a, increases, partners)


@compiled
def set_list(groups, g, increases, partners):
    """Set the list of ``g``; if it is full, its last key becomes the bound."""
    groups.known[g] = 0
    for at in range(LIST):
        if increases[at] < np.inf:
            groups.near[g, at] = partners[at]
            groups.known[g] += 1
    if precedes(increases[-1], partners[-1], groups.bound[g], groups.bound_group[g]):
        groups.bound[g] = increases[-1]
        groups.bound_group[g] = partners[-1]


@compiled
def cost_of(groups, a, b):
    """Return the increase in the sum of squares from joining ``a`` and ``b``."""
    distance = row_distance(groups.centre, a, groups.centre, b)
    return rounded(ward(distance, float(groups.size[a]), float(groups.size[b])))
