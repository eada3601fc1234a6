"""The gap between the loss of a release and a proven lower bound."""

import numpy as np

from shoal.errors import InputError, ParameterError
from shoal.metrics._array_types import Labels, Matrix
from shoal.metrics._measure import measure
from shoal.metrics._scaling import sums_of_squares

TOLERANCE = 1e-9  # relative rounding error of the loss


@measure(kind="utility", better="lower")
def certified_gap(
    original: Matrix, masked: Matrix, lower_bound: float, columns: Labels | None = None
) -> float:
    r"""Relative gap between the information loss and its lower bound.

    SSE is the sum of the squared distances between each record and its masked values, on columns
    standardised by the original. The lower bound L is proven for the same table and the same k: no
    groups of at least k records have a smaller SSE.

    .. math:: \frac{\mathrm{SSE}}{L} - 1

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    lower_bound : float
        A proven lower bound of the SSE of standardised columns, above 0 unless nothing was lost.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, if some columns have several axes, as categorical
        columns do; the axes of a column share one scale.

    Returns
    -------
    float
        At least 0. 0 means that no groups lose less, 0.1 that this release loses at most a tenth
        more than the best groups.

    Examples
    --------
    >>> certified_gap(np.array([[0.0], [2.0]]), np.array([[1.0], [1.0]]), lower_bound=1.6)
    0.25
    """
    sse, _ = sums_of_squares(original, masked, columns)
    if not 0 <= lower_bound < np.inf:
        raise ParameterError(
            f"`lower_bound` must be a number in [0, inf). Got {lower_bound!r} instead.",
            code="parameter-not-accepted",
            parameter="lower_bound",
        )
    if sse < lower_bound * (1 - TOLERANCE):
        raise InputError(
            "The masked table loses less than the lower bound allows. Use a bound for this table"
            " and this k, and a table masked by group means.",
            code="bound-too-great",
        )
    if sse == 0:
        return 0.0
    if lower_bound == 0:
        raise InputError(
            "A lower bound of 0 certifies nothing. Compute a better bound.", code="bound-of-zero"
        )
    return max(0.0, sse / lower_bound - 1)
