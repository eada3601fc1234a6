"""Trees of near records, from which the method of Domingo-Ferrer, Sebé and Solanas (2008) starts.

The edges of a record are a doubly linked list of half-edges. Half-edges 2 * edge and 2 * edge + 1
are the two directions of an edge, so an edge is removed in constant time.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.structures.linked_lists import prepend, unlink
from shoal._kernels.structures.union_find import find_root

N_PENDING, N_LABELS = 0, 1  # indices of the counts of a forest


class Forest(NamedTuple):
    """Trees over the records, and those still to be divided.

    ``head`` is the first half-edge from a record, ``end`` the record at the end of a half-edge,
    ``next_half_edge`` and ``previous_half_edge`` its neighbours in the list. The trees of
    the records ``pending_roots[: counts[N_PENDING]]`` have no label yet; ``counts[N_LABELS]``
    labels are given. ``tree``, ``parent`` and ``subtree_size`` are scratch space: the records of
    one tree from the root outwards, the parent of each, and the size of its subtree.
    """

    head: np.ndarray  # (n_records,)
    end: np.ndarray  # (2 * n_records,)
    next_half_edge: np.ndarray  # (2 * n_records,)
    previous_half_edge: np.ndarray  # (2 * n_records,)
    pending_roots: np.ndarray  # (n_records,)
    counts: np.ndarray  # (2,)
    labels: np.ndarray  # (n_records,)
    tree: np.ndarray  # (n_records,)
    parent: np.ndarray  # (n_records,)
    subtree_size: np.ndarray  # (n_records,)


@compiled
def grow_forest(near, order, k):
    """Return the record that each record is joined to, or -1; every tree has at least ``k``.

    In the given order, a record whose tree is too small is joined to the nearest of its
    neighbours outside. It is the only one of its tree that is not joined yet, so each
    record is considered once. This is the procedure FOREST of the paper.
    """
    n = order.shape[0]
    joined_to = np.full(n, NONE)
    parent = np.arange(n)
    size = np.ones(n, np.int64)
    for record in order:
        root = find_root(parent, record)
        if size[root] >= k:
            continue
        for other in near[record]:
            other_root = find_root(parent, other)
            if other_root != root:
                joined_to[record] = other
                parent[root] = other_root
                size[other_root] += size[root]
                break
    return joined_to


@compiled
def add_edge(forest, edge, record, other):
    """Join two records by ``edge``."""
    forest.end[2 * edge], forest.end[2 * edge + 1] = other, record
    prepend(forest.head, forest.next_half_edge, forest.previous_half_edge, record, 2 * edge)
    prepend(forest.head, forest.next_half_edge, forest.previous_half_edge, other, 2 * edge + 1)


@compiled
def remove_edge(forest, edge):
    """Remove ``edge`` from the lists of the two records that it joins."""
    other, record = forest.end[2 * edge], forest.end[2 * edge + 1]
    unlink(forest.head, forest.next_half_edge, forest.previous_half_edge, record, 2 * edge)
    unlink(forest.head, forest.next_half_edge, forest.previous_half_edge, other, 2 * edge + 1)


@compiled
def build_forest(joined_to):
    """Return the forest in which each record is joined to its entry of ``joined_to``."""
    n = joined_to.shape[0]
    forest = Forest(
        head=np.full(n, NONE),
        end=np.empty(2 * n, np.int64),
        next_half_edge=np.empty(2 * n, np.int64),
        previous_half_edge=np.empty(2 * n, np.int64),
        pending_roots=np.empty(n, np.int64),
        counts=np.zeros(2, np.int64),
        labels=np.full(n, NONE),
        tree=np.empty(n, np.int64),
        parent=np.empty(n, np.int64),
        subtree_size=np.empty(n, np.int64),
    )
    for record in range(n):
        if joined_to[record] == NONE:  # one in each tree
            forest.pending_roots[forest.counts[N_PENDING]] = record
            forest.counts[N_PENDING] += 1
        else:
            add_edge(forest, record, record, joined_to[record])
    return forest


@compiled
def list_tree(forest, root):
    """List the tree of ``root`` outwards, with the sizes of subtrees; return its size."""
    forest.tree[0] = root
    forest.parent[root] = NONE
    n_listed, position = 1, 0
    while position < n_listed:
        record = forest.tree[position]
        forest.subtree_size[record] = 1
        half_edge = forest.head[record]
        while half_edge != NONE:
            other = forest.end[half_edge]
            if other != forest.parent[record]:
                forest.parent[other] = record
                forest.tree[n_listed] = other
                n_listed += 1
            half_edge = forest.next_half_edge[half_edge]
        position += 1
    for position in range(n_listed - 1, 0, -1):
        record = forest.tree[position]
        forest.subtree_size[forest.parent[record]] += forest.subtree_size[record]
    return n_listed


@compiled
def branch_size(forest, record, other, tree_size):
    """Return the size of the branch of ``record`` that begins with its neighbour ``other``."""
    if forest.parent[other] == record:
        return forest.subtree_size[other]
    return tree_size - forest.subtree_size[record]


@compiled
def neighbour_of_largest_branch(forest, record, tree_size):
    """Return the neighbour in the largest branch; ties go to the lowest record."""
    best, greatest = NONE, 0
    half_edge = forest.head[record]
    while half_edge != NONE:
        other = forest.end[half_edge]
        size = branch_size(forest, record, other, tree_size)
        if size > greatest or (size == greatest and other < best):
            best, greatest = other, size
        half_edge = forest.next_half_edge[half_edge]
    return best
