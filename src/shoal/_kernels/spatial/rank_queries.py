"""Ranks of records: how many others are closer to a point than its own record, or as near."""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_distance
from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.block_queue import queue_superblocks
from shoal._kernels.spatial.bounds import required_score, score_bounds
from shoal._kernels.spatial.search import NEAREST, NONE_FOUND, blocks_of, next_block, write_query


@compiled
def count_closer(index, weights, point, low, high, enough):
    """Weigh the records whose squared distance is below ``low``, and those from there to ``high``.

    The search ends as soon as the first sum reaches ``enough``; the second is then meaningless.
    """
    query_norm = write_query(
        point, index.origin, index.axes, index.scale, index.leading, NEAREST, index.query
    )
    required = required_score(high, NEAREST, index.scale, query_norm, point.shape[0])
    score_bounds(index.outer_low, index.outer_high, index.query, NEAREST, index.outer_bounds)
    n_queued = queue_superblocks(index.outer_bounds, index.queue, required, index.bounds)
    blocks, closer, tied = blocks_of(index), NONE_FOUND, NONE_FOUND
    while closer < enough:
        b, n_queued = next_block(blocks, NEAREST, required, n_queued)
        if b < 0:
            break
        for i in range(BLOCK):
            if NEAREST * index.gaps[i] >= required:
                record = index.records[b, i]
                squared = squared_distance(index.X, record, point)
                if squared < low:
                    closer += weights[record]
                elif squared <= high:
                    tied += weights[record]
    return closer, tied


@compiled
def rank_own_records(index, weights, points, own, slack, enough, start, stop, closer, tied):
    """Count the records closer than, and as near as, the own record of each point of a range.

    ``own`` holds a record of the index for each point. Distances whose relative
    difference is at most ``slack`` are tied.
    """
    for i in range(start, stop):
        squared = squared_distance(index.X, own[i], points[i])
        low, high = squared * (1 - slack), squared * (1 + slack)
        closer[i], tied[i] = count_closer(index, weights, points[i], low, high, enough)


def rank_among_few(
    table: np.ndarray, weights: np.ndarray, points: np.ndarray, own: np.ndarray, slack: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `rank_own_records` counts for all points, from all distances.

    It is for short tables, where compiling takes longer than counting.
    """
    distance = np.zeros((len(points), len(table)))
    for column, targets in zip(table.T, points.T, strict=True):
        gap = column - targets[:, np.newaxis]
        distance += gap * gap
    own_distance = distance[np.arange(len(points)), own][:, np.newaxis]
    is_closer = distance < own_distance * (1 - slack)
    is_tied = ~is_closer & (distance <= own_distance * (1 + slack))
    return is_closer @ weights, is_tied @ weights
