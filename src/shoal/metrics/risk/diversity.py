"""Diversity of the confidential values in an equivalence class."""

import numpy as np

from shoal.errors import ParameterError
from shoal.metrics._array_types import AnyValues, Labels, Matrix, Values
from shoal.metrics._measure import measure
from shoal.metrics._scaling import order_free_zscores
from shoal.metrics.class_tallies import Tally, tally
from shoal.metrics.equivalence_classes import classes


@measure(kind="risk", better="higher", unit="values", per="confidential")
def l_diversity(
    released: AnyValues, confidential_codes: AnyValues, c: float = 3.0, units: Labels | None = None
) -> dict[str, Values]:
    r"""Smallest diversity of the confidential values in a class, by three definitions [MGKV06]_.

    Each is the minimum over all equivalence classes. ``distinct`` is the number of distinct values,
    ``entropy`` is the number of equally frequent values that would have the same entropy, and
    ``recursive`` is the largest l at which the most frequent value is not too frequent. If the m
    distinct values of a class occur :math:`r_1 \ge \dots \ge r_m` times, in shares
    :math:`p_1, \dots, p_m`, these are

    .. math:: m, \qquad \exp\Bigl(-\sum_j p_j \ln p_j\Bigr), \qquad
              \max \{l : r_1 < c\,(r_l + \dots + r_m)\}.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    confidential_codes : ndarray of shape (n_records, n_confidential)
        The confidential columns, or codes for their values.
    c : float
        Factor of the recursive definition, above 0.
    units : ndarray of shape (n_records,), optional
        Code of the unit of each record: each unit then counts once in a class, with the one of its
        values that most units of the class have.

    Returns
    -------
    dict
        ``distinct``, ``entropy`` and ``recursive``: one number per confidential column, from 1 to
        the size of the smallest class. 1 means that all records of at least one class share a
        value, or for ``recursive`` that nearly all of them do. The size of the smallest class means
        that its records all have different values.

    References
    ----------
    .. [MGKV06] Machanavajjhala, A., Gehrke, J., Kifer, D. and Venkitasubramaniam, M.
       (2006). l-Diversity: privacy beyond k-anonymity. International Conference on
       Data Engineering 2006, 24.

    Examples
    --------
    >>> diversity = l_diversity(np.array([[1], [1], [2], [2]]), np.array([[5], [6], [5], [5]]))
    >>> {kind: number.tolist() for kind, number in diversity.items()}
    {'distinct': [1], 'entropy': [1.0], 'recursive': [1]}
    """
    if not c > 0:
        raise ParameterError(
            f"The `c` of l_diversity must be above 0. Got {c!r} instead.",
            code="parameter-not-accepted",
            parameter="c",
        )
    labels = classes(released)
    tallies = [tally(labels, column, units) for column in confidential_codes.T]
    return {
        "distinct": np.array([value_counts.n_distinct.min() for value_counts in tallies]),
        "entropy": np.array([value_counts.n_effective.min() for value_counts in tallies]),
        "recursive": np.array([_recursive_diversity(value_counts, c) for value_counts in tallies]),
    }


@measure(kind="risk", better="higher", unit="values")
def p_sensitivity(
    released: AnyValues, confidential_codes: AnyValues, units: Labels | None = None
) -> int:
    r"""Smallest number of distinct values of a confidential column in a class [TV06]_.

    With :math:`m_{cj}` distinct values of confidential column j in class c,

    .. math:: p = \min_c \min_j m_{cj}.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    confidential_codes : ndarray of shape (n_records, n_confidential)
        The confidential columns, or codes for their values.
    units : ndarray of shape (n_records,), optional
        Code of the unit of each record: each unit then counts once in a class, with the one of its
        values that most units of the class have.

    Returns
    -------
    int
        The *p* that the release attains, from 1 to the size of the smallest class. 1 means that all
        records of at least one class share a value, so anyone known to be in the class is known to
        have this value.

    References
    ----------
    .. [TV06] Truta, T. M. and Vinay, B. (2006). Privacy protection: p-sensitive
       k-anonymity property. International Workshop on Privacy Data Management 2006, 94.

    Examples
    --------
    >>> p_sensitivity(np.array([[1], [1], [2], [2]]), np.array([[5], [6], [5], [7]]))
    2
    """
    labels = classes(released)
    return int(
        min(tally(labels, column, units).n_distinct.min() for column in confidential_codes.T)
    )


@measure(kind="risk", better="lower", unit="classes", per="confidential")
def homogeneous_classes(
    released: AnyValues, confidential_codes: AnyValues, units: Labels | None = None
) -> Labels:
    r"""Number of classes in which all records, or all units, share a confidential value [MGKV06]_.

    Anyone known to be in such a class is known to have the value, however large the class is. With
    ``units``, a class counts if all of its units share a value, even if they have other values as
    well. Classes of a single record or unit do not count: see `smallest_class`.

    With :math:`n_c` records and :math:`m_{cj}` distinct values of column j in class c,

    .. math:: |\{c : n_c > 1, m_{cj} = 1\}|.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    confidential_codes : ndarray of shape (n_records, n_confidential)
        The confidential columns, or codes for their values.
    units : ndarray of shape (n_records,), optional
        Code of the unit of each record: each unit then counts once in a class, with the one of its
        values that most units of the class have.

    Returns
    -------
    ndarray of shape (n_confidential,)
        From 0 to the number of classes. 0 means that no class discloses a value in this way, the
        number of classes that each class does.

    References
    ----------
    .. [MGKV06] Machanavajjhala, A., Gehrke, J., Kifer, D. and Venkitasubramaniam, M.
       (2006). l-Diversity: privacy beyond k-anonymity. International Conference on
       Data Engineering 2006, 24.

    Examples
    --------
    >>> homogeneous_classes(np.array([[1], [1], [2], [2]]), np.array([[5], [6], [5], [5]]))
    array([1])
    """
    labels = classes(released)
    tallies = [tally(labels, column, units) for column in confidential_codes.T]
    return np.array(
        [
            ((value_counts.n_distinct == 1) & (value_counts.class_sizes > 1)).sum()
            for value_counts in tallies
        ]
    )


@measure(kind="risk", better="higher", unit="values")
def average_diversity(
    released: AnyValues, confidential: Matrix, width: float = 0.02, units: Labels | None = None
) -> float:
    r"""Mean over classes of the number of distinct confidential values, l_avg [RFSP16]_.

    Confidential columns are standardised and rounded to multiples of ``width``. If there are
    several columns, the column with the fewest distinct values counts in each class. With C classes
    and :math:`m_{cj}` distinct values of column j in class c,

    .. math:: \frac{1}{C} \sum_{c} \min_j m_{cj}.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    confidential : ndarray of shape (n_records, n_confidential)
        Values of the confidential columns.
    width : float
        Width of the rounding in standard deviations, above 0; values closer than this may count as
        one.
    units : ndarray of shape (n_records,), optional
        Code of the unit of each record: each unit then counts once in a class, with the one of its
        values that most units of the class have.

    Returns
    -------
    float
        From 1 to the mean size of the classes. 1 means that every class has a confidential column
        with a single value, the mean size that all values in each class differ.

    References
    ----------
    .. [RFSP16] Rebollo-Monedero, D., Forné, J., Soriano, M. and Puiggalí Allepuz, J.
       (2016). k-Anonymous microaggregation with preservation of statistical
       dependence. Information Sciences 342, 1-23.

    Examples
    --------
    >>> average_diversity(np.array([[1], [1], [2], [2]]), np.array([[0.0], [1], [5], [5]]))
    1.5
    """
    if not width > 0:
        raise ParameterError(
            f"The `width` of average_diversity must be above 0. Got {width!r} instead.",
            code="parameter-not-accepted",
            parameter="width",
        )
    labels = classes(released)
    rounded_values = np.rint(order_free_zscores(confidential) / width)
    n_distinct = [tally(labels, column, units).n_distinct for column in rounded_values.T]
    return float(np.min(n_distinct, axis=0).mean())


def _recursive_diversity(value_counts: Tally, c: float) -> int:
    """Return the largest l that every class attains, or 1 if a class does not even attain 1."""
    labels = value_counts.labels
    order = np.lexsort((-value_counts.counts, labels))
    counts = value_counts.counts[order]  # the largest of each class first
    class_starts = np.cumsum(value_counts.n_distinct) - value_counts.n_distinct
    n_before = np.cumsum(counts) - counts  # records of all entries before this one
    class_ends = value_counts.class_sizes + n_before[class_starts]
    n_from_entry = class_ends[labels] - n_before  # r_l + ... + r_m
    max_counts = counts[class_starts][labels]  # r_1
    attained = np.bincount(labels, max_counts < c * n_from_entry)
    return max(1, int(attained.min()))
