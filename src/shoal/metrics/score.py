"""The classical score that combines information loss and disclosure risk."""

from typing import NamedTuple

import numpy as np

from shoal.metrics._array_types import Matrix
from shoal.metrics.risk.interval import interval_disclosure
from shoal.metrics.risk.linkage import linkage


class Score(NamedTuple):
    """A score and its two components, all in per cent."""

    score: float
    information_loss: float
    disclosure_risk: float


def sdc_score(original: Matrix, masked: Matrix) -> Score:
    """Mean of information loss and disclosure risk, the classical score of [DT01]_.

    Information loss is the mean of five differences between the tables, each at most 100 per cent:
    the differences of values, divided by the standard deviation times the square root of two; of
    means, variances and covariances, relative to the original ones; and of correlations. A mean,
    variance or covariance of 0 in the original is left out. Disclosure risk is the mean of
    distance-based linkage and interval disclosure; unlike in [DT01]_, probabilistic linkage is not
    computed.

    Parameters
    ----------
    original : ndarray of shape (n_records, n_columns)
        Original values of the masked columns.
    masked : ndarray of shape (n_records, n_columns)
        Their masked values, in the same order of records.

    Returns
    -------
    Score
        The score and its components, in [0, 100] per cent; lower is better. 0 means no loss and no
        risk. The original itself scores 50: nothing is lost and everything is disclosed.

    References
    ----------
    .. [DT01] Domingo-Ferrer, J. and Torra, V. (2001). A quantitative comparison of
       disclosure control methods for microdata. Confidentiality, Disclosure and Data
       Access, 111-134. North-Holland.

    Examples
    --------
    >>> table = np.array([[1.0, 4.0], [2.0, 9.0], [3.0, 5.0]])
    >>> sdc_score(table, table)
    Score(score=50.0, information_loss=0.0, disclosure_risk=100.0)
    """
    scale = original.std(axis=0) * np.sqrt(2)
    value_changes = np.abs(original - masked) / np.where(scale > 0, scale, 1.0)
    original_covariances, masked_covariances = (
        np.cov(table, rowvar=False, ddof=0).reshape([table.shape[1]] * 2)
        for table in (original, masked)
    )
    pairs = np.triu_indices(original.shape[1], 1)
    correlation_changes = np.abs(
        _correlations(original_covariances) - _correlations(masked_covariances)
    )[pairs]
    differences = [
        float(value_changes.mean()),
        _relative_difference(original.mean(axis=0), masked.mean(axis=0)),
        _relative_difference(np.diag(original_covariances), np.diag(masked_covariances)),
        _relative_difference(original_covariances[pairs], masked_covariances[pairs]),
        float(correlation_changes.mean()) if len(correlation_changes) else 0.0,
    ]
    loss = 100 * float(np.mean(np.minimum(differences, 1.0)))
    interval_risk = float(np.mean(interval_disclosure(original, masked)))
    risk = 50 * (float(linkage(original, masked)) + interval_risk)
    return Score((loss + risk) / 2, loss, risk)


def _relative_difference(original: Matrix, masked: Matrix) -> float:
    """Return the mean relative difference of figures that are not 0 in the original."""
    is_nonzero = np.abs(original) > 1e-12 * np.abs(original).max(initial=1e-300)
    if not is_nonzero.any():
        return 0.0
    return float(
        np.mean(np.abs(masked[is_nonzero] - original[is_nonzero]) / np.abs(original[is_nonzero]))
    )


def _correlations(covariances: Matrix) -> Matrix:
    """Return correlations, given the covariances; 0 for a constant column."""
    std = np.sqrt(np.diag(covariances))
    std = np.where(std > 0, std, 1.0)
    return np.asarray(covariances / np.outer(std, std))
