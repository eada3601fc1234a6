"""Risk of sample uniques by Poisson log-linear models of the table of quasi-identifiers."""

from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError, ParameterError
from shoal.metrics._array_types import AnyValues, Labels, Values
from shoal.metrics._ranks import dense_ranks
from shoal.metrics.equivalence_classes import classes

Model = Literal["main", "two-way"]
MAX_CELLS = 20_000_000  # cells of the table of all combinations of categories
MAX_ITERATIONS = 500
CONVERGENCE_TOLERANCE = 1e-8  # change of a margin, as a share of the total, to end the iterations


@dataclass(frozen=True, eq=False)
class LogLinearRisk:
    """Risk of the sample uniques of a table.

    Parameters
    ----------
    records : ndarray of shape (n_uniques,)
        Positions of the sample uniques.
    unique : ndarray of shape (n_uniques,)
        Estimated probability that each sample unique is unique in the population.
    match : ndarray of shape (n_uniques,)
        Estimated probability that a match with each sample unique is correct, the mean of 1/F.
    """

    records: Labels
    unique: Values
    match: Values

    @property
    def population_uniques(self) -> float:
        """Expected number of sample uniques that are population uniques."""
        return float(self.unique.sum())

    @property
    def correct_matches(self) -> float:
        """Expected number of correct matches among the sample uniques."""
        return float(self.match.sum())


def log_linear_risk(
    keys: AnyValues, sampling_fraction: float, model: Model = "main"
) -> LogLinearRisk:
    r"""Estimate the risk of sample uniques by a log-linear model [SE06]_ [SS08]_.

    The population frequency F of a key is assumed to be Poisson with mean :math:`\lambda`, and a
    share :math:`\pi` of the population is sampled. The model fits the sample frequency
    :math:`\pi \lambda` of each key. With :math:`\mu = \lambda (1 - \pi)`, a sample unique, whose
    sample frequency f is 1, has

    .. math:: P(F = 1 \mid f = 1) = e^{-\mu}, \qquad E(1/F \mid f = 1) = (1 - e^{-\mu}) / \mu.

    In the model with only main effects, columns are independent; this model usually overstates the
    risk. The model with all two-way interactions is fitted by iterative proportional fitting.

    Parameters
    ----------
    keys : ndarray of shape (n_records, n_columns)
        Quasi-identifiers, or codes for their values.
    sampling_fraction : float
        Share of the population that is in the sample, in (0, 1).
    model : {"main", "two-way"}, default="main"
        Whether the model has only main effects, or also two-way interactions.

    Returns
    -------
    LogLinearRisk
        Both probabilities of each sample unique, in [0, 1], and their sums.

    References
    ----------
    .. [SE06] Elamir, E. A. H. and Skinner, C. J. (2006). Record level measures of disclosure risk
       for survey microdata. Journal of Official Statistics 22, 525-539.
    .. [SS08] Skinner, C. J. and Shlomo, N. (2008). Assessing identification risk in survey
       microdata using log-linear models. Journal of the American Statistical Association 103,
       989-1001.

    Examples
    --------
    >>> result = log_linear_risk(np.array([[0, 0], [0, 0], [0, 1], [1, 0]]), 0.5)
    >>> result.records.tolist(), round(result.population_uniques, 3)
    ([2, 3], 0.945)
    """
    if not 0 < sampling_fraction < 1:
        raise ParameterError(
            f"`sampling_fraction` must be above 0 and below 1. Got {sampling_fraction!r} instead.",
            code="parameter-not-accepted",
            parameter="sampling_fraction",
        )
    codes = np.column_stack([dense_ranks(column) for column in keys.T])
    labels = classes(codes)
    records = np.flatnonzero(np.bincount(labels)[labels] == 1)
    cells = codes[records]
    fitted = _fit_independent(codes, cells) if model == "main" else _fit_two_way(codes, cells)
    mean = fitted / sampling_fraction * (1 - sampling_fraction)
    with np.errstate(divide="ignore", invalid="ignore"):
        match = np.where(mean > 0, -np.expm1(-mean) / mean, 1.0)
    return LogLinearRisk(records, np.exp(-mean), match)


def _fit_independent(codes: Labels, cells: Labels) -> Values:
    """Return the fitted frequencies of ``cells``, rows of codes, if the columns are independent."""
    n = len(codes)
    fitted = np.full(len(cells), float(n))
    for column, cell in zip(codes.T, cells.T, strict=True):
        fitted *= np.bincount(column)[cell] / n
    return fitted


def _fit_two_way(codes: Labels, cells: Labels) -> Values:
    """Return the fitted frequencies of ``cells``, rows of codes, with all two-way interactions."""
    shape = tuple(int(column.max()) + 1 for column in codes.T)
    if prod(shape) > MAX_CELLS:
        raise InputError(
            f"The quasi-identifiers have {prod(shape):,} combinations, but a model with two-way"
            f" interactions can have at most {MAX_CELLS:,}. Use main effects, or fewer categories.",
            code="too-many-cells",
            cells=prod(shape),
        )
    observed = np.zeros(shape)
    np.add.at(observed, tuple(codes.T), 1.0)
    fitted = iterative_proportional_fitting(observed)
    return np.asarray(fitted[tuple(cells.T)])


def iterative_proportional_fitting(observed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the table with all two-way margins of ``observed`` and no further interactions.

    Parameters
    ----------
    observed : ndarray
        Frequencies, with an axis for each column; at least one axis.

    Returns
    -------
    ndarray
        The maximum likelihood estimate of the Poisson log-linear model with all two-way
        interactions. If there are only two axes, this is ``observed`` itself.

    Examples
    --------
    >>> iterative_proportional_fitting(np.array([[3.0, 1.0], [0.0, 2.0]])).round(6)
    array([[3., 1.],
           [0., 2.]])
    """
    axes = range(observed.ndim)
    pairs = list(combinations(axes, min(2, observed.ndim)))
    summed_axes_of_pairs = [tuple(axis for axis in axes if axis not in pair) for pair in pairs]
    margins = [
        observed.sum(axis=summed_axes, keepdims=True) for summed_axes in summed_axes_of_pairs
    ]
    fitted = np.full(observed.shape, observed.sum() / observed.size)
    for _ in range(MAX_ITERATIONS):
        change = 0.0
        for summed_axes, margin in zip(summed_axes_of_pairs, margins, strict=True):
            current = fitted.sum(axis=summed_axes, keepdims=True)
            change = max(change, float(np.abs(current - margin).max()))
            fitted = fitted * (margin / np.where(current > 0, current, 1.0))
        if change < CONVERGENCE_TOLERANCE * max(1.0, observed.sum()):
            break
    return fitted
