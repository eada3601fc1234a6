"""Information loss: how much masking changed the values of records."""

import numpy as np

from shoal.metrics._array_types import Labels, Matrix
from shoal.metrics._measure import measure
from shoal.metrics._scaling import column_distances, scale_by_original, sums_of_squares


@measure(kind="utility", better="lower", unit="%")
def information_loss(original: Matrix, masked: Matrix, columns: Labels | None = None) -> float:
    r"""Information loss: squared changes as a share of the variance of standardised columns.

    The measure is SSE/SST. SSE is the sum of the squared distances between each record and its
    masked values, SST the sum of the squared distances between each record and the mean of all.
    Columns are standardised by the mean :math:`\bar x_j` and the population standard deviation
    :math:`S_j` of the original:

    .. math:: 100 \cdot \frac{\sum_{ij} ((x_{ij} - x'_{ij}) / S_j)^2}
              {\sum_{ij} ((x_{ij} - \bar x_j) / S_j)^2}.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, if some columns have several axes, as categorical
        columns do; the axes of a column share one scale.

    Returns
    -------
    float
        In per cent, at least 0. 0 means that nothing changed, 100 that every record was replaced by
        the overall mean. Group means give at most 100; other methods may give more.

    Examples
    --------
    >>> information_loss(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([[1.0], [1], [5], [5]]))
    20.0
    """
    sse, sst = sums_of_squares(original, masked, columns)
    return 100 * sse / sst if sst else 0.0


@measure(kind="utility", better="lower", unit="%")
def euclidean_loss(original: Matrix, masked: Matrix, columns: Labels | None = None) -> float:
    r"""Euclidean information loss: changes as a share of the distances from the mean [DSS08]_.

    The measure is SDE/SDT. SDE is the sum of the distances (not their squares) between each record
    and its masked values, SDT the sum of the distances between each record and the mean of all. On
    columns standardised by the original, so that their means are 0,

    .. math:: 100 \cdot \frac{\sum_i \lVert z_i - z'_i \rVert}{\sum_i \lVert z_i \rVert}.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, if some columns have several axes, as categorical
        columns do; the axes of a column share one scale.

    Returns
    -------
    float
        In per cent, at least 0. 0 means that nothing changed, 100 that every record was replaced by
        the overall mean.

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
    squared_errors = np.zeros(len(original))
    squared_norms = np.zeros(len(original))
    for _, original_values, masked_values in scale_by_original(original, masked, columns):
        squared_errors += (original_values - masked_values) ** 2
        squared_norms += original_values**2
    sdt = np.sqrt(squared_norms).sum()
    return float(100 * np.sqrt(squared_errors).sum() / sdt) if sdt else 0.0


@measure(kind="utility", better="lower", unit="√2 standard deviations")
def il1s(original: Matrix, masked: Matrix, columns: Labels | None = None) -> float:
    r"""Mean absolute difference of values, in √2 standard deviations of a column [MSD04]_.

    With n records, p columns and the population standard deviation :math:`S_j` of the original,

    .. math:: \frac{1}{n p} \sum_{ij} \frac{|x_{ij} - x'_{ij}|}{\sqrt{2}\, S_j}.

    A column that is constant in the original is left out.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.
    columns : ndarray of shape (n_axes,), optional
        The column that each axis belongs to, if some columns have several axes, as categorical
        columns do; the axes of a column share one scale.

    Returns
    -------
    float
        At least 0. 0 means that nothing changed, 1 that values changed by :math:`\sqrt{2}` standard
        deviations on average, the root mean square difference of two random records. Group means
        give at most :math:`1 / \sqrt{2}`.

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
    changes = [distances.mean() for distances in column_distances(original, masked, columns)]
    return float(np.mean(changes) / np.sqrt(2)) if changes else 0.0
