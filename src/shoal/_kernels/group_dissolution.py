"""The second phase of MDAV2, DBA2 and TFRP: groups dissolve where that lowers the SSE.

TFRP is that of Chang, Li and Huang (2007), MDAV2 and DBA2 are those of Lin, Wen, Hsieh and Chang
(2010). Each record of a group moves to the group with the nearest centroid; centroids are not
updated until all records of the group have chosen. If records x join a group of m records with
centroid c, its SSE increases by

    sum |x - c|^2 - |sum (x - c)|^2 / (m + number of x),

and no other group is affected. Groups may then exceed 2k - 1 records: the caller divides them.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.compensated_sum import add_compensated
from shoal._kernels.constants import NONE
from shoal._kernels.distances import scaled_sse
from shoal._kernels.leftovers import group_centroids
from shoal._kernels.spatial.box_tree import (
    BoxTree,
    build_tree,
    find_nearest,
    move_point,
    remove_point,
)

ROUNDING = 1e-12  # share of a group's SSE up to which a change may be a rounding error


class LinkedGroups(NamedTuple):
    """Groups that may dissolve, and their centroids in a tree.

    The records of group g are a linked list: ``first[g]``, then ``next_record[first[g]]``
    and so on, with ``last[g]`` at the end. ``total`` is their sum, as leading part and rounding
    error per column. In a trial, ``target`` is the group that a record would join, and
    ``n_joining``, ``offset_sum`` and ``sse_rise`` are the number of records that would join a
    group, the sum of their differences to its centroid and what they would add to its SSE; all
    three are zero between two trials.
    """

    tree: BoxTree
    centroids: np.ndarray  # (n_groups, p)
    sizes: np.ndarray  # (n_groups,)
    sse: np.ndarray  # (n_groups,)
    total: np.ndarray  # (n_groups, p, 2)
    first: np.ndarray  # (n_groups,)
    next_record: np.ndarray  # (n,)
    last: np.ndarray  # (n_groups,)
    target: np.ndarray  # (n,)
    n_joining: np.ndarray  # (n_groups,)
    offset_sum: np.ndarray  # (n_groups, p)
    sse_rise: np.ndarray  # (n_groups,)


def open_linked_groups(X: np.ndarray, labels: np.ndarray) -> LinkedGroups:
    """Return the groups of ``labels``, counted from 0 without gaps."""
    n, n_groups = len(X), int(labels.max()) + 1
    centroids, sizes = group_centroids(X, labels, n_groups)
    groups = LinkedGroups(
        tree=build_tree(centroids),
        centroids=centroids,
        sizes=sizes,
        sse=np.zeros(n_groups),
        total=np.zeros((n_groups, X.shape[1], 2)),
        first=np.full(n_groups, NONE),
        next_record=np.full(n, NONE),
        last=np.full(n_groups, NONE),
        target=np.full(n, NONE),
        n_joining=np.zeros(n_groups, np.int64),
        offset_sum=np.zeros((n_groups, X.shape[1])),
        sse_rise=np.zeros(n_groups),
    )
    link_members(X, labels, groups)
    return groups


@compiled
def link_members(X, labels, groups):
    """Fill the lists of the groups and their sums."""
    for i in range(X.shape[0]):
        append_member(groups, labels[i], i)
        for c in range(X.shape[1]):
            add_compensated(groups.total[labels[i], c], X[i, c])
    for g in range(groups.sse.shape[0]):
        groups.sse[g] = group_sse(X, groups, g)


@compiled
def append_member(groups, g, i):
    """Make record ``i`` the last of group ``g``."""
    if groups.first[g] == NONE:
        groups.first[g] = i
    else:
        groups.next_record[groups.last[g]] = i
    groups.last[g] = i
    groups.next_record[i] = NONE


@compiled
def group_sse(X, groups, g):
    """Return the SSE of group ``g``; it is exact for small whole numbers, so ties stay ties."""
    others = np.empty(groups.sizes[g] - 1, np.int64)
    i = groups.next_record[groups.first[g]]
    for t in range(others.shape[0]):
        others[t] = i
        i = groups.next_record[i]
    return scaled_sse(X, groups.first[g], others) / groups.sizes[g]


@compiled
def choose_targets(X, groups, g):
    """Choose the group with the nearest other centroid for each record of group ``g``."""
    nearest_centroid, distance = np.empty(1, np.int64), np.empty(1)
    i = groups.first[g]
    while i != NONE:
        find_nearest(groups.tree, X[i], g, nearest_centroid, distance)
        h = nearest_centroid[0]
        groups.target[i] = h
        groups.n_joining[h] += 1
        groups.sse_rise[h] += distance[0]
        for c in range(X.shape[1]):
            groups.offset_sum[h, c] += X[i, c] - groups.centroids[h, c]
        i = groups.next_record[i]


@compiled
def total_rise_and_reset(groups, g):
    """Return the increase of the SSE of other groups in a trial of group ``g``; end the trial.

    Only ``sse_rise`` is kept, for `move_member`.
    """
    total = 0.0
    i = groups.first[g]
    while i != NONE:
        h = groups.target[i]
        if groups.n_joining[h] > 0:
            reduction = 0.0
            for c in range(groups.offset_sum.shape[1]):
                reduction += groups.offset_sum[h, c] * groups.offset_sum[h, c]
                groups.offset_sum[h, c] = 0.0
            groups.sse_rise[h] -= reduction / (groups.sizes[h] + groups.n_joining[h])
            groups.n_joining[h] = 0
            total += groups.sse_rise[h]
        i = groups.next_record[i]
    return total


@compiled
def move_member(X, groups, h, i):
    """Move record ``i`` to group ``h`` and update its centroid."""
    append_member(groups, h, i)
    groups.sizes[h] += 1
    groups.sse[h] += groups.sse_rise[h]
    groups.sse_rise[h] = 0.0
    for c in range(X.shape[1]):
        add_compensated(groups.total[h, c], X[i, c])
        groups.centroids[h, c] = groups.total[h, c, 0] / groups.sizes[h]
    move_point(groups.tree, h, groups.centroids[h])


@compiled
def dissolve_if_better(X, groups, g):
    """Dissolve group ``g`` if that lowers the SSE."""
    choose_targets(X, groups, g)
    is_better = total_rise_and_reset(groups, g) < groups.sse[g] * (1.0 - ROUNDING)
    i = groups.first[g]
    while i != NONE:
        next_in_list = groups.next_record[i]
        if is_better:
            move_member(X, groups, groups.target[i], i)
        else:
            groups.sse_rise[groups.target[i]] = 0.0
        i = next_in_list
    if is_better:
        remove_point(groups.tree, g)
        groups.first[g] = NONE
        groups.sizes[g] = 0


@compiled
def dissolve_groups(X, groups, order):
    """Dissolve those of the groups in ``order`` whose dissolution lowers the SSE."""
    for g in order:
        if groups.sse[g] > 0.0 and groups.tree.n_living[1] > 1:
            dissolve_if_better(X, groups, g)


@compiled
def write_labels(groups, labels):
    """Write the group of each record into ``labels``; dissolved groups leave gaps."""
    for g in range(groups.first.shape[0]):
        i = groups.first[g]
        while i != NONE:
            labels[i] = g
            i = groups.next_record[i]
