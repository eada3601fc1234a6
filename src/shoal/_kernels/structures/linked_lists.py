"""Doubly linked lists of items, such as the records of each group.

``head[g]`` is the first item of list g, ``after`` and ``before`` lead from an item to its
neighbours in the list; -1 ends a list.
"""

import numpy as np

from shoal._kernels._compile import compiled

NONE = np.int64(-1)


@compiled
def prepend(head, after, before, g, i):
    """Add item ``i``, which is in no list, at the head of list ``g``."""
    first = head[g]
    after[i], before[i] = first, NONE
    if first >= 0:
        before[first] = i
    head[g] = i


@compiled
def unlink(head, after, before, g, i):
    """Remove item ``i`` from list ``g``."""
    if before[i] >= 0:
        after[before[i]] = after[i]
    else:
        head[g] = after[i]
    if after[i] >= 0:
        before[after[i]] = before[i]
