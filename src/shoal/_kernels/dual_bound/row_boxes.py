"""Bounding boxes around consecutive rows of a long table, to find all rows with a low floor.

`shoal._kernels.dual_bound.net_duals` defines floors.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.dual_bound.net_duals import comes_later

ROWS_PER_BOX = 64
BOXES_PER_SUPERBOX = 16  # consecutive boxes with one box around them all


class RowBoxes(NamedTuple):
    """Boxes around ``rows_per_box`` rows each, with the duals that bound the floors inside.

    ``low`` and ``high`` are the faces of the boxes, ``greatest_net_dual`` is the greatest net dual
    of the rows in a box, and ``least_dual`` their least dual.
    """

    rows_per_box: int
    low: np.ndarray
    high: np.ndarray
    greatest_net_dual: np.ndarray
    least_dual: np.ndarray


class BoxLevels(NamedTuple):
    """Boxes around rows (``inner``), and boxes around `BOXES_PER_SUPERBOX` of these (``outer``)."""

    inner: RowBoxes
    outer: RowBoxes


def box_levels(
    X: np.ndarray, net_dual: np.ndarray, dual: np.ndarray, rows_per_box: int = ROWS_PER_BOX
) -> BoxLevels:
    """Return the boxes of both levels, the inner ones around every ``rows_per_box`` rows."""
    return BoxLevels(
        inner=make_boxes(X, net_dual, dual, rows_per_box),
        outer=make_boxes(X, net_dual, dual, rows_per_box * BOXES_PER_SUPERBOX),
    )


@compiled
def make_boxes(X, net_dual, dual, rows_per_box):
    """Return the boxes around every ``rows_per_box`` rows."""
    n, p = X.shape
    count = (n + rows_per_box - 1) // rows_per_box
    boxes = RowBoxes(
        rows_per_box=rows_per_box,
        low=np.full((count, p), np.inf),
        high=np.full((count, p), -np.inf),
        greatest_net_dual=np.full(count, -np.inf),
        least_dual=np.full(count, np.inf),
    )
    for row in range(n):
        box = row // rows_per_box
        for j in range(p):
            boxes.low[box, j] = min(boxes.low[box, j], X[row, j])
            boxes.high[box, j] = max(boxes.high[box, j], X[row, j])
        boxes.greatest_net_dual[box] = max(boxes.greatest_net_dual[box], net_dual[row])
        boxes.least_dual[box] = min(boxes.least_dual[box], dual[row])
    return boxes


@compiled
def may_contain(boxes, box, X, row, dual, k, limit):
    """Return whether a box may hold a row later than ``row`` with a floor below ``limit``."""
    if boxes.least_dual[box] > dual[row]:
        return False
    max_square = k * (limit + boxes.greatest_net_dual[box])
    total = 0.0
    for j in range(X.shape[1]):
        value = X[row, j]
        if value < boxes.low[box, j]:
            total += (boxes.low[box, j] - value) * (boxes.low[box, j] - value)
        elif value > boxes.high[box, j]:
            total += (value - boxes.high[box, j]) * (value - boxes.high[box, j])
        if total >= max_square:
            return False
    return total < max_square


@compiled
def list_rows_below(X, boxes, k, dual, net_dual, row, limit, records):
    """List all later rows with a floor below ``limit``; return their number."""
    inner, outer = boxes.inner, boxes.outer
    count = 0
    for superbox in range(outer.low.shape[0]):
        if not may_contain(outer, superbox, X, row, dual, k, limit):
            continue
        first = superbox * BOXES_PER_SUPERBOX
        for box in range(first, min(first + BOXES_PER_SUPERBOX, inner.low.shape[0])):
            if not may_contain(inner, box, X, row, dual, k, limit):
                continue
            stop = min(X.shape[0], (box + 1) * inner.rows_per_box)
            for other in range(box * inner.rows_per_box, stop):
                if comes_later(dual, other, row):
                    gap = squared_row_distance(X, row, X, other) / k
                    if gap - net_dual[other] < limit:
                        records[count] = other
                        count += 1
    return count
