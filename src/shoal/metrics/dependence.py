"""What is left of each side, and of what one tells about the other."""

import numpy as np
from numpy.typing import NDArray

from shoal.metrics._base import Labels, Matrix, measure
from shoal.metrics._units import zscores
from shoal.metrics.anonymity import classes
from shoal.metrics.utility import information_loss


@measure(kind="utility", better="lower")
def distortion_x(original: Matrix, masked: Matrix, columns: Labels | None = None) -> float:
    """Share of the variation of the quasi-identifiers that is lost, D_X = SSE / SST [RFSP16]_.

    It is a hundredth of `information_loss`.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, where a column has several, as categories
        have; axes of one column share a unit.

    Returns
    -------
    float
        At least 0. 0 means that nothing changed; 1 that every record became the mean of
        all. Group means give at most 1.

    References
    ----------
    .. [RFSP16] Rebollo-Monedero, D., Forné, J., Soriano, M. and Puiggalí Allepuz, J.
       (2016). k-Anonymous microaggregation with preservation of statistical
       dependence. Information Sciences 342, 1-23.

    Examples
    --------
    >>> distortion_x(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([[1.0], [1], [5], [5]]))
    0.2
    """
    return float(information_loss(original, masked, columns) / 100)


@measure(kind="utility", better="lower")
def distortion_y(released: NDArray[np.generic], confidential: Matrix) -> float:
    """Share of the confidential variation that the released table cannot tell, D_Y [RFSP16]_.

    It is SSE / SST on standardised confidential columns, where SSE sums the squared
    differences between a record and the mean of its class, the records that look
    alike. A constant column is left out.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or numbers that stand for their values.
    confidential : ndarray of shape (n_records, n_confidential)
        Values of the confidential columns.

    Returns
    -------
    float
        In [0, 1]. 0 means that who knows the class knows the confidential values, or
        that these do not vary; 1 that the classes tell nothing about their means.

    References
    ----------
    .. [RFSP16] Rebollo-Monedero, D., Forné, J., Soriano, M. and Puiggalí Allepuz, J.
       (2016). k-Anonymous microaggregation with preservation of statistical
       dependence. Information Sciences 342, 1-23.

    Examples
    --------
    >>> distortion_y(np.array([[1], [1], [2], [2]]), np.array([[0.0], [2.0], [4.0], [6.0]]))
    0.2
    """
    label = classes(released)
    size = np.bincount(label)
    Z = zscores(confidential)
    within = sum(((z - (np.bincount(label, z) / size)[label]) ** 2).sum() for z in Z.T)
    total = (Z**2).sum()
    return float(within / total) if total else 0.0
