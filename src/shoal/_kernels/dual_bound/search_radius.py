"""Rows that can be together in a violated group, found from one of its rows.

The *spread* of a row in a group of k is the sum of its squared distances to the others. The spreads
of all rows add up to 2k times the SSE. So if the duals of a group exceed its SSE, it contains a row
with a spread below 2k times its dual, and it is enough to search for the group from there. The
squared distances of the others to that row are then below its *squared radius*: 2k times its dual,
less the squared distances to its k - 2 nearest rows.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.dual_bound.row_boxes import BOXES_PER_SUPERBOX

BATCH = 64  # rows that are compared with the boxes together


class RowLists(NamedTuple):
    """Linked lists of entries: ``row`` at squared distance ``gap``, after entry ``previous``."""

    row: np.ndarray
    gap: np.ndarray
    previous: np.ndarray


@compiled
def empty_lists(space):
    """Return empty lists with space for the rows of a batch."""
    return RowLists(np.empty(space, np.int32), np.empty(space), np.empty(space, np.int32))


@compiled
def squared_search_radius(X, near, k, dual, margin, row):
    """Return the squared radius of a row, -inf if no violated group is found from it.

    ``margin`` is the share by which the squared radius is raised, so that rounding excludes no row.
    """
    squared_radius = 2 * k * dual[row] * (1.0 + margin)
    for m in range(k - 2):
        squared_radius -= squared_row_distance(X, row, X, near[row, m])
    if squared_row_distance(X, row, X, near[row, k - 2]) >= squared_radius:
        return -np.inf
    return squared_radius


@compiled
def squared_box_distance(boxes, box, low, high):
    """Return the squared distance of a box to the box from ``low`` to ``high``."""
    total = 0.0
    for j in range(low.shape[0]):
        gap = max(boxes.low[box, j] - high[j], low[j] - boxes.high[box, j])
        if gap > 0.0:
            total += gap * gap
    return total


@compiled
def list_near_rows(X, near, row, squared_radius, lists, count, last):
    """List the near rows within the radius of a row; return the new count and the last position."""
    for other in near[row]:
        gap = squared_row_distance(X, row, X, other)
        if gap < squared_radius:
            lists.row[count], lists.gap[count], lists.previous[count] = other, gap, last
            last = count
            count += 1
    return count, last


@compiled
def list_rows_in_box(X, start, stop, columns, gaps, row, squared_radius, lists, count, last):
    """List the rows of a box within the radius of a row; return the count and the last position.

    ``columns`` are the rows from ``start`` to ``stop``, transposed. The result is -1 if there is no
    space.
    """
    size = stop - start
    gaps[:size] = 0.0
    for j in range(X.shape[1]):
        value = X[row, j]
        for i in range(size):
            gap = columns[j, i] - value
            gaps[i] += gap * gap
    if count + size > lists.row.shape[0]:
        return -1, last
    for i in range(size):
        if gaps[i] < squared_radius and start + i != row:
            lists.row[count], lists.gap[count] = start + i, gaps[i]
            lists.previous[count] = last
            last = count
            count += 1
    return count, last


@compiled
def list_far_rows(X, boxes, rows, squared_radius, lists, count, last):
    """List all rows within the radius of each of ``rows``, which are near each other.

    ``last`` is the position of the last entry of each row, -1 if there is none. The result is the
    number of rows in all lists, -1 if there is no space.
    """
    inner, outer = boxes.inner, boxes.outer
    low, high = X[rows[0]].copy(), X[rows[0]].copy()
    for row in rows:
        for j in range(X.shape[1]):
            low[j], high[j] = min(low[j], X[row, j]), max(high[j], X[row, j])
    greatest = squared_radius.max()
    columns = np.empty((X.shape[1], inner.rows_per_box))
    gaps = np.empty(inner.rows_per_box)
    for superbox in range(outer.low.shape[0]):
        if squared_box_distance(outer, superbox, low, high) >= greatest:
            continue
        first = superbox * BOXES_PER_SUPERBOX
        for box in range(first, min(first + BOXES_PER_SUPERBOX, inner.low.shape[0])):
            if squared_box_distance(inner, box, low, high) >= greatest:
                continue
            start = box * inner.rows_per_box
            stop = min(X.shape[0], start + inner.rows_per_box)
            for i in range(stop - start):
                for j in range(X.shape[1]):
                    columns[j, i] = X[start + i, j]
            for i in range(rows.shape[0]):
                if squared_box_distance(inner, box, X[rows[i]], X[rows[i]]) < squared_radius[i]:
                    count, last[i] = list_rows_in_box(
                        X,
                        start,
                        stop,
                        columns,
                        gaps,
                        rows[i],
                        squared_radius[i],
                        lists,
                        count,
                        last[i],
                    )
                    if count < 0:
                        return -1
    return count


@compiled
def list_rows_within(X, near, boxes, rows, squared_radius, lists, last):
    """List all rows within the radius of each of ``rows``; return their number, -1 if too many."""
    last[: rows.shape[0]] = -1
    count = 0
    far = np.empty(rows.shape[0], np.int64)
    n_far = 0
    n_near = near.shape[1]
    for i in range(rows.shape[0]):
        if squared_radius[i] == -np.inf:
            continue
        if (
            n_near == X.shape[0] - 1
            or squared_row_distance(X, rows[i], X, near[rows[i], n_near - 1]) >= squared_radius[i]
        ):
            if count + n_near > lists.row.shape[0]:
                return -1
            count, last[i] = list_near_rows(X, near, rows[i], squared_radius[i], lists, count, -1)
        else:
            far[n_far] = i
            n_far += 1
    if n_far == 0:
        return count
    far = far[:n_far]
    last_of_far = np.full(n_far, -1)
    count = list_far_rows(X, boxes, rows[far], squared_radius[far], lists, count, last_of_far)
    last[far] = last_of_far
    return count
