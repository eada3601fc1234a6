"""Projection of groups on the first two principal components."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._array_types import Labels, Matrix
from shoal.metrics._scaling import order_free_zscores
from shoal.metrics.utility.correlation import correlations

MAX_GROUPS = 400  # more cannot be distinguished in a figure


class Projection(NamedTuple):
    """Centre, spread and size of some of ``n_groups`` groups on two principal components.

    ``spread`` is the root mean square distance of the records of a group from its
    centre; ``explained`` is the share of the variance that the two components explain.
    """

    n_groups: int
    explained: float
    centres: list[tuple[float, float]]
    spread: list[float]
    sizes: list[int]


def project_groups(X: Matrix, labels: Labels) -> Projection:
    """Return the groups on the first two principal components of the correlation matrix.

    Every figure describes a whole group, never fewer records.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        At least two columns that are not constant, in any units.
    labels : ndarray of shape (n_records,)
        Group of each record.

    Returns
    -------
    Projection
        All groups, or an even selection of `MAX_GROUPS`.
    """
    # Scaling by powers of two is exact, and avoids overflow and underflow of squares.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])
    values, vectors = np.linalg.eigh(correlations(X))
    axes = vectors[:, ::-1][:, :2]
    axes = axes * np.where(axes.sum(axis=0) < 0, -1, 1)  # the sign is arbitrary
    scores = order_free_zscores(X) @ axes
    sizes = np.bincount(labels)
    centres = np.column_stack([_group_sums(labels, scores[:, i]) / sizes for i in (0, 1)])
    squared_distances = ((scores - centres[labels]) ** 2).sum(axis=1)
    radius = np.sqrt(_group_sums(labels, squared_distances) / sizes)
    selected_groups = np.linspace(0, len(sizes) - 1, min(MAX_GROUPS, len(sizes))).astype(np.int64)
    return Projection(
        len(sizes),
        float(values[::-1][:2].sum() / len(values)),
        [(float(x), float(y)) for x, y in centres[selected_groups]],
        radius[selected_groups].tolist(),
        sizes[selected_groups].tolist(),
    )


def _group_sums(labels: Labels, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.bincount(labels, weights=values).astype(np.float64)
