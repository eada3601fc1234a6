"""Blocks of k along a score, slow and readable."""

import numpy as np

from twins.mdav import labels_of
from twins.scores import in_order, score


def blocks(X, k, by, descending=False):
    remaining = in_order(score(X, by), descending)
    groups = []
    while len(remaining) >= 2 * k:
        groups.append(remaining[:k])
        remaining = remaining[k:]
    return labels_of([*groups, remaining], len(np.asarray(X)))
