"""Information loss."""

import numpy as np

from shoal.metrics._base import Labels, Matrix, measure
from shoal.metrics._units import column_distances, scale_by_original


@measure(kind="utility", better="lower", unit="%")
def information_loss(original: Matrix, masked: Matrix, columns: Labels | None = None) -> float:
    """Information loss: 100 * SSE / SST on standardised columns.

    SSE sums the squared distances between each record and its masked form, SST
    those between each record and the mean of all. Columns are standardised by
    the mean and the population standard deviation of the original.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column of each axis, where columns have several, as categories do; the axes of a
        column share a scale.

    Returns
    -------
    float
        In per cent. 0 means that nothing changed; 100 that every record was replaced
        by the overall mean. Masks other than group means can exceed 100.

    Examples
    --------
    >>> information_loss(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([[1.0], [1], [5], [5]]))
    20.0
    """
    lost = total = 0.0
    for _, before, after in scale_by_original(original, masked, columns):
        lost += ((before - after) ** 2).sum()
        total += (before**2).sum()
    return float(100 * lost / total) if total else 0.0


@measure(kind="utility", better="lower", unit="%")
def euclidean_loss(original: Matrix, masked: Matrix, columns: Labels | None = None) -> float:
    """Euclidean information loss: 100 * SDE / SDT on standardised columns [DSS08]_.

    SDE sums the distances (not their squares) between each record and its masked
    form, SDT those between each record and the mean of all.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column of each axis, where columns have several, as categories do; the axes of a
        column share a scale.

    Returns
    -------
    float
        In per cent. 0 means that nothing changed; 100 that every record was replaced
        by the overall mean.

    References
    ----------
    .. [DSS08] Domingo-Ferrer, J., Sebé, F. and Solanas, A. (2008). A polynomial-time
       approximation to optimal multivariate microaggregation. Computers &
       Mathematics with Applications 55(4), 714-732.

    Examples
    --------
    >>> euclidean_loss(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([[1.0], [1], [5], [5]]))
    50.0
    """
    lost, total = np.zeros(len(original)), np.zeros(len(original))
    for _, before, after in scale_by_original(original, masked, columns):
        lost += (before - after) ** 2
        total += before**2
    distances = np.sqrt(total).sum()
    return float(100 * np.sqrt(lost).sum() / distances) if distances else 0.0


@measure(kind="utility", better="lower", unit="√2 standard deviations")
def il1s(original: Matrix, masked: Matrix, columns: Labels | None = None) -> float:
    """Mean absolute difference of values, in sqrt(2) standard deviations of a column [MSD04]_.

    It is the mean over records i and columns j of ``|x_ij - x'_ij| / (sqrt(2) S_j)``
    with the population standard deviation S_j of the original. A column that
    is constant in the original is left out.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column of each axis, where columns have several, as categories do; the axes of a
        column share a scale.

    Returns
    -------
    float
        At least 0. 0 means that nothing changed; 1 that values changed by sqrt(2)
        standard deviations on average, the root mean square difference of two random
        records. Group means give at most ``1 / sqrt(2)``.

    References
    ----------
    .. [MSD04] Mateo-Sanz, J. M., Sebé, F. and Domingo-Ferrer, J. (2004). Outlier
       protection in continuous microdata masking. Privacy in Statistical Databases,
       LNCS 3050, 201-215.

    Examples
    --------
    >>> round(il1s(np.array([[0.0], [2.0]]), np.array([[1.0], [1.0]])), 4)
    0.7071
    """
    changes = [gap.mean() for gap in column_distances(original, masked, columns)]
    return float(np.mean(changes) / np.sqrt(2)) if changes else 0.0
