"""The space in which a step takes its distances."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.frame.columns import Column
from shoal.geometry import SCALES, assemble, axes_of, constant, with_confidential

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Space:
    """The masked columns as axes, and the confidential ones if they take part.

    Parameters
    ----------
    names : list of str
        The masked columns.
    Z : ndarray of shape (n_records, n_axes)
        Their axes in comparable units; a missing value stands at the mean.
    columns : ndarray of shape (n_axes,)
        The column that each axis belongs to.
    flat : list of str
        Columns without spread.
    dependence : float
        Share of the confidential columns in the distances.
    secret : ndarray, optional
        Axes of the confidential columns.
    n_secret : int
        Number of confidential columns.
    """

    names: list[str]
    Z: Matrix
    columns: Codes
    flat: list[str]
    dependence: float = 0.0
    secret: Matrix | None = None
    n_secret: int = 0

    def axes(self, names: Sequence[str]) -> tuple[Codes, Codes]:
        """Return the axes of some columns, and which of these each axis belongs to."""
        parts = [np.flatnonzero(self.columns == self.names.index(name)) for name in names]
        chosen = np.concatenate([np.empty(0, np.int64), *parts])
        return chosen, np.repeat(np.arange(len(parts)), [len(part) for part in parts])

    def seen(self, rows: Codes, names: Sequence[str]) -> Matrix:
        """Return the space of some records in which some columns are known."""
        Z = self.Z[rows][:, self.axes(names)[0]]
        if self.secret is not None:
            width = max(1, len(names)), self.n_secret
            Z = with_confidential(Z, self.secret[rows], self.dependence, width)
        return np.ascontiguousarray(Z)


def open_space(
    columns: Sequence[Column],
    standardise: str,
    dependence: float,
    secret: Sequence[Column],
    weights: Matrix | None = None,
) -> Space:
    """Return the space of the masked columns and of the confidential ones that take part.

    With ``weights`` the units are the weighted standard deviations.
    """
    A, of = assemble([_axes(column) for column in columns])
    names = [column.name for column in columns]
    varied = np.bincount(of, ~constant(A))
    flat = [name for name, some in zip(names, varied, strict=True) if not some]
    Z = _scaled(A, of, standardise, weights)
    if not secret:
        return Space(names, Z, of, flat)
    Y = _scaled(*assemble([_axes(column) for column in secret]), standardise, weights)
    return Space(names, Z, of, flat, dependence, Y, len(secret))


def _axes(column: Column) -> Matrix:
    return axes_of(column.values, column.codes, column.kind, column.distances, column.name)


def _scaled(A: Matrix, of: Codes, standardise: str, weights: Matrix | None) -> Matrix:
    single = len(of) == of[-1] + 1
    return SCALES[standardise](A, None if single else of, weights)
