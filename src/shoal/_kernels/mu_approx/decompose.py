"""Division of trees at a record, the hub, until none is larger than allowed.

Some neighbours of the hub are detached with their subtrees and joined to each other
in a chain, so that both parts are trees.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.mu_approx.forest import (
    N_LABELS,
    N_UNLABELLED,
    NONE,
    add_edge,
    largest,
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
        half = forest.after[half]
    spokes, distance = np.empty(degree, np.int64), np.empty(degree)
    half = forest.head[hub]
    for i in range(degree):
        spokes[i] = half
        distance[i] = row_distance(X, forest.to[half], X, hub)
        half = forest.after[half]
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
            at, spoke, length = i, spokes[i], distance[i]
            while at >= step and (
                distance[at - step] > length
                or (
                    distance[at - step] == length
                    and forest.to[spokes[at - step]] > forest.to[spoke]
                )
            ):
                spokes[at], distance[at] = spokes[at - step], distance[at - step]
                at -= step
            spokes[at], distance[at] = spoke, length
        step //= 3


@compiled
def choose_hub(forest, total, rank, k):
    """Return where to divide the tree: a record and its neighbour with the largest subtree.

    The path starts at the record of lowest rank and follows the largest subtree
    until at least k - 1 records are behind.
    """
    hub = forest.tree[0]
    for at in range(1, total):
        if rank[forest.tree[at]] < rank[hub]:
            hub = forest.tree[at]
    while True:
        most = largest(forest, hub, total)
        if total - size_beyond(forest, hub, most, total) >= k - 1:
            return hub, most
        hub = most


@compiled
def fill_up(forest, hub, spokes, total, k):
    """Return which spokes to detach from a hub all of whose subtrees are small.

    The first subtrees are combined until they have k - 1 records. The hub goes to the
    side that lacks one record, otherwise to the first; the other side is detached.
    """
    first = np.zeros(spokes.shape[0], np.bool_)
    gathered = 0
    for i in range(spokes.shape[0]):
        if gathered < k - 1:
            first[i] = True
            gathered += size_beyond(forest, hub, forest.to[spokes[i]], total)
    if gathered != k - 1 and total - 1 - gathered == k - 1:
        return first
    return ~first


@compiled
def detach(forest, spokes, leaving):
    """Detach the leaving spokes from the hub and join their records in a chain; return the last."""
    last = NONE
    for i in range(spokes.shape[0]):
        if leaving[i]:
            orphan, edge = forest.to[spokes[i]], spokes[i] // 2
            remove_edge(forest, edge)
            if last != NONE:
                add_edge(forest, edge, last, orphan)
            last = orphan
    return last


@compiled
def divide(forest, X, total, rank, k):
    """Divide the tree listed last into two of at least ``k``; return a record of each."""
    near, far = choose_hub(forest, total, rank, k)
    n_beyond = size_beyond(forest, near, far, total)
    hub = far if total - n_beyond == k - 1 else near
    spokes = spokes_of(forest, X, hub)
    ends = forest.to[spokes]
    if hub == far:  # it completes the k of the smaller side
        leaving = ends != near
    elif n_beyond >= k:
        leaving = ends == far
    elif n_beyond == k - 1:  # the hub completes the k of the larger part
        leaving = ends != far
    else:
        leaving = fill_up(forest, hub, spokes, total, k)
    return hub, detach(forest, spokes, leaving)


@compiled
def advance(forest, X, rank, k, work):
    """Divide trees until about ``work`` records are listed; return whether some are left."""
    most = max(2 * k - 1, 3 * k - 5)
    while forest.count[N_UNLABELLED] > 0 and work > 0:
        forest.count[N_UNLABELLED] -= 1
        total = list_tree(forest, forest.unlabelled[forest.count[N_UNLABELLED]])
        work -= total
        if total <= most:
            forest.labels[forest.tree[:total]] = forest.count[N_LABELS]
            forest.count[N_LABELS] += 1
        else:
            first, second = divide(forest, X, total, rank, k)
            forest.unlabelled[forest.count[N_UNLABELLED]] = first
            forest.unlabelled[forest.count[N_UNLABELLED] + 1] = second
            forest.count[N_UNLABELLED] += 2
    return forest.count[N_UNLABELLED] > 0
