"""A balanced tree of boxes (a k-d tree) whose points can be removed and moved.

For points that do not move, `shoal._kernels.spatial.search` is faster. All distances are squared.

The bound of a box is summed column by column as the distances are; rounding is monotonic, so it
never exceeds the distance of a point inside.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import ZERO
from shoal._kernels.distances import write_squared_distances
from shoal._kernels.structures.sorted_list import insert, precedes

LEAF = 32  # maximum number of points in a leaf
MAX_DEPTH = 64  # levels of boxes: more than any table needs
ROOT = 1  # the box that contains all points


class BoxTree(NamedTuple):
    """Points in nested boxes. Points may be records or centroids of groups.

    Box `ROOT` contains all points, boxes 2 * box and 2 * box + 1 are the halves of a box, and the
    boxes from ``bounds.shape[0] // 2`` on are the leaves. ``columns`` are the points in the order
    of the leaves and ``records`` their numbers; ``position`` is the inverse of ``records``.
    ``n_remaining[box]`` is the number of points that remain in a box; in a leaf they come first.
    ``lowest[box]`` is no greater than the number of any point in it.
    """

    columns: np.ndarray  # (n_columns, n_records)
    records: np.ndarray  # (n_records,)
    position: np.ndarray  # (n_records,)
    start: np.ndarray  # (n_leaves,)
    bounds: np.ndarray  # (2 * n_leaves, 2, n_columns)
    lowest: np.ndarray  # (2 * n_leaves,)
    n_remaining: np.ndarray  # (2 * n_leaves,)


class NearestQuery(NamedTuple):
    """A search for the points nearest to ``point``, without the point ``excluded``.

    ``nearest`` are the nearest so far, nearest first, and ``squares`` their squared distances; the
    length of the list is passed along with it. ``leaf_squares`` is scratch space, for the squared
    distances of the points of a leaf.
    """

    point: np.ndarray  # (n_columns,)
    excluded: int
    nearest: np.ndarray  # (max_count,)
    squares: np.ndarray  # (max_count,)
    leaf_squares: np.ndarray  # (LEAF,)


def build_tree(X: np.ndarray) -> BoxTree:
    """Return a tree of all rows of ``X``, built by halving boxes across their widest side.

    Points that are equal along that side are divided by their number, so that the tree does not
    depend on a sorting algorithm; `block_order` is faster, but does not say how ties are divided.
    """
    n = len(X)
    levels = max(0, int(np.ceil(np.log2(n / LEAF))))
    bounds = np.zeros((2 ** (levels + 1), 2, X.shape[1]))
    lowest = np.zeros(len(bounds), np.int64)
    n_remaining = np.zeros(len(bounds), np.int64)
    records = np.arange(n)
    for level in range(levels + 1):
        first = 2**level
        edges = np.arange(first + 1) * n // first
        boxes, sizes = slice(first, 2 * first), np.diff(edges)
        bounds[boxes, 0] = np.minimum.reduceat(X[records], edges[:-1])
        bounds[boxes, 1] = np.maximum.reduceat(X[records], edges[:-1])
        lowest[boxes] = np.minimum.reduceat(records, edges[:-1])
        n_remaining[boxes] = sizes
        if level < levels:
            widest = np.repeat((bounds[boxes, 1] - bounds[boxes, 0]).argmax(axis=1), sizes)
            box = np.repeat(np.arange(first), sizes)
            records = records[np.lexsort((records, X[records, widest], box))]
    position = np.empty(n, np.int64)
    position[records] = np.arange(n)
    columns = np.ascontiguousarray(X[records].T)
    return BoxTree(
        columns=columns,
        records=records,
        position=position,
        start=edges[:-1],
        bounds=bounds,
        lowest=lowest,
        n_remaining=n_remaining,
    )


@compiled
def remove_point(tree, number):
    """Remove the point ``number``; the last remaining point of its leaf takes its position."""
    position = tree.position[number]
    leaf = np.searchsorted(tree.start, position, side="right") - 1
    box = leaf + tree.start.shape[0]
    last = tree.start[leaf] + tree.n_remaining[box] - 1
    other = tree.records[last]
    for column in tree.columns:
        column[position], column[last] = column[last], column[position]
    tree.records[position], tree.records[last] = other, number
    tree.position[other], tree.position[number] = position, last
    while box > 0:
        tree.n_remaining[box] -= 1
        box //= 2


@compiled
def move_point(tree, number, point):
    """Move the point ``number`` to ``point``, and widen the boxes around it as needed."""
    position = tree.position[number]
    box = np.searchsorted(tree.start, position, side="right") - 1 + tree.start.shape[0]
    for column in range(point.shape[0]):
        tree.columns[column, position] = point[column]
    while box > 0:
        for column in range(point.shape[0]):
            tree.bounds[box, 0, column] = min(tree.bounds[box, 0, column], point[column])
            tree.bounds[box, 1, column] = max(tree.bounds[box, 1, column], point[column])
        box //= 2


@compiled
def squared_box_distance(tree, box, point):
    """Return the squared distance of ``point`` to a box: no record inside is nearer."""
    total = 0.0
    for column in range(point.shape[0]):
        low, high = tree.bounds[box, 0, column], tree.bounds[box, 1, column]
        difference = max(low - point[column], point[column] - high, 0.0)
        total += difference * difference
    return total


@compiled
def write_leaf_distances(tree, box, point, squares):
    """Write the squared distances of the points that remain in a leaf; return its start."""
    start = tree.start[box - tree.start.shape[0]]
    write_squared_distances(tree.columns, start, start + tree.n_remaining[box], point, squares)
    return start


@compiled
def search_leaf(tree, box, query, count):
    """Add the points that remain in a leaf to a list of ``count`` nearest; return its length."""
    nearest, squares, leaf_squares = query.nearest, query.squares, query.leaf_squares
    start = write_leaf_distances(tree, box, query.point, leaf_squares)
    last = nearest.shape[0] - 1
    for i in range(tree.n_remaining[box]):
        if count <= last or leaf_squares[i] <= squares[last]:
            record = tree.records[start + i]
            if record != query.excluded:
                count = insert(nearest, squares, count, record, leaf_squares[i])
    return count


@compiled
def find_nearest(tree, point, excluded, nearest, squares):
    """Fill ``nearest`` with the points nearest to ``point``, nearest first; return their number.

    The point ``excluded``, if it is not ``NONE``, is left out, and ties go to the lowest number.
    ``squares`` are the squared distances. The result is less than the length of ``nearest`` only if
    fewer points remain.
    """
    boxes, floors = np.empty(MAX_DEPTH, np.int64), np.empty(MAX_DEPTH)
    query = NearestQuery(point, excluded, nearest, squares, np.empty(LEAF))
    boxes[0], floors[0] = ROOT, 0.0
    n_stacked, count, last = 1, ZERO, nearest.shape[0] - 1
    while n_stacked > 0:
        n_stacked -= 1
        box, floor = boxes[n_stacked], floors[n_stacked]
        if tree.n_remaining[box] == 0 or (
            count > last and not precedes(floor, tree.lowest[box], squares[last], nearest[last])
        ):
            continue
        if box >= tree.start.shape[0]:
            count = search_leaf(tree, box, query, count)
            continue
        near_box, far_box = 2 * box, 2 * box + 1
        near_floor = squared_box_distance(tree, near_box, point)
        far_floor = squared_box_distance(tree, far_box, point)
        if precedes(far_floor, tree.lowest[far_box], near_floor, tree.lowest[near_box]):
            near_box, far_box, near_floor, far_floor = far_box, near_box, far_floor, near_floor
        boxes[n_stacked], floors[n_stacked] = far_box, far_floor
        boxes[n_stacked + 1], floors[n_stacked + 1] = near_box, near_floor
        n_stacked += 2
    return count
