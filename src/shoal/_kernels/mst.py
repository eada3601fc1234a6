"""The minimum spanning tree of all records, and the forest that remains when it is cut.

The partition is that of Laszlo and Mukherjee (2005). The tree is grown from the first record,
always by the shortest edge to a record outside it (Prim's algorithm), in memory linear in the
number of records. Edges are ordered by length, then by their lower and their higher record; in that
order no two edges are alike, so there is only one minimum spanning tree.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.spatial.pool import assign, measure_distances
from shoal._kernels.structures.sorted_list import precedes


class SpanningTree(NamedTuple):
    """A spanning tree under construction.

    ``squares`` are the squared distances of the remaining records, by their positions in the pool,
    to the tree, and ``nearest`` the records of the tree that attain them. ``order`` are the records
    of the tree in the order of joining; ``parent`` and ``length`` are the edges by which they
    joined.
    """

    squares: np.ndarray  # (n_records,)
    nearest: np.ndarray  # (n_records,)
    order: np.ndarray  # (n_records,)
    parent: np.ndarray  # (n_records,)
    length: np.ndarray  # (n_records,)


def open_tree(n: int) -> SpanningTree:
    """Return a tree that will span ``n`` records."""
    return SpanningTree(
        squares=np.full(n, np.inf),
        nearest=np.full(n, n),
        order=np.zeros(n, np.int64),
        parent=np.full(n, NONE),
        length=np.zeros(n),
    )


@compiled
def update_tree_distances(pool, tree, newest):
    """Update the distances of the remaining records to the tree by the record added last."""
    for position in range(pool.size[0]):
        if precedes(pool.squares[position], newest, tree.squares[position], tree.nearest[position]):
            tree.squares[position] = pool.squares[position]
            tree.nearest[position] = newest


@compiled
def edge_precedes(pool, tree, position, other_position):
    """Return whether the shortest edge from one position to the tree precedes that from another."""
    if tree.squares[position] != tree.squares[other_position]:
        return tree.squares[position] < tree.squares[other_position]
    record, end = pool.records[position], tree.nearest[position]
    other, other_end = pool.records[other_position], tree.nearest[other_position]
    return precedes(
        min(record, end), max(record, end), min(other, other_end), max(other, other_end)
    )


@compiled
def position_nearest_to_tree(pool, tree):
    """Return the position of the remaining record with the shortest edge to the tree."""
    best = 0
    for position in range(1, pool.size[0]):
        if edge_precedes(pool, tree, position, best):
            best = position
    return best


@compiled
def add_to_tree(pool, tree, position):
    """Add the record at ``position`` to the tree and remove it from the pool."""
    record = pool.records[position]
    tree.order[tree.order.shape[0] - pool.size[0]] = record
    tree.parent[record] = tree.nearest[position]
    tree.length[record] = tree.squares[position]
    assign(pool, position, 0)
    tree.squares[position] = tree.squares[pool.size[0]]
    tree.nearest[position] = tree.nearest[pool.size[0]]


@compiled
def grow_tree(pool, tree, X, work):
    """Grow the tree until about ``work`` distances are measured; return whether to go on."""
    n = X.shape[0]
    if pool.size[0] == n:
        add_to_tree(pool, tree, 0)
        tree.parent[0], tree.length[0] = NONE, 0.0  # the first record has no edge
    while pool.size[0] > 0 and work > 0:
        work -= pool.size[0]
        newest = tree.order[n - pool.size[0] - 1]
        measure_distances(pool, X[newest])
        update_tree_distances(pool, tree, newest)
        add_to_tree(pool, tree, position_nearest_to_tree(pool, tree))
    return pool.size[0] > 0


@compiled
def root_of(tree, is_cut, record):
    """Return the root of a record's tree after the cuts."""
    while tree.parent[record] >= 0 and not is_cut[record]:
        record = tree.parent[record]
    return record


@compiled
def cut_edges(tree, order, k):
    """Cut the edges, in the given order, if both trees keep ``k`` records; return the labels.

    An edge is named by the record that it added to the tree. An edge that cannot be cut need
    not be considered again, since trees only get smaller.
    """
    n = tree.parent.shape[0]
    is_cut = np.zeros(n, np.bool_)
    size = np.ones(n, np.int64)  # of the subtree below each record
    for record in tree.order[:0:-1]:
        size[tree.parent[record]] += size[record]

    for record in order:
        if size[record] < k or size[root_of(tree, is_cut, record)] - size[record] < k:
            continue
        ancestor = tree.parent[record]
        while ancestor >= 0:
            size[ancestor] -= size[record]
            ancestor = NONE if is_cut[ancestor] else tree.parent[ancestor]
        is_cut[record] = True

    labels = np.full(n, -1)
    n_trees = 0
    for record in tree.order:
        if is_cut[record] or tree.parent[record] < 0:
            labels[record] = n_trees
            n_trees += 1
        else:
            labels[record] = labels[tree.parent[record]]
    return labels
