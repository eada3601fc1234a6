"""Blocks of k along a score, slow and readable."""

import numpy as np

from twins.mdav import labels_of
from twins.scores import in_order, score


def blocks(X, k, by, descending=False):
    left = in_order(score(X, by), descending)
    groups = []
    while len(left) >= 2 * k:
        groups.append(left[:k])
        left = left[k:]
    return labels_of([*groups, left], len(np.asarray(X)))
