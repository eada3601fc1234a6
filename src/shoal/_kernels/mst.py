"""The minimum spanning tree of all records, and the forest that remains when it is cut.

The tree is grown from the first record, always by the shortest edge to a record
outside (Prim's algorithm), in memory linear in the number of records. Edges are
ordered by length, then by their lower and their higher record; in that order no
two edges are alike, so there is only one shortest tree.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.spatial.pool import assign, measure


class Tree(NamedTuple):
    """A spanning tree under construction.

    ``reach[place]`` is the squared distance of a living record of the pool to the
    tree and ``via[place]`` the record of the tree that attains it. ``joined`` are
    the records of the tree in the order of joining; ``parent`` and ``length`` are the
    edges by which they joined.
    """

    reach: np.ndarray
    via: np.ndarray
    joined: np.ndarray
    parent: np.ndarray
    length: np.ndarray


def open_tree(n: int) -> Tree:
    """Return a tree that will span ``n`` records."""
    return Tree(
        reach=np.full(n, np.inf),
        via=np.full(n, n),
        joined=np.zeros(n, np.int64),
        parent=np.full(n, -1),
        length=np.zeros(n),
    )


@compiled
def connect(pool, tree, newest):
    """Update the distances of the living records to the tree by the record added last."""
    for i in range(pool.size[0]):
        distance = pool.distance[i]
        if distance < tree.reach[i] or (distance == tree.reach[i] and newest < tree.via[i]):
            tree.reach[i] = distance
            tree.via[i] = newest


@compiled
def edge_precedes(a, b, c, d):
    """Return whether edge (a, b) precedes edge (c, d) of the same length."""
    if min(a, b) != min(c, d):
        return min(a, b) < min(c, d)
    return max(a, b) < max(c, d)


@compiled
def next_place(pool, tree):
    """Return the place of the living record with the shortest edge to the tree."""
    best = 0
    for i in range(1, pool.size[0]):
        if tree.reach[i] < tree.reach[best] or (
            tree.reach[i] == tree.reach[best]
            and edge_precedes(tree.via[i], pool.records[i], tree.via[best], pool.records[best])
        ):
            best = i
    return best


@compiled
def join(pool, tree, place):
    """Add the record at ``place`` to the tree and remove it from the pool."""
    record = pool.records[place]
    tree.joined[tree.joined.shape[0] - pool.size[0]] = record
    tree.parent[record] = tree.via[place]
    tree.length[record] = tree.reach[place]
    assign(pool, place, 0)
    tree.reach[place] = tree.reach[pool.size[0]]
    tree.via[place] = tree.via[pool.size[0]]


@compiled
def span(pool, tree, X, work):
    """Grow the tree until about ``work`` distances are measured; return whether to go on."""
    n = X.shape[0]
    if pool.size[0] == n:
        join(pool, tree, 0)
        tree.parent[0], tree.length[0] = -1, 0.0  # the first record has no edge
    while pool.size[0] > 0 and work > 0:
        work -= pool.size[0]
        newest = tree.joined[n - pool.size[0] - 1]
        measure(pool, X[newest])
        connect(pool, tree, newest)
        join(pool, tree, next_place(pool, tree))
    return pool.size[0] > 0


@compiled
def root_of(tree, cut, record):
    """Return the root of a record's tree after the cuts."""
    while tree.parent[record] >= 0 and not cut[record]:
        record = tree.parent[record]
    return record


@compiled
def cut_edges(tree, order, k):
    """Cut the edges in the given order where both parts keep ``k`` records; label the trees.

    An edge is named by the record that it added to the tree. An edge that cannot be cut need
    not be considered again, since trees only get smaller.
    """
    n = tree.parent.shape[0]
    cut = np.zeros(n, np.bool_)
    size = np.ones(n, np.int64)  # of the part of a tree that hangs on a record
    for record in tree.joined[:0:-1]:
        size[tree.parent[record]] += size[record]

    for record in order:
        if size[record] < k or size[root_of(tree, cut, record)] - size[record] < k:
            continue
        above = tree.parent[record]
        while above >= 0:
            size[above] -= size[record]
            above = -1 if cut[above] else tree.parent[above]
        cut[record] = True

    labels = np.full(n, -1)
    trees = 0
    for record in tree.joined:
        if cut[record] or tree.parent[record] < 0:
            labels[record] = trees
            trees += 1
        else:
            labels[record] = labels[tree.parent[record]]
    return labels
