"""Projection of groups on the first two principal components."""

from typing import NamedTuple

import numpy as np

from shoal.metrics._array_types import Labels, Matrix, Values
from shoal.metrics._scaling import order_free_zscores
from shoal.metrics.utility.correlation import correlations

MAX_GROUPS = 400  # more groups cannot be distinguished in a figure


class Projection(NamedTuple):
    """Centre, spread and size of groups on two principal components.

    ``n_groups`` is the number of all groups, from which those shown are selected. ``spread`` is the
    root mean square distance of the records of a group from its centre, and ``explained`` is the
    share of the variance that the two components explain.
    """

    n_groups: int
    explained: float
    centres: list[tuple[float, float]]
    spread: list[float]
    sizes: list[int]


def project_groups(X: Matrix, labels: Labels) -> Projection:
    """Return groups as points on the first two principal components of the correlation matrix.

    Every number describes a whole group, never single records.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        At least two columns that are not constant, in any units.
    labels : ndarray of shape (n_records,)
        Group of each record.

    Returns
    -------
    Projection
        All groups, or `MAX_GROUPS` at regular intervals.
    """
    # Scaling by powers of two is exact, and avoids overflow and underflow of squares.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])
    eigenvalues, eigenvectors = np.linalg.eigh(correlations(X))
    axes = eigenvectors[:, ::-1][:, :2]
    axes = axes * np.where(axes.sum(axis=0) < 0, -1, 1)  # the sign is arbitrary
    scores = order_free_zscores(X) @ axes
    sizes = np.bincount(labels)
    centres = np.column_stack([_group_sums(labels, scores[:, i]) / sizes for i in (0, 1)])
    squared_distances = ((scores - centres[labels]) ** 2).sum(axis=1)
    spread = np.sqrt(_group_sums(labels, squared_distances) / sizes)
    selected_groups = np.linspace(0, len(sizes) - 1, min(MAX_GROUPS, len(sizes))).astype(np.int64)
    return Projection(
        len(sizes),
        float(eigenvalues[::-1][:2].sum() / len(eigenvalues)),
        [(float(x), float(y)) for x, y in centres[selected_groups]],
        spread[selected_groups].tolist(),
        sizes[selected_groups].tolist(),
    )


def _group_sums(labels: Labels, values: Values) -> Values:
    return np.bincount(labels, weights=values).astype(np.float64)
