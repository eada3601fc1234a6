"""Encode columns of every kind as axes of a Euclidean space.

A numeric, ordinal or date column is one axis. Nominal categories become points with the declared
distances, so that every partitioner accepts them and sums of squares keep their meaning. Very many
categories become points on a fixed number of axes, with approximately these distances.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError

Matrix = NDArray[np.float64]
Values = NDArray[np.float64]  # one for each record or category
Codes = NDArray[np.int64]

MAX_EXACT_CATEGORIES = 500  # up to this number, n categories have exact distances, on n - 1 axes
PROJECTED_AXES = 64  # axes of more categories; squared distances vary by sqrt(2 / 64), or 18 %
ROUNDING = 1e-9  # relative rounding error of squared distances


def simplex_points(n_categories: int) -> Matrix:
    """Return the corners of a regular simplex: a point for each category, any two at distance 1.

    The points lie on ``n_categories - 1`` axes; each axis separates one category from all before
    it.

    Examples
    --------
    >>> simplex_points(3).round(3)
    array([[-0.5  , -0.289],
           [ 0.5  , -0.289],
           [ 0.   ,  0.577]])
    """
    points = np.zeros((n_categories, max(1, n_categories - 1)))
    for axis in range(1, n_categories):
        scale = 1 / np.sqrt(2 * axis * (axis + 1))
        points[:axis, axis - 1] = -scale
        points[axis, axis - 1] = axis * scale
    return points


def embed_distances(distances: Matrix, name: str = "") -> Matrix:
    """Return points with the given distances, on as few axes as possible.

    This is classical multidimensional scaling by a pivoted Cholesky factorisation of the
    matrix of inner products. Such points always exist for an ultrametric, such as the height of
    the lowest common ancestor in a hierarchy.

    Parameters
    ----------
    distances : ndarray of shape (n_values, n_values)
        A symmetric matrix with 0 on the diagonal.
    name : str
        Name of the column, for the error message.

    Returns
    -------
    ndarray of shape (n_values, n_axes)
        The points; at most ``n_values - 1`` axes.

    Examples
    --------
    >>> embed_distances(np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]))
    array([[0.],
           [1.],
           [3.]])
    """
    squares = distances**2
    residual = (squares[0] + squares[:, :1] - squares) / 2
    tolerance = ROUNDING * squares.max(initial=0.0)
    axes: list[Values] = []
    while np.diag(residual).max() > tolerance:
        pivot = int(np.argmax(np.diag(residual)))
        axes.append(residual[pivot] / np.sqrt(residual[pivot, pivot]))
        residual = residual - np.outer(axes[-1], axes[-1])
        residual[pivot] = residual[:, pivot] = 0.0  # exactly, without rounding errors
    points = np.column_stack(axes) if axes else np.zeros((len(distances), 1))
    if np.abs(residual).max() > 10 * tolerance:
        raise InputError(
            f"The distances of column {name!r} are not Euclidean, so groups have no centroid. Use"
            f" sqrt(d * d + {_additive_constant(squares):.4g}) for every distance d between two"
            " values, or declare a hierarchy.",
            code="distances-not-euclidean",
            column=name,
        )
    return points


def project_categories(ancestors: Codes) -> Matrix:
    """Return points of many categories on `PROJECTED_AXES` axes, approximately at their distances.

    This is a random projection. The distance of two categories is the height of their lowest
    common ancestor, as a share of the height of the hierarchy, so its square grows from level to
    level as long as their ancestors differ. Each ancestor becomes a vector of random signs. The
    vectors of a level are scaled so that the mean squared distance of two different ones is the
    growth at this level. The signs are the same in every run.

    Parameters
    ----------
    ancestors : ndarray of shape (n_values, n_levels)
        Codes of the ancestors of each value; the ancestor at level 0 is the value itself.

    Returns
    -------
    ndarray of shape (n_values, PROJECTED_AXES)
        The points.

    Examples
    --------
    >>> points = project_categories(np.arange(1000)[:, np.newaxis])
    >>> float(((points[:500] - points[500:]) ** 2).sum(axis=1).mean().round(1))
    1.0
    """
    rng = np.random.Generator(np.random.PCG64(PROJECTED_AXES))
    height = ancestors.shape[1]
    points = np.zeros((len(ancestors), PROJECTED_AXES))
    for level, codes in enumerate(ancestors.T):
        growth = ((level + 1) ** 2 - level**2) / height**2
        signs = rng.choice([-1.0, 1.0], size=(int(codes.max()) + 1, PROJECTED_AXES))
        points += np.sqrt(growth / (2 * PROJECTED_AXES)) * signs[codes]
    return points


def axes_of(
    values: Values,
    codes: Codes,
    kind: str,
    distances: Matrix | None,
    ancestors: Codes | None,
    name: str,
) -> Matrix:
    """Return the axes of one column; missing values are NaN on all of them.

    Parameters
    ----------
    values : ndarray of shape (n_records,)
        Numbers, ranks, days or codes.
    codes : ndarray of shape (n_records,)
        Codes of categories, or -1 for a missing value.
    kind : str
        The kind of the values; see :class:`shoal.frame.types.Type`.
    distances : ndarray of shape (n_codes, n_codes), optional
        Distances between categories; by default, any two are at distance 1.
    ancestors : ndarray of shape (n_codes, n_levels), optional
        Codes of the ancestors of each category, instead of distances, if there are very many.
    name : str
        The name of the column, for the error message.

    Returns
    -------
    ndarray of shape (n_records, n_axes)
        The axes, in the units of the column.
    """
    if kind not in ("nominal", "boolean"):
        return values[:, np.newaxis]
    n_categories = int(codes.max(initial=-1)) + 1
    if n_categories and distances is not None:
        points = embed_distances(distances, name)
    elif n_categories <= MAX_EXACT_CATEGORIES:
        points = simplex_points(n_categories)
    else:
        points = project_categories(
            np.arange(n_categories)[:, np.newaxis] if ancestors is None else ancestors
        )
    return np.vstack([points, np.full(points.shape[1], np.nan)])[codes]


def join_axes(blocks: Sequence[Matrix]) -> tuple[Matrix, Codes]:
    """Return the axes of all columns in one matrix, and the column that each axis belongs to."""
    widths = [block.shape[1] for block in blocks]
    axes = np.empty((len(blocks[0]), sum(widths)))
    column_of_axis = np.repeat(np.arange(len(blocks)), widths)
    for column, block in enumerate(blocks):
        axes[:, column_of_axis == column] = block
    return axes, column_of_axis


def _additive_constant(squares: Matrix) -> float:
    """Return a constant that makes squared distances Euclidean when added to all of them."""
    centred = squares - squares.mean(axis=0)
    centred = (centred - centred.mean(axis=1)[:, np.newaxis]) / -2
    return float(-2 * np.linalg.eigvalsh(centred)[0]) * (1 + 1e-6)
