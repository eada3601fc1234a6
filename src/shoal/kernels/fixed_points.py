"""TFRP: groups around the records farthest from two points that never move."""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.boxes import NOBODY, find_nearest, leave


@compiled
def next_living(queue, at, labels):
    """Return the first position in ``queue`` from ``at`` on whose record has no group."""
    while labels[queue[at]] >= 0:
        at += 1
    return at


@compiled
def advance(X, k, tree, queues, heads, labels, rounds):
    """Form at most ``rounds`` groups, from the two queues in turn; say whether to go on.

    ``heads`` are the positions reached in the queues, then the number of groups.
    """
    group, distances = np.empty(k, np.int64), np.empty(k)
    while tree.living[1] >= k and rounds > 0:
        turn = heads[2] % 2
        heads[turn] = next_living(queues[turn], heads[turn], labels)
        find_nearest(tree, X[queues[turn, heads[turn]]], NOBODY, group, distances)
        for i in group:
            labels[i] = heads[2]
            leave(tree, i)
        heads[2] += 1
        rounds -= 1
    return tree.living[1] >= k
