"""Individual and household risk of a sample, from the frequencies of keys and survey weights."""

from dataclasses import dataclass

import numpy as np

from shoal._text import count
from shoal.errors import InputError
from shoal.metrics._array_types import AnyValues, Labels, Values
from shoal.metrics.equivalence_classes import classes

MAX_RECURSIVE_FREQUENCY = 40  # up to this frequency in the sample, the recursion is used
PRECISION = 1e-16  # relative precision of the sum of a series


@dataclass(frozen=True, eq=False)
class KeyFrequencies:
    """Frequency of the key of each record: the combination of its quasi-identifiers.

    Parameters
    ----------
    sample : ndarray of shape (n_records,)
        Number f of records of the sample with the same key.
    population : ndarray of shape (n_records,)
        Number F of units of the population with the same key, known or estimated.
    """

    sample: Labels
    population: Values

    @property
    def k_map(self) -> float:
        """Smallest population frequency of a key that occurs in the sample."""
        return float(self.population.min())

    def below(self, k: float) -> int:
        """Return the number of records whose population frequency is below ``k``."""
        return int((self.population < k).sum())


def key_frequencies(
    keys: AnyValues,
    weights: Values | None = None,
    population: AnyValues | None = None,
) -> KeyFrequencies:
    """Count how often the key of each record occurs in the sample and in the population.

    Parameters
    ----------
    keys : ndarray of shape (n_records, n_columns)
        Quasi-identifiers of the sample, or codes for their values.
    weights : ndarray of shape (n_records,), optional
        Survey weights: the number of units of the population that each record represents. Their sum
        by key estimates the population frequency.
    population : ndarray of shape (n_units, n_columns), optional
        Quasi-identifiers of the whole population, in the same codes. Population frequencies are
        then counted instead of estimated.

    Returns
    -------
    KeyFrequencies
        The frequencies of the key of each record. Without weights and population, the sample is the
        population.

    Examples
    --------
    >>> frequencies = key_frequencies(np.array([[1], [1], [2]]), np.array([10.0, 20.0, 5.0]))
    >>> frequencies.sample.tolist(), frequencies.population.tolist(), frequencies.k_map
    ([2, 2, 1], [30.0, 30.0, 5.0], 5.0)
    """
    if population is not None:
        return _count_in_population(keys, population)
    labels = classes(keys)
    sample = np.bincount(labels)[labels]
    if weights is None:
        return KeyFrequencies(sample, sample.astype(np.float64))
    if len(weights) != len(keys) or not (weights > 0).all():
        raise InputError(
            "Each record needs a weight above 0.", code="weights-unusable", column="weights"
        )
    return KeyFrequencies(sample, np.asarray(np.bincount(labels, weights)[labels], np.float64))


def _count_in_population(keys: AnyValues, population: AnyValues) -> KeyFrequencies:
    """Return the frequencies of keys, counted in a population; refuse keys that do not occur."""
    labels = classes(np.concatenate([keys, population]))
    sample_labels, population_labels = np.split(labels, [len(keys)])
    counts = np.bincount(population_labels, minlength=labels.max() + 1)[sample_labels]
    n_absent = int((counts == 0).sum())
    if n_absent:
        raise InputError(
            f"The keys of {count(n_absent, 'record')} of the sample do not occur in the population."
            " Use the same categories in both.",
            code="not-in-population",
            count=n_absent,
        )
    return KeyFrequencies(np.bincount(sample_labels)[sample_labels], counts.astype(np.float64))


def individual_risk(sample: Labels, population: Values) -> Values:
    r"""Estimate the probability that each record is re-identified [BF98]_ [FP04]_.

    If f records of the sample have a key, the number F of units of the population with that key is
    assumed to be negative binomial with success probability :math:`p = f / \hat F`, where
    :math:`\hat F` is the sum of their weights. The risk is the mean of 1/F:

    .. math:: r = \sum_{h \ge f} \frac{1}{h} \binom{h-1}{f-1} p^f (1-p)^{h-f}
              = p \int_0^1 \frac{u^{f-1}}{p + (1 - p) u}\,du.

    For f = 1, this is :math:`\frac{p}{1-p} \log \frac{1}{p}`. The values for larger f follow from
    :math:`r_{f+1} = \frac{p}{1-p} (\frac{1}{f} - r_f)`, or from a series if this recursion is not
    stable; both are exact, unlike the usual approximations for large f.

    Parameters
    ----------
    sample : ndarray of shape (n_records,)
        Number f of records with the same key in the sample.
    population : ndarray of shape (n_records,)
        Estimated number of units with the same key in the population.

    Returns
    -------
    ndarray of shape (n_records,)
        In (0, 1]. The risk is close to 0 if the key is frequent in the population, 1/f in a census,
        and 1 for a sample unique that represents only itself.

    References
    ----------
    .. [BF98] Benedetti, R. and Franconi, L. (1998). Statistical and technological solutions for
       controlled data dissemination. New Techniques and Technologies for Statistics 1, 225-232.
    .. [FP04] Franconi, L. and Polettini, S. (2004). Individual risk estimation in mu-Argus: a
       review. Privacy in Statistical Databases, LNCS 3050, 262-272.

    Examples
    --------
    >>> individual_risk(np.array([1, 2]), np.array([215.0, 360.0])).round(4)
    array([0.0251, 0.0054])
    """
    pairs, pair_of_record = np.unique(
        np.column_stack([sample, population]), axis=0, return_inverse=True
    )
    f, p = pairs[:, 0], np.minimum(1.0, pairs[:, 0] / pairs[:, 1])
    is_recursive = (p < 0.5) & (f <= MAX_RECURSIVE_FREQUENCY)
    risk = np.empty(len(f))
    risk[is_recursive] = _risk_by_recursion(f[is_recursive], p[is_recursive])
    risk[~is_recursive] = _risk_by_series(f[~is_recursive], p[~is_recursive])
    return np.asarray(risk[pair_of_record.ravel()])


def _risk_by_recursion(f: Values, p: Values) -> Values:
    """Return the risk, computed from the risk of smaller f; errors shrink if p is below 1/2."""
    odds = p / (1 - p)
    risk = odds * -np.log(p)
    for size in range(1, int(f.max(initial=1))):
        risk = np.where(f > size, odds * (1 / size - risk), risk)
    return risk


def _risk_by_series(f: Values, p: Values) -> Values:
    """Return the risk as p times the sum over j of (1-p)^j B(f, j+1), whose terms are positive."""
    term = 1 / f
    total = np.zeros(len(f))
    j = 0
    while len(f) and (term > PRECISION * total).any():
        total += term
        term = term * (1 - p) * (j + 1) / (f + j + 1)
        j += 1
    return np.asarray(p * total)


def household_risk(risk: Values, households: Labels) -> Values:
    """Return the probability that at least one member of each record's household is re-identified.

    Parameters
    ----------
    risk : ndarray of shape (n_records,)
        Individual risk of each record.
    households : ndarray of shape (n_records,)
        Household of each record, as an integer from 0.

    Returns
    -------
    ndarray of shape (n_records,)
        1 minus the product of (1 - risk) over the members, in [0, 1]. All members of a household
        have the same value.

    Examples
    --------
    >>> household_risk(np.array([0.5, 0.5, 0.1]), np.array([0, 0, 1])).round(3)
    array([0.75, 0.75, 0.1 ])
    """
    with np.errstate(divide="ignore"):
        log_unidentified = np.bincount(households, np.log1p(-risk))
    return np.asarray(-np.expm1(log_unidentified))[households]
