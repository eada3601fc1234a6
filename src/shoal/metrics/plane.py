"""Groups seen on the two directions in which records differ most."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._base import Labels, Matrix
from shoal.metrics._units import zscores
from shoal.metrics.correlation import correlations

MOST = 400  # groups to keep; more cannot be told apart on a page


class Plane(NamedTuple):
    """Centre, spread and size of some of ``n_groups`` groups on the first two components.

    ``spread`` is the root of the mean squared distance of the records of a group
    from its centre, on the plane; ``explained`` the share of the variation that the
    plane shows.
    """

    n_groups: int
    explained: float
    centres: list[tuple[float, float]]
    spread: list[float]
    sizes: list[int]


def plane(X: Matrix, labels: Labels) -> Plane:
    """Return the groups on the first two components of the correlation matrix.

    Nothing in it speaks of fewer records than a group holds.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        At least two columns that vary, in whatever units.
    labels : ndarray of shape (n_records,)
        Group of each record.

    Returns
    -------
    Plane
        All groups, or evenly picked ones of too many.
    """
    # Powers of two change no digit, and keep the squares of huge and tiny values in range.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])
    values, vectors = np.linalg.eigh(correlations(X))
    axes = vectors[:, ::-1][:, :2]
    axes = axes * np.where(axes.sum(axis=0) < 0, -1, 1)  # the sign is free: let most point up
    scores = zscores(X) @ axes
    sizes = np.bincount(labels)
    centres = np.column_stack([_sums(labels, scores[:, at]) / sizes for at in (0, 1)])
    apart = ((scores - centres[labels]) ** 2).sum(axis=1)
    radius = np.sqrt(_sums(labels, apart) / sizes)
    picked = np.linspace(0, len(sizes) - 1, min(MOST, len(sizes))).astype(np.int64)
    return Plane(
        len(sizes),
        float(values[::-1][:2].sum() / len(values)),
        [(float(x), float(y)) for x, y in centres[picked]],
        radius[picked].tolist(),
        sizes[picked].tolist(),
    )


def _sums(labels: Labels, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.bincount(labels, weights=values).astype(np.float64)
