"""The nearest and the farthest living records, without a pass over all of them.

Groups of blocks are visited in the order of the bounds that their boxes give, then their
blocks, until the records in the list beat every remaining bound. A block is measured in
single precision by vector instructions; the records that this cannot rule out are measured
in double precision. `shoal._kernels.spatial.bounds` proves that the result is that of a pass
over all living records.
"""

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.distances import squared_distance
from shoal._kernels.spatial.block_order import BLOCK, BLOCKS_PER_GROUP
from shoal._kernels.spatial.block_queue import (
    greatest,
    pop_group,
    queue_best_group,
    queue_other_groups,
)
from shoal._kernels.spatial.bounds import NO_SCORE, required_score, score_bounds
from shoal._kernels.spatial.index import REST, store_point, to_frame

# NumPy numbers, since numba compiles an inner kernel again for every plain constant passed to it.
NEAREST, FARTHEST = np.float32(-1), np.float32(1)
NONE_FOUND, NO_RECORD = np.int64(0), np.int64(-1)
FIRST_AXIS = np.int64(1)  # the axes of the frame are stored from here on


@inlined
def nearest(index, point, best, squares):
    """Fill ``best`` with the living records nearest to ``point``, nearest first.

    ``squares`` are their squared distances. Ties go to the lowest record. Return the
    number of records, less than the length of ``best`` only if fewer are living.
    """
    return search(index, point, NEAREST, NO_RECORD, best, squares, NONE_FOUND)


@inlined
def extend_nearest(index, point, best, squares, count):
    """Add the living records nearest to ``point`` to a list of ``count`` records.

    Called for several points, it gives the records nearest to any of them. A record may
    be in the list twice if the list is longer than one.
    """
    return search(index, point, NEAREST, NO_RECORD, best, squares, count)


@inlined
def nearest_others(index, record, best, squares):
    """Fill ``best`` with the living records nearest to a living one, itself left out."""
    return search(index, index.X[record], NEAREST, record, best, squares, NONE_FOUND)


@inlined
def farthest(index, point):
    """Return the living record farthest from ``point``; ties go to the lowest."""
    best, squares = np.empty(1, np.int64), np.empty(1)
    search(index, point, FARTHEST, NO_RECORD, best, squares, NONE_FOUND)
    return best[0]


@compiled
def search(index, point, side, excluded, best, squares, count):
    """Add the living records with the greatest scores to a list; return its length.

    The record ``excluded`` is left out, if it is not ``NO_RECORD``.
    ``point`` must lie no farther out than the records of which the index was built.
    """
    p, most = point.shape[0], best.shape[0]
    reach = place_query(
        point, index.origin, index.axes, index.scale, index.leading, side, index.query
    )
    needed = NO_SCORE
    if count == most:
        needed = required_score(squares[most - 1], side, index.scale, reach, p)
    score_bounds(index.outer_low, index.outer_high, index.query, side, index.outer_bounds)
    left, is_only_best = queue_best_group(index.outer_bounds, index.queue, index.bounds), True
    while True:
        b, left = next_block(
            index.blocks, index.low, index.high, index.query, index.leading, side, needed,
            index.outer_bounds, index.bounds, index.queue, left, index.gaps, index.blocks_read,
        )  # fmt: skip
        if b >= 0:
            count, needed = update_nearest(
                index.X, point, excluded, index.records[b], index.all_equal[b], index.gaps, side,
                needed, index.scale, reach, best, squares, count,
            )  # fmt: skip
        elif is_only_best:
            left = queue_other_groups(index.outer_bounds, index.queue, needed, index.bounds)
            is_only_best = False
        else:
            return count


@compiled
def update_nearest(
    X, point, excluded, records, all_equal, gaps, side, needed, scale, reach, best, squares, count
):
    """Add the records of a measured block to a list if they come first in double precision.

    The record ``excluded`` is left out. Return the length of the list and the score
    that a further record must have.
    """
    p, most = point.shape[0], best.shape[0]
    squared, known = 0.0, False
    for i in range(BLOCK):
        if side * gaps[i] >= needed:
            record = records[i]
            if record == excluded:
                continue
            if not known:
                squared = squared_distance(X, record, point)
                known = all_equal
            if count == most and not comes_first(
                side, squared, record, squares[most - 1], best[most - 1]
            ):
                continue
            count = insert(best, squares, count, side, record, squared)
            if count == most:
                needed = required_score(squares[most - 1], side, scale, reach, p)
    return count, needed


@compiled
def place_query(point, origin, axes, scale, leading, side, query):
    """Place ``point`` as records are placed; return its distance from the origin."""
    rotated = np.empty(point.shape[0])
    to_frame(point, origin, axes, scale, rotated)
    store_point(rotated, leading, query)
    # Along the other axes two positions differ by the difference of their distances from the
    # origin at least, and by the sum at most.
    query[REST] *= -side
    return float(query[point.shape[0] + 1])


@compiled
def next_block(
    blocks,
    low,
    high,
    query,
    leading,
    side,
    needed,
    outer_bounds,
    bounds,
    queue,
    left,
    gaps,
    blocks_read,
):
    """Measure blocks, the greatest bound first, until one may hold a better record.

    Return it, or -1, and the length of the queue of groups; the last of them is being
    visited. It takes arrays one by one, since passing a whole index takes as long as
    measuring a block.
    """
    while left > 0:
        g = queue[left - 1]
        # The order within a group pays only as long as the list is empty.
        start = greatest(bounds) if needed == NO_SCORE else 0
        for at in range(start, BLOCKS_PER_GROUP):
            if bounds[at] > NO_SCORE and bounds[at] >= needed:
                bounds[at] = NO_SCORE
                blocks_read[0] += 1
                if measure_block(
                    blocks[g * BLOCKS_PER_GROUP + at], query, leading, side, needed, gaps
                ):
                    return g * BLOCKS_PER_GROUP + at, left
        left = pop_group(outer_bounds, queue, left - 1, needed)
        if left > 0:
            blocks_read[0] += 1
            g = queue[left - 1]
            score_bounds(low[g], high[g], query, side, bounds)
    return -1, left


@compiled
def measure_block(block, query, leading, side, needed, gaps):
    """Fill ``gaps`` with the squared distances in a block; return whether one may be good enough.

    If the leading axes and the distances along all others rule out every record, the
    other axes are not read.
    """
    for i in range(BLOCK):
        gaps[i] = np.float32(0)
    add_gaps(block, query, FIRST_AXIS, FIRST_AXIS + leading, gaps)
    others, q = block[REST], query[REST]
    hits = np.int32(0)
    for i in range(BLOCK):
        gap = others[i] - q
        hits |= np.int32(side * (gaps[i] + gap * gap) >= needed)
    if hits == 0:
        return False
    add_gaps(block, query, FIRST_AXIS + leading, block.shape[0] - 1, gaps)
    return True


@compiled
def add_gaps(block, query, start, stop, gaps):
    """Add the squared differences along some axes to ``gaps``."""
    for a in range(start, stop):
        column, q = block[a], query[a]
        for i in range(BLOCK):
            gap = column[i] - q
            gaps[i] += gap * gap


@compiled
def insert(best, squares, count, side, record, squared):
    """Insert a record into a list, whose last one drops out if it is full; return its length."""
    at = min(count, best.shape[0] - 1)
    while at > 0 and comes_first(side, squared, record, squares[at - 1], best[at - 1]):
        best[at], squares[at] = best[at - 1], squares[at - 1]
        at -= 1
    best[at], squares[at] = record, squared
    return min(count + 1, best.shape[0])


@compiled
def comes_first(side, squared, record, other_squared, other):
    """Return whether a record has the greater score; ties go to the lowest record."""
    if squared == other_squared:
        return record < other
    return squared > other_squared if side > 0 else squared < other_squared
