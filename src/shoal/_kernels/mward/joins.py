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
from shoal._kernels.constants import NONE
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

LIST_LENGTH = 8  # length of a list of nearest groups
TIE_MARGIN = 1.0000001  # times the greatest cost in a list, so that rounding excludes no tie
N_SMALL, N_STEPS = 0, 1  # indices of the counts: small groups; joins and first searches so far


class WardGroups(NamedTuple):
    """Groups that are being joined, by the number of their lowest record.

    ``parent`` is the group into which a group was joined, or the group itself. ``near`` is the list
    of a group, with ``n_near`` entries; every group not listed has a key above ``(bound,
    bound_group)``. ``increase`` and ``partner`` are a lower bound of the key of a group, and
    ``tournament`` compares these keys. ``counts`` has the number of small groups, and the
    number of joins and first searches so far.
    """

    centroids: np.ndarray  # (n_records, n_columns)
    sizes: np.ndarray  # (n_records,)
    parent: np.ndarray  # (n_records,)
    near: np.ndarray  # (n_records, LIST_LENGTH)
    n_near: np.ndarray  # (n_records,)
    bound: np.ndarray  # (n_records,)
    bound_group: np.ndarray  # (n_records,)
    increase: np.ndarray  # (n_records,)
    partner: np.ndarray  # (n_records,)
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
        bound_group=np.full(n, NONE),
        increase=np.zeros(n),
        partner=np.full(n, NONE),
        tournament=open_tournament(is_small),
        counts=np.array([is_small.sum(), 0]),
    )


@compiled
def join_small_groups(groups, boxes, k, work):
    """Join until about ``work`` distances are measured; return whether small groups are left."""
    while groups.counts[N_SMALL] > 0 and work > 0:
        group = winner_of_all(groups.tournament)
        increase = groups.increase[group]
        partner = groups.partner[group]
        is_exact = update_key(groups, group)
        work -= LIST_LENGTH
        # Keys are lower bounds, and the key of `group` is the least. If it is unchanged and exact,
        # the partner is the best; if it is a bound only, all groups are searched.
        if groups.increase[group] == increase and groups.partner[group] == partner:
            if is_exact:
                join(groups, boxes, min(group, partner), max(group, partner), k)
                continue
            groups.counts[N_STEPS] += groups.bound_group[group] < 0
            work -= search_partners(groups, boxes, group)
            update_key(groups, group)
        replay(groups.tournament, groups.increase, groups.partner, group, True)
    return groups.counts[N_SMALL] > 0


@compiled
def update_key(groups, group):
    """Set the key of ``group`` from its list or its bound; return whether the partner is exact."""
    partner, increase = NONE, np.inf
    for position in range(groups.n_near[group]):
        other = find_root(groups.parent, groups.near[group, position])
        if other != group:
            cost = join_cost(groups, group, other)
            if cost < increase or (cost == increase and other < partner):
                partner, increase = other, cost
    bound = groups.bound[group]
    is_exact = increase < bound or (increase == bound and partner <= groups.bound_group[group])
    groups.increase[group] = increase if is_exact else bound
    groups.partner[group] = partner if is_exact else groups.bound_group[group]
    return is_exact


@compiled
def search_partners(groups, boxes, group):
    """Make a new list for ``group`` from all groups; return the number of distances measured."""
    centre = groups.centroids[group]
    size = float(groups.sizes[group])
    squares = np.empty(GROUPS_PER_BOX)
    increases = np.full(LIST_LENGTH, np.inf)
    partners = np.full(LIST_LENGTH, groups.parent.shape[0])
    n_measured = boxes.box_squares.shape[0]
    box_of_group = boxes.positions[group] // GROUPS_PER_BOX
    max_square = np.inf
    measure_box_distances(boxes, centre)
    for visit in range(-1, boxes.box_squares.shape[0]):
        box = box_of_group if visit < 0 else visit
        if visit == box_of_group or boxes.box_squares[box] > max_square:
            continue
        write_group_distances(boxes, box, centre, squares)
        n_measured += GROUPS_PER_BOX
        for slot in range(GROUPS_PER_BOX):
            square, partner = squares[slot], boxes.groups[box, slot]
            if square <= max_square and square < np.inf and partner != group:
                increase = rounded(ward_cost(square, size, boxes.sizes[box, slot]))
                insert(partners, increases, LIST_LENGTH, partner, increase)
                # A partner has at least one record.
                max_cost = TIE_MARGIN * max(increases[-1], NEGLIGIBLE)
                max_square = max_cost / ward_cost(1.0, size, 1.0)
    groups.bound[group] = np.inf
    groups.bound_group[group] = groups.parent.shape[0]
    set_list(groups, group, increases, partners)
    return n_measured


@compiled
def join(groups, boxes, lower, higher, k):
    """Join two groups; the one of the lower number remains."""
    groups.counts[N_SMALL] -= (groups.sizes[lower] < k) + (groups.sizes[higher] < k)
    groups.counts[N_STEPS] += 1
    size = groups.sizes[lower] + groups.sizes[higher]
    share = groups.sizes[higher] / size
    for column in range(groups.centroids.shape[1]):
        difference = groups.centroids[higher, column] - groups.centroids[lower, column]
        groups.centroids[lower, column] += difference * share
    groups.sizes[lower] = size
    groups.parent[higher] = lower
    remove_group(boxes, higher)
    move_group(boxes, lower, groups.centroids[lower], size)
    replay(groups.tournament, groups.increase, groups.partner, higher, False)
    if size < k:
        groups.counts[N_SMALL] += 1
        merge_lists(groups, lower, higher)
        update_key(groups, lower)
    replay(groups.tournament, groups.increase, groups.partner, lower, size < k)


@compiled
def merge_lists(groups, lower, higher):
    """Merge the lists of two groups into the list of ``lower``, up to the lower of both bounds."""
    increases = np.full(LIST_LENGTH, np.inf)
    partners = np.full(LIST_LENGTH, groups.parent.shape[0])
    for source in (lower, higher):
        for position in range(groups.n_near[source]):
            other = find_root(groups.parent, groups.near[source, position])
            if other != lower and not (partners == other).any():
                insert(partners, increases, LIST_LENGTH, other, join_cost(groups, lower, other))
    bound, bound_group = groups.bound[higher], groups.bound_group[higher]
    if precedes(bound, bound_group, groups.bound[lower], groups.bound_group[lower]):
        groups.bound[lower], groups.bound_group[lower] = bound, bound_group
    set_list(groups, lower, increases, partners)


@compiled
def set_list(groups, group, increases, partners):
    """Set the list of ``group``; if it is full, its last key becomes the bound."""
    groups.n_near[group] = 0
    for position in range(LIST_LENGTH):
        if increases[position] < np.inf:
            groups.near[group, position] = partners[position]
            groups.n_near[group] += 1
    if precedes(increases[-1], partners[-1], groups.bound[group], groups.bound_group[group]):
        groups.bound[group] = increases[-1]
        groups.bound_group[group] = partners[-1]


@compiled
def join_cost(groups, group, other):
    """Return the increase of the SSE from joining ``group`` and ``other``."""
    square = squared_row_distance(groups.centroids, group, groups.centroids, other)
    return rounded(ward_cost(square, float(groups.sizes[group]), float(groups.sizes[other])))
