"""The nearest records of a record, found exactly and without a pass over the whole table.

The records lie in a balanced tree of boxes (a k-d tree), each box with its
bounds and its lowest record. A box is skipped only if none of its records can
come before the worst one found, ties included. The bound of a box is summed
column by column as the distances are; rounding keeps order, so it never exceeds
the distance of a record inside.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels._compile import compiled

LEAF = 32  # most records in a box that is not divided further
DEEPEST = 64  # more levels than any table fills


class Tree(NamedTuple):
    """Records in nested boxes, of which some may have left.

    Box 1 holds all, boxes 2b and 2b + 1 are the halves of box b, and those from
    ``bounds.shape[0] // 2`` on are the leaves. ``columns`` and ``records`` are in
    the order of the leaves, ``place`` is the way back. ``living[b]`` counts who
    is left in box b; in a leaf they come first. ``lowest[b]`` is no greater than
    any record in it.
    """

    columns: np.ndarray
    records: np.ndarray
    place: np.ndarray
    start: np.ndarray
    bounds: np.ndarray
    lowest: np.ndarray
    living: np.ndarray


def grow(X: np.ndarray) -> Tree:
    """Return a tree of all rows of ``X``: each box is halved across its widest side."""
    n = len(X)
    levels = max(0, int(np.ceil(np.log2(n / LEAF))))
    bounds = np.zeros((2 ** (levels + 1), 2, X.shape[1]))
    lowest = np.zeros(len(bounds), np.int64)
    living = np.zeros(len(bounds), np.int64)
    records = np.arange(n)
    for level in range(levels + 1):
        first = 2**level
        edges = np.arange(first + 1) * n // first
        boxes, sizes = slice(first, 2 * first), np.diff(edges)
        bounds[boxes, 0] = np.minimum.reduceat(X[records], edges[:-1])
        bounds[boxes, 1] = np.maximum.reduceat(X[records], edges[:-1])
        lowest[boxes] = np.minimum.reduceat(records, edges[:-1])
        living[boxes] = sizes
        if level < levels:
            widest = np.repeat((bounds[boxes, 1] - bounds[boxes, 0]).argmax(axis=1), sizes)
            box = np.repeat(np.arange(first), sizes)
            records = records[np.lexsort((records, X[records, widest], box))]
    place = np.empty(n, np.int64)
    place[records] = np.arange(n)
    columns = np.ascontiguousarray(X[records].T)
    return Tree(columns, records, place, edges[:-1], bounds, lowest, living)


@compiled
def leave(tree, record):
    """Let ``record`` leave the tree: the last one living in its leaf takes its place."""
    here = tree.place[record]
    leaf = np.searchsorted(tree.start, here, side="right") - 1
    box = leaf + tree.start.shape[0]
    last = tree.start[leaf] + tree.living[box] - 1
    other = tree.records[last]
    for j in range(tree.columns.shape[0]):
        tree.columns[j, here], tree.columns[j, last] = tree.columns[j, last], tree.columns[j, here]
    tree.records[here], tree.records[last] = other, record
    tree.place[other], tree.place[record] = here, last
    while box > 0:
        tree.living[box] -= 1
        box //= 2


@compiled
def shift(tree, record, point):
    """Let ``record`` lie at ``point`` from now on; the boxes around it widen as needed."""
    here = tree.place[record]
    box = np.searchsorted(tree.start, here, side="right") - 1 + tree.start.shape[0]
    for j in range(point.shape[0]):
        tree.columns[j, here] = point[j]
    while box > 0:
        for j in range(point.shape[0]):
            tree.bounds[box, 0, j] = min(tree.bounds[box, 0, j], point[j])
            tree.bounds[box, 1, j] = max(tree.bounds[box, 1, j], point[j])
        box //= 2


@compiled
def bound(tree, box, point):
    """Return a squared distance that no record in ``box`` comes nearer to ``point`` than."""
    total = 0.0
    for j in range(point.shape[0]):
        gap = max(tree.bounds[box, 0, j] - point[j], point[j] - tree.bounds[box, 1, j], 0.0)
        total += gap * gap
    return total


@compiled
def comes_first(distance, record, other_distance, other_record):
    """Say whether the first is nearer; ties go to the lowest record."""
    return distance < other_distance or (distance == other_distance and record < other_record)


@compiled
def measure_leaf(tree, start, size, point, gaps):
    """Fill ``gaps`` with the squared distances of ``size`` places from ``start`` on."""
    gaps[:size] = 0.0
    for j in range(point.shape[0]):
        column = tree.columns[j, start : start + size]
        here = point[j]
        for i in range(size):
            gap = column[i] - here
            gaps[i] += gap * gap


@compiled
def look_into(tree, box, point, self, found, distances, count, gaps):
    """Let the living of a leaf into ``found``, nearest first; return how many it now holds."""
    start = tree.start[box - tree.start.shape[0]]
    size = tree.living[box]
    measure_leaf(tree, start, size, point, gaps)
    most = found.shape[0]
    for i in range(size):
        if count == most and gaps[i] > distances[most - 1]:
            continue
        record = tree.records[start + i]
        if record == self:
            continue
        at = count
        while at > 0 and comes_first(gaps[i], record, distances[at - 1], found[at - 1]):
            at -= 1
        if at == most:
            continue
        count = min(count + 1, most)
        for later in range(count - 1, at, -1):
            found[later], distances[later] = found[later - 1], distances[later - 1]
        found[at], distances[at] = record, gaps[i]
    return count


@compiled
def find_nearest(tree, point, self, found, distances):
    """Fill ``found`` with the living nearest to ``point``, nearest first; return their number.

    The record ``self`` is left out (-1: none), ties go to the lowest record, and
    ``distances`` are squared. The result is the number of records found, less
    than the length of ``found`` only if fewer live.
    """
    boxes, floors = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    gaps = np.empty(LEAF)
    boxes[0], floors[0] = 1, 0.0
    waiting, count, last = 1, 0, found.shape[0] - 1
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


@compiled
def count_closer(tree, weights, point, low, high, enough):
    """Weigh the records whose squared distance is below ``low``, and those from there to ``high``.

    The search ends as soon as ``enough`` weight lies below; the second number
    then means nothing.
    """
    boxes = np.empty(DEEPEST, np.int64)
    gaps = np.empty(LEAF)
    boxes[0] = 1
    waiting, closer, level = 1, 0, 0
    while waiting > 0 and closer < enough:
        waiting -= 1
        box = boxes[waiting]
        if box < tree.start.shape[0]:
            near, far = 2 * box, 2 * box + 1
            near_floor, far_floor = bound(tree, near, point), bound(tree, far, point)
            if far_floor < near_floor:
                near, far, near_floor, far_floor = far, near, far_floor, near_floor
            if far_floor <= high:
                boxes[waiting] = far
                waiting += 1
            if near_floor <= high:
                boxes[waiting] = near
                waiting += 1
            continue
        start = tree.start[box - tree.start.shape[0]]
        size = tree.living[box]
        measure_leaf(tree, start, size, point, gaps)
        for i in range(size):
            if gaps[i] < low:
                closer += weights[tree.records[start + i]]
            elif gaps[i] <= high:
                level += weights[tree.records[start + i]]
    return closer, level


@compiled
def rank_own(tree, weights, points, own, slack, enough, start, stop, closer, level):
    """Count for the points from ``start`` to ``stop`` who is closer than, and as far as, their own.

    ``own`` holds a record of the tree for each point. Distances that differ by a
    share of ``slack`` or less are level.
    """
    gaps = np.empty(1)
    for i in range(start, stop):
        measure_leaf(tree, tree.place[own[i]], 1, points[i], gaps)
        low, high = gaps[0] * (1 - slack), gaps[0] * (1 + slack)
        closer[i], level[i] = count_closer(tree, weights, points[i], low, high, enough)
