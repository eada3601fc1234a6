"""Linear and logistic regression with standard errors."""

from dataclasses import dataclass

import numpy as np

from shoal.metrics._base import Labels, Matrix, Values
from shoal.metrics.attacks.result import NORMAL_QUANTILE

COLLINEAR = 1e-8  # of the length of a column: what is left of it after the columns before
STEPS = 50
CONVERGED = 1e-10


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients of a model, NaN where one cannot be estimated.

    Parameters
    ----------
    coefficients : ndarray of shape (n_terms,)
        Estimates.
    errors : ndarray of shape (n_terms,)
        Standard errors.
    low : ndarray of shape (n_terms,)
        Lower ends of the 95 % confidence intervals.
    high : ndarray of shape (n_terms,)
        Upper ends.
    """

    coefficients: Values
    errors: Values
    low: Values
    high: Values


def fit(y: Values, X: Matrix, weights: Values | None, *, is_binary: bool) -> Fit | str:
    """Return a fitted model, or why there is none.

    Without weights, standard errors are the usual ones of maximum likelihood or least squares.
    With weights, they are robust (sandwich with the factor n / (n - p)), since survey weights
    are not inverse variances. Terms that are linear combinations of earlier ones are left out.
    """
    independent = independent_terms(X)
    n, p = len(X), len(independent)
    if n <= p:
        return f"{n} complete records are too few for {p} coefficients."
    lengths = np.abs(X[:, independent]).max(axis=0)
    Z = X[:, independent] / lengths
    w = np.ones(n) if weights is None else weights * n / weights.sum()
    if is_binary:
        solution = _logit(y, Z, w)
        if solution is None:
            return "the logistic model does not converge: the classes can be separated."
        b, information, residuals = solution
        quantile = NORMAL_QUANTILE
    else:
        root = np.sqrt(w)[:, np.newaxis]
        b = np.linalg.lstsq(Z * root, y * root[:, 0], rcond=None)[0]
        residuals, information = y - Z @ b, (Z * root).T @ (Z * root)
        quantile = _t_quantile(n - p)
    inverse = np.linalg.inv(information)
    if weights is not None:
        meat = (Z * (w * residuals)[:, np.newaxis]).T @ (Z * (w * residuals)[:, np.newaxis])
        covariance = inverse @ meat @ inverse * n / (n - p)
    else:
        covariance = inverse if is_binary else inverse * (residuals**2).sum() / (n - p)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return _spread(b / lengths, errors / lengths, independent, X.shape[1], quantile)


def independent_terms(X: Matrix) -> Labels:
    """Return the columns that are not a linear combination of the columns before.

    Examples
    --------
    >>> independent_terms(np.array([[1.0, 2.0, 0.0, 1.0], [1.0, 2.0, 0.0, 2.0]])).tolist()
    [0, 3]
    """
    lengths = np.sqrt((X**2).sum(axis=0))
    terms = np.flatnonzero(lengths > 0)
    while len(terms):
        residual_lengths = np.abs(np.diag(np.linalg.qr(X[:, terms] / lengths[terms], mode="r")))
        dependent = np.flatnonzero(residual_lengths < COLLINEAR)
        if not len(dependent):
            break
        terms = np.delete(terms, dependent[0])  # what comes after is judged without it
    return terms[: len(X)]


def _logit(y: Values, X: Matrix, weights: Values) -> tuple[Values, Matrix, Values] | None:
    """Return coefficients, information and residuals by Newton's method; None if it diverges."""
    b = np.zeros(X.shape[1])
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-np.clip(X @ b, -500, 500)))
        spread = weights * chances * (1 - chances)
        information = (X * spread[:, np.newaxis]).T @ X
        residuals = y - chances
        try:
            step = np.linalg.solve(information, X.T @ (weights * residuals))
        except np.linalg.LinAlgError:
            return None
        if np.abs(step).max() < CONVERGED * (1 + np.abs(b).max()):
            return b, information, residuals
        b = b + step
        if not np.isfinite(b).all():
            return None
    return None


def _t_quantile(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


def _spread(b: Values, errors: Values, terms: Labels, p: int, quantile: float) -> Fit:
    full = [np.full(p, np.nan) for _ in range(4)]
    parts = (b, errors, b - quantile * errors, b + quantile * errors)
    for target, values in zip(full, parts, strict=True):
        target[terms] = values
    return Fit(*full)
