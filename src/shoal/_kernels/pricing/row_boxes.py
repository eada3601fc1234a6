"""Bounding boxes around consecutive rows of a long table, to find all rows with a low floor.

`shoal._kernels.pricing.relaxation` says what a floor is.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.pricing.relaxation import comes_later

ROWS_PER_BOX = 64
BOXES_PER_GROUP = 16


class RowBoxes(NamedTuple):
    """Boxes around ``rows_per_box`` rows each, and what bounds the floors inside.

    ``low`` and ``high`` are the faces of the boxes, ``greatest_net`` is the greatest net dual of
    the rows in a box, and ``least_dual`` their least dual.
    """

    rows_per_box: int
    low: np.ndarray
    high: np.ndarray
    greatest_net: np.ndarray
    least_dual: np.ndarray


@compiled
def make_boxes(X, net, dual, rows_per_box):
    """Return the boxes around every ``rows_per_box`` rows."""
    n, columns = X.shape
    count = (n + rows_per_box - 1) // rows_per_box
    boxes = RowBoxes(
        rows_per_box,
        np.full((count, columns), np.inf),
        np.full((count, columns), -np.inf),
        np.full(count, -np.inf),
        np.full(count, np.inf),
    )
    for row in range(n):
        box = row // rows_per_box
        for j in range(columns):
            boxes.low[box, j] = min(boxes.low[box, j], X[row, j])
            boxes.high[box, j] = max(boxes.high[box, j], X[row, j])
        boxes.greatest_net[box] = max(boxes.greatest_net[box], net[row])
        boxes.least_dual[box] = min(boxes.least_dual[box], dual[row])
    return boxes


@compiled
def may_hold(boxes, box, X, row, dual, k, limit):
    """Return whether a box may hold a row later than ``row`` with a floor below ``limit``."""
    if boxes.least_dual[box] > dual[row]:
        return False
    enough = k * (limit + boxes.greatest_net[box])
    total = 0.0
    for j in range(X.shape[1]):
        value = X[row, j]
        if value < boxes.low[box, j]:
            total += (boxes.low[box, j] - value) * (boxes.low[box, j] - value)
        elif value > boxes.high[box, j]:
            total += (value - boxes.high[box, j]) * (value - boxes.high[box, j])
        if total >= enough:
            return False
    return total < enough


@compiled
def list_below(X, inner, outer, k, dual, net, row, limit, records, extra, floor):
    """List all later rows with a floor below ``limit``; return their number."""
    count = 0
    for group in range(outer.low.shape[0]):
        if not may_hold(outer, group, X, row, dual, k, limit):
            continue
        first = group * BOXES_PER_GROUP
        for box in range(first, min(first + BOXES_PER_GROUP, inner.low.shape[0])):
            if not may_hold(inner, box, X, row, dual, k, limit):
                continue
            stop = min(X.shape[0], (box + 1) * inner.rows_per_box)
            for other in range(box * inner.rows_per_box, stop):
                if comes_later(dual, other, row):
                    gap = row_distance(X, row, X, other) / k
                    if gap - net[other] < limit:
                        records[count] = other
                        extra[count] = gap - dual[other]
                        floor[count] = gap - net[other]
                        count += 1
    return count
