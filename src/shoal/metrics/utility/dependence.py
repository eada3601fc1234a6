"""Distortion of quasi-identifiers and confidential columns, and the dependence that remains."""

import numpy as np

from shoal.errors import InputError
from shoal.geometry import within_group_sums_of_squares
from shoal.metrics._array_types import AnyValues, Labels, Matrix
from shoal.metrics._measure import measure
from shoal.metrics._scaling import order_free_zscores
from shoal.metrics.class_tallies import tally
from shoal.metrics.equivalence_classes import classes
from shoal.metrics.utility.loss import information_loss


@measure(kind="utility", better="lower")
def distortion_x(original: Matrix, masked: Matrix, columns: Labels | None = None) -> float:
    r"""Share of the variation of the quasi-identifiers that is lost, D_X [RFSP16]_.

    On columns standardised by the original, so that their means are 0, the share is
    `information_loss` divided by 100:

    .. math:: D_X = \frac{\sum_i \lVert z_i - z'_i \rVert^2}{\sum_i \lVert z_i \rVert^2}.

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
        At least 0. 0 means that nothing changed, 1 that every record was replaced by the overall
        mean. Group means give at most 1.

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
def distortion_y(
    released: AnyValues,
    confidential: Matrix | None = None,
    categories: AnyValues | None = None,
) -> float:
    r"""Share of the confidential variation that the classes do not explain, D_Y [RFSP16]_.

    For a numeric column y, it is the share of the variation that is within classes; a constant
    column is left out. For a categorical column, it is the Hamming distortion: the share of records
    whose category is not the most frequent category of their class. With the mean
    :math:`\bar y_{c(i)}` of the class of record i, and :math:`n_{cv}` records of class c with value
    v, these are

    .. math:: \frac{\sum_i (y_i - \bar y_{c(i)})^2}{\sum_i (y_i - \bar y)^2}
              \quad \text{and} \quad 1 - \frac{1}{n} \sum_c \max_v n_{cv}.

    If there are several columns, :math:`D_Y` is the mean over the columns.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    confidential : ndarray of shape (n_records, n_confidential), optional
        Values of the numeric confidential columns.
    categories : ndarray of shape (n_records, n_categorical), optional
        Categorical confidential columns, or codes for their values. At least one of
        ``confidential`` and ``categories`` must be given.

    Returns
    -------
    float
        In [0, 1]. 0 means that the class determines the confidential values, or that these do not
        vary. A numeric column gives 1 if all classes have the same mean.

    References
    ----------
    .. [RFSP16] Rebollo-Monedero, D., Forné, J., Soriano, M. and Puiggalí Allepuz, J.
       (2016). k-Anonymous microaggregation with preservation of statistical
       dependence. Information Sciences 342, 1-23.

    Examples
    --------
    >>> distortion_y(np.array([[1], [1], [2], [2]]), np.array([[0.0], [2.0], [4.0], [6.0]]))
    0.2
    >>> party = np.array([["a"], ["a"], ["b"], ["a"]])
    >>> distortion_y(np.array([[1], [1], [2], [2]]), categories=party)
    0.25
    """
    if confidential is None and categories is None:
        raise InputError(
            "needs a confidential column: a numeric one without missing values, or a categorical"
            " one.",
            code="confidential-needed",
            need="confidential",
        )
    labels = classes(released)
    shares = (
        []
        if categories is None
        else [hamming_distortion(labels, column) for column in categories.T]
    )
    if confidential is not None:
        Z = order_free_zscores(confidential)
        within = sum(within_group_sums_of_squares(Z, labels))
        total = (Z**2).sum()
        n_varying = int(np.count_nonzero((Z != 0).any(axis=0)))
        # Standardised columns have equal variation, so each has the mean share.
        shares += [float(within / total) if n_varying else 0.0] * n_varying
    return float(np.mean(shares)) if shares else 0.0


def hamming_distortion(labels: Labels, categories: AnyValues) -> float:
    """Return the share of records whose category is not the most frequent of their class."""
    value_counts = tally(labels, categories)
    max_counts = np.zeros(len(value_counts.class_sizes), np.int64)
    np.maximum.at(max_counts, value_counts.labels, value_counts.counts)
    return float(1 - max_counts.sum() / len(labels))
