"""Confidence intervals at 95 %."""

from math import sqrt

NORMAL_QUANTILE = 1.959963984540054  # the 97.5 % quantile of the standard normal distribution


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """Return the Wilson score interval of a success rate, at 95 % [W27]_.

    Unlike the usual normal interval, it lies within [0, 1] and has a positive width for rates of 0
    and 1. If trials succeed with known chances, as when several records are equally near, the
    number of successes is replaced by the sum of the chances; the interval is then too wide rather
    than too narrow.

    Parameters
    ----------
    successes : float
        Number of successes, or sum of their chances.
    trials : int
        Number of trials; without trials, the interval is [0, 1].

    Returns
    -------
    low, high : float
        Both ends of the interval, in [0, 1].

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
    rate = successes / trials
    square = NORMAL_QUANTILE**2
    centre = (rate + square / (2 * trials)) / (1 + square / trials)
    spread = sqrt(rate * (1 - rate) / trials + square / (4 * trials**2))
    half = NORMAL_QUANTILE * spread / (1 + square / trials)
    return max(0.0, min(rate, centre - half)), min(1.0, max(rate, centre + half))
