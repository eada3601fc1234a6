"""The nearest records of a record, found exactly and without a pass over the whole table.

The records lie in a tree of boxes. A box is skipped only if none of its records
can come before the worst one found, ties included.
"""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.boxes import DEEPEST, LEAF, NONE_YET, bound, grow, measure_leaf


@compiled
def comes_first(distance, record, other_distance, other_record):
    """Say whether the first is nearer; ties go to the lowest record."""
    return distance < other_distance or (distance == other_distance and record < other_record)


@compiled
def insert(found, distances, count, record, distance):
    """Let ``record`` into the list of the nearest ``count``; return how many it now holds."""
    at, most = count, found.shape[0]
    while at > 0 and comes_first(distance, record, distances[at - 1], found[at - 1]):
        at -= 1
    if at == most:
        return count
    count = min(count + 1, most)
    for later in range(count - 1, at, -1):
        found[later], distances[later] = found[later - 1], distances[later - 1]
    found[at], distances[at] = record, distance
    return count


@compiled
def look_into(tree, box, point, self, found, distances, count, gaps):
    """Let the living of a leaf into ``found``, nearest first; return how many it now holds."""
    start, most = measure_leaf(tree, box, point, gaps), found.shape[0]
    for i in range(tree.living[box]):
        if count < most or gaps[i] <= distances[most - 1]:
            record = tree.records[start + i]
            if record != self:
                count = insert(found, distances, count, record, gaps[i])
    return count


@compiled
def find_nearest(tree, point, self, found, distances):
    """Fill ``found`` with the living nearest to ``point``, nearest first; return their number.

    The record ``self`` is left out (or ``NOBODY``), ties go to the lowest record, and
    ``distances`` are squared. The result is the number of records found, less
    than the length of ``found`` only if fewer live.
    """
    boxes, floors = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    gaps = np.empty(LEAF)
    boxes[0], floors[0] = 1, 0.0
    waiting, count, last = 1, NONE_YET, found.shape[0] - 1
    while waiting > 0:
        waiting -= 1
        box, floor = boxes[waiting], floors[waiting]
        if tree.living[box] == 0 or (
            count > last and not comes_first(floor, tree.lowest[box], distances[last], found[last])
        ):
            continue
        if box >= tree.start.shape[0]:
            count = look_into(tree, box, point, self, found, distances, count, gaps)
            continue
        near, far = 2 * box, 2 * box + 1
        near_floor, far_floor = bound(tree, near, point), bound(tree, far, point)
        if comes_first(far_floor, tree.lowest[far], near_floor, tree.lowest[near]):
            near, far, near_floor, far_floor = far, near, far_floor, near_floor
        boxes[waiting], floors[waiting] = far, far_floor
        boxes[waiting + 1], floors[waiting + 1] = near, near_floor
        waiting += 2
    return count


@compiled
def find_neighbours(tree, start, stop, found):
    """Fill the rows of ``found`` that belong to the records at places ``start`` to ``stop``."""
    distances = np.empty(found.shape[1])
    point = np.empty(tree.columns.shape[0])
    for here in range(start, stop):
        for j in range(point.shape[0]):
            point[j] = tree.columns[j, here]
        record = tree.records[here]
        find_nearest(tree, point, record, found[record], distances)


def neighbours(X: np.ndarray, m: int) -> np.ndarray:
    """Return the ``m`` nearest other rows of each row of ``X``, nearest first.

    Ties go to the lowest record; ``m`` is at most ``len(X) - 1``. Memory grows as
    n * m. To hear of progress, grow a tree and call `find_neighbours` in strides.
    """
    found = np.empty((len(X), m), np.int64)
    if m > 0:
        find_neighbours(grow(X), 0, len(X), found)
    return found
