"""A balanced tree of boxes (a k-d tree) whose records can be removed and moved.

For tables whose records stay where they are, `shoal._kernels.spatial.search` is faster.

The bound of a box is summed column by column as the distances are; rounding
keeps order, so it never exceeds the distance of a record inside.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled

LEAF = 32  # most records in a box that is not divided further
DEEPEST = 64  # more levels than any table fills
# NumPy integers, since numba compiles an inner kernel again for every plain constant passed to it.
NO_RECORD = np.int64(-1)
NONE_FOUND = np.int64(0)


class BoxTree(NamedTuple):
    """Records in nested boxes.

    Box 1 holds all, boxes 2b and 2b + 1 are the halves of box b, and those from
    ``bounds.shape[0] // 2`` on are the leaves. ``columns`` and ``records`` are in
    the order of the leaves, ``place`` is the way back. ``living[b]`` counts the
    records left in box b; in a leaf they come first. ``lowest[b]`` is no greater than
    any record in it.
    """

    columns: np.ndarray
    records: np.ndarray
    place: np.ndarray
    start: np.ndarray
    bounds: np.ndarray
    lowest: np.ndarray
    living: np.ndarray


def build_tree(X: np.ndarray) -> BoxTree:
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
    return BoxTree(columns, records, place, edges[:-1], bounds, lowest, living)


@compiled
def remove_record(tree, record):
    """Remove ``record``; the last one living in its leaf takes its place."""
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
def move_record(tree, record, point):
    """Move ``record`` to ``point``; the boxes around it widen as needed."""
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
def box_distance(tree, box, point):
    """Return the squared distance of ``point`` to a box: no record inside is nearer."""
    total = 0.0
    for j in range(point.shape[0]):
        gap = max(tree.bounds[box, 0, j] - point[j], point[j] - tree.bounds[box, 1, j], 0.0)
        total += gap * gap
    return total


@compiled
def leaf_distances(tree, box, point, gaps):
    """Fill ``gaps`` with the squared distances of the living in a leaf; return its first place."""
    start = tree.start[box - tree.start.shape[0]]
    size = tree.living[box]
    gaps[:size] = 0.0
    for j in range(point.shape[0]):
        column = tree.columns[j, start : start + size]
        here = point[j]
        for i in range(size):
            gap = column[i] - here
            gaps[i] += gap * gap
    return start


@compiled
def comes_first(distance, record, other_distance, other_record):
    """Return whether the first is nearer; ties go to the lowest record."""
    return distance < other_distance or (distance == other_distance and record < other_record)


@compiled
def insert(nearest, distances, count, record, distance):
    """Insert ``record`` into a list of the ``count`` nearest; return its length."""
    at, most = count, nearest.shape[0]
    while at > 0 and comes_first(distance, record, distances[at - 1], nearest[at - 1]):
        at -= 1
    if at == most:
        return count
    count = min(count + 1, most)
    for later in range(count - 1, at, -1):
        nearest[later], distances[later] = nearest[later - 1], distances[later - 1]
    nearest[at], distances[at] = record, distance
    return count


@compiled
def search_leaf(tree, box, point, excluded, nearest, distances, count, gaps):
    """Add the living of a leaf to ``nearest``, nearest first; return its length."""
    start, most = leaf_distances(tree, box, point, gaps), nearest.shape[0]
    for i in range(tree.living[box]):
        if count < most or gaps[i] <= distances[most - 1]:
            record = tree.records[start + i]
            if record != excluded:
                count = insert(nearest, distances, count, record, gaps[i])
    return count


@compiled
def find_nearest(tree, point, excluded, nearest, distances):
    """Fill ``nearest`` with the living nearest to ``point``, nearest first; return their number.

    The record ``excluded`` is left out (or ``NO_RECORD``), ties go to the lowest record, and
    ``distances`` are squared. The result is the number of records, less than the
    length of ``nearest`` only if fewer live.
    """
    boxes, floors = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    gaps = np.empty(LEAF)
    boxes[0], floors[0] = 1, 0.0
    queue, count, last = 1, NONE_FOUND, nearest.shape[0] - 1
    while queue > 0:
        queue -= 1
        box, floor = boxes[queue], floors[queue]
        if tree.living[box] == 0 or (
            count > last
            and not comes_first(floor, tree.lowest[box], distances[last], nearest[last])
        ):
            continue
        if box >= tree.start.shape[0]:
            count = search_leaf(tree, box, point, excluded, nearest, distances, count, gaps)
            continue
        near, far = 2 * box, 2 * box + 1
        near_floor, far_floor = box_distance(tree, near, point), box_distance(tree, far, point)
        if comes_first(far_floor, tree.lowest[far], near_floor, tree.lowest[near]):
            near, far, near_floor, far_floor = far, near, far_floor, near_floor
        boxes[queue], floors[queue] = far, far_floor
        boxes[queue + 1], floors[queue + 1] = near, near_floor
        queue += 2
    return count
