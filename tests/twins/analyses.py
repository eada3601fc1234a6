"""Slow, readable estimates: weights as numbers of copies."""

import numpy as np


def quantile_by_copies(values, weights, share):
    """Return the quantile of the values, each repeated as often as its weight says."""
    copies = np.sort(np.repeat(values, weights.astype(int)))
    position = share * len(copies)
    if abs(position - round(position)) < 1e-9 and 0 < round(position) < len(copies):
        return (copies[round(position) - 1] + copies[round(position)]) / 2
    return copies[int(np.ceil(position - 1e-9)) - 1]


def gini_by_pairs(values, weights):
    """Return the mean absolute difference of all pairs divided by twice the mean."""
    copies = np.repeat(values, weights.astype(int))
    if copies.sum() == 0:
        return 0.0
    return np.abs(copies[:, None] - copies).mean() / (2 * copies.mean())
