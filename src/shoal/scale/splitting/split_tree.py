"""A binary tree of splits, built on a sample, that divides a table into cells of near records."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Values = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SplitTree:
    """Splits of a space by hyperplanes; the leaf of a record depends only on its values.

    Parameters
    ----------
    directions : ndarray of shape (n_splits, n_axes)
        The normal of each split's hyperplane.
    thresholds : ndarray of shape (n_splits,)
        Records whose projection onto the direction is below the threshold go left.
    children : ndarray of shape (n_splits, 2)
        The number of the next split on the left and on the right; ``-1 - i`` stands for leaf i.
    """

    directions: Matrix
    thresholds: NDArray[np.float64]
    children: Rows

    @property
    def n_leaves(self) -> int:
        """Number of leaves, numbered from left to right."""
        return len(self.thresholds) + 1

    def leaves(self, Z: Matrix) -> Rows:
        """Return the leaf of each record."""
        leaf_of = np.zeros(len(Z), np.int64)
        pending = [(0, np.arange(len(Z)))] if len(self.thresholds) else []
        while pending:
            split, rows = pending.pop()
            right = project(Z[rows], self.directions[split]) >= self.thresholds[split]
            for side, side_rows in enumerate((rows[~right], rows[right])):
                child = int(self.children[split, side])
                if child < 0:
                    leaf_of[side_rows] = -1 - child
                elif len(side_rows):
                    pending.append((child, side_rows))
        return leaf_of


def project(Z: Matrix, direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the projection of each record onto a direction, summed column by column.

    A matrix product may sum in another order for another number of rows; here the projection
    of a record does not depend on the other records.
    """
    projection = np.zeros(len(Z))
    for column, weight in zip(Z.T, direction, strict=True):
        projection += column * weight
    return projection


def build_split_tree(Z: Matrix, max_records: float, weights: Values | None = None) -> SplitTree:
    """Split a sample at weighted medians until no leaf stands for more than ``max_records``.

    Parameters
    ----------
    Z : ndarray of shape (n_sampled, n_axes)
        The sample, in an order that depends only on its values.
    max_records : float
        Maximum number of records that a leaf stands for; exceeded only if all of them are equal.
    weights : ndarray of shape (n_sampled,), optional
        Number of records that each sampled record stands for; 1 if None.

    Returns
    -------
    SplitTree
        The splits, each across the direction of greatest variance.
    """
    directions: list[NDArray[np.float64]] = []
    thresholds: list[float] = []
    children: list[list[int]] = []
    n_leaves = 0
    weights = np.ones(len(Z)) if weights is None else weights
    pending = [(np.arange(len(Z)), -1, 0)]
    while pending:
        rows, parent, side = pending.pop()
        split = _find_split(Z[rows], weights[rows]) if weights[rows].sum() > max_records else None
        if split is None:
            child, n_leaves = -1 - n_leaves, n_leaves + 1
        else:
            direction, threshold = split
            child = len(thresholds)
            directions.append(direction)
            thresholds.append(threshold)
            children.append([0, 0])
            right = project(Z[rows], direction) >= threshold
            pending += [(rows[right], child, 1), (rows[~right], child, 0)]
        if parent >= 0:
            children[parent][side] = child
    shape = (len(thresholds), Z.shape[1])
    return SplitTree(
        np.array(directions).reshape(shape),
        np.array(thresholds),
        np.array(children, np.int64).reshape(-1, 2),
    )


def _find_split(Z: Matrix, weights: Values) -> tuple[Values, float] | None:
    """Return the direction and the threshold of a split, or None if all records are equal."""
    for direction in _principal_directions(Z, weights):
        threshold = _median_threshold(project(Z, direction), weights)
        if threshold is not None:
            return direction, threshold
    return None


def _median_threshold(projections: Values, weights: Values) -> float | None:
    """Return the threshold nearest to the weighted median that splits no equal values, or None."""
    order = np.argsort(projections, kind="stable")
    projections, cumulative = projections[order], np.cumsum(weights[order])
    last_of_equal = np.flatnonzero(np.diff(projections) > 0)
    if not len(last_of_equal):
        return None
    nearest = np.abs(cumulative[last_of_equal] - cumulative[-1] / 2).argmin()
    return float(projections[1 + last_of_equal[nearest]])


def _principal_directions(Z: Matrix, weights: Values) -> list[Values]:
    """Return the principal directions in the order of decreasing variance.

    The covariances are plain sums: a matrix product may depend on the number of threads.
    """
    share = weights / weights.sum()
    centred = [column - float((column * share).sum()) for column in Z.T]
    covariance = np.array([[float((a * b * share).sum()) for b in centred] for a in centred])
    return list(np.linalg.eigh(covariance)[1].T[::-1])
