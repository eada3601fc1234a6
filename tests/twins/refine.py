"""What a descent must not leave undone: every move of a record is tried, slow and readable."""

import numpy as np

from twins.optimal import groups_of, sse


def total(X, labels):
    return sse(X, groups_of(labels))


def moves(near, labels, k):
    """Yield the labels after each relocation and each swap towards the groups of near records."""
    for i in range(len(labels)):
        own = labels[i]
        for g in {labels[j] for j in near[i]} - {own}:
            if (labels == own).sum() > k:
                moved = labels.copy()
                moved[i] = g
                yield moved
            for j in np.flatnonzero(labels == g):
                moved = labels.copy()
                moved[i], moved[j] = g, own
                yield moved


def best_move(X, near, labels, k):
    """Return the least SSE that one move leads to."""
    return min((total(X, moved) for moved in moves(near, labels, k)), default=np.inf)
