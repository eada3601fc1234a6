"""The second phase of MDAV2, DBA2 and TFRP: groups dissolve where that lowers the SSE.

TFRP was proposed by Chang, Li and Huang (2007), MDAV2 and DBA2 by Lin, Wen, Hsieh and Chang (2010).
Each record of a group moves to the group with the nearest centroid; centroids are not
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
    ROOT,
    BoxTree,
    build_tree,
    find_nearest,
    move_point,
    remove_point,
)

ROUNDING = 1e-12  # share of a group's SSE up to which a change may be a rounding error


class LinkedGroups(NamedTuple):
    """Groups that may dissolve, and their centroids in a tree.

    The records of a group are a linked list from ``first[group]`` to ``last[group]``, in which
    ``next_record`` leads from one to the next. ``total`` is their sum, as leading part and rounding
    error per column. In a trial, ``target`` is the group that a record would join, and
    ``n_joining``, ``offset_sum`` and ``sse_rise`` are the number of records that would join a
    group, the sum of their differences to its centroid and what they would add to its SSE; all
    three are zero outside `dissolve_if_better`.
    """

    tree: BoxTree
    centroids: np.ndarray  # (n_groups, n_columns)
    sizes: np.ndarray  # (n_groups,)
    sse: np.ndarray  # (n_groups,)
    total: np.ndarray  # (n_groups, n_columns, 2)
    first: np.ndarray  # (n_groups,)
    next_record: np.ndarray  # (n_records,)
    last: np.ndarray  # (n_groups,)
    target: np.ndarray  # (n_records,)
    n_joining: np.ndarray  # (n_groups,)
    offset_sum: np.ndarray  # (n_groups, n_columns)
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
    for record in range(X.shape[0]):
        append_member(groups, labels[record], record)
        for column in range(X.shape[1]):
            add_compensated(groups.total[labels[record], column], X[record, column])
    for group in range(groups.sse.shape[0]):
        groups.sse[group] = group_sse(X, groups, group)


@compiled
def append_member(groups, group, record):
    """Make ``record`` the last of ``group``."""
    if groups.first[group] == NONE:
        groups.first[group] = record
    else:
        groups.next_record[groups.last[group]] = record
    groups.last[group] = record
    groups.next_record[record] = NONE


@compiled
def group_sse(X, groups, group):
    """Return the SSE of ``group``; it is exact for small whole numbers, so ties stay ties."""
    others = np.empty(groups.sizes[group] - 1, np.int64)
    record = groups.next_record[groups.first[group]]
    for position in range(others.shape[0]):
        others[position] = record
        record = groups.next_record[record]
    return scaled_sse(X, groups.first[group], others) / groups.sizes[group]


@compiled
def choose_targets(X, groups, group):
    """Choose the group with the nearest other centroid for each record of ``group``."""
    nearest_centroid, square = np.empty(1, np.int64), np.empty(1)
    record = groups.first[group]
    while record != NONE:
        find_nearest(groups.tree, X[record], group, nearest_centroid, square)
        target = nearest_centroid[0]
        groups.target[record] = target
        groups.n_joining[target] += 1
        groups.sse_rise[target] += square[0]
        for column in range(X.shape[1]):
            difference = X[record, column] - groups.centroids[target, column]
            groups.offset_sum[target, column] += difference
        record = groups.next_record[record]


@compiled
def finish_trial(groups, group):
    """Return by how much a trial of ``group`` raises the SSE of the others.

    ``n_joining`` and ``offset_sum`` are set to zero. ``sse_rise`` keeps the rise of each group,
    until `dissolve_if_better` resets it.
    """
    total = 0.0
    record = groups.first[group]
    while record != NONE:
        target = groups.target[record]
        if groups.n_joining[target] > 0:
            reduction = 0.0
            for column in range(groups.offset_sum.shape[1]):
                reduction += groups.offset_sum[target, column] * groups.offset_sum[target, column]
                groups.offset_sum[target, column] = 0.0
            groups.sse_rise[target] -= reduction / (groups.sizes[target] + groups.n_joining[target])
            groups.n_joining[target] = 0
            total += groups.sse_rise[target]
        record = groups.next_record[record]
    return total


@compiled
def move_member(X, groups, target, record):
    """Move ``record`` to the group ``target`` and update its centroid."""
    append_member(groups, target, record)
    groups.sizes[target] += 1
    groups.sse[target] += groups.sse_rise[target]
    groups.sse_rise[target] = 0.0
    for column in range(X.shape[1]):
        add_compensated(groups.total[target, column], X[record, column])
        groups.centroids[target, column] = groups.total[target, column, 0] / groups.sizes[target]
    move_point(groups.tree, target, groups.centroids[target])


@compiled
def dissolve_if_better(X, groups, group):
    """Dissolve ``group`` if that lowers the SSE."""
    choose_targets(X, groups, group)
    is_better = finish_trial(groups, group) < groups.sse[group] * (1.0 - ROUNDING)
    record = groups.first[group]
    while record != NONE:
        next_in_list = groups.next_record[record]
        if is_better:
            move_member(X, groups, groups.target[record], record)
        else:
            groups.sse_rise[groups.target[record]] = 0.0
        record = next_in_list
    if is_better:
        remove_point(groups.tree, group)
        groups.first[group] = NONE
        groups.sizes[group] = 0


@compiled
def dissolve_groups(X, groups, order):
    """Dissolve each of the groups in ``order`` if that lowers the SSE."""
    for group in order:
        has_other_group = groups.tree.n_remaining[ROOT] > 1
        if groups.sse[group] > 0.0 and has_other_group:
            dissolve_if_better(X, groups, group)


@compiled
def write_labels(groups, labels):
    """Write the group of each record into ``labels``; dissolved groups leave gaps."""
    for group in range(groups.first.shape[0]):
        record = groups.first[group]
        while record != NONE:
            labels[record] = group
            record = groups.next_record[record]
