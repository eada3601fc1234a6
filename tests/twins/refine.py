"""Every move of a record, tried one by one: after a descent, none may lower the SSE."""

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
                new_labels = labels.copy()
                new_labels[i] = g
                yield new_labels
            for j in np.flatnonzero(labels == g):
                new_labels = labels.copy()
                new_labels[i], new_labels[j] = g, own
                yield new_labels


def best_move(X, near, labels, k):
    """Return the least SSE that one move leads to."""
    return min((total(X, new_labels) for new_labels in moves(near, labels, k)), default=np.inf)
