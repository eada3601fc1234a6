"""Division of trees at a record, the hub, until none is larger than allowed.

Some neighbours of the hub are detached with their subtrees and joined to each other
in a chain, so that both parts are trees.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.mu_approx.forest import (
    N_LABELS,
    N_UNLABELLED,
    NONE,
    add_edge,
    largest_neighbour,
    list_tree,
    remove_edge,
    size_beyond,
)


@compiled
def spokes_of(forest, X, hub):
    """Return the half-edges from ``hub``, the nearest record first; ties go to the lowest."""
    degree = 0
    half = forest.head[hub]
    while half != NONE:
        degree += 1
        half = forest.next_half[half]
    spokes, distance = np.empty(degree, np.int64), np.empty(degree)
    half = forest.head[hub]
    for i in range(degree):
        spokes[i] = half
        distance[i] = squared_row_distance(X, forest.end[half], X, hub)
        half = forest.next_half[half]
    sort_spokes(forest, spokes, distance)
    return spokes


@compiled
def sort_spokes(forest, spokes, distance):
    """Sort half-edges by distance, then by the record they lead to (Shell's sort)."""
    step = 1
    while step < spokes.shape[0] // 3:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, spokes.shape[0]):
            slot, spoke, length = i, spokes[i], distance[i]
            while slot >= step and (
                distance[slot - step] > length
                or (
                    distance[slot - step] == length
                    and forest.end[spokes[slot - step]] > forest.end[spoke]
                )
            ):
                spokes[slot], distance[slot] = spokes[slot - step], distance[slot - step]
                slot -= step
            spokes[slot], distance[slot] = spoke, length
        step //= 3


@compiled
def choose_hub(forest, total, rank, k):
    """Return where to divide the tree: a record and its neighbour with the largest subtree.

    The path starts at the record of lowest rank and follows the largest subtree
    until at least k - 1 records are behind.
    """
    hub = forest.tree[0]
    for i in range(1, total):
        if rank[forest.tree[i]] < rank[hub]:
            hub = forest.tree[i]
    while True:
        neighbour = largest_neighbour(forest, hub, total)
        if total - size_beyond(forest, hub, neighbour, total) >= k - 1:
            return hub, neighbour
        hub = neighbour


@compiled
def combine_subtrees(forest, hub, spokes, total, k):
    """Return which spokes to detach from a hub all of whose subtrees are small.

    The first subtrees are combined until they have k - 1 records. The hub goes to the
    side that lacks one record, otherwise to the first; the other side is detached.
    """
    is_first = np.zeros(spokes.shape[0], np.bool_)
    n_combined = 0
    for i in range(spokes.shape[0]):
        if n_combined < k - 1:
            is_first[i] = True
            n_combined += size_beyond(forest, hub, forest.end[spokes[i]], total)
    if n_combined != k - 1 and total - 1 - n_combined == k - 1:
        return is_first
    return ~is_first


@compiled
def detach(forest, spokes, leaving):
    """Detach the leaving spokes from the hub and join their records in a chain; return the last."""
    last = NONE
    for i in range(spokes.shape[0]):
        if leaving[i]:
            neighbour, edge = forest.end[spokes[i]], spokes[i] // 2
            remove_edge(forest, edge)
            if last != NONE:
                add_edge(forest, edge, last, neighbour)
            last = neighbour
    return last


@compiled
def divide(forest, X, total, rank, k):
    """Divide the tree listed last into two of at least ``k``; return a record of each."""
    near, far = choose_hub(forest, total, rank, k)
    n_beyond = size_beyond(forest, near, far, total)
    hub = far if total - n_beyond == k - 1 else near
    spokes = spokes_of(forest, X, hub)
    ends = forest.end[spokes]
    if hub == far:  # it completes the k of the smaller side
        leaving = ends != near
    elif n_beyond >= k:
        leaving = ends == far
    elif n_beyond == k - 1:  # the hub completes the k of the larger part
        leaving = ends != far
    else:
        leaving = combine_subtrees(forest, hub, spokes, total, k)
    return hub, detach(forest, spokes, leaving)


@compiled
def divide_trees(forest, X, rank, k, work):
    """Divide trees until about ``work`` records are listed; return whether some are left."""
    max_size = max(2 * k - 1, 3 * k - 5)
    while forest.counts[N_UNLABELLED] > 0 and work > 0:
        forest.counts[N_UNLABELLED] -= 1
        total = list_tree(forest, forest.unlabelled[forest.counts[N_UNLABELLED]])
        work -= total
        if total <= max_size:
            forest.labels[forest.tree[:total]] = forest.counts[N_LABELS]
            forest.counts[N_LABELS] += 1
        else:
            first, second = divide(forest, X, total, rank, k)
            forest.unlabelled[forest.counts[N_UNLABELLED]] = first
            forest.unlabelled[forest.counts[N_UNLABELLED] + 1] = second
            forest.counts[N_UNLABELLED] += 2
    return forest.counts[N_UNLABELLED] > 0
