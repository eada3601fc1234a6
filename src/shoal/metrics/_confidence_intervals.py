"""Confidence intervals at 95 %."""

from math import sqrt

NORMAL_QUANTILE = 1.959963984540054  # of 97.5 %


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """Return the Wilson score interval of a success rate, at 95 % [W27]_.

    Unlike the usual normal interval it lies within [0, 1] and is not empty at 0 and 1. Where a
    trial succeeds with a known chance, as with several equally near records, the sum of the
    chances takes the place of the number of successes; the interval is then too wide rather than
    too narrow.

    Parameters
    ----------
    successes : float
        Number of successes, or sum of their chances.
    trials : int
        Number of trials; with none, the interval is [0, 1].

    Returns
    -------
    low, high : float
        Both ends, in [0, 1].

    References
    ----------
    .. [W27] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical
       inference. Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> low, high = wilson_interval(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if trials == 0:
        return 0.0, 1.0
    rate, square = successes / trials, NORMAL_QUANTILE**2
    centre = (rate + square / (2 * trials)) / (1 + square / trials)
    spread = sqrt(rate * (1 - rate) / trials + square / (4 * trials**2))
    half = NORMAL_QUANTILE * spread / (1 + square / trials)
    return max(0.0, min(rate, centre - half)), min(1.0, max(rate, centre + half))
