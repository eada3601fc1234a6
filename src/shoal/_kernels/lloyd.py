"""Cells of at least k records by an auction, in which cells with too few records pay a subsidy.

This is the step that assigns records in `Lloyd`, a variant of the method of Rebollo-Monedero, Forné
and Soriano (2011). A record belongs to the cell with the least squared distance to its centre less
the subsidy that the cell pays. All subsidies are 0 at first, so that records lie in the cells of
their nearest centres. A cell with fewer than k records raises its subsidy until it attracts the
records that it lacks, and then further, to the subsidy at which one more record would join, plus
one ``step``. This is an auction, in which cells bid for records. No cell with more than k records
ever pays a subsidy.

If subsidies could fall again, no record could move at a gain of more than ``step`` when the auction
ends, and the assignment would be optimal for these centres up to ``step`` per record. But a cell
that loses a record raises its subsidy even if other records would join for less, so a gain may be a
few steps.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE, ZERO
from shoal._kernels.distances import squared_distance
from shoal._kernels.spatial.box_tree import (
    LEAF,
    MAX_DEPTH,
    BoxTree,
    build_tree,
    find_nearest,
    squared_box_distance,
    write_leaf_distances,
)
from shoal._kernels.structures.sorted_list import insert, precedes


class Cells(NamedTuple):
    """Cells, the records in them, and a queue of the cells with fewer than k records.

    ``squares`` are the squared distances of the records to the centres of their cells. ``ceiling``
    is an upper bound of squared distance minus subsidy over the records in each box of the tree.
    ``queue`` is a ring buffer of these cells, first in, first out, from ``queue_ends[0]`` to
    before ``queue_ends[1]``; ``is_queued`` marks the cells in it.
    """

    tree: BoxTree
    centres: np.ndarray  # (n_cells, n_columns)
    labels: np.ndarray  # (n_records,)
    squares: np.ndarray  # (n_records,)
    sizes: np.ndarray  # (n_cells,)
    subsidy: np.ndarray  # (n_cells,)
    ceiling: np.ndarray  # (n_boxes,)
    queue: np.ndarray  # (n_cells + 1,)
    is_queued: np.ndarray  # (n_cells,)
    queue_ends: np.ndarray  # (2,)


def open_cells(tree: BoxTree, centres: np.ndarray) -> tuple[Cells, BoxTree]:
    """Return empty cells, and the tree of their centres."""
    n, n_cells = len(tree.records), len(centres)
    cells = Cells(
        tree=tree,
        centres=centres,
        labels=np.full(n, -1),
        squares=np.zeros(n),
        sizes=np.zeros(n_cells, np.int64),
        subsidy=np.zeros(n_cells),
        ceiling=np.zeros(len(tree.bounds)),
        queue=np.zeros(n_cells + 1, np.int64),
        is_queued=np.zeros(n_cells, np.bool_),
        queue_ends=np.zeros(2, np.int64),
    )
    return cells, build_tree(centres)


@compiled
def assign_nearest(X, cells, centre_tree, start, stop):
    """Assign the records from ``start`` to ``stop`` to the cells of their nearest centres."""
    cheapest, square = np.empty(1, np.int64), np.empty(1)
    for position in range(start, stop):
        record = cells.tree.records[position]
        find_nearest(centre_tree, X[record], NONE, cheapest, square)
        cells.labels[record] = cheapest[0]
        cells.squares[record] = square[0]
        cells.sizes[cheapest[0]] += 1


@compiled
def open_auction(cells, k):
    """Queue the cells with fewer than k records and compute the ceilings."""
    for cell in range(cells.sizes.shape[0]):
        if cells.sizes[cell] < k:
            enqueue(cells, cell)
    n_leaves = cells.tree.start.shape[0]
    for leaf in range(n_leaves):
        first = cells.tree.start[leaf]
        for position in range(first, first + cells.tree.n_remaining[n_leaves + leaf]):
            square = cells.squares[cells.tree.records[position]]
            cells.ceiling[n_leaves + leaf] = max(cells.ceiling[n_leaves + leaf], square)
    for box in range(n_leaves - 1, 0, -1):
        cells.ceiling[box] = max(cells.ceiling[2 * box], cells.ceiling[2 * box + 1])


@compiled
def enqueue(cells, cell):
    """Add ``cell`` to the queue, once."""
    if not cells.is_queued[cell]:
        cells.is_queued[cell] = True
        cells.queue[cells.queue_ends[1]] = cell
        cells.queue_ends[1] = (cells.queue_ends[1] + 1) % cells.queue.shape[0]


@compiled
def find_cheapest(cells, cell, cheapest, costs):
    """Fill ``cheapest`` with the records outside ``cell`` that cost it least, cheapest first.

    The cost of a record is the subsidy at which it is indifferent between ``cell`` and its own
    cell.
    """
    boxes, floors = np.empty(MAX_DEPTH, np.int64), np.empty(MAX_DEPTH)
    squares = np.empty(LEAF)
    tree, centre = cells.tree, cells.centres[cell]
    boxes[0], floors[0] = 1, -np.inf
    n_stacked, count, last = 1, ZERO, cheapest.shape[0] - 1
    while n_stacked > 0:
        n_stacked -= 1
        box, floor = boxes[n_stacked], floors[n_stacked]
        if count > last and not precedes(floor, tree.lowest[box], costs[last], cheapest[last]):
            continue
        if box >= tree.start.shape[0]:
            start = write_leaf_distances(tree, box, centre, squares)
            for offset in range(tree.n_remaining[box]):
                record = tree.records[start + offset]
                if cells.labels[record] != cell:
                    own_cost = cells.squares[record] - cells.subsidy[cells.labels[record]]
                    count = insert(cheapest, costs, count, record, squares[offset] - own_cost)
            continue
        near_box, far_box = 2 * box, 2 * box + 1
        near_floor = squared_box_distance(tree, near_box, centre) - cells.ceiling[near_box]
        far_floor = squared_box_distance(tree, far_box, centre) - cells.ceiling[far_box]
        if far_floor < near_floor:
            near_box, far_box, near_floor, far_floor = far_box, near_box, far_floor, near_floor
        boxes[n_stacked], floors[n_stacked] = far_box, far_floor
        boxes[n_stacked + 1], floors[n_stacked + 1] = near_box, near_floor
        n_stacked += 2


@compiled
def bid(X, cells, k, step, cell):
    """Move the records that ``cell`` lacks to it, and raise its subsidy.

    The new subsidy is one ``step`` above the cost at which one more record would join.
    """
    n_lacking = k - cells.sizes[cell]
    cheapest, costs = np.empty(n_lacking + 1, np.int64), np.empty(n_lacking + 1)
    find_cheapest(cells, cell, cheapest, costs)
    cells.subsidy[cell] = max(costs[n_lacking], cells.subsidy[cell]) + step
    for record in cheapest[:n_lacking]:
        previous = cells.labels[record]
        cells.labels[record] = cell
        cells.squares[record] = squared_distance(X, record, cells.centres[cell])
        cells.sizes[previous] -= 1
        if cells.sizes[previous] < k:
            enqueue(cells, previous)
    cells.sizes[cell] = k


@compiled
def run_auction(X, cells, k, step, max_bids):
    """Make at most ``max_bids`` bids; return whether a cell still has fewer than k records."""
    while cells.queue_ends[0] != cells.queue_ends[1] and max_bids > 0:
        cell = cells.queue[cells.queue_ends[0]]
        cells.queue_ends[0] = (cells.queue_ends[0] + 1) % cells.queue.shape[0]
        cells.is_queued[cell] = False
        bid(X, cells, k, step, cell)
        max_bids -= 1
    return cells.queue_ends[0] != cells.queue_ends[1]
