"""Weighted means, quantiles and Gini coefficients."""

import numpy as np
from numpy.typing import ArrayLike

from shoal.metrics._array_types import Values


def weighted_mean(values: Values, weights: Values) -> float:
    """Return the weighted mean.

    Examples
    --------
    >>> weighted_mean(np.array([1.0, 4.0]), np.array([2.0, 1.0]))
    2.0
    """
    return float((values * weights).sum() / weights.sum())


def weighted_deviation(values: Values, weights: Values) -> float:
    """Return the weighted standard deviation of a population.

    Examples
    --------
    >>> weighted_deviation(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    1.0
    """
    squares = (values - weighted_mean(values, weights)) ** 2
    return float(np.sqrt(weighted_mean(squares, weights)))


def weighted_quantiles(values: Values, weights: Values, shares: ArrayLike) -> Values:
    """Return quantiles: the smallest value at which the cumulative weight reaches each share.

    If the cumulative weight is exactly equal to the share there, the quantile is the mean of this
    value and the next, like the median of an even number of records.

    Examples
    --------
    >>> weighted_quantiles(np.array([10.0, 20.0, 30.0]), np.array([1.0, 1.0, 2.0]), [0.25, 0.5])
    array([15., 25.])
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    cumulative = np.cumsum(weights[order])
    target_weights = np.asarray(shares, np.float64) * cumulative[-1]
    tolerance = 1e-12 * cumulative[-1]  # sums of weights are rounded
    lower = np.minimum(np.searchsorted(cumulative, target_weights - tolerance), len(values) - 1)
    upper = np.minimum(np.searchsorted(cumulative, target_weights + tolerance), len(values) - 1)
    return np.asarray((ordered[lower] + ordered[upper]) / 2)


def gini(values: Values, weights: Values) -> float:
    r"""Return the Gini coefficient of values that are not negative, which is 0 if all are equal.

    If the values are in ascending order, record :math:`i` has the share :math:`p_i` of the weights,
    and the first :math:`i` records have the share :math:`L_i` of the total, the coefficient is
    :math:`1 - \sum_i p_i (L_i + L_{i-1})`.

    Examples
    --------
    >>> gini(np.array([1.0, 1.0]), np.ones(2)), gini(np.array([0.0, 1.0]), np.ones(2))
    (0.0, 0.5)
    """
    order = np.argsort(values, kind="stable")
    shares = weights[order] / weights.sum()
    contributions = values[order] * shares
    if contributions.sum() == 0:
        return 0.0
    lorenz = np.concatenate([[0.0], np.cumsum(contributions) / contributions.sum()])
    return float(1 - (shares * (lorenz[1:] + lorenz[:-1])).sum())
