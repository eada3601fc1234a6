"""Encode columns of every kind as axes of a Euclidean space.

Numeric, ordinal and date columns are one axis. Nominal categories become points with the declared
distances, so that every partitioner works on them and sums of squares keep their meaning. Many
categories become points on a fixed number of axes, at nearly these distances.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]

MAX_EXACT = 500  # categories with exact distances; they take one axis fewer than their number
PROJECTED_AXES = 64  # squared distances between more categories vary by sqrt(2 / 64), or 18 %
ROUNDING = 1e-9  # relative error of squared distances that is due to rounding


def simplex(n_categories: int) -> Matrix:
    """Return ``n_categories`` points on ``n_categories - 1`` axes, any two of them at distance 1.

    Each axis separates one category from all before it.

    Examples
    --------
    >>> simplex(3).round(3)
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


def embed(distances: Matrix, name: str = "") -> Matrix:
    """Return points with the given distances, on as few axes as possible.

    This is classical multidimensional scaling by a pivoted Cholesky factorisation of the
    matrix of inner products. An ultrametric, such as the height of the lowest common ancestor
    in a hierarchy, always has such points.

    Parameters
    ----------
    distances : ndarray of shape (n_values, n_values)
        Symmetric, 0 on the diagonal.
    name : str
        The column, for the error message.

    Returns
    -------
    ndarray of shape (n_values, n_axes)
        The points; at most ``n_values - 1`` axes.

    Examples
    --------
    >>> embed(np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]))
    array([[0.],
           [1.],
           [3.]])
    """
    squares = distances**2
    residual = (squares[0] + squares[:, :1] - squares) / 2
    tolerance = ROUNDING * squares.max(initial=0.0)
    axes: list[Matrix] = []
    while np.diag(residual).max() > tolerance:
        pivot = int(np.argmax(np.diag(residual)))
        axes.append(residual[pivot] / np.sqrt(residual[pivot, pivot]))
        residual = residual - np.outer(axes[-1], axes[-1])
        residual[pivot] = residual[:, pivot] = 0.0  # without rounding errors
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


def project(ancestors: Codes) -> Matrix:
    """Return points of many categories on `PROJECTED_AXES` axes, nearly at their distances.

    The squared distance of two categories is the sum of its growth from level to level, over the
    levels at which their ancestors differ. Each ancestor is a vector of random signs, and two
    different ones are at squared distance 1 on average (a random projection); equal ancestors are
    at distance 0 exactly. The signs are the same in every run.

    Parameters
    ----------
    ancestors : ndarray of shape (n_values, n_levels)
        Codes of the ancestors of each value; at level 0 the value itself.

    Returns
    -------
    ndarray of shape (n_values, PROJECTED_AXES)
        The points.

    Examples
    --------
    >>> points = project(np.arange(1000)[:, np.newaxis])
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
    values: Matrix,
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
        Codes of categories; -1 where the value is missing.
    kind : str
        The kind of the values; see :class:`shoal.frame.types.Type`.
    distances : ndarray of shape (n_codes, n_codes), optional
        Distances between codes; 1 between any two by default.
    ancestors : ndarray of shape (n_codes, n_levels), optional
        Codes of the ancestors of many categories, instead of distances.
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
        points = embed(distances, name)
    elif n_categories <= MAX_EXACT:
        points = simplex(n_categories)
    else:
        points = project(np.arange(n_categories)[:, np.newaxis] if ancestors is None else ancestors)
    return np.vstack([points, np.full(points.shape[1], np.nan)])[codes]


def join_axes(blocks: Sequence[Matrix]) -> tuple[Matrix, Codes]:
    """Return the axes of all columns in one matrix, and the column that each axis belongs to."""
    widths = [block.shape[1] for block in blocks]
    A = np.empty((len(blocks[0]), sum(widths)))
    column_of = np.repeat(np.arange(len(blocks)), widths)
    for column, block in enumerate(blocks):
        A[:, column_of == column] = block
    return A, column_of


def _additive_constant(squares: Matrix) -> float:
    """Return what to add to all squared distances to make them Euclidean."""
    centred = squares - squares.mean(axis=0)
    centred = (centred - centred.mean(axis=1)[:, np.newaxis]) / -2
    return float(-2 * np.linalg.eigvalsh(centred)[0]) * (1 + 1e-6)
