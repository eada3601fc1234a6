"""Columns of every kind as axes of a Euclidean space.

Numbers, places in an order and dates are one axis. Categories without an order
become points that are as far apart as declared, so that every partitioner
works on them and sums of squares keep their meaning.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]

ROUNDING = 1e-9  # relative: squared distances off by less are exact but for rounding


def simplex(number: int) -> Matrix:
    """Return points on ``number - 1`` axes, any two of them at distance 1.

    Each axis tells one category from all before it.

    Examples
    --------
    >>> simplex(3).round(3)
    array([[-0.5  , -0.289],
           [ 0.5  , -0.289],
           [ 0.   ,  0.577]])
    """
    points = np.zeros((number, max(1, number - 1)))
    for axis in range(1, number):
        unit = 1 / np.sqrt(2 * axis * (axis + 1))
        points[:axis, axis - 1] = -unit
        points[axis, axis - 1] = axis * unit
    return points


def embed(distances: Matrix, name: str = "") -> Matrix:
    """Return points with given distances, on as few axes as that takes.

    It is classical scaling with the axes of a pivoted Cholesky factor: the distances of all
    points from the first pivot give their inner products, and these the
    coordinates. An ultrametric, such as the way to a common ancestor in a hierarchy,
    always fits.

    Parameters
    ----------
    distances : ndarray of shape (n_values, n_values)
        Symmetric, 0 on the diagonal.
    name : str
        The column they belong to, for a message.

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
    left = (squares[0] + squares[:, :1] - squares) / 2
    least = ROUNDING * squares.max(initial=0.0)
    axes: list[Matrix] = []
    while np.diag(left).max() > least:
        pivot = int(np.argmax(np.diag(left)))
        axes.append(left[pivot] / np.sqrt(left[pivot, pivot]))
        left = left - np.outer(axes[-1], axes[-1])
        left[pivot] = left[:, pivot] = 0.0  # but for rounding
    points = np.column_stack(axes) if axes else np.zeros((len(distances), 1))
    if np.abs(left).max() > 10 * least:
        raise InputError(
            f"The distances of column {name!r} fit no Euclidean space, in which groups have a"
            f" centre. Use sqrt(d * d + {_lacking(squares):.4g}) for every distance d between two"
            " values, or declare a hierarchy.",
            code="distances-not-euclidean",
            column=name,
        )
    return points


def axes_of(values: Matrix, codes: Codes, kind: str, distances: Matrix | None, name: str) -> Matrix:
    """Return the axes of one column; a record without a value is not a number on all of them.

    Parameters
    ----------
    values : ndarray of shape (n_records,)
        Numbers, places in an order, days or codes.
    codes : ndarray of shape (n_records,)
        Codes of categories; -1 where the value is missing.
    kind : str
        What the values are; see :class:`shoal.frame.types.Type`.
    distances : ndarray of shape (n_codes, n_codes), optional
        Distances between codes; 1 between any two by default.
    name : str
        The name of the column, for a message.

    Returns
    -------
    ndarray of shape (n_records, n_axes)
        The axes, in the units of the column.
    """
    if kind not in ("nominal", "boolean"):
        return values[:, np.newaxis]
    number = int(codes.max(initial=-1)) + 1
    points = embed(distances, name) if number and distances is not None else simplex(number)
    return np.vstack([points, np.full(points.shape[1], np.nan)])[codes]


def assemble(blocks: Sequence[Matrix]) -> tuple[Matrix, Codes]:
    """Return the axes of all columns side by side, and the column that each axis belongs to."""
    widths = [block.shape[1] for block in blocks]
    A = np.empty((len(blocks[0]), sum(widths)))
    of = np.repeat(np.arange(len(blocks)), widths)
    for at, block in enumerate(blocks):
        A[:, of == at] = block
    return A, of


def _lacking(squares: Matrix) -> float:
    """Return what must be added to all squared distances so that they fit a Euclidean space."""
    centred = squares - squares.mean(axis=0)
    centred = (centred - centred.mean(axis=1)[:, np.newaxis]) / -2
    return float(-2 * np.linalg.eigvalsh(centred)[0]) * (1 + 1e-6)
