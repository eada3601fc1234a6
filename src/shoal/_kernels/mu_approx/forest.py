"""Trees of records that are joined to near ones.

The edges of a record are a doubly linked list of half-edges. Half-edges 2e and 2e + 1
are the two directions of edge e, so an edge is removed in constant time.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.structures.union_find import find_root

NONE = -1
N_UNLABELLED, N_LABELS = 0, 1  # places in the counts of a forest


class Forest(NamedTuple):
    """Trees over the records, and those still to be divided.

    ``head[u]`` is the first half-edge from record u, ``to[h]`` the record at the end of
    half-edge h, ``after[h]`` and ``before[h]`` its neighbours in the list. The trees of
    the records ``unlabelled[: count[N_UNLABELLED]]`` have no label yet; ``count[N_LABELS]``
    labels are given. ``tree``, ``above`` and ``size`` are scratch: the records of one tree from the
    root outwards, the parent of each, and the size of its subtree.
    """

    head: np.ndarray
    to: np.ndarray
    after: np.ndarray
    before: np.ndarray
    unlabelled: np.ndarray
    count: np.ndarray
    labels: np.ndarray
    tree: np.ndarray
    above: np.ndarray
    size: np.ndarray


@compiled
def grow_forest(near, order, k):
    """Return the record that each is joined to, or -1, so that every tree has at least ``k``.

    In the given order, a record whose tree is too small is joined to the nearest of its
    neighbours outside. It is the only one of its tree that is not joined yet, so each
    record is considered once.
    """
    n = order.shape[0]
    target = np.full(n, NONE)
    leader = np.arange(n)
    size = np.ones(n, np.int64)
    for record in order:
        root = find_root(leader, record)
        if size[root] >= k:
            continue
        for other in near[record]:
            other_root = find_root(leader, other)
            if other_root != root:
                target[record] = other
                leader[root] = other_root
                size[other_root] += size[root]
                break
    return target


@compiled
def add_edge(forest, edge, a, b):
    """Join two records by ``edge``."""
    for half, origin, end in ((2 * edge, a, b), (2 * edge + 1, b, a)):
        first = forest.head[origin]
        forest.to[half] = end
        forest.before[half] = NONE
        forest.after[half] = first
        forest.head[origin] = half
        if first != NONE:
            forest.before[first] = half


@compiled
def remove_edge(forest, edge):
    """Remove ``edge`` from the lists of the two records that it joins."""
    for half in (2 * edge, 2 * edge + 1):
        before, after = forest.before[half], forest.after[half]
        if before == NONE:
            forest.head[forest.to[half ^ 1]] = after
        else:
            forest.after[before] = after
        if after != NONE:
            forest.before[after] = before


@compiled
def build_forest(target):
    """Return the forest in which each record is joined to its target."""
    n = target.shape[0]
    forest = Forest(
        np.full(n, NONE),
        np.empty(2 * n, np.int64),
        np.empty(2 * n, np.int64),
        np.empty(2 * n, np.int64),
        np.empty(n, np.int64),
        np.zeros(2, np.int64),
        np.full(n, NONE),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )
    for record in range(n):
        if target[record] == NONE:  # one in each tree
            forest.unlabelled[forest.count[N_UNLABELLED]] = record
            forest.count[N_UNLABELLED] += 1
        else:
            add_edge(forest, record, record, target[record])
    return forest


@compiled
def list_tree(forest, root):
    """List the tree of ``root`` outwards, with the sizes of subtrees; return its size."""
    forest.tree[0] = root
    forest.above[root] = NONE
    listed, at = 1, 0
    while at < listed:
        record = forest.tree[at]
        forest.size[record] = 1
        half = forest.head[record]
        while half != NONE:
            other = forest.to[half]
            if other != forest.above[record]:
                forest.above[other] = record
                forest.tree[listed] = other
                listed += 1
            half = forest.after[half]
        at += 1
    for at in range(listed - 1, 0, -1):
        record = forest.tree[at]
        forest.size[forest.above[record]] += forest.size[record]
    return listed


@compiled
def size_beyond(forest, record, other, total):
    """Return the size of the subtree of ``other`` as seen from its neighbour ``record``."""
    return forest.size[other] if forest.above[other] == record else total - forest.size[record]


@compiled
def largest(forest, record, total):
    """Return the neighbour with the largest subtree; ties go to the lowest record."""
    best = NONE
    half = forest.head[record]
    while half != NONE:
        other = forest.to[half]
        if best == NONE:
            best = other
        else:
            size_of_other = size_beyond(forest, record, other, total)
            size_of_best = size_beyond(forest, record, best, total)
            if size_of_other > size_of_best or (size_of_other == size_of_best and other < best):
                best = other
        half = forest.after[half]
    return best
