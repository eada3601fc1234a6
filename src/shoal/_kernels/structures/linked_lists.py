"""Doubly linked lists of items, such as the records of each group.

``head[g]`` is the first item of list g; ``next_item`` and ``previous_item`` lead from an item to
its neighbours in the list; ``NONE`` ends a list.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE


@compiled
def prepend(head, next_item, previous_item, g, i):
    """Add item ``i``, which is in no list, at the head of list ``g``."""
    first = head[g]
    next_item[i], previous_item[i] = first, NONE
    if first >= 0:
        previous_item[first] = i
    head[g] = i


@compiled
def unlink(head, next_item, previous_item, g, i):
    """Remove item ``i`` from list ``g``."""
    if previous_item[i] >= 0:
        next_item[previous_item[i]] = next_item[i]
    else:
        head[g] = next_item[i]
    if next_item[i] >= 0:
        previous_item[next_item[i]] = previous_item[i]
