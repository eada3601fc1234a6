"""Cells of at least k records by an auction: cells with too few records raise a subsidy.

A record belongs to the cell with the least squared distance to its centre less
the subsidy that the cell pays. All subsidies are 0 at first, so that records lie
in the cells of their nearest centres. A cell below k raises its subsidy until as
many come as it lacks, and as far as the next one after them would allow: an
auction, in which cells bid for records. No cell above k ever pays, and no record
could be moved at a gain of more than one ``step``, the least rise of a subsidy;
so the records lie, up to that, as well as k allows for these centres.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_distance
from shoal._kernels.spatial.box_tree import (
    DEEPEST,
    LEAF,
    NO_RECORD,
    NONE_FOUND,
    BoxTree,
    box_distance,
    build_tree,
    comes_first,
    find_nearest,
    insert,
    leaf_distances,
)


class Cells(NamedTuple):
    """Cells, the records in them and the cells below k.

    ``distance`` is that of a record to the centre of its cell. ``ceiling[b]`` is
    no less than the distance less the subsidy of any record in box b of the tree.
    ``queue`` is a ring of the cells below k, first come, first served, from
    ``ends[0]`` to before ``ends[1]``; ``queued`` marks the cells in it.
    """

    tree: BoxTree
    centres: np.ndarray
    labels: np.ndarray
    distance: np.ndarray
    sizes: np.ndarray
    subsidy: np.ndarray
    ceiling: np.ndarray
    queue: np.ndarray
    queued: np.ndarray
    ends: np.ndarray


def open_cells(tree: BoxTree, centres: np.ndarray) -> tuple[Cells, BoxTree]:
    """Return empty cells, and the tree of their centres."""
    n, count = len(tree.records), len(centres)
    cells = Cells(
        tree,
        centres,
        np.full(n, -1),
        np.zeros(n),
        np.zeros(count, np.int64),
        np.zeros(count),
        np.zeros(len(tree.bounds)),
        np.zeros(count + 1, np.int64),
        np.zeros(count, np.bool_),
        np.zeros(2, np.int64),
    )
    return cells, build_tree(centres)


@compiled
def assign_nearest(X, cells, centre_tree, start, stop):
    """Assign the records from ``start`` to ``stop`` to the cells of their nearest centres."""
    cheapest, distance = np.empty(1, np.int64), np.empty(1)
    for place in range(start, stop):
        i = cells.tree.records[place]
        find_nearest(centre_tree, X[i], NO_RECORD, cheapest, distance)
        cells.labels[i] = cheapest[0]
        cells.distance[i] = distance[0]
        cells.sizes[cheapest[0]] += 1


@compiled
def start_auction(cells, k):
    """Queue the cells below k and compute the ceilings."""
    for q in range(cells.sizes.shape[0]):
        if cells.sizes[q] < k:
            enqueue(cells, q)
    leaves = cells.tree.start.shape[0]
    for leaf in range(leaves):
        first = cells.tree.start[leaf]
        for place in range(first, first + cells.tree.living[leaves + leaf]):
            distance = cells.distance[cells.tree.records[place]]
            cells.ceiling[leaves + leaf] = max(cells.ceiling[leaves + leaf], distance)
    for box in range(leaves - 1, 0, -1):
        cells.ceiling[box] = max(cells.ceiling[2 * box], cells.ceiling[2 * box + 1])


@compiled
def enqueue(cells, q):
    """Add cell ``q`` to the queue, once."""
    if not cells.queued[q]:
        cells.queued[q] = True
        cells.queue[cells.ends[1]] = q
        cells.ends[1] = (cells.ends[1] + 1) % cells.queue.shape[0]


@compiled
def find_cheapest(cells, q, cheapest, costs):
    """Fill ``cheapest`` with the records outside cell ``q`` that cost it least, cheapest first.

    The cost is the subsidy at which a record would come as soon as stay.
    """
    boxes, floors = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    gaps = np.empty(LEAF)
    tree, centre = cells.tree, cells.centres[q]
    boxes[0], floors[0] = 1, -np.inf
    stacked, count, last = 1, NONE_FOUND, cheapest.shape[0] - 1
    while stacked > 0:
        stacked -= 1
        box, floor = boxes[stacked], floors[stacked]
        if count > last and not comes_first(floor, tree.lowest[box], costs[last], cheapest[last]):
            continue
        if box >= tree.start.shape[0]:
            start = leaf_distances(tree, box, centre, gaps)
            for at in range(tree.living[box]):
                i = tree.records[start + at]
                if cells.labels[i] != q:
                    paid = cells.distance[i] - cells.subsidy[cells.labels[i]]
                    count = insert(cheapest, costs, count, i, gaps[at] - paid)
            continue
        near, far = 2 * box, 2 * box + 1
        near_floor = box_distance(tree, near, centre) - cells.ceiling[near]
        far_floor = box_distance(tree, far, centre) - cells.ceiling[far]
        if far_floor < near_floor:
            near, far, near_floor, far_floor = far, near, far_floor, near_floor
        boxes[stacked], floors[stacked] = far, far_floor
        boxes[stacked + 1], floors[stacked + 1] = near, near_floor
        stacked += 2


@compiled
def bid(X, cells, k, step, q):
    """Raise the subsidy of cell ``q`` to the cost of one more record than it lacks."""
    lack = k - cells.sizes[q]
    cheapest, costs = np.empty(lack + 1, np.int64), np.empty(lack + 1)
    find_cheapest(cells, q, cheapest, costs)
    cells.subsidy[q] = max(costs[lack], cells.subsidy[q]) + step
    for i in cheapest[:lack]:
        previous = cells.labels[i]
        cells.labels[i] = q
        cells.distance[i] = squared_distance(X, i, cells.centres[q])
        cells.sizes[previous] -= 1
        if cells.sizes[previous] < k:
            enqueue(cells, previous)
    cells.sizes[q] = k


@compiled
def auction(X, cells, k, step, bids):
    """Make at most ``bids`` bids; return whether a cell still has fewer than k records."""
    while cells.ends[0] != cells.ends[1] and bids > 0:
        q = cells.queue[cells.ends[0]]
        cells.ends[0] = (cells.ends[0] + 1) % cells.queue.shape[0]
        cells.queued[q] = False
        bid(X, cells, k, step, q)
        bids -= 1
    return cells.ends[0] != cells.ends[1]
