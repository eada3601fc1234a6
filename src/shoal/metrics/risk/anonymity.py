"""Equivalence classes of released records, their sizes and the risk of re-identification."""

import numpy as np

from shoal.errors import InputError
from shoal.metrics._array_types import AnyValues, Counts, Labels
from shoal.metrics._measure import measure
from shoal.metrics.equivalence_classes import classes, sizes_per_class


@measure(kind="risk", better="higher", unit="records")
def smallest_class(released: AnyValues) -> int:
    r"""Size of the smallest equivalence class.

    It is counted on the released values, not on the groups of an algorithm, so it also applies to
    data that other software masked.

    With :math:`n_c` records in class c,

    .. math:: k = \min_c n_c.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.

    Returns
    -------
    int
        The *k* that the release attains, from 1 to the number of records n. 1 means that at least
        one record is unique, n that all records are equal.

    Examples
    --------
    >>> smallest_class(np.array([[1, 2], [1, 2], [3, 4], [3, 4], [3, 4]]))
    2
    """
    return int(np.bincount(classes(released)).min())


@measure(kind="risk", better="neither", unit="classes")
def class_sizes(released: AnyValues) -> dict[int, int]:
    r"""Number of equivalence classes of each size.

    With :math:`n_c` records in class c, the number of classes of size s is

    .. math:: N_s = |\{c : n_c = s\}|.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.

    Returns
    -------
    dict
        The number of classes by their size, smallest first. The entry of size 1 is the number of
        unique records; a single entry, of size n, means that all n records are equal.

    Examples
    --------
    >>> class_sizes(np.array([[1, 2], [1, 2], [3, 4], [3, 4], [3, 4]]))
    {2: 1, 3: 1}
    """
    sizes, counts = np.unique(np.bincount(classes(released)), return_counts=True)
    return {int(size): int(count) for size, count in zip(sizes, counts, strict=True)}


@measure(kind="risk", better="lower")
def reidentification(
    released: AnyValues,
    population: Counts | None = None,
    units: Labels | None = None,
) -> dict[str, float]:
    r"""Probability of picking the right record, or unit, of an equivalence class [ED08]_.

    There are three attackers. The prosecutor knows that a person is in the table and attacks the
    record at the highest risk. The journalist attacks this record without that knowledge. The
    marketer attacks all records. If the class of record i has :math:`n_i` records in the table and
    :math:`N_i` in the population, their probabilities of success are

    .. math:: \frac{1}{\min_i n_i}, \qquad \frac{1}{\min_i N_i}, \qquad
              \frac{1}{n} \sum_{i=1}^{n} \frac{1}{N_i}.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or codes for their values.
    population : ndarray of shape (n_records,), optional
        For each record, the number of people in the population with its released values, including
        the people in the table. By default, the table is the population, and the journalist knows
        what the prosecutor knows.
    units : ndarray of shape (n_records,), optional
        Code of the unit of each record: the size of a class is then the number of its units, and
        the attacker names a unit instead of a record.

    Returns
    -------
    dict
        ``prosecutor``, ``journalist`` and ``marketer``, in (0, 1]. 1 means that the record (for the
        marketer: every record) is identified with certainty, 1/n that all n records are equal.

    References
    ----------
    .. [ED08] El Emam, K. and Dankar, F. K. (2008). Protecting privacy using
       k-anonymity. Journal of the American Medical Informatics Association 15(5),
       627-637.

    Examples
    --------
    >>> reidentification(np.array([[1], [1], [3], [3], [3]]))
    {'prosecutor': 0.5, 'journalist': 0.5, 'marketer': 0.4}
    """
    labels = classes(released)
    sizes = sizes_per_class(labels, units)[labels]
    population_sizes = sizes if population is None else np.asarray(population)
    if population_sizes.shape != sizes.shape or not (population_sizes >= sizes).all():
        raise InputError(
            "`population` must give for each record the number of people with its released"
            " values, at least the number of such records.",
            code="population-unusable",
        )
    # Sorted, so that the mean does not depend on the order of the records.
    probabilities = np.sort(1 / population_sizes)
    return {
        "prosecutor": float(1 / sizes.min()),
        "journalist": float(1 / population_sizes.min()),
        "marketer": float(probabilities.mean()),
    }
