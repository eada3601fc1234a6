"""The nearest others of every record, found exactly and block by block.

The records of a block lie close together and ask together: a block that is too far
from their box is ruled out for all of them at once, one that is not for each of
them by its own distance to that box. `shoal._kernels.search` measures and decides.
"""

from collections.abc import Iterator

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.arrange import BLOCK, FAN
from shoal._kernels.bounds import HOPELESS, hope_near
from shoal._kernels.index import Index, open_index
from shoal._kernels.promises import line_up, next_group
from shoal._kernels.search import (
    NEAREST,
    comes_first,
    decide,
    measure_block,
    squared_distance,
)

STRIDE = 4  # blocks between two reports of progress: a fraction of a second
SATISFIED = np.float32(np.inf)  # what places without a record need


def neighbours(X: np.ndarray, m: int) -> np.ndarray:
    """Return the ``m`` nearest other rows of each row of ``X``, nearest first.

    Ties go to the lowest record; ``m`` is at most ``len(X) - 1``. Memory grows as
    n * m. To hear of progress, go through `in_strides` yourself.
    """
    return neighbours_and_squares(X, m)[0]


def neighbours_and_squares(X: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``m`` nearest other rows of each row, and their squared distances."""
    found, squares = np.empty((len(X), m), np.int64), np.empty((len(X), m))
    for _ in in_strides(open_index(X), found, squares):
        pass
    return found, squares


def in_strides(index: Index, found: np.ndarray, squares: np.ndarray) -> Iterator[int]:
    """Fill ``found`` with the nearest others of each record and ``squares`` with the distances.

    Yield between strides of a fraction of a second how many records are done. Nobody
    may have left the index.
    """
    total = int(index.size[0])
    for start in range(0, -(-total // BLOCK) if found.shape[1] else 0, STRIDE):
        find_neighbours(index, start, start + STRIDE, found, squares)
        yield min((start + STRIDE) * BLOCK, total)


@compiled
def find_neighbours(index, start, stop, found, squares):
    """Fill the rows of ``found`` and ``squares`` that belong to the records of some blocks."""
    width = index.blocks.shape[1]
    rows = np.empty((BLOCK, width), np.float32)
    needed, counts = np.empty(BLOCK, np.float32), np.empty(BLOCK, np.int64)
    hopes, inner = np.empty(BLOCK, np.float32), np.empty(FAN, np.float32)
    asking, box = np.empty((2, width), np.float32), np.empty((2, width), np.float32)
    for b in range(start, min(stop, index.blocks.shape[0])):
        gather(index.blocks[b], index.filled[b], rows, needed, counts)
        compare(index, b, b, rows, needed, counts, hopes, box, found, squares)

        faces(index.low, index.high, b, asking)
        hope_near(index.outer_low, index.outer_high, asking[0], asking[1], index.outer_hopes)
        left = line_up(index.outer_hopes, index.waiting, needed.min())
        while True:
            worst = needed.min()
            left = next_group(index.outer_hopes, index.waiting, left, worst) - 1
            if left < 0:
                break
            g = index.waiting[left]
            hope_near(index.low[g], index.high[g], asking[0], asking[1], inner)
            for at in range(FAN):
                # The boxes of empty blocks are never nearer than -inf, which is what a search
                # that has found nothing demands: they hold no record that could be read.
                if inner[at] > HOPELESS and inner[at] >= worst and g * FAN + at != b:
                    compare(
                        index, b, g * FAN + at, rows, needed, counts, hopes, box, found, squares
                    )


@compiled
def gather(block, size, rows, needed, counts):
    """Let the records of a block ask: write them row by row into ``rows``, nothing found yet."""
    for i in range(BLOCK):
        needed[i] = HOPELESS if i < size else SATISFIED
        counts[i] = 0
        for a in range(block.shape[0]):
            rows[i, a] = block[a, i]


@compiled
def faces(low, high, b, box):
    """Write the lower and the upper faces of the box of a block into ``box``."""
    for a in range(box.shape[1]):
        box[0, a] = low[b // FAN, a, b % FAN]
        box[1, a] = high[b // FAN, a, b % FAN]


@compiled
def compare(index, b, other, rows, needed, counts, hopes, box, found, squares):
    """Let the records of block ``b`` look for their nearest in one other block."""
    reach, alike, lowest = rows.shape[1] - 1, index.alike[other], index.records[other, 0]
    faces(index.low, index.high, other, box)
    hope_near(index.blocks[b], index.blocks[b], box[0], box[1], hopes)
    for i in range(index.filled[b]):
        record = index.records[b, i]
        if not hopes[i] >= needed[i] or (
            alike and settled(index.X, lowest, record, found, squares, counts[i])
        ):
            continue
        if measure_block(
            index.blocks[other], rows[i], index.leading, NEAREST, needed[i], index.gaps
        ):
            counts[i], needed[i] = decide(
                index.X, index.X[record], record, index.records[other], alike, index.gaps,
                NEAREST, needed[i], index.scale, float(rows[i, reach]),
                found[record], squares[record], counts[i],
            )  # fmt: skip


@compiled
def settled(X, lowest, record, found, squares, count):
    """Say whether records that are all alike cannot come into the list of ``record``.

    The ``lowest`` of them decides for all.
    """
    last = found.shape[1] - 1
    squared = squared_distance(X, lowest, X[record])
    return count > last and not comes_first(
        NEAREST, squared, lowest, squares[record, last], found[record, last]
    )
