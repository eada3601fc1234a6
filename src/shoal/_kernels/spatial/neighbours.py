"""The exact nearest neighbours of every record, block by block.

The records of a block lie close together and are searched for together. Another block is first
compared with the box around all of them, which may exclude it for all; otherwise each record is
compared with the box of that block. `shoal._kernels.spatial.search` measures the rest. Where a
sample of blocks shows that hardly anything would be excluded,
`shoal._kernels.spatial.matrix_products` finds all neighbours.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_distance
from shoal._kernels.spatial.block_order import BLOCK, BLOCKS_PER_SUPERBLOCK
from shoal._kernels.spatial.block_queue import heapify_superblocks, pop_superblock
from shoal._kernels.spatial.coordinate_frame import NORM_AXIS, greatest_difference, power_of_two
from shoal._kernels.spatial.index import Index, open_index
from shoal._kernels.spatial.matrix_products import find_by_products
from shoal._kernels.spatial.score_bounds import NO_SCORE, near_score_bounds
from shoal._kernels.spatial.search import (
    NEAREST,
    BestRecords,
    MeasuredBlock,
    Query,
    add_block_to_list,
    comes_first,
    measure_block,
)

MAX_WITHOUT_INDEX = 1000  # records up to which NumPy computes all distances: nothing is compiled
STRIDE = 4  # blocks between two reports of progress: a fraction of a second
# Matrix products are considered where all pairs have so many differences of values, half a
# second of work: below, compiling their kernel takes longer than they save.
MIN_DIFFERENCES = 10_000_000_000
N_SAMPLE_BLOCKS = 8  # blocks searched to estimate how much an index excludes
# Products take as long as a search that reads this share of all coordinates: the product of a pair
# is computed faster and serves two records, but there is a comparison for each pair.
PRODUCT_SHARE = 0.25
COMPARED_COLUMNS = 8  # a comparison costs as much as this many columns of a product
# Records per column below which the axes of an index take longer to compute than all products.
MIN_RECORDS_PER_COLUMN = 16
UNATTAINABLE = np.float32(np.inf)  # required score of positions without a record


class BlockQueries(NamedTuple):
    """The records of a block, whose neighbours are searched for together.

    ``coordinates`` are those that the index stores, and ``result_rows`` the rows of the result that
    belong to them. Each record has ``counts[slot]`` neighbours so far, and ``required[slot]`` is
    the score that a further one must have. ``box`` has the lower and the upper faces of the box
    around them. ``other_box`` and ``bounds`` are scratch space, for the box of another block and
    for the bounds of all records to it, and so is ``inner_bounds``, for the bounds of the blocks of
    a superblock.
    """

    coordinates: np.ndarray  # (BLOCK, p + 2)
    result_rows: np.ndarray  # (BLOCK,)
    required: np.ndarray  # (BLOCK,)
    counts: np.ndarray  # (BLOCK,)
    box: np.ndarray  # (2, p + 2)
    other_box: np.ndarray  # (2, p + 2)
    bounds: np.ndarray  # (BLOCK,)
    inner_bounds: np.ndarray  # (BLOCKS_PER_SUPERBLOCK,)


def neighbours(X: np.ndarray, n_near: int) -> np.ndarray:
    """Return the ``n_near`` nearest other rows of each row of ``X``, nearest first.

    Ties go to the lowest record; ``n_near`` is at most ``len(X) - 1``. Memory grows as
    n * m. `find_in_strides` does the same and reports progress.
    """
    return neighbours_and_squares(X, n_near)[0]


def neighbours_and_squares(X: np.ndarray, n_near: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``n_near`` nearest other rows of each row, and their squared distances."""
    if len(X) <= MAX_WITHOUT_INDEX:
        return neighbours_of_few(X, n_near)
    nearest, squares = np.empty((len(X), n_near), np.int64), np.empty((len(X), n_near))
    strides = (
        find_without_index(X, nearest, squares)
        if n_near and needs_no_index(*X.shape)
        else find_in_strides(open_index(X), nearest, squares)
    )
    for _ in strides:
        pass
    return nearest, squares


def neighbours_of_few(X: np.ndarray, n_near: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the same as `neighbours_and_squares` from all distances; nothing is compiled.

    Examples
    --------
    >>> neighbours_of_few(np.array([[0.0], [3.0], [1.0]]), 1)[0]
    array([[2],
           [2],
           [0]])
    """
    n = len(X)
    if n_near == 0:
        return np.empty((n, 0), np.int64), np.empty((n, 0))
    square = np.zeros((n, n))
    for column in X.T:
        difference = column - column[:, np.newaxis]
        square += difference * difference
    np.fill_diagonal(square, np.inf)
    farthest = np.partition(square, n_near - 1, axis=1)[:, n_near - 1 : n_near]
    row, other = np.nonzero(square <= farthest)  # more than n_near if there are ties
    order = np.lexsort((other, square[row, other], row))
    first = np.searchsorted(row[order], np.arange(n))
    selected = order[first[:, np.newaxis] + np.arange(n_near)]
    return other[selected], square[row, other][selected]


def find_in_strides(index: Index, nearest: np.ndarray, squares: np.ndarray) -> Iterator[int]:
    """Fill ``nearest`` with the nearest others of each record and ``squares`` with the distances.

    Yield how many records are done after each stride of a fraction of a second. No record
    may have left the index.
    """
    n_records = int(index.size[0])
    if nearest.shape[1] and excludes_little(index, nearest, squares):
        order = index.records.ravel()[:n_records]
        yield from find_by_products(
            index.X, order, index.frame.origin, index.frame.scale, nearest, squares
        )
        return
    for start in range(0, -(-n_records // BLOCK) if nearest.shape[1] else 0, STRIDE):
        find_neighbours(index, start, start + STRIDE, nearest, squares, False)
        yield min((start + STRIDE) * BLOCK, n_records)


def excludes_little(index: Index, nearest: np.ndarray, squares: np.ndarray) -> bool:
    """Return whether matrix products are faster than the index, by a search from some blocks.

    The coordinates read are counted, not timed, so that the same table is always treated alike.
    The neighbours of these blocks are written to ``nearest`` and ``squares``.
    """
    n, p = int(index.size[0]), index.X.shape[1]
    if n * n * p < MIN_DIFFERENCES:
        return False
    sample = np.linspace(0, -(-n // BLOCK) - 1, N_SAMPLE_BLOCKS).astype(np.int64)
    n_coordinates_read = sum(
        find_neighbours(index, block, block + 1, nearest, squares, False) for block in sample
    )
    n_total = int(index.n_remaining[sample].sum()) * n * (p + COMPARED_COLUMNS)
    return bool(n_coordinates_read > PRODUCT_SHARE * n_total)


def needs_no_index(n: int, p: int) -> bool:
    """Return whether matrix products take less time than building an index, as for wide tables."""
    return n * n * p >= MIN_DIFFERENCES and n < MIN_RECORDS_PER_COLUMN * p


def find_without_index(X: np.ndarray, nearest: np.ndarray, squares: np.ndarray) -> Iterator[int]:
    """Fill ``nearest`` and ``squares`` as `find_in_strides` does, for a wide table."""
    all_records, origin = np.arange(len(X), dtype=np.int32), X.mean(axis=0)
    scale = power_of_two(greatest_difference(X, all_records, origin) * np.sqrt(X.shape[1]))
    return find_by_products(X, all_records, origin, scale, nearest, squares)


def stream_neighbours(
    index: Index, n_near: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield records, their ``n_near`` nearest others and the squared distances, until all are done.

    No array is longer than a stride, so that memory does not grow with ``n_near``.
    """
    for start in range(0, -(-int(index.size[0]) // BLOCK), STRIDE):
        records = index.records[start : start + STRIDE].ravel()
        nearest = np.empty((len(records), n_near), np.int64)
        squares = np.empty((len(records), n_near))
        find_neighbours(index, start, start + STRIDE, nearest, squares, True)
        is_record = records >= 0
        yield records[is_record], nearest[is_record], squares[is_record]


@compiled
def find_neighbours(index, start, stop, nearest, squares, is_compact):
    """Fill the rows of ``nearest`` and ``squares`` that belong to the records of some blocks.

    The row of a record is its number or, if ``is_compact``, its position from the first block on.
    Return how many coordinates of other records were read.
    """
    n_coordinates_read = 0
    width = index.blocks.shape[1]
    queries = BlockQueries(
        coordinates=np.empty((BLOCK, width), np.float32),
        result_rows=np.empty(BLOCK, np.int64),
        required=np.empty(BLOCK, np.float32),
        counts=np.empty(BLOCK, np.int64),
        box=np.empty((2, width), np.float32),
        other_box=np.empty((2, width), np.float32),
        bounds=np.empty(BLOCK, np.float32),
        inner_bounds=np.empty(BLOCKS_PER_SUPERBLOCK, np.float32),
    )
    for block in range(start, min(stop, index.blocks.shape[0])):
        load_queries(index.blocks[block], index.n_remaining[block], queries)
        write_faces(index.boxes, block, queries.box)
        for slot in range(BLOCK):
            queries.result_rows[slot] = (
                (block - start) * BLOCK + slot if is_compact else index.records[block, slot]
            )
        n_coordinates_read += search_block(index, block, block, queries, nearest, squares)
        n_coordinates_read += search_other_blocks(index, block, queries, nearest, squares)
    return n_coordinates_read


@compiled
def load_queries(block, size, queries):
    """Write the ``size`` records of a block row by row into ``queries``; their lists are empty."""
    for slot in range(BLOCK):
        queries.required[slot] = NO_SCORE if slot < size else UNATTAINABLE
        queries.counts[slot] = 0
        for axis in range(block.shape[0]):
            queries.coordinates[slot, axis] = block[axis, slot]


@compiled
def write_faces(boxes, block, box):
    """Write the lower and the upper faces of the box of a block into ``box``."""
    superblock, offset = block // BLOCKS_PER_SUPERBLOCK, block % BLOCKS_PER_SUPERBLOCK
    for axis in range(box.shape[1]):
        box[0, axis] = boxes.low[superblock, axis, offset]
        box[1, axis] = boxes.high[superblock, axis, offset]


@compiled
def search_other_blocks(index, block, queries, nearest, squares):
    """Search all other blocks that may hold neighbours of the records of ``block``.

    The superblock whose box is nearest to theirs comes first. Return how many coordinates were
    read.
    """
    boxes, queue, outer_bounds = index.boxes, index.scratch.queue, index.scratch.outer_bounds
    box, inner_bounds = queries.box, queries.inner_bounds
    n_coordinates_read = 0
    near_score_bounds(boxes.outer_low, boxes.outer_high, box[0], box[1], outer_bounds)
    n_queued = heapify_superblocks(outer_bounds, queue, queries.required.min())
    while True:
        least_required = queries.required.min()
        n_queued = pop_superblock(outer_bounds, queue, n_queued, least_required) - 1
        if n_queued < 0:
            return n_coordinates_read
        superblock = queue[n_queued]
        near_score_bounds(
            boxes.low[superblock], boxes.high[superblock], box[0], box[1], inner_bounds
        )
        for offset in range(BLOCKS_PER_SUPERBLOCK):
            other = superblock * BLOCKS_PER_SUPERBLOCK + offset
            # The score of an empty block is -inf, which is also what a search without any result
            # requires; an empty block holds no record that could be read.
            if (
                inner_bounds[offset] > NO_SCORE
                and inner_bounds[offset] >= least_required
                and other != block
            ):
                n_coordinates_read += search_block(index, block, other, queries, nearest, squares)


@compiled
def search_block(index, block, other, queries, nearest, squares):
    """Search the block ``other`` for neighbours of the records of ``block``; both may be the same.

    Return how many coordinates were read.
    """
    n_coordinates_read = 0
    coordinates, required, counts = queries.coordinates, queries.required, queries.counts
    n_leading, p = index.frame.n_leading, index.X.shape[1]
    measured = MeasuredBlock(index.records[other], index.all_equal[other], index.scratch.squares)
    write_faces(index.boxes, other, queries.other_box)
    near_score_bounds(
        index.blocks[block],
        index.blocks[block],
        queries.other_box[0],
        queries.other_box[1],
        queries.bounds,
    )
    for slot in range(index.n_remaining[block]):
        record, row = index.records[block, slot], queries.result_rows[slot]
        if not queries.bounds[slot] >= required[slot]:
            continue
        results = BestRecords(nearest[row], squares[row])
        if measured.all_equal and cannot_improve(
            index.X, measured.records[0], record, results, counts[slot]
        ):
            continue
        n_coordinates_read += BLOCK * n_leading
        if measure_block(
            index.blocks[other],
            coordinates[slot],
            n_leading,
            NEAREST,
            required[slot],
            measured.squares,
        ):
            n_coordinates_read += BLOCK * (p - n_leading)
            norm = float(coordinates[slot, NORM_AXIS])
            query = Query(index.X, index.X[record], NEAREST, record, index.frame.scale, norm)
            counts[slot], required[slot] = add_block_to_list(
                query, measured, required[slot], results, counts[slot]
            )
    return n_coordinates_read


@compiled
def cannot_improve(X, lowest, record, results, count):
    """Return whether none of some equal records can enter the list of ``record``.

    The ``lowest`` of them is compared.
    """
    last = results.records.shape[0] - 1
    square = squared_distance(X, lowest, X[record])
    return count > last and not comes_first(
        NEAREST, square, lowest, results.squares[last], results.records[last]
    )
