"""A heap of whole numbers: the least key comes out first, ties by the lowest item."""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled


class Heap(NamedTuple):
    """Keys and items in heap order; ``size[0]`` of them count."""

    keys: np.ndarray
    items: np.ndarray
    size: np.ndarray


def open_heap(most: int) -> Heap:
    """Return an empty heap with room for ``most`` items."""
    return Heap(np.empty(most, np.int64), np.empty(most, np.int64), np.zeros(1, np.int64))


@compiled
def precedes(heap, a, b):
    """Say whether place ``a`` comes out before place ``b``."""
    if heap.keys[a] != heap.keys[b]:
        return heap.keys[a] < heap.keys[b]
    return heap.items[a] < heap.items[b]


@compiled
def swap(heap, a, b):
    """Exchange two places."""
    heap.keys[a], heap.keys[b] = heap.keys[b], heap.keys[a]
    heap.items[a], heap.items[b] = heap.items[b], heap.items[a]


@compiled
def push(heap, key, item):
    """Put an item in."""
    at = heap.size[0]
    heap.keys[at], heap.items[at] = key, item
    heap.size[0] += 1
    while at > 0 and precedes(heap, at, (at - 1) // 2):
        swap(heap, at, (at - 1) // 2)
        at = (at - 1) // 2


@compiled
def pop(heap):
    """Take the first item out; return its key and the item."""
    key, item = heap.keys[0], heap.items[0]
    heap.size[0] -= 1
    last = heap.size[0]
    at = 0
    swap(heap, at, last)
    while 2 * at + 1 < last:
        child = 2 * at + 1
        if child + 1 < last and precedes(heap, child + 1, child):
            child += 1
        if not precedes(heap, child, at):
            break
        swap(heap, at, child)
        at = child
    return key, item
