"""Scores, slow and readable: sums by loops, the first component without an eigenvalue solver."""

from math import fsum, sqrt

import numpy as np


def zscores(X):
    Z = np.zeros(X.shape)
    for j, column in enumerate(X.T):
        centre = fsum(column) / len(column)
        spread = sqrt(fsum((x - centre) ** 2 for x in column) / len(column))
        if min(column) < max(column):
            Z[:, j] = [(x - centre) / spread for x in column]
    return Z


def first_component(Z):
    """Raise the correlation matrix to a huge power: what is left belongs to the largest value."""
    p = Z.shape[1]
    power = np.array([[fsum(Z[:, a] * Z[:, b]) / len(Z) for b in range(p)] for a in range(p)])
    if not power.any():
        return np.zeros(p)
    for _ in range(20):
        power = power @ power
        power /= np.trace(power)
    weight = np.diag(power)
    positive = next(j for j in range(p) if weight[j] >= weight.max() / 4)
    return power[:, positive] / sqrt(fsum(power[:, positive] ** 2))


def score(X, by):
    if isinstance(by, int):
        return list(X[:, by])
    Z = zscores(X)
    weights = [1.0] * X.shape[1] if by == "sum-of-z" else first_component(Z)
    return [fsum(z * w for z, w in zip(row, weights, strict=True)) for row in Z]


def in_order(scores, descending=False):
    """Sort records; scores that agree to eight digits of the greatest are equal."""
    unit = max(map(abs, scores)) * 1e-8 or 1.0
    sign = -1 if descending else 1
    return sorted(range(len(scores)), key=lambda i: (sign * round(scores[i] / unit), i))
