"""Doubly linked lists of items, such as the records of each group.

``head[list_number]`` is the first item of a list. ``next_item`` and ``previous_item`` lead from an
item to its neighbours in the list, which ends with ``NONE``.
"""

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE


@compiled
def prepend(head, next_item, previous_item, list_number, item):
    """Add ``item``, which is in no list, at the head of a list."""
    first = head[list_number]
    next_item[item], previous_item[item] = first, NONE
    if first >= 0:
        previous_item[first] = item
    head[list_number] = item


@compiled
def unlink(head, next_item, previous_item, list_number, item):
    """Remove ``item`` from a list."""
    if previous_item[item] >= 0:
        next_item[previous_item[item]] = next_item[item]
    else:
        head[list_number] = next_item[item]
    if next_item[item] >= 0:
        previous_item[next_item[item]] = previous_item[item]
