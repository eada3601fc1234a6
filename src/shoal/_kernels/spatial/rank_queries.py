"""Ranks of records: how many others are closer to a point than its own record, or tied."""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_distance
from shoal._kernels.spatial.block_order import BLOCK
from shoal._kernels.spatial.block_queue import queue_superblocks
from shoal._kernels.spatial.score_bounds import required_score, score_bounds
from shoal._kernels.spatial.search import NEAREST, blocks_of, next_block, write_query


class RankQueries(NamedTuple):
    """Points whose own records are to be ranked, and the resulting weights.

    ``own_records`` has a record of the index for each point. Squared distances whose relative
    difference is at most ``tolerance`` are tied. ``n_closer`` is the weight of the records closer
    to a point than its own record, and ``n_tied`` the weight of the tied records. The search ends
    as soon as ``n_closer`` reaches ``max_closer``; ``n_tied`` is then meaningless.
    """

    points: np.ndarray  # (n_points, n_columns)
    own_records: np.ndarray  # (n_points,)
    tolerance: float
    max_closer: int
    n_closer: np.ndarray  # (n_points,)
    n_tied: np.ndarray  # (n_points,)


@compiled
def rank_own_records(index, weights, queries, start, stop):
    """Count the records closer to each point of a range than its own record, and the tied ones."""
    for i in range(start, stop):
        point = queries.points[i]
        square = squared_distance(index.X, queries.own_records[i], point)
        tie_start, tie_end = square * (1 - queries.tolerance), square * (1 + queries.tolerance)
        queries.n_closer[i], queries.n_tied[i] = count_closer(
            index, weights, point, tie_start, tie_end, queries.max_closer
        )


@compiled
def count_closer(index, weights, point, tie_start, tie_end, max_closer):
    """Return the weight of the records closer to a point than ``tie_start``, and of the tied ones.

    Records are tied if their squared distance is between ``tie_start`` and ``tie_end``.
    """
    coordinate_frame, boxes, scratch = index.frame, index.boxes, index.scratch
    query_norm = write_query(point, coordinate_frame, NEAREST, scratch.query)
    # A score is minus the squared distance, in single precision and scaled: a record may be within
    # `tie_end` only if its score is at least `required`.
    required = required_score(tie_end, NEAREST, coordinate_frame.scale, query_norm, point.shape[0])
    score_bounds(boxes.outer_low, boxes.outer_high, scratch.query, NEAREST, scratch.outer_bounds)
    n_queued = queue_superblocks(scratch.outer_bounds, scratch.queue, required, scratch.bounds)
    blocks, n_closer, n_tied = blocks_of(index), 0, 0
    while n_closer < max_closer:
        block, n_queued = next_block(blocks, NEAREST, required, n_queued)
        if block < 0:
            break
        for slot in range(BLOCK):
            if NEAREST * scratch.squares[slot] >= required:
                record = index.records[block, slot]
                square = squared_distance(index.X, record, point)
                if square < tie_start:
                    n_closer += weights[record]
                elif square <= tie_end:
                    n_tied += weights[record]
    return n_closer, n_tied


def rank_among_few(
    table: np.ndarray,
    weights: np.ndarray,
    points: np.ndarray,
    own_records: np.ndarray,
    tolerance: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `rank_own_records` counts for all points, from all distances.

    It is for short tables, where compiling takes longer than counting.
    """
    squares = np.zeros((len(points), len(table)))
    for column, targets in zip(table.T, points.T, strict=True):
        difference = column - targets[:, np.newaxis]
        squares += difference * difference
    own_square = squares[np.arange(len(points)), own_records][:, np.newaxis]
    is_closer = squares < own_square * (1 - tolerance)
    is_tied = ~is_closer & (squares <= own_square * (1 + tolerance))
    return is_closer @ weights, is_tied @ weights
