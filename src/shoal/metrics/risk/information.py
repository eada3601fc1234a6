"""Information that classes give about a confidential column."""

import numpy as np

from shoal.metrics._array_types import AnyValues, Labels, Values
from shoal.metrics._measure import measure
from shoal.metrics.class_tallies import tally
from shoal.metrics.equivalence_classes import classes


@measure(kind="risk", better="lower", per="confidential")
def mutual_information(released: AnyValues, confidential_codes: AnyValues) -> Values:
    r"""Information that a class gives about a confidential value, in bits [RFD10]_.

    The measure is the Kullback-Leibler divergence of the distribution in a class from the
    distribution in the table, averaged over the records. If class c has :math:`n_c` of the n
    records, and value v has the share :math:`p_{cv}` in the class and :math:`p_v` in the table,

    .. math:: \sum_c \frac{n_c}{n} \sum_v p_{cv} \log_2 \frac{p_{cv}}{p_v}.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    confidential_codes : ndarray of shape (n_records, n_confidential)
        The confidential columns, or codes for their values.

    Returns
    -------
    ndarray of shape (n_confidential,)
        From 0 to the entropy of the column. 0 means that the column has the same distribution in
        every class, the entropy that the class determines the value.

    References
    ----------
    .. [RFD10] Rebollo-Monedero, D., Forné, J. and Domingo-Ferrer, J. (2010). From
       t-closeness-like privacy to postrandomization via information theory. IEEE
       Transactions on Knowledge and Data Engineering 22(11), 1623-1636.

    Examples
    --------
    >>> mutual_information(np.array([[1], [1], [2], [2]]), np.array([[0], [0], [1], [1]]))
    array([1.])
    """
    labels = classes(released)
    ratios = [_share_ratios(labels, column) for column in confidential_codes.T]
    return np.array([float(max(0.0, (share * np.log2(ratio)).sum())) for share, ratio in ratios])


@measure(kind="risk", better="lower", per="confidential")
def delta_disclosure(released: AnyValues, confidential_codes: AnyValues) -> Values:
    r"""Largest change of the log-probability of a value from knowing the class [BS08]_.

    If value v has the share :math:`p_{cv}` in class c and :math:`p_v` in the table,

    .. math:: \max_{c, v : p_{cv} > 0} \Bigl| \ln \frac{p_{cv}}{p_v} \Bigr|.

    In [BS08]_ the measure is infinite if a value does not occur in some class. Such values are left
    out here, since most values do not occur in small classes.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    confidential_codes : ndarray of shape (n_records, n_confidential)
        The confidential columns, or codes for their values.

    Returns
    -------
    ndarray of shape (n_confidential,)
        From 0 to ln(n). 0 means that knowing the class makes no value more or less likely, ln(n)
        that a value which occurs only once in the table is certain in its class.

    References
    ----------
    .. [BS08] Brickell, J. and Shmatikov, V. (2008). The cost of privacy: destruction of
       data-mining utility in anonymized data publishing. Proceedings of the 14th ACM
       SIGKDD International Conference on Knowledge Discovery and Data Mining, 70-78.

    Examples
    --------
    >>> delta_disclosure(np.array([[1], [1], [2], [2]]), np.array([[0], [0], [1], [1]])).round(3)
    array([0.693])
    """
    labels = classes(released)
    ratios = [_share_ratios(labels, column) for column in confidential_codes.T]
    return np.array([float(np.abs(np.log(ratio)).max()) for _, ratio in ratios])


def _share_ratios(labels: Labels, values: AnyValues) -> tuple[Values, Values]:
    """Return the share of each pair of class and value, and p(value | class) / p(value)."""
    value_counts = tally(labels, values)
    n = len(labels)
    in_class = value_counts.class_sizes[value_counts.labels]
    in_table = value_counts.table_counts[value_counts.values]
    return value_counts.counts / n, value_counts.counts * n / (in_class * in_table)
