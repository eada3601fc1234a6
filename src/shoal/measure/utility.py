"""What the analyst lost."""

import numpy as np
from numpy.typing import NDArray

from shoal.measure._base import measure

Matrix = NDArray[np.float64]


def _standardised(original: Matrix, masked: Matrix) -> tuple[Matrix, Matrix]:
    """Return both tables in units of the original: its means 0, its standard deviations 1.

    A column that was constant before is left out: it has no unit.
    """
    spread = (original != original[0]).any(axis=0)
    original, masked = original[:, spread], masked[:, spread]
    exponent = np.frexp(np.abs(original).max(axis=0, initial=0.0))[1]
    original, masked = np.ldexp(original, -exponent), np.ldexp(masked, -exponent)
    mean = original.mean(axis=0)
    unit = original.std(axis=0)
    return (original - mean) / unit, (masked - mean) / unit


@measure(kind="utility", better="lower", unit="%")
def information_loss(original: Matrix, masked: Matrix) -> float:
    """Share of the variation that is lost: 100 * SSE / SST on standardised columns.

    SSE sums the squared distances between each record and its masked form, SST
    those between each record and the mean of all. Columns are standardised by
    the mean and the population standard deviation of the original.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    float
        In per cent. 0 says that nothing changed; 100 that every record became the
        mean of all. Masks other than group means can exceed 100.

    Examples
    --------
    >>> information_loss(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([[1.0], [1], [5], [5]]))
    20.0
    """
    before, after = _standardised(original, masked)
    if before.size == 0:
        return 0.0
    return float(100 * ((before - after) ** 2).sum() / (before**2).sum())


@measure(kind="utility", better="lower", unit="%")
def euclidean_loss(original: Matrix, masked: Matrix) -> float:
    """Share of the distances that is lost: 100 * SDE / SDT on standardised columns [DSS08]_.

    SDE sums the distances (not their squares) between each record and its masked
    form, SDT those between each record and the mean of all.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    float
        In per cent. 0 says that nothing changed; 100 that every record became the
        mean of all.

    References
    ----------
    .. [DSS08] Domingo-Ferrer, J., Sebé, F. and Solanas, A. (2008). A polynomial-time
       approximation to optimal multivariate microaggregation. Computers and
       Mathematics with Applications 55(4), 714-732.

    Examples
    --------
    >>> euclidean_loss(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([[1.0], [1], [5], [5]]))
    50.0
    """
    before, after = _standardised(original, masked)
    if before.size == 0:
        return 0.0
    distances = np.sqrt(((before - after) ** 2).sum(axis=1)).sum()
    return float(100 * distances / np.sqrt((before**2).sum(axis=1)).sum())
