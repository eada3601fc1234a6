"""The coordinates in which a step computes distances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.frame.columns import Column, read_column, refuse_missing
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.geometry import (
    STANDARDISATIONS,
    axes_of,
    is_constant,
    join_axes,
    total_sums_of_squares,
    with_confidential,
    within_group_sums_of_squares,
)
from shoal.steps._step import check_confidential

if TYPE_CHECKING:
    from shoal.steps.microaggregate import Microaggregate

Matrix = NDArray[np.float64]
Weights = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DistanceSpace:
    """The masked columns as axes, and the confidential columns if distances include them.

    Parameters
    ----------
    names : list of str
        The masked columns.
    Z : ndarray of shape (n_records, n_axes)
        Their axes on a common scale; a missing value is at the mean.
    columns : ndarray of shape (n_axes,)
        The column that each axis belongs to.
    constant_columns : list of str
        Columns with a single value.
    dependence : float
        Share of the confidential columns in the distances.
    confidential : ndarray, optional
        Axes of the confidential columns.
    n_confidential : int
        Number of confidential columns.
    """

    names: list[str]
    Z: Matrix
    columns: Codes
    constant_columns: list[str]
    dependence: float = 0.0
    confidential: Matrix | None = None
    n_confidential: int = 0

    def axes(self, names: Sequence[str]) -> tuple[Codes, Codes]:
        """Return the axes of columns, and the position in ``names`` of the column of each axis."""
        axes = [np.flatnonzero(self.columns == self.names.index(name)) for name in names]
        all_axes = np.concatenate([np.empty(0, np.int64), *axes])
        return all_axes, np.repeat(np.arange(len(axes)), [len(column_axes) for column_axes in axes])

    def coordinates(self, rows: Codes, names: Sequence[str]) -> Matrix:
        """Return the coordinates of ``rows`` on the axes of the columns ``names``."""
        Z = self.Z[rows][:, self.axes(names)[0]]
        if self.confidential is not None:
            n_columns = (max(1, len(names)), self.n_confidential)
            Z = with_confidential(Z, self.confidential[rows], self.dependence, n_columns)
        return np.ascontiguousarray(Z)


def read_distance_space(
    step: "Microaggregate",
    frame: Frame,
    columns: Sequence[Column],
    confidential: Sequence[str],
    types: Mapping[str, Type],
    weights: Weights | None,
) -> DistanceSpace:
    """Return the space in which a step computes distances.

    It includes the confidential columns, which are read from ``frame``, if the step's
    ``dependence`` is above 0. The survey ``weights`` are used for ``weighted_distances`` only.
    """
    confidential_columns: list[Column] = []
    if step.dependence > 0:
        check_confidential(confidential, f"`dependence={step.dependence:g}`")
        confidential_columns = [read_column(frame, name, types.get(name)) for name in confidential]
        refuse_missing(
            confidential_columns,
            "Correct them, or leave `dependence` out: distances need the values.",
        )
    return build_distance_space(
        columns,
        step.standardise,
        step.dependence,
        confidential_columns,
        weights if step.weighted_distances else None,
        step.column_weights,
    )


def build_distance_space(
    columns: Sequence[Column],
    standardise: str,
    dependence: float,
    confidential: Sequence[Column],
    weights: Weights | None = None,
    column_weights: Mapping[str, float] | None = None,
) -> DistanceSpace:
    """Return the space of the masked columns and of the confidential columns.

    Parameters
    ----------
    columns : sequence of Column
        The masked columns.
    standardise : str
        ``"zscore"`` or ``"none"``.
    dependence : float
        Share of the confidential columns in the distances.
    confidential : sequence of Column
        The confidential columns, or an empty list if ``dependence`` is 0.
    weights : ndarray of shape (n_records,), optional
        Survey weights; the scale is then the weighted standard deviation.
    column_weights : mapping of str to float, optional
        Factors of the axes of columns; 1 for columns that are not named.

    Returns
    -------
    DistanceSpace
        The axes on a common scale; ``column_weights`` apply to the masked columns only.
    """
    A, axis_columns = join_axes([axes_of(*column.axes_arguments) for column in columns])
    names = [column.name for column in columns]
    n_varying = np.bincount(axis_columns, ~is_constant(A))
    constant_columns = [
        name for name, is_varying in zip(names, n_varying, strict=True) if not is_varying
    ]
    Z = _scale_axes(A, axis_columns, standardise, weights)
    if column_weights:
        weight_of_columns = np.array([float(column_weights.get(name, 1.0)) for name in names])
        # A common factor of all weights must not change the share of the confidential columns.
        if confidential:
            weight_of_columns /= np.sqrt((weight_of_columns**2).mean())
        Z = Z * weight_of_columns[axis_columns]
    if not confidential:
        return DistanceSpace(names, Z, axis_columns, constant_columns)
    Y = _scale_axes(
        *join_axes([axes_of(*column.axes_arguments) for column in confidential]),
        standardise,
        weights,
    )
    return DistanceSpace(names, Z, axis_columns, constant_columns, dependence, Y, len(confidential))


def _scale_axes(
    A: Matrix, axis_columns: Codes, standardise: str, weights: Weights | None
) -> Matrix:
    has_one_axis_per_column = len(axis_columns) == axis_columns[-1] + 1
    return STANDARDISATIONS[standardise](
        A, None if has_one_axis_per_column else axis_columns, weights
    )


def loss_of_groups(
    space: DistanceSpace, blocks: Sequence[Sequence[str]], labels: Sequence[Codes]
) -> float | None:
    """Return 100 * SSE / SST of the groups of all blocks, or None if SST is 0.

    SSE is the sum of the squared distances of the records from the means of their groups, SST that
    of their squared distances from the mean of all records.
    """
    within: list[np.float64] = []
    total: list[np.float64] = []
    for names, group_labels in zip(blocks, labels, strict=True):
        Z = space.Z[:, space.axes(names)[0]]
        within.extend(within_group_sums_of_squares(Z, group_labels))
        total.extend(total_sums_of_squares(Z))
    return 100 * float(sum(within)) / float(sum(total)) if sum(total) else None
