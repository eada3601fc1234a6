"""Changes in means, standard deviations, variances and covariances."""

import numpy as np

from shoal.metrics._array_types import Matrix, Values
from shoal.metrics._measure import measure
from shoal.metrics._scaling import scale_by_original, varying_columns
from shoal.metrics.utility.correlation import correlations


@measure(kind="utility", better="near one", per="quasi-identifier")
def std_ratio(original: Matrix, masked: Matrix) -> Values:
    """Ratio of the standard deviations of each masked column and of the original [MD99]_.

    With the standard deviations :math:`S_j` of the original and :math:`S'_j` of the masked column,

    .. math:: S'_j / S_j.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    ndarray of shape (n_columns,)
        At least 0. 1 means that the spread was kept, 0 that the masked column is constant.
        Group means give at most 1. An unchanged constant column gives 1.

    References
    ----------
    .. [MD99] Mateo-Sanz, J. M. and Domingo-Ferrer, J. (1999). A method for
       data-oriented multivariate microaggregation. Statistical Data Protection,
       89-99. Office for Official Publications of the European Communities.

    Examples
    --------
    >>> std_ratio(np.array([[0.0], [2.0]]), np.array([[0.5], [1.5]]))
    array([0.5])
    """
    ratio = np.ones(len(varying_columns(original, masked)))
    for j, original_values, masked_values in scale_by_original(original, masked):
        ratio[j] = masked_values.std() / original_values.std()
    return ratio


@measure(kind="utility", better="lower", unit="standard deviations", per="quasi-identifier")
def mean_change(original: Matrix, masked: Matrix) -> Values:
    r"""Change of the mean of each column, in standard deviations of the original.

    With the mean :math:`\bar x'_j` of the masked column, and the mean :math:`\bar x_j` and the
    population standard deviation :math:`S_j` of the original,

    .. math:: |\bar x'_j - \bar x_j| / S_j.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    ndarray of shape (n_columns,)
        At least 0. 0 means that the mean was kept, as it is by group means; 1 means that it changed
        by one standard deviation. An unchanged constant column gives 0.

    Examples
    --------
    >>> mean_change(np.array([[0.0], [2.0]]), np.array([[1.0], [2.0]]))
    array([0.5])
    """
    change = np.zeros(len(varying_columns(original, masked)))
    for j, original_values, masked_values in scale_by_original(original, masked):
        change[j] = abs(masked_values.mean() - original_values.mean())
    return change


@measure(kind="utility", better="lower", per="quasi-identifier")
def variance_change(original: Matrix, masked: Matrix) -> Values:
    """Relative change of the variance of each column.

    With the variances :math:`V_j` of the original and :math:`V'_j` of the masked column,

    .. math:: |V'_j / V_j - 1|.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    ndarray of shape (n_columns,)
        At least 0. 0 means that the variance was kept, 1 that it vanished or doubled.
        Group means give at most 1. An unchanged constant column gives 0.

    Examples
    --------
    >>> variance_change(np.array([[0.0], [2.0]]), np.array([[0.5], [1.5]]))
    array([0.75])
    """
    change = np.zeros(len(varying_columns(original, masked)))
    for j, original_values, masked_values in scale_by_original(original, masked):
        change[j] = abs(masked_values.var() / original_values.var() - 1)
    return change


@measure(kind="utility", better="lower")
def covariance_change(original: Matrix, masked: Matrix) -> float:
    """Mean change of the covariances, in units of the original's standard deviations.

    With the covariances :math:`c_{ij}` of the original and :math:`c'_{ij}` of the masked columns,
    and the standard deviations :math:`S_i` of the original, the change of a pair of columns is

    .. math:: |c'_{ij} - c_{ij}| / (S_i S_j).

    It is averaged over all pairs. A column that is constant in the original is in no pair.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    float
        At least 0. 0 means that every covariance was kept, or that there is no pair. 1 means that
        they changed, on average, as much as from perfect correlation to none.

    Examples
    --------
    >>> original = np.array([[0.0, 0.0], [2.0, 2.0]])
    >>> round(covariance_change(original, np.array([[1.0, 0.0], [1.0, 2.0]])), 12)
    1.0
    """
    varying = varying_columns(original, masked)
    if varying.sum() < 2:
        return 0.0
    ratio = std_ratio(original, masked)
    change = np.abs(correlations(masked) * np.outer(ratio, ratio) - correlations(original))
    return float(change[np.ix_(varying, varying)][np.triu_indices(int(varying.sum()), 1)].mean())
