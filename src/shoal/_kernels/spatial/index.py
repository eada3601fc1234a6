"""An index of the records that have no group yet ("remaining"), so that a search reads few of them.

The operations are here and in `shoal._kernels.spatial.search`: the `nearest` remaining records of
a point, the remaining record `farthest` from a point, the `mean_of_remaining`, and `remove_record`.
Results are the same as those of a pass over all remaining records.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.compensated_sum import add_compensated, add_records, write_mean
from shoal._kernels.distances import same_values
from shoal._kernels.spatial.block_boxes import BlockBoxes, fit_block
from shoal._kernels.spatial.block_order import BLOCK, BLOCKS_PER_SUPERBLOCK, order_by_halving
from shoal._kernels.spatial.coordinate_frame import (
    RESIDUAL_AXIS,
    CoordinateFrame,
    principal_frame,
    rotate_to_frame,
    write_coordinates,
)
from shoal._kernels.spatial.pool import Pool

REBUILD_SHARE = 0.7  # share of remaining records below which an index may be rebuilt
REBUILD_COST = (4, 10_000)  # blocks read that cost as much as rebuilding: per record, plus more
CACHE_LINE = 16  # numbers in single precision that a line of the cache holds
READ_SHARE = 0.6  # share of the blocks read per search from which passes over a pool are faster
MAX_POOL_BYTES = 12_000_000  # size up to which a pool stays in the cache, so that passes are fast
REMOVALS_PER_FIT = 8  # records removed from a block before its box is refitted


class SearchScratch(NamedTuple):
    """Arrays in which a search writes, made once for all searches.

    ``query`` is the point as records are stored, and ``squares`` are its squared distances to the
    records of the block measured last. ``bounds`` are the bounds of the blocks of the superblock
    being visited, ``outer_bounds`` the bounds of all superblocks, and ``queue`` contains
    superblocks still to visit.
    """

    query: np.ndarray  # (n_columns + 2,)
    squares: np.ndarray  # (BLOCK,)
    bounds: np.ndarray  # (BLOCKS_PER_SUPERBLOCK,)
    outer_bounds: np.ndarray  # (n_superblocks,)
    queue: np.ndarray  # (n_superblocks + 1,)


class Index(NamedTuple):
    """Living records in blocks, their boxes, and the labels given so far.

    ``blocks[block, axis, slot]`` is the coordinate of a record along an axis, in single precision,
    and ``records[block, slot]`` the number of the record; the lowest of a block comes first. Axes 1
    to p are the axes of the frame, axis 0 is the distance from the origin along all but the leading
    ones, and axis p + 1 is the distance along all axes. The coordinates of a removed record are
    NaN, so no comparison holds for it. ``position[record]`` is block * BLOCK + slot.
    ``n_remaining`` counts the remaining records of each block, and ``all_equal`` is True where all
    records of a block have the same values.

    ``labels`` is -1 for remaining records, ``n_groups[0]`` counts the groups formed and ``size[0]``
    the remaining records. ``total`` is the sum of these, as leading part and rounding error per
    column.

    ``n_searches`` and ``n_blocks_read`` count since the index was built. It may be rebuilt when it
    has fewer than ``rebuild_below`` remaining records and ``rebuild_after`` blocks were read.
    """

    X: np.ndarray  # (n_records, n_columns)
    labels: np.ndarray  # (n_records,)
    n_groups: np.ndarray  # (1,)
    size: np.ndarray  # (1,)
    total: np.ndarray  # (n_columns, 2)
    frame: CoordinateFrame
    rebuild_below: int
    rebuild_after: int
    blocks: np.ndarray  # (n_blocks, n_columns + 2, BLOCK)
    records: np.ndarray  # (n_blocks, BLOCK)
    position: np.ndarray  # (n_records,)
    n_remaining: np.ndarray  # (n_blocks,)
    all_equal: np.ndarray  # (n_blocks,)
    boxes: BlockBoxes
    scratch: SearchScratch
    n_searches: np.ndarray  # (1,)
    n_blocks_read: np.ndarray  # (1,)


def open_index(X: np.ndarray) -> Index:
    """Return an index of all rows of ``X``, none of which has a label."""
    n, p = X.shape
    total = np.zeros((p, 2))
    add_records(total, X)
    return _build(X, np.full(n, -1), np.zeros(1, np.int64), np.full(1, n), total)


def rebuild_if_needed(index: Index) -> Index:
    """Return the index, rebuilt from the records without label if that is worthwhile."""
    if index.size[0] >= index.rebuild_below or index.n_blocks_read[0] < index.rebuild_after:
        return index
    return _build(index.X, index.labels, index.n_groups, index.size, index.total)


def reads_most_blocks(index: Index) -> bool:
    """Return whether searches read most blocks, so that passes over a pool are faster."""
    n_blocks_of_passes = index.n_searches[0] * np.count_nonzero(index.n_remaining)
    reads_most = index.n_blocks_read[0] > READ_SHARE * n_blocks_of_passes
    pool_bytes = index.size[0] * index.X.shape[1] * index.X.itemsize
    return bool(reads_most and pool_bytes <= MAX_POOL_BYTES)


def to_pool(index: Index) -> Pool:
    """Return a pool of the records without label; it shares labels and sum with the index."""
    remaining = np.flatnonzero(index.labels < 0)
    columns = np.ascontiguousarray(index.X[remaining].T)
    squares = np.empty(len(remaining))
    return Pool(
        columns=columns,
        records=remaining,
        squares=squares,
        total=index.total,
        size=index.size,
        labels=index.labels,
        n_groups=index.n_groups,
    )


def _build(X, labels, n_groups, size, total) -> Index:
    """Return an index of the records without label, whose number is ``size`` and sum ``total``."""
    remaining = np.flatnonzero(labels < 0).astype(np.int32)
    n, width = len(remaining), X.shape[1] + 2
    n_superblocks = -(-n // (BLOCK * BLOCKS_PER_SUPERBLOCK))
    n_blocks = n_superblocks * BLOCKS_PER_SUPERBLOCK
    boxes = BlockBoxes(
        low=_aligned_full((n_superblocks, width, BLOCKS_PER_SUPERBLOCK), np.inf),
        high=_aligned_full((n_superblocks, width, BLOCKS_PER_SUPERBLOCK), -np.inf),
        outer_low=_aligned_full((width, n_superblocks), np.inf),
        outer_high=_aligned_full((width, n_superblocks), -np.inf),
    )
    scratch = SearchScratch(
        query=_aligned_full(width, 0),
        squares=_aligned_full(BLOCK, 0),
        bounds=_aligned_full(BLOCKS_PER_SUPERBLOCK, 0),
        outer_bounds=_aligned_full(n_superblocks, 0),
        queue=np.empty(n_superblocks + 1, np.int64),
    )
    index = Index(
        X=X,
        labels=labels,
        n_groups=n_groups,
        size=size,
        total=total,
        frame=principal_frame(X, remaining, total[:, 0] / n),
        rebuild_below=int(REBUILD_SHARE * n),
        rebuild_after=REBUILD_COST[0] * n + REBUILD_COST[1],
        blocks=_aligned_full((n_blocks, width, BLOCK), np.nan),
        records=np.full((n_blocks, BLOCK), -1, np.int32),
        position=np.empty(len(X), np.int32),  # only those of remaining records are read
        n_remaining=np.zeros(n_blocks, np.int64),
        all_equal=np.ones(n_blocks, np.bool_),
        boxes=boxes,
        scratch=scratch,
        n_searches=np.zeros(1, np.int64),
        n_blocks_read=np.zeros(1, np.int64),
    )
    fill_index(index, remaining, np.empty((n, width), np.float32))
    return index


def _aligned_full(shape: int | tuple[int, ...], value: float) -> np.ndarray:
    """Return an array in single precision that is aligned to a cache line.

    NumPy allocates it, since NumPy requests large memory pages, unlike numba, which matters for a
    million records. Kernels that create arrays also take longer to compile.
    """
    size = int(np.prod(shape))
    buffer = np.full(size + CACHE_LINE, value, np.float32)
    start = -buffer.ctypes.data // buffer.itemsize % CACHE_LINE
    return buffer[start : start + size].reshape(shape)


@compiled
def fill_index(index, remaining, rows):
    """Store ``remaining`` records in the blocks of an empty index; ``rows`` are scratch space."""
    rotated_point = np.empty(index.X.shape[1])
    order = np.empty(remaining.shape[0], np.int32)
    for row in range(remaining.shape[0]):
        rotate_to_frame(index.X[remaining[row]], index.frame, rotated_point)
        write_coordinates(rotated_point, index.frame.n_leading, rows[row])
        order[row] = row
    order_by_halving(rows, order)
    put_lowest_record_first(order)
    for position in range(remaining.shape[0]):
        block, slot, record = position // BLOCK, position % BLOCK, remaining[order[position]]
        index.records[block, slot] = record
        index.position[record] = position
        index.n_remaining[block] += 1
        for axis in range(rows.shape[1]):
            index.blocks[block, axis, slot] = rows[order[position], axis]
            if index.blocks[block, axis, slot] != index.blocks[block, axis, 0]:
                index.all_equal[block] = False
    for block in range(index.blocks.shape[0]):
        compare_values(index, block)
        fit_block(index.blocks, index.boxes, block, RESIDUAL_AXIS)


@compiled
def compare_values(index, block):
    """Clear ``all_equal`` of a block whose records are equal in single precision only."""
    for slot in range(index.n_remaining[block]):
        if index.all_equal[block]:
            first, record = index.records[block, 0], index.records[block, slot]
            index.all_equal[block] = same_values(index.X, record, first)


@compiled
def put_lowest_record_first(order):
    """Put the lowest record of each block first."""
    for first in range(0, order.shape[0], BLOCK):
        for position in range(first, min(first + BLOCK, order.shape[0])):
            if order[position] < order[first]:
                order[position], order[first] = order[first], order[position]


@inlined
def mean_of_remaining(index, point):
    """Write the mean of the remaining records into ``point``."""
    write_mean(index.total, index.size[0], point)


@compiled
def remove_record(index, record):
    """Remove a record; the boxes around its block are refitted after every few removals.

    The outer face of its shell, along the ``radius_axis``, is refitted at once, since every round
    searches for the outermost record. Refitting the other faces costs more than it saves until a
    few records are removed.
    """
    block, slot = index.position[record] // BLOCK, index.position[record] % BLOCK
    for column in range(index.X.shape[1]):
        add_compensated(index.total[column], -index.X[record, column])
    radius_axis = index.blocks.shape[1] - 1
    superblock, offset = block // BLOCKS_PER_SUPERBLOCK, block % BLOCKS_PER_SUPERBLOCK
    is_on_outer_face = (
        index.blocks[block, radius_axis, slot] == index.boxes.high[superblock, radius_axis, offset]
    )
    for axis in range(radius_axis + 1):
        index.blocks[block, axis, slot] = np.nan
    index.n_remaining[block] -= 1
    index.size[0] -= 1
    if is_on_outer_face or index.n_remaining[block] % REMOVALS_PER_FIT == 0:
        first_axis = radius_axis if index.n_remaining[block] % REMOVALS_PER_FIT else RESIDUAL_AXIS
        fit_block(index.blocks, index.boxes, block, first_axis)


@inlined
def assign(index, record, group):
    """Assign a record to a group and remove it."""
    index.labels[record] = group
    remove_record(index, record)


@inlined
def form_group(index, records):
    """Make ``records`` the next group and remove them."""
    for record in records:
        assign(index, record, index.n_groups[0])
    index.n_groups[0] += 1


@inlined
def needs_rebuild(index):
    """Return whether so many records were removed that rebuilding is worthwhile."""
    return index.size[0] < index.rebuild_below and index.n_blocks_read[0] >= index.rebuild_after
