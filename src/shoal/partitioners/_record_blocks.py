"""Split a long table into blocks of near records."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.partitioners._base import Matrix

Rows = NDArray[np.int64]


def split_into_blocks(
    X: Matrix, max_size: int, min_size: int, first_share: float = 0.5
) -> list[Rows]:
    """Split the rows of ``X`` at medians across the direction of greatest variance.

    Equal records stay together, so the blocks do not depend on the order of the rows.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units.
    max_size : int
        Blocks of up to this many records are not split.
    min_size : int
        Minimum number of records in a block.
    first_share : float
        Share of the records on one side of the first split. It moves the borders of all
        blocks.

    Returns
    -------
    list of ndarray
        The rows of each block, in ascending order.

    Examples
    --------
    >>> split_into_blocks(np.array([[0.0], [9.0], [1.0], [8.0]]), max_size=2, min_size=1)
    [array([0, 2]), array([1, 3])]
    """
    pending, blocks = [(np.arange(len(X)), first_share)], []
    while pending:
        rows, share = pending.pop()
        halves = _split_in_two(X[rows], share, min_size) if len(rows) > max_size else None
        if halves is None:
            blocks.append(rows)
        else:
            pending += [(rows[half], 0.5) for half in reversed(halves)]
    return blocks


def _split_in_two(X: Matrix, share: float, min_size: int) -> tuple[Rows, Rows] | None:
    """Return the rows on both sides of a split, or None if all splits separate equal records."""
    for direction in _principal_directions(X):
        # Summed column by column, so that equal records have equal projections.
        projection = sum(column * weight for column, weight in zip(X.T, direction, strict=True))
        threshold = split_threshold(np.sort(projection), share, min_size)
        if threshold is not None:
            return np.flatnonzero(projection < threshold), np.flatnonzero(projection >= threshold)
    return None


def _principal_directions(X: Matrix) -> Iterator[NDArray[np.float64]]:
    """Yield the principal directions in the order of decreasing variance."""
    centred = X - X.mean(axis=0)
    yield from np.linalg.eigh(centred.T @ centred)[1].T[::-1]


def split_threshold(projections: NDArray[np.float64], share: float, min_size: int) -> float | None:
    """Return the threshold that separates nearly ``share`` of the sorted values, if any does.

    Equal values stay on one side, and each side has at least ``min_size`` values.
    """
    n = len(projections)
    target = round(share * n)
    starts = np.flatnonzero(np.diff(projections) > 0) + 1  # first of each run of equal values
    starts = starts[(starts >= min_size) & (starts <= n - min_size)]
    if not len(starts):
        return None
    return float(projections[starts[np.abs(starts - target).argmin()]])
