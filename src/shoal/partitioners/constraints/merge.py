"""Merge groups that fail a test with their nearest neighbours until none fails."""

from collections.abc import Callable
from heapq import heappop, heappush

import numpy as np

from shoal import _progress as progress
from shoal._kernels.spatial.box_tree import (
    BoxTree,
    build_tree,
    find_nearest,
    move_point,
    remove_point,
)
from shoal.errors import InputError
from shoal.partitioners._base import Indices, Matrix, Partition, Values, in_order

GroupTest = Callable[[Indices], bool]  # whether the records of a group pass


def merge_failing(Z: Matrix, partition: Partition, passes: GroupTest) -> Partition:
    """Merge each group that fails a test with its nearest neighbour, until every group passes.

    The first failing group, by its first record, is merged with the group whose centroid is
    nearest; ties go to the group that comes first. Groups only grow, so k is kept.

    Parameters
    ----------
    Z : ndarray of shape (n_records, n_columns)
        Records in comparable units: distances are taken as they are.
    partition : Partition
        The groups to start from.
    passes : callable
        Takes the numbers of the records of a group, in ascending order, and returns
        whether it passes. All records together must pass.

    Returns
    -------
    Partition
        The merged groups, which all pass, with the same k.

    Examples
    --------
    >>> Z = np.array([[0.0], [1.0], [4.0], [5.0], [9.0], [9.5]])
    >>> groups = Partition(np.array([0, 0, 1, 1, 2, 2]), k=2)
    >>> merge_failing(Z, groups, lambda records: 2 not in records or len(records) > 2).labels
    array([0, 0, 0, 0, 1, 1])
    """
    order = np.argsort(partition.labels, kind="stable")
    start = np.cumsum(partition.sizes) - partition.sizes
    members = np.split(order, start[1:])
    centroids = np.add.reduceat(Z[order], start, axis=0) / partition.sizes[:, np.newaxis]
    tree = build_tree(centroids)
    # A sorted list is a heap.
    queue = [group for group, records in enumerate(members) if not passes(records)]
    failing, n_failing = set(queue), len(queue)
    labels = partition.labels.copy()
    while failing:
        group = heappop(queue)
        if group not in failing:
            continue
        other = _nearest_group(tree, centroids[group], group)
        merged_group, removed_group = min(group, other), max(group, other)
        members[merged_group] = np.sort(
            np.concatenate([members[merged_group], members[removed_group]])
        )
        centroids[merged_group] = Z[members[merged_group]].mean(axis=0)
        move_point(tree, merged_group, centroids[merged_group])
        remove_point(tree, removed_group)
        labels[members[merged_group]] = merged_group
        failing -= {merged_group, removed_group}
        if not passes(members[merged_group]):
            failing.add(merged_group)
            heappush(queue, merged_group)
        progress.report("merging groups", n_failing - len(failing), n_failing)
    return Partition(in_order(labels), partition.k)


def _nearest_group(tree: BoxTree, point: Values, group: int) -> int:
    """Return the group whose centroid is nearest to ``point``; ties go to the first."""
    nearest, square = np.empty(1, np.int64), np.empty(1)
    if find_nearest(tree, point, group, nearest, square) == 0:  # no other group is left
        raise InputError(
            "Merging groups cannot help: even a single group of all records does not meet the"
            " requirement.",
            code="merging-does-not-help",
        )
    return int(nearest[0])
