"""Ward's method in which two groups of at least k records are never joined.

Only groups of fewer than k records search for partners. Ward's linkage is reducible: when the
nearest pair joins, the new group is no nearer to any other than the nearer of the two was. So a
lower bound on the distance of far groups stays valid: each small group keeps a short list of its
nearest groups and the key of the last of them, and searches all groups again only when no listed
group has a lower key.

A group has the number of its lowest record. The key of a partner is the increase of the SSE if the
two groups join, then the partner's number. The method is that of Mateo-Sanz and Domingo-Ferrer
(1999).
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.mward.cost import NEGLIGIBLE, rounded, ward_cost
from shoal._kernels.mward.group_boxes import (
    GROUPS_PER_BOX,
    measure_box_distances,
    move_group,
    remove_group,
    write_group_distances,
)
from shoal._kernels.structures.sorted_list import insert, precedes
from shoal._kernels.structures.tournament import open_tournament, replay, winner_of_all
from shoal._kernels.structures.union_find import find_root

LIST_LENGTH = 8  # of the list of nearest groups
TIE_MARGIN = 1.0000001  # times the greatest cost in a list, so that rounding excludes no tie
N_SMALL, N_STEPS = 0, 1  # indices of the counts: small groups; joins and first searches so far


class WardGroups(NamedTuple):
    """Groups that are being joined, by the number of their lowest record.

    ``parent[g]`` is the group into which g was joined, or g itself. ``near[g]`` is the list of
    group g, with ``n_near[g]`` entries; every group not listed has a key above ``(bound[g],
    bound_group[g])``. ``increase[g]`` and ``partner[g]`` are a lower bound of the key of g, and
    ``tournament`` is that of these keys. ``counts`` has the number of small groups, and that of
    joins and first searches so far.
    """

    centroids: np.ndarray  # (n, p)
    sizes: np.ndarray  # (n,)
    parent: np.ndarray  # (n,)
    near: np.ndarray  # (n, LIST_LENGTH)
    n_near: np.ndarray  # (n,)
    bound: np.ndarray  # (n,)
    bound_group: np.ndarray  # (n,)
    increase: np.ndarray  # (n,)
    partner: np.ndarray  # (n,)
    tournament: np.ndarray  # (2 * n_leaves,)
    counts: np.ndarray  # (2,)


def open_ward_groups(
    centroids: np.ndarray, sizes: np.ndarray, parent: np.ndarray, k: int
) -> WardGroups:
    """Return groups with empty lists."""
    n = len(centroids)
    is_small = (parent == np.arange(n)) & (sizes < k)
    return WardGroups(
        centroids=centroids,
        sizes=sizes,
        parent=parent,
        near=np.empty((n, LIST_LENGTH), np.int64),
        n_near=np.zeros(n, np.int64),
        bound=np.zeros(n),
        bound_group=np.full(n, -1),
        increase=np.zeros(n),
        partner=np.full(n, -1),
        tournament=open_tournament(is_small),
        counts=np.array([is_small.sum(), 0]),
    )


@compiled
def join_small_groups(groups, boxes, k, work):
    """Join until about ``work`` distances are measured; return whether small groups are left."""
    while groups.counts[N_SMALL] > 0 and work > 0:
        g = winner_of_all(groups.tournament)
        increase = groups.increase[g]
        partner = groups.partner[g]
        is_exact = update_key(groups, g)
        work -= LIST_LENGTH
        # Keys are lower bounds, and that of g is the least. If it is unchanged and exact, the
        # partner is the best; if it is a bound only, all groups are searched.
        if groups.increase[g] == increase and groups.partner[g] == partner:
            if is_exact:
                join(groups, boxes, min(g, partner), max(g, partner), k)
                continue
            groups.counts[N_STEPS] += groups.bound_group[g] < 0
            work -= search_partners(groups, boxes, g)
            update_key(groups, g)
        replay(groups.tournament, groups.increase, groups.partner, g, True)
    return groups.counts[N_SMALL] > 0


@compiled
def update_key(groups, g):
    """Set the key of ``g`` from its list or its bound; return whether the partner is exact."""
    partner, increase = -1, np.inf
    for i in range(groups.n_near[g]):
        other = find_root(groups.parent, groups.near[g, i])
        if other != g:
            cost = join_cost(groups, g, other)
            if cost < increase or (cost == increase and other < partner):
                partner, increase = other, cost
    bound = groups.bound[g]
    is_exact = increase < bound or (increase == bound and partner <= groups.bound_group[g])
    groups.increase[g] = increase if is_exact else bound
    groups.partner[g] = partner if is_exact else groups.bound_group[g]
    return is_exact


@compiled
def search_partners(groups, boxes, g):
    """Make a new list for ``g`` from all groups; return the number of distances measured."""
    centre = groups.centroids[g]
    size = float(groups.sizes[g])
    distance = np.empty(GROUPS_PER_BOX)
    increases = np.full(LIST_LENGTH, np.inf)
    partners = np.full(LIST_LENGTH, groups.parent.shape[0])
    n_measured = boxes.distance_to_box.shape[0]
    box_of_g = boxes.positions[g] // GROUPS_PER_BOX
    max_distance = np.inf
    measure_box_distances(boxes, centre)
    for visit in range(-1, boxes.distance_to_box.shape[0]):
        b = box_of_g if visit < 0 else visit
        if visit == box_of_g or boxes.distance_to_box[b] > max_distance:
            continue
        write_group_distances(boxes, b, centre, distance)
        n_measured += GROUPS_PER_BOX
        for i in range(GROUPS_PER_BOX):
            if distance[i] <= max_distance and distance[i] < np.inf and boxes.groups[b, i] != g:
                increase = rounded(ward_cost(distance[i], size, boxes.sizes[b, i]))
                insert(partners, increases, LIST_LENGTH, boxes.groups[b, i], increase)
                # A partner has at least one record.
                max_cost = TIE_MARGIN * max(increases[-1], NEGLIGIBLE)
                max_distance = max_cost / ward_cost(1.0, size, 1.0)
    groups.bound[g] = np.inf
    groups.bound_group[g] = groups.parent.shape[0]
    set_list(groups, g, increases, partners)
    return n_measured


@compiled
def join(groups, boxes, a, b, k):
    """Join group ``b`` into ``a``, the lower number."""
    groups.counts[N_SMALL] -= (groups.sizes[a] < k) + (groups.sizes[b] < k)
    groups.counts[N_STEPS] += 1
    size = groups.sizes[a] + groups.sizes[b]
    share = groups.sizes[b] / size
    for c in range(groups.centroids.shape[1]):
        groups.centroids[a, c] += (groups.centroids[b, c] - groups.centroids[a, c]) * share
    groups.sizes[a] = size
    groups.parent[b] = a
    remove_group(boxes, b)
    move_group(boxes, a, groups.centroids[a], size)
    replay(groups.tournament, groups.increase, groups.partner, b, False)
    if size < k:
        groups.counts[N_SMALL] += 1
        merge_lists(groups, a, b)
        update_key(groups, a)
    replay(groups.tournament, groups.increase, groups.partner, a, size < k)


@compiled
def merge_lists(groups, a, b):
    """Merge the lists of both into that of ``a``, up to the lower of the two bounds."""
    increases = np.full(LIST_LENGTH, np.inf)
    partners = np.full(LIST_LENGTH, groups.parent.shape[0])
    for source in (a, b):
        for i in range(groups.n_near[source]):
            other = find_root(groups.parent, groups.near[source, i])
            if other != a and not (partners == other).any():
                insert(partners, increases, LIST_LENGTH, other, join_cost(groups, a, other))
    if precedes(groups.bound[b], groups.bound_group[b], groups.bound[a], groups.bound_group[a]):
        groups.bound[a] = groups.bound[b]
        groups.bound_group[a] = groups.bound_group[b]
    set_list(groups, a, increases, partners)


@compiled
def set_list(groups, g, increases, partners):
    """Set the list of ``g``; if it is full, its last key becomes the bound."""
    groups.n_near[g] = 0
    for i in range(LIST_LENGTH):
        if increases[i] < np.inf:
            groups.near[g, i] = partners[i]
            groups.n_near[g] += 1
    if precedes(increases[-1], partners[-1], groups.bound[g], groups.bound_group[g]):
        groups.bound[g] = increases[-1]
        groups.bound_group[g] = partners[-1]


@compiled
def join_cost(groups, a, b):
    """Return the increase of the SSE from joining ``a`` and ``b``."""
    distance = squared_row_distance(groups.centroids, a, groups.centroids, b)
    return rounded(ward_cost(distance, float(groups.sizes[a]), float(groups.sizes[b])))
