"""The boxes around the remaining records of blocks and superblocks.

A box has two faces along each axis of the coordinate frame. A superblock is a run of
`BLOCKS_PER_SUPERBLOCK` blocks.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.spatial.block_order import BLOCK, BLOCKS_PER_SUPERBLOCK


class BlockBoxes(NamedTuple):
    """The faces of the boxes around blocks and superblocks, in single precision.

    A box without a remaining record has the faces inf and -inf, in this order.
    """

    low: np.ndarray  # (n_superblocks, n_columns + 2, BLOCKS_PER_SUPERBLOCK), of blocks
    high: np.ndarray  # the same
    outer_low: np.ndarray  # (n_columns + 2, n_superblocks), of superblocks
    outer_high: np.ndarray  # the same


@compiled
def fit_block(blocks, boxes, block, first_axis):
    """Fit the boxes of a block, and of its superblock, along the axes from ``first_axis`` on.

    The box of the superblock changes only if the block touches one of its faces, before or after.
    """
    superblock, offset = block // BLOCKS_PER_SUPERBLOCK, block % BLOCKS_PER_SUPERBLOCK
    for axis in range(first_axis, blocks.shape[1]):
        low, high = boxes.low[superblock, axis], boxes.high[superblock, axis]
        is_on_face = (
            low[offset] <= boxes.outer_low[axis, superblock]
            or high[offset] >= boxes.outer_high[axis, superblock]
        )
        low[offset], high[offset] = least_and_greatest(blocks[block, axis])
        if (
            is_on_face
            or low[offset] < boxes.outer_low[axis, superblock]
            or high[offset] > boxes.outer_high[axis, superblock]
        ):
            outer_low, outer_high = outer_faces(low, high)
            boxes.outer_low[axis, superblock] = outer_low
            boxes.outer_high[axis, superblock] = outer_high


@compiled
def least_and_greatest(values):
    """Return the least and the greatest coordinate of the remaining records of a block."""
    # Two halves side by side, since each comparison waits for the one before. NaN, which stands
    # for a removed record, fails both comparisons.
    least, greatest = np.float32(np.inf), np.float32(-np.inf)
    other_least, other_greatest = least, greatest
    half = BLOCK // 2
    for i in range(half):
        value, other = values[i], values[i + half]
        least = value if value < least else least
        greatest = value if value > greatest else greatest
        other_least = other if other < other_least else other_least
        other_greatest = other if other > other_greatest else other_greatest
    return min(least, other_least), max(greatest, other_greatest)


@compiled
def outer_faces(low, high):
    """Return the faces of a superblock from those of its blocks."""
    least, greatest = np.float32(np.inf), np.float32(-np.inf)
    for i in range(BLOCKS_PER_SUPERBLOCK):
        least = min(least, low[i])
        greatest = max(greatest, high[i])
    return least, greatest
