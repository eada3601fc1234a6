"""Division of trees at a record, the hub, until none is larger than allowed.

This is the procedure DECOMPOSE-COMPONENT of Domingo-Ferrer, Sebé and Solanas (2008). A spoke is an
edge of the hub, and a branch is the part of the tree behind it. Some neighbours of the hub are
detached with their branches and joined to each other in a chain, so that both results are trees.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.mu_approx.forest import (
    N_LABELS,
    N_PENDING,
    add_edge,
    branch_size,
    list_tree,
    neighbour_of_largest_branch,
    remove_edge,
)


@compiled
def spokes_of(forest, X, hub):
    """Return the half-edges from ``hub``, the nearest record first; ties go to the lowest."""
    degree = 0
    half_edge = forest.head[hub]
    while half_edge != NONE:
        degree += 1
        half_edge = forest.next_half_edge[half_edge]
    spokes, squares = np.empty(degree, np.int64), np.empty(degree)
    half_edge = forest.head[hub]
    for i in range(degree):
        spokes[i] = half_edge
        squares[i] = squared_row_distance(X, forest.end[half_edge], X, hub)
        half_edge = forest.next_half_edge[half_edge]
    sort_spokes(forest, spokes, squares)
    return spokes


@compiled
def sort_spokes(forest, spokes, squares):
    """Sort half-edges by distance, then by the record they lead to (Shell's sort)."""
    step = 1
    while step < spokes.shape[0] // 3:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, spokes.shape[0]):
            slot, spoke, square = i, spokes[i], squares[i]
            while slot >= step and (
                squares[slot - step] > square
                or (
                    squares[slot - step] == square
                    and forest.end[spokes[slot - step]] > forest.end[spoke]
                )
            ):
                spokes[slot], squares[slot] = spokes[slot - step], squares[slot - step]
                slot -= step
            spokes[slot], squares[slot] = spoke, square
        step //= 3


@compiled
def choose_edge_to_divide(forest, tree_size, rank, k):
    """Return where to divide the tree: a record and its neighbour with the largest branch.

    A path starts at the record of lowest rank and follows the largest branch
    until at least k - 1 records lie behind it.
    """
    record = forest.tree[0]
    for i in range(1, tree_size):
        if rank[forest.tree[i]] < rank[record]:
            record = forest.tree[i]
    while True:
        neighbour = neighbour_of_largest_branch(forest, record, tree_size)
        if tree_size - branch_size(forest, record, neighbour, tree_size) >= k - 1:
            return record, neighbour
        record = neighbour


@compiled
def branches_to_detach(forest, hub, spokes, tree_size, k):
    """Return which spokes to detach from a hub whose branches are all small.

    The first branches are combined until they have k - 1 records. The hub goes to the
    side that lacks one record, otherwise to the first; the other side is detached.
    """
    is_combined = np.zeros(spokes.shape[0], np.bool_)
    n_combined = 0
    for i in range(spokes.shape[0]):
        if n_combined < k - 1:
            is_combined[i] = True
            n_combined += branch_size(forest, hub, forest.end[spokes[i]], tree_size)
    if n_combined != k - 1 and tree_size - 1 - n_combined == k - 1:
        return is_combined
    return ~is_combined


@compiled
def detach_branches(forest, spokes, is_detached):
    """Detach the marked spokes from the hub and chain their records; return the last record."""
    last = NONE
    for i in range(spokes.shape[0]):
        if is_detached[i]:
            neighbour, edge = forest.end[spokes[i]], spokes[i] // 2
            remove_edge(forest, edge)
            if last != NONE:
                add_edge(forest, edge, last, neighbour)
            last = neighbour
    return last


@compiled
def divide_tree(forest, X, tree_size, rank, k):
    """Divide the tree listed last into two of at least ``k``; return a record of each."""
    record, neighbour = choose_edge_to_divide(forest, tree_size, rank, k)
    n_in_branch = branch_size(forest, record, neighbour, tree_size)
    hub = neighbour if tree_size - n_in_branch == k - 1 else record
    spokes = spokes_of(forest, X, hub)
    ends = forest.end[spokes]
    if hub == neighbour:  # it completes the k of the smaller side
        is_detached = ends != record
    elif n_in_branch >= k:
        is_detached = ends == neighbour
    elif n_in_branch == k - 1:  # the hub completes the k of the branch
        is_detached = ends != neighbour
    else:
        is_detached = branches_to_detach(forest, hub, spokes, tree_size, k)
    return hub, detach_branches(forest, spokes, is_detached)


@compiled
def divide_trees(forest, X, rank, k, work):
    """Divide trees until about ``work`` records are listed; return whether any are left."""
    max_size = max(2 * k - 1, 3 * k - 5)
    while forest.counts[N_PENDING] > 0 and work > 0:
        forest.counts[N_PENDING] -= 1
        tree_size = list_tree(forest, forest.pending_roots[forest.counts[N_PENDING]])
        work -= tree_size
        if tree_size <= max_size:
            forest.labels[forest.tree[:tree_size]] = forest.counts[N_LABELS]
            forest.counts[N_LABELS] += 1
        else:
            first, second = divide_tree(forest, X, tree_size, rank, k)
            forest.pending_roots[forest.counts[N_PENDING]] = first
            forest.pending_roots[forest.counts[N_PENDING] + 1] = second
            forest.counts[N_PENDING] += 2
    return forest.counts[N_PENDING] > 0
