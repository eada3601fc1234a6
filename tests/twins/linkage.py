"""Linkage, slow and readable: all distances, sorted; ties are broken at random."""

import numpy as np

from twins.mdav import squared


def standardised(X):
    spread = X.std(axis=0)
    constant = (X[0] == X).all(axis=0)
    return np.where(constant, 0.0, (X - X.mean(axis=0)) / np.where(constant, 1.0, spread))


def nearest_sets(distances):
    """Yield the sets of equally near records, nearest first; rounding does not separate them."""
    remaining = sorted(range(len(distances)), key=lambda i: distances[i])
    while remaining:
        tied = distances[remaining[0]]
        yield [i for i in remaining if distances[i] <= tied * (1 + 1e-9)]
        remaining = [i for i in remaining if distances[i] > tied * (1 + 1e-9)]


def chance(own, distances, guesses):
    """Chance that ``own`` is among the records drawn, nearest first."""
    for tied in nearest_sets(distances):
        if own in tied:
            return min(1.0, guesses / len(tied))
        guesses -= len(tied)
        if guesses <= 0:
            return 0.0
    raise AssertionError("the own record is one of all")


def linkage(original, masked, guesses):
    before, after = standardised(original), standardised(masked)
    chances = [
        chance(i, [squared(record, point) for record in before], guesses)
        for i, point in enumerate(after)
    ]
    return sum(chances) / len(chances)
