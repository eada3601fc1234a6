"""Bounding boxes around consecutive rows of a long table, to find all rows near a row.

Near rows follow each other in the table, so boxes around consecutive rows are small.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance

ROWS_PER_BOX = 64
BOXES_PER_SUPERBOX = 16  # consecutive boxes with one box around them all


class RowBoxes(NamedTuple):
    """Boxes around ``rows_per_box`` rows each; ``low`` and ``high`` are their corners."""

    rows_per_box: int
    low: np.ndarray  # (n_boxes, n_columns)
    high: np.ndarray  # (n_boxes, n_columns)


class BoxLevels(NamedTuple):
    """Boxes around rows (``inner``), and boxes around `BOXES_PER_SUPERBOX` of these (``outer``)."""

    inner: RowBoxes
    outer: RowBoxes


class RowLimits(NamedTuple):
    """A limit for each row, and the greatest of the rows in each inner and each outer box."""

    limit: np.ndarray  # (n_rows,)
    inner: np.ndarray  # (n_inner_boxes,)
    outer: np.ndarray  # (n_outer_boxes,)


def box_levels(X: np.ndarray, rows_per_box: int = ROWS_PER_BOX) -> BoxLevels:
    """Return the boxes of both levels, the inner ones around every ``rows_per_box`` rows."""
    return BoxLevels(
        inner=make_boxes(X, rows_per_box),
        outer=make_boxes(X, rows_per_box * BOXES_PER_SUPERBOX),
    )


@compiled
def make_boxes(X, rows_per_box):
    """Return the boxes around every ``rows_per_box`` rows."""
    n, p = X.shape
    count = (n + rows_per_box - 1) // rows_per_box
    boxes = RowBoxes(rows_per_box, np.full((count, p), np.inf), np.full((count, p), -np.inf))
    for row in range(n):
        box = row // rows_per_box
        for column in range(p):
            boxes.low[box, column] = min(boxes.low[box, column], X[row, column])
            boxes.high[box, column] = max(boxes.high[box, column], X[row, column])
    return boxes


@compiled
def greatest_in_boxes(boxes, values):
    """Return the greatest of the values of the rows in each box."""
    greatest = np.full(boxes.low.shape[0], -np.inf)
    for row in range(values.shape[0]):
        box = row // boxes.rows_per_box
        greatest[box] = max(greatest[box], values[row])
    return greatest


@compiled
def limits_in_boxes(boxes, limit):
    """Return the limits of rows, with the greatest ones in boxes of both levels."""
    return RowLimits(
        limit, greatest_in_boxes(boxes.inner, limit), greatest_in_boxes(boxes.outer, limit)
    )


@compiled
def squared_box_distance(boxes, box, low, high):
    """Return the squared distance of a box to the box from ``low`` to ``high``."""
    total = 0.0
    for column in range(low.shape[0]):
        above, below = boxes.low[box, column] - high[column], low[column] - boxes.high[box, column]
        difference = max(above, below)
        if difference > 0.0:
            total += difference * difference
    return total


@compiled
def list_rows_within_limits(X, boxes, limits, row, rows):
    """List the rows whose squared distance to ``row`` is below the sum of both limits.

    They are written to ``rows``; the result is their number.
    """
    inner, outer, point, limit = boxes.inner, boxes.outer, X[row], limits.limit[row]
    count = 0
    for superbox in range(outer.low.shape[0]):
        if squared_box_distance(outer, superbox, point, point) >= limit + limits.outer[superbox]:
            continue
        first = superbox * BOXES_PER_SUPERBOX
        for box in range(first, min(first + BOXES_PER_SUPERBOX, inner.low.shape[0])):
            if squared_box_distance(inner, box, point, point) >= limit + limits.inner[box]:
                continue
            stop = min(X.shape[0], (box + 1) * inner.rows_per_box)
            for other in range(box * inner.rows_per_box, stop):
                square = squared_row_distance(X, row, X, other)
                if other != row and square - limits.limit[other] < limit:
                    rows[count] = other
                    count += 1
    return count
