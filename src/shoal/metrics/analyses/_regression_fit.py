"""Linear and logistic regression with standard errors."""

from dataclasses import dataclass

import numpy as np

from shoal.metrics._array_types import Codes, Matrix, Values
from shoal.metrics._confidence_intervals import NORMAL_QUANTILE

# A column is a linear combination of earlier columns if the part of it that they do not explain is
# shorter than this share of its length.
COLLINEARITY_TOLERANCE = 1e-8
MAX_ITERATIONS = 50
CONVERGENCE_TOLERANCE = 1e-10  # relative change of the coefficients at which the iterations end


@dataclass(frozen=True, eq=False)
class RegressionFit:
    """Coefficients of a model, with NaN for coefficients that cannot be estimated.

    Parameters
    ----------
    coefficients : ndarray of shape (n_terms,)
        Estimated coefficients.
    standard_errors : ndarray of shape (n_terms,)
        Standard errors of the estimates.
    low : ndarray of shape (n_terms,)
        Lower ends of the 95 % confidence intervals.
    high : ndarray of shape (n_terms,)
        Upper ends of the 95 % confidence intervals.
    """

    coefficients: Values
    standard_errors: Values
    low: Values
    high: Values


def fit_regression(
    y: Values, X: Matrix, weights: Values | None, *, is_binary: bool
) -> RegressionFit | str:
    """Fit a logistic regression if ``y`` is binary, otherwise a linear one; or return why not.

    Without weights, standard errors are the usual ones of maximum likelihood or least squares. With
    weights, they come from the sandwich estimator with the factor n / (n - p), since survey weights
    are not inverse variances. Terms that are linear combinations of earlier terms are left out.
    """
    independent = independent_terms(X)
    n, p = len(X), len(independent)
    if n <= p:
        return f"{n} complete records are too few for {p} coefficients."
    scales = np.abs(X[:, independent]).max(axis=0)
    Z = X[:, independent] / scales
    w = np.ones(n) if weights is None else weights * n / weights.sum()
    if is_binary:
        solution = _fit_logistic(y, Z, w)
        if solution is None:
            return "the logistic model does not converge: the classes can be separated."
        coefficients, information, residuals = solution
        quantile = NORMAL_QUANTILE
    else:
        sqrt_weights = np.sqrt(w)[:, np.newaxis]
        coefficients = np.linalg.lstsq(Z * sqrt_weights, y * sqrt_weights[:, 0], rcond=None)[0]
        residuals = y - Z @ coefficients
        information = (Z * sqrt_weights).T @ (Z * sqrt_weights)
        quantile = _t_quantile(n - p)
    covariance = np.linalg.inv(information)
    if weights is not None:
        scores = Z * (w * residuals)[:, np.newaxis]
        covariance = covariance @ (scores.T @ scores) @ covariance * n / (n - p)
    elif not is_binary:
        covariance = covariance * (residuals**2).sum() / (n - p)
    standard_errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return _fit_of_all_terms(
        coefficients / scales, standard_errors / scales, quantile, independent, X.shape[1]
    )


def independent_terms(X: Matrix) -> Codes:
    """Return the positions of the columns that are not linear combinations of earlier columns.

    Examples
    --------
    >>> independent_terms(np.array([[1.0, 2.0, 0.0, 1.0], [1.0, 2.0, 0.0, 2.0]])).tolist()
    [0, 3]
    """
    norms = np.sqrt((X**2).sum(axis=0))
    terms = np.flatnonzero(norms > 0)
    while len(terms):
        residual_norms = np.abs(np.diag(np.linalg.qr(X[:, terms] / norms[terms], mode="r")))
        dependent = np.flatnonzero(residual_norms < COLLINEARITY_TOLERANCE)
        if not len(dependent):
            break
        terms = np.delete(terms, dependent[0])  # later columns are judged without it
    return terms[: len(X)]


def _fit_logistic(y: Values, X: Matrix, weights: Values) -> tuple[Values, Matrix, Values] | None:
    """Return coefficients, information and residuals by Newton's method, or None if it fails."""
    coefficients = np.zeros(X.shape[1])
    for _ in range(MAX_ITERATIONS):
        probabilities = 1 / (1 + np.exp(-np.clip(X @ coefficients, -500, 500)))
        variances = weights * probabilities * (1 - probabilities)
        information = (X * variances[:, np.newaxis]).T @ X
        residuals = y - probabilities
        try:
            step = np.linalg.solve(information, X.T @ (weights * residuals))
        except np.linalg.LinAlgError:
            return None
        if np.abs(step).max() < CONVERGENCE_TOLERANCE * (1 + np.abs(coefficients).max()):
            return coefficients, information, residuals
        coefficients = coefficients + step
        if not np.isfinite(coefficients).all():
            return None
    return None


def _t_quantile(degrees_of_freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, 0.975))


def _fit_of_all_terms(
    coefficients: Values, standard_errors: Values, quantile: float, terms: Codes, n_terms: int
) -> RegressionFit:
    """Return the estimates of ``terms`` among all ``n_terms`` terms, with NaN for the others."""
    margins = quantile * standard_errors
    fit = RegressionFit(*np.full((4, n_terms), np.nan))
    fit.coefficients[terms] = coefficients
    fit.standard_errors[terms] = standard_errors
    fit.low[terms] = coefficients - margins
    fit.high[terms] = coefficients + margins
    return fit
