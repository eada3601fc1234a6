"""Population uniqueness: how many units of the population are unique, estimated from a sample."""

from dataclasses import dataclass
from math import exp, lgamma, log

import numpy as np

from shoal.errors import InputError
from shoal.metrics._array_types import Labels, Values

MAX_ITERATIONS = 500
CONVERGENCE_TOLERANCE = 1e-10  # relative size of a Newton step at which the iterations end
SMALL_FRACTION = 0.1  # up to this sampling fraction, the Pitman model is preferred
GRID_SIZE = 2000  # values of p between which the shifted negative binomial model is bracketed


@dataclass(frozen=True)
class PopulationUniqueness:
    """Estimated shares of the population that are unique, or NaN if a model does not apply.

    Parameters
    ----------
    zayatz : float
        Estimate of Zayatz.
    pitman : float
        Estimate of the Pitman model.
    snb : float
        Estimate of the shifted negative binomial (slide negative binomial) model.
    chosen : str
        Name of the estimate that the rule of Dankar et al. selects.
    """

    zayatz: float
    pitman: float
    snb: float
    chosen: str

    @property
    def estimate(self) -> float:
        """The estimate of the chosen model."""
        return float(getattr(self, self.chosen))


def population_uniqueness(class_sizes: Labels, sampling_fraction: float) -> PopulationUniqueness:
    """Estimate the share of the population that is unique on the quasi-identifiers [DEN12]_.

    The rule of Dankar et al. chooses the Pitman model for samples of up to a tenth of the
    population. For larger samples, it chooses the smaller estimate of the method of Zayatz and the
    shifted negative binomial model. If a model cannot be fitted, the estimate of Zayatz is used.

    Parameters
    ----------
    class_sizes : ndarray of shape (n_classes,)
        Number of records of each class of the sample.
    sampling_fraction : float
        Share of the population that is in the sample, in (0, 1).

    Returns
    -------
    PopulationUniqueness
        All estimates, in [0, 1], and which one is chosen. 0 means that no unit is unique, which is
        assumed if no record of the sample is; 1 means that every unit is unique.

    References
    ----------
    .. [DEN12] Dankar, F. K., El Emam, K., Neisa, A. and Roffey, T. (2012). Estimating the
       re-identification risk of clinical data sets. BMC Medical Informatics and Decision Making
       12, 66.

    Examples
    --------
    >>> result = population_uniqueness(np.repeat([1, 2, 3], [60, 20, 10]), 0.2)
    >>> result.chosen, round(result.zayatz, 3)
    ('snb', 0.249)
    """
    if not 0 < sampling_fraction < 1:
        raise InputError(
            f"`sampling_fraction` must be above 0 and below 1. Got {sampling_fraction!r} instead.",
            code="sampling-fraction-not-accepted",
        )
    size_counts = np.bincount(class_sizes)  # number of classes of each size
    if len(size_counts) < 2 or size_counts[1] == 0:
        return PopulationUniqueness(0.0, 0.0, 0.0, "zayatz")
    zayatz = _zayatz(size_counts, sampling_fraction)
    pitman = _pitman(size_counts, sampling_fraction)
    snb = _shifted_negative_binomial(size_counts, sampling_fraction)
    if sampling_fraction <= SMALL_FRACTION and not np.isnan(pitman):
        chosen = "pitman"
    elif sampling_fraction > SMALL_FRACTION and snb < zayatz:  # False if it is NaN
        chosen = "snb"
    else:
        chosen = "zayatz"
    return PopulationUniqueness(zayatz, pitman, snb, chosen)


def _zayatz(size_counts: Labels, fraction: float) -> float:
    """Return the share of uniques if class sizes in the population are those of the sample.

    A class of size j contributes a sample unique with a hypergeometric probability; Bayes' rule
    gives the probability that a sample unique comes from a class of size 1.
    """
    n = int(np.arange(len(size_counts)) @ size_counts)
    population_size = max(n + 1, round(n / fraction))
    sizes = np.flatnonzero(size_counts)
    probabilities = np.array(
        [_probability_of_exactly_one(int(size), n, population_size) for size in sizes]
    )
    weights = size_counts[sizes] * probabilities
    is_population_unique = float(weights[0] / weights.sum())  # probability, for a sample unique
    return min(1.0, is_population_unique * float(size_counts[1]) / n)


def _probability_of_exactly_one(size: int, n: int, population_size: int) -> float:
    """Return the probability that a sample has exactly one of ``size`` units of the population."""
    if population_size - size < n - 1:
        return 0.0

    def log_choose(a: int, b: int) -> float:
        return lgamma(a + 1) - lgamma(b + 1) - lgamma(a - b + 1)

    log_ways = log_choose(population_size - size, n - 1) - log_choose(population_size, n)
    return exp(log(size) + log_ways)


def _pitman(size_counts: Labels, fraction: float) -> float:
    """Return the share of uniques by the Pitman sampling formula, or NaN if it cannot be fitted."""
    n = int(np.arange(len(size_counts)) @ size_counts)
    n_classes = int(size_counts.sum())
    has_larger_classes = len(size_counts) > 2 and n_classes < n
    parameters = _fit_pitman(size_counts, n, n_classes) if has_larger_classes else None
    if parameters is None:
        return float("nan")
    theta, alpha = parameters
    population_size = n / fraction
    estimate = exp(lgamma(theta + 1) - lgamma(theta + alpha) + alpha * log(population_size))
    return min(1.0, estimate / population_size)


def _fit_pitman(size_counts: Labels, n: int, n_classes: int) -> tuple[float, float] | None:
    """Return theta and alpha of maximum likelihood, or None if the search fails.

    The search starts from estimates by moments. If it fails from there, alpha may be 0.
    """
    uniques, pairs = int(size_counts[1]), int(size_counts[2])
    if pairs > 0:
        ratio = uniques * (uniques - 1) / pairs
        denominator = 2 * uniques * n_classes + uniques * ratio - n * ratio
        if denominator != 0:
            numerator = n * n_classes * ratio - uniques * (n - 1) * (2 * n_classes + ratio)
            theta = numerator / denominator
            alpha = (theta * (uniques - n) + (n - 1) * uniques) / (n * n_classes)
            parameters = _maximise_likelihood(theta, alpha, size_counts, n, n_classes)
            if parameters is not None:
                return parameters
    theta = _fit_ewens(n, n_classes)
    i = np.arange(1.0, n_classes)
    n_larger = np.cumsum(size_counts[::-1])[::-1][2:]  # classes of more than 1, 2, ... records
    if (i / theta).sum() <= (n_larger / np.arange(1.0, len(n_larger) + 1)).sum():
        return theta, 0.0  # the likelihood decreases with alpha
    return _maximise_likelihood(theta, 0.1, size_counts, n, n_classes)


def _fit_ewens(n: int, n_classes: int) -> float:
    """Return the theta for which ``n`` records are expected to form ``n_classes`` classes."""
    low, high = 1e-6, 1e12
    i = np.arange(n)
    for _ in range(100):
        theta = (low * high) ** 0.5
        low, high = (theta, high) if (theta / (theta + i)).sum() < n_classes else (low, theta)
    return float(theta)


def _maximise_likelihood(
    theta: float, alpha: float, size_counts: Labels, n: int, n_classes: int
) -> tuple[float, float] | None:
    """Return theta and alpha of maximum likelihood by Newton's method, or None if it fails."""
    i, m = np.arange(1.0, n_classes), np.arange(1.0, n)
    class_sizes = np.flatnonzero(size_counts)
    class_sizes = class_sizes[class_sizes > 1]
    j = np.arange(1.0, class_sizes.max())
    n_larger = np.cumsum(size_counts[::-1])[::-1][2 : len(j) + 2]  # classes of more than j records
    for _ in range(MAX_ITERATIONS):
        if not (0 <= alpha < 1 and theta > -alpha):
            return None
        terms = theta + i * alpha
        gradient = np.array(
            [
                (1 / terms).sum() - (1 / (theta + m)).sum(),
                (i / terms).sum() - (n_larger / (j - alpha)).sum(),
            ]
        )
        mixed_derivative = -(i / terms**2).sum()
        hessian = np.array(
            [
                [-(1 / terms**2).sum() + (1 / (theta + m) ** 2).sum(), mixed_derivative],
                [mixed_derivative, -((i / terms) ** 2).sum() - (n_larger / (j - alpha) ** 2).sum()],
            ]
        )
        try:
            newton_step = np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:
            return None
        theta, alpha = theta - newton_step[0], alpha - newton_step[1]
        if np.abs(newton_step).max() < CONVERGENCE_TOLERANCE * max(1.0, abs(theta)):
            return (float(theta), float(alpha)) if 0 <= alpha < 1 and theta > -alpha else None
    return None


def _shifted_negative_binomial(size_counts: Labels, fraction: float) -> float:
    """Return the share of uniques if class sizes are 1 plus a negative binomial number.

    The parameters p and r are chosen so that a sample of the population is expected to have as many
    classes and as many uniques as the given sample. The result is NaN if there are no such p and r.
    """
    n = int(np.arange(len(size_counts)) @ size_counts)
    n_classes, uniques = float(size_counts.sum()), float(size_counts[1])
    population_size = n / fraction
    # For each p, r is fitted to the number of classes; then p is fitted to the number of uniques.
    p_grid = np.linspace(1e-4, 1 - 1e-4, GRID_SIZE)
    r_grid = np.array([_fit_r(p, n_classes, population_size, fraction) for p in p_grid])
    differences = _expected_uniques(p_grid, r_grid, population_size, fraction) - uniques
    is_number = ~np.isnan(differences)
    intervals = np.flatnonzero(is_number[:-1] & is_number[1:])
    crossings = intervals[differences[intervals] * differences[intervals + 1] <= 0]
    if not len(crossings):
        return float("nan")
    first = crossings[0]
    low, high = float(p_grid[first]), float(p_grid[first + 1])
    for _ in range(60):
        middle = (low + high) / 2
        r_middle = _fit_r(middle, n_classes, population_size, fraction)
        if np.isnan(r_middle):
            return float("nan")
        difference = float(_expected_uniques(middle, r_middle, population_size, fraction)) - uniques
        low, high = (middle, high) if difference * differences[first] > 0 else (low, middle)
    r = _fit_r(low, n_classes, population_size, fraction)
    population_classes = population_size / (1 + r * (1 - low) / low)
    return min(1.0, float(population_classes * low**r / population_size))


def _expected_classes(p: float, r: float, population_size: float, fraction: float) -> float:
    """Return the expected number of classes in the sample."""
    population_classes = population_size / (1 + r * (1 - p) / p)
    unsampled_share = (1 - fraction) * (p / (1 - (1 - p) * (1 - fraction))) ** r
    return float(population_classes * (1 - unsampled_share))


def _fit_r(p: float, n_classes: float, population_size: float, fraction: float) -> float:
    """Return the r for which the sample is expected to have ``n_classes``, or NaN if there is none.

    The expected number decreases with r. For r = 0, it is the number of sampled units, each of
    which is a class of its own.
    """
    low, high = 0.0, 1.0
    if _expected_classes(p, low, population_size, fraction) < n_classes:
        return float("nan")
    while _expected_classes(p, high, population_size, fraction) > n_classes:
        high *= 2
        if high > 1e9:
            return float("nan")
    for _ in range(80):
        middle = (low + high) / 2
        if _expected_classes(p, middle, population_size, fraction) > n_classes:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _expected_uniques(
    p: Values | float, r: Values | float, population_size: float, fraction: float
) -> Values:
    """Return the expected number of uniques in the sample.

    This is the derivative, at 0, of the probability generating function of the sampled class sizes.
    """
    p, r = np.asarray(p), np.asarray(r)
    q, unsampled = 1 - p, 1 - fraction
    population_classes = population_size / (1 + r * q / p)
    base = (p / (1 - q * unsampled)) ** r
    factor = 1 + unsampled * r * q / (1 - q * unsampled)
    return np.asarray(population_classes * fraction * base * factor)
