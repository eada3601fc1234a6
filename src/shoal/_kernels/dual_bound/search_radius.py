"""The rows that can be together in a violated group, by their distance to one of its rows.

A group of k rows is *violated* if its duals exceed its SSE. The *spread* of a row in a group is the
sum of its squared distances to the others. The spreads of all rows add up to 2k times the SSE. So a
violated group contains a row whose spread is below 2k times its dual. The group is *anchored* at
each such row; there is at least one, so it is enough to search for the groups anchored at each row.
The squared distances of the other rows of a group to its anchor are below the *squared radius* of
the anchor: 2k times its dual, minus the squared distances to its k - 2 nearest rows.

Near rows are searched in batches, so that a box of rows is compared with all rows of a batch at
once.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.dual_bound.row_boxes import BOXES_PER_SUPERBOX, squared_box_distance

BATCH = 64  # maximum number of rows in a batch


class RowLists(NamedTuple):
    """A linked list for each row of a batch: the rows within its radius.

    An entry is a row and its squared distance; ``previous`` is the entry before it in the list, or
    -1. The list of row i of the batch ends at entry ``last[i]``, which is -1 if it is empty.
    ``size[0]`` is the number of entries of all lists.
    """

    row: np.ndarray  # (capacity,)
    square: np.ndarray  # (capacity,)
    previous: np.ndarray  # (capacity,)
    last: np.ndarray  # (BATCH,)
    size: np.ndarray  # (1,)


class BoxRows(NamedTuple):
    """The rows ``start`` to ``stop`` of a box; ``columns`` are their values, transposed.

    That order lets the processor compute several distances at once. ``squares`` is scratch space.
    """

    start: int
    stop: int
    columns: np.ndarray  # (n_columns, rows_per_box)
    squares: np.ndarray  # (rows_per_box,)


@compiled
def empty_lists(capacity):
    """Return empty lists with space for ``capacity`` entries."""
    return RowLists(
        row=np.empty(capacity, np.int32),
        square=np.empty(capacity),
        previous=np.empty(capacity, np.int32),
        last=np.full(BATCH, -1),
        size=np.zeros(1, np.int64),
    )


@compiled
def has_space(lists, count):
    """Return whether the lists have space for ``count`` more entries."""
    return lists.size[0] + count <= lists.row.shape[0]


@compiled
def squared_search_radius(X, near, k, dual, margin, row):
    """Return the squared radius of a row, or -inf if no violated group is anchored at it.

    ``margin`` is the share by which 2k times the dual is raised, so that rounding excludes no row.
    """
    squared_radius = 2 * k * dual[row] * (1.0 + margin)
    for position in range(k - 2):
        squared_radius -= squared_row_distance(X, row, X, near[row, position])
    if squared_row_distance(X, row, X, near[row, k - 2]) >= squared_radius:
        return -np.inf
    return squared_radius


@compiled
def append_near_rows(X, near, row, batch_position, squared_radius, lists):
    """Append the near rows within the radius of ``row``, at ``batch_position`` in the batch."""
    size, last = lists.size[0], -1
    for other in near[row]:
        square = squared_row_distance(X, row, X, other)
        if square < squared_radius:
            lists.row[size], lists.square[size], lists.previous[size] = other, square, last
            last = size
            size += 1
    lists.last[batch_position], lists.size[0] = last, size


@compiled
def append_rows_of_box(X, box_rows, row, batch_position, squared_radius, lists):
    """Append the rows of a box within the radius of ``row``, at ``batch_position`` in the batch."""
    n_rows, squares = box_rows.stop - box_rows.start, box_rows.squares
    squares[:n_rows] = 0.0
    for column in range(X.shape[1]):
        value = X[row, column]
        for other in range(n_rows):
            difference = box_rows.columns[column, other] - value
            squares[other] += difference * difference
    size, last = lists.size[0], lists.last[batch_position]
    for other in range(n_rows):
        if squares[other] < squared_radius and box_rows.start + other != row:
            lists.row[size], lists.square[size] = box_rows.start + other, squares[other]
            lists.previous[size] = last
            last = size
            size += 1
    lists.last[batch_position], lists.size[0] = last, size


@compiled
def copy_box(X, boxes, box, columns, squares):
    """Return the rows of a box, with ``columns`` and ``squares`` as their arrays."""
    start = box * boxes.rows_per_box
    stop = min(X.shape[0], start + boxes.rows_per_box)
    for i in range(stop - start):
        for column in range(X.shape[1]):
            columns[column, i] = X[start + i, column]
    return BoxRows(start, stop, columns, squares)


@compiled
def append_far_rows(X, boxes, batch, wide, squared_radius, lists):
    """Append all rows within the radius of each of the rows ``batch[wide]``.

    Return whether there was enough space.
    """
    inner, outer = boxes.inner, boxes.outer
    low, high = X[batch[wide[0]]].copy(), X[batch[wide[0]]].copy()
    greatest = -np.inf
    for i in wide:
        greatest = max(greatest, squared_radius[i])
        for column in range(X.shape[1]):
            value = X[batch[i], column]
            low[column], high[column] = min(low[column], value), max(high[column], value)
    columns = np.empty((X.shape[1], inner.rows_per_box))
    squares = np.empty(inner.rows_per_box)
    for superbox in range(outer.low.shape[0]):
        if squared_box_distance(outer, superbox, low, high) >= greatest:
            continue
        first = superbox * BOXES_PER_SUPERBOX
        for box in range(first, min(first + BOXES_PER_SUPERBOX, inner.low.shape[0])):
            if squared_box_distance(inner, box, low, high) >= greatest:
                continue
            box_rows = copy_box(X, inner, box, columns, squares)
            for i in wide:
                row = batch[i]
                if squared_box_distance(inner, box, X[row], X[row]) < squared_radius[i]:
                    if not has_space(lists, box_rows.stop - box_rows.start):
                        return False
                    append_rows_of_box(X, box_rows, row, i, squared_radius[i], lists)
    return True


@compiled
def fill_row_lists(X, near, boxes, batch, squared_radius, lists):
    """Fill the list of each row of a batch with all rows within its radius.

    Return whether there was enough space. The near rows of a row suffice if the last of them is
    outside of its radius. Other rows have a *wide* radius, for which all boxes are searched.
    """
    n_near, n_wide = near.shape[1], 0
    wide = np.empty(batch.shape[0], np.int64)
    lists.last[:], lists.size[0] = NONE, 0
    for i in range(batch.shape[0]):
        if squared_radius[i] == -np.inf:
            continue
        if (
            n_near == X.shape[0] - 1
            or squared_row_distance(X, batch[i], X, near[batch[i], n_near - 1]) >= squared_radius[i]
        ):
            if not has_space(lists, n_near):
                return False
            append_near_rows(X, near, batch[i], i, squared_radius[i], lists)
        else:
            wide[n_wide] = i
            n_wide += 1
    return n_wide == 0 or append_far_rows(X, boxes, batch, wide[:n_wide], squared_radius, lists)
