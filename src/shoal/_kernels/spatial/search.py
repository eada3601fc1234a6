"""The nearest and the farthest remaining records, without a pass over all of them.

Superblocks are visited in the order of the bounds that their boxes give, then their
blocks, until no remaining bound exceeds the scores in the list. A block is measured in
single precision by vector instructions; the records that this does not exclude are measured
in double precision. `shoal._kernels.spatial.score_bounds` proves that the result is that of a pass
over all remaining records. The score of a record is its squared distance times a ``sign``: -1 in a
search for the nearest records, 1 in a search for the farthest.

Kernels that are called for every block take only the arrays that they need, since passing a whole
index takes as long as measuring a block.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.constants import NONE, ZERO
from shoal._kernels.distances import squared_distance
from shoal._kernels.spatial.block_boxes import BlockBoxes
from shoal._kernels.spatial.block_order import BLOCK, BLOCKS_PER_SUPERBLOCK
from shoal._kernels.spatial.block_queue import (
    index_of_greatest,
    pop_superblock,
    queue_best_superblock,
    queue_other_superblocks,
)
from shoal._kernels.spatial.coordinate_frame import (
    FIRST_FRAME_AXIS,
    NORM_AXIS,
    RESIDUAL_AXIS,
    rotate_to_frame,
    write_coordinates,
)
from shoal._kernels.spatial.index import SearchScratch
from shoal._kernels.spatial.score_bounds import NO_SCORE, required_score, score_bounds

NEAREST, FARTHEST = np.float32(-1), np.float32(1)  # signs; NumPy numbers, as `constants` explains


class Query(NamedTuple):
    """A search in a table ``X``: the point, the sign of its scores, and an excluded record.

    ``scale`` is that of the frame, and ``norm`` the scaled distance of the point from its origin.
    """

    X: np.ndarray  # (n_records, n_columns)
    point: np.ndarray  # (n_columns,)
    sign: float
    excluded: int
    scale: float
    norm: float


class Blocks(NamedTuple):
    """The fields of an index that a search reads block by block; see `Index`."""

    coordinates: np.ndarray  # (n_blocks, n_columns + 2, BLOCK)
    boxes: BlockBoxes
    n_leading: int
    scratch: SearchScratch
    n_blocks_read: np.ndarray  # (1,)


class MeasuredBlock(NamedTuple):
    """The records of a block and their squared distances ``squares``, in single precision."""

    records: np.ndarray  # (BLOCK,)
    all_equal: bool
    squares: np.ndarray  # (BLOCK,)


class BestRecords(NamedTuple):
    """A list of the records with the greatest scores so far, best first.

    ``squares`` are their squared distances. The list may not be full: its length is passed along
    with it.
    """

    records: np.ndarray  # (max_count,)
    squares: np.ndarray  # (max_count,)


@inlined
def open_best_records(max_count):
    """Return a list with space for ``max_count`` records."""
    return BestRecords(np.empty(max_count, np.int64), np.empty(max_count))


@inlined
def blocks_of(index):
    """Return the fields of an index that a search reads block by block."""
    return Blocks(
        index.blocks, index.boxes, index.frame.n_leading, index.scratch, index.n_blocks_read
    )


@inlined
def nearest(index, point, results):
    """Fill ``results`` with the remaining records nearest to ``point``, nearest first.

    Ties go to the lowest record. Return the number of records, which is less than there is space
    for only if fewer remain.
    """
    return search(index, point, NEAREST, NONE, results, ZERO)


@inlined
def extend_nearest(index, point, results, count):
    """Add the remaining records nearest to ``point`` to a list of ``count`` records.

    Called for several points, it gives the records nearest to any of them. A record may be in the
    list twice if there is space for more than one.
    """
    return search(index, point, NEAREST, NONE, results, count)


@inlined
def nearest_others(index, record, results):
    """Fill ``results`` with the remaining records nearest to one of them, itself left out."""
    return search(index, index.X[record], NEAREST, record, results, ZERO)


@inlined
def farthest(index, point):
    """Return the remaining record farthest from ``point``; ties go to the lowest."""
    results = open_best_records(1)
    search(index, point, FARTHEST, NONE, results, ZERO)
    return results.records[0]


@compiled
def search(index, point, sign, excluded, results, count):
    """Add the remaining records with the greatest scores to a list; return its length.

    The record ``excluded`` is left out, if it is not ``NONE``.
    ``point`` must lie no farther from the origin than the outermost record of the index.
    """
    last = results.records.shape[0] - 1
    scratch, outer_bounds = index.scratch, index.scratch.outer_bounds
    index.n_searches[0] += 1
    norm = write_query(point, index.frame, sign, scratch.query)
    query = Query(index.X, point, sign, excluded, index.frame.scale, norm)
    blocks, required = blocks_of(index), NO_SCORE
    if count > last:
        required = required_score(results.squares[last], sign, query.scale, norm, point.shape[0])
    score_bounds(index.boxes.outer_low, index.boxes.outer_high, scratch.query, sign, outer_bounds)
    n_queued = queue_best_superblock(outer_bounds, scratch.queue, scratch.bounds)
    only_best_is_queued = True
    while True:
        block, n_queued = next_block(blocks, sign, required, n_queued)
        if block >= 0:
            measured_block = MeasuredBlock(
                index.records[block], index.all_equal[block], scratch.squares
            )
            count, required = add_block_to_list(query, measured_block, required, results, count)
        elif only_best_is_queued:
            n_queued = queue_other_superblocks(
                outer_bounds, scratch.queue, required, scratch.bounds
            )
            only_best_is_queued = False
        else:
            return count


@compiled
def add_block_to_list(query, block, required, results, count):
    """Add the records of a measured block to a list if they come first in double precision.

    Return the length of the list and the score that a further record must have.
    """
    best, squares = results.records, results.squares
    last, sign = best.shape[0] - 1, query.sign
    square, reuses_square = 0.0, False
    for i in range(BLOCK):
        if sign * block.squares[i] >= required:
            record = block.records[i]
            if record == query.excluded:
                continue
            if not reuses_square:
                square = squared_distance(query.X, record, query.point)
                reuses_square = block.all_equal  # equal records have the same distance
            if count > last and not comes_first(sign, square, record, squares[last], best[last]):
                continue
            count = insert(best, squares, count, sign, record, square)
            if count > last:
                required = required_score(
                    squares[last], sign, query.scale, query.norm, query.point.shape[0]
                )
    return count, required


@compiled
def write_query(point, frame, sign, query):
    """Write ``point`` to ``query`` as records are stored; return its distance from the origin."""
    rotated_point = np.empty(point.shape[0])
    rotate_to_frame(point, frame, rotated_point)
    write_coordinates(rotated_point, frame.n_leading, query)
    # In the other axes, two positions differ by at least the difference and at most the sum of
    # their residuals. A search for the farthest records needs the upper bound, so it negates the
    # residual of the query.
    query[RESIDUAL_AXIS] *= -sign
    return float(query[NORM_AXIS])


@compiled
def next_block(blocks, sign, required, n_queued):
    """Measure blocks, the greatest bound first, until one may contain a better record.

    Return the block, or NONE, and the length of the queue of superblocks; see `block_queue`.
    """
    boxes, scratch = blocks.boxes, blocks.scratch
    bounds, queue = scratch.bounds, scratch.queue
    while n_queued > 0:
        superblock = queue[n_queued - 1]
        # The order within a superblock is worthwhile only as long as the list is empty.
        first = index_of_greatest(bounds) if required == NO_SCORE else 0
        for offset in range(first, BLOCKS_PER_SUPERBLOCK):
            if bounds[offset] > NO_SCORE and bounds[offset] >= required:
                bounds[offset] = NO_SCORE
                blocks.n_blocks_read[0] += 1
                block = superblock * BLOCKS_PER_SUPERBLOCK + offset
                if measure_block(
                    blocks.coordinates[block],
                    scratch.query,
                    blocks.n_leading,
                    sign,
                    required,
                    scratch.squares,
                ):
                    return block, n_queued
        n_queued = pop_superblock(scratch.outer_bounds, queue, n_queued - 1, required)
        if n_queued > 0:
            blocks.n_blocks_read[0] += 1
            superblock = queue[n_queued - 1]
            score_bounds(boxes.low[superblock], boxes.high[superblock], scratch.query, sign, bounds)
    return NONE, n_queued


@compiled
def measure_block(block, query, n_leading, sign, required, squares):
    """Fill ``squares`` with the squared distances in a block; return whether a record may qualify.

    If the leading axes and the distances along all others rule out every record, the
    other axes are not read.
    """
    for i in range(BLOCK):
        squares[i] = np.float32(0)
    add_squared_differences(block, query, FIRST_FRAME_AXIS, FIRST_FRAME_AXIS + n_leading, squares)
    residuals, query_residual = block[RESIDUAL_AXIS], query[RESIDUAL_AXIS]
    may_qualify = np.int32(0)  # an integer, so that the loop is vectorised
    for i in range(BLOCK):
        difference = residuals[i] - query_residual
        may_qualify |= np.int32(sign * (squares[i] + difference * difference) >= required)
    if may_qualify == 0:
        return False
    add_squared_differences(block, query, FIRST_FRAME_AXIS + n_leading, block.shape[0] - 1, squares)
    return True


@compiled
def add_squared_differences(block, query, start, stop, squares):
    """Add the squared differences along the axes from ``start`` to ``stop`` to ``squares``."""
    for axis in range(start, stop):
        coordinates, coordinate = block[axis], query[axis]
        for i in range(BLOCK):
            difference = coordinates[i] - coordinate
            squares[i] += difference * difference


@compiled
def insert(best, squares, count, sign, record, square):
    """Insert a record into a list, whose last one is dropped if it is full; return its length."""
    slot = min(count, best.shape[0] - 1)
    while slot > 0 and comes_first(sign, square, record, squares[slot - 1], best[slot - 1]):
        best[slot], squares[slot] = best[slot - 1], squares[slot - 1]
        slot -= 1
    best[slot], squares[slot] = record, square
    return min(count + 1, best.shape[0])


@compiled
def comes_first(sign, square, record, other_square, other):
    """Return whether a record has the greater score; ties go to the lowest record."""
    if square == other_square:
        return record < other
    return square > other_square if sign > 0 else square < other_square
