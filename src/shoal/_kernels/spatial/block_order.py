"""An order of the records in which near records follow each other, cut into blocks."""

import numpy as np

from shoal._kernels._compile import compiled

BLOCK = 64  # records that are measured together
BLOCKS_PER_SUPERBLOCK = 16  # consecutive blocks with one box around them all
SAMPLE_SIZE = 256  # records from which the axis of greatest extent is chosen
SHELL_WEIGHT = 16.0  # weight of the distance from the origin: groups form from the outside in
MAX_DEPTH = 64  # levels of halving: more than any table needs


def locality_order(X: np.ndarray) -> np.ndarray:
    """Return the records in an order in which near records follow each other."""
    order = np.arange(len(X))
    no_shells = np.zeros(len(X))  # in place of the distances from the origin
    order_by_halving(np.column_stack([X, no_shells]).astype(np.float32), order)
    return order


@compiled
def order_by_halving(rows, order):
    """Order records by recursive halving across the axis of greatest extent.

    Cuts fall between superblocks first, then between blocks, so that each of them has records
    from one small box. The last axis is the distance from the origin, so that blocks are shells as
    well as boxes. ``rows`` are the coordinates, in single precision, and ``order`` is changed in
    place.
    """
    keys = np.empty(order.shape[0], np.float32)
    starts, stops = np.empty(MAX_DEPTH, np.int64), np.empty(MAX_DEPTH, np.int64)
    starts[0], stops[0], n_stacked = 0, order.shape[0], 1
    while n_stacked > 0:
        n_stacked -= 1
        start, stop = starts[n_stacked], stops[n_stacked]
        size = stop - start
        if size <= BLOCK:
            continue
        unit = BLOCK * BLOCKS_PER_SUPERBLOCK if size > BLOCK * BLOCKS_PER_SUPERBLOCK else BLOCK
        middle = start + (size + unit - 1) // unit // 2 * unit
        axis = widest_axis(rows, order, start, stop)
        for i in range(start, stop):
            keys[i] = rows[order[i], axis]
        partition_keys(keys, order, start, stop, middle)
        starts[n_stacked], stops[n_stacked] = start, middle
        starts[n_stacked + 1], stops[n_stacked + 1] = middle, stop
        n_stacked += 2


@compiled
def widest_axis(rows, order, start, stop):
    """Return the axis along which the records from ``start`` to ``stop`` vary most, by a sample."""
    step = max(1, (stop - start) // SAMPLE_SIZE)
    count = (stop - start + step - 1) // step
    best, greatest = 0, -1.0
    for axis in range(rows.shape[1]):
        first = rows[order[start], axis]
        total, squares = 0.0, 0.0
        for i in range(start, stop, step):
            difference = float(rows[order[i], axis] - first)
            total += difference
            squares += difference * difference
        spread = squares - total * total / count
        if axis == rows.shape[1] - 1:
            spread *= SHELL_WEIGHT
        if spread > greatest:
            best, greatest = axis, spread
    return best


@compiled
def partition_keys(keys, order, start, stop, middle):
    """Reorder so that no key before ``middle`` exceeds one behind it (Hoare's selection)."""
    low, high = start, stop - 1
    while low < high:
        pivot = keys[(low + high) // 2]
        left, right = low, high
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                order[left], order[right] = order[right], order[left]
                left += 1
                right -= 1
        if middle <= right:
            high = right
        elif middle >= left:
            low = left
        else:
            return
