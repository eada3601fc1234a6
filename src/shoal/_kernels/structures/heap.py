"""Binary heaps: a min-heap with its keys, and a max-heap of items whose keys are elsewhere.

The max-heap is an array of items; functions on it are passed the keys of all items there are, and
the numbers that break ties.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled


class Heap(NamedTuple):
    """A min-heap of integers; ties go to the lowest item.

    Its items are ``items[: size[0]]``, and their keys ``keys[: size[0]]``.
    """

    keys: np.ndarray  # (capacity,)
    items: np.ndarray  # (capacity,)
    size: np.ndarray  # (1,)


def open_heap(capacity: int) -> Heap:
    """Return an empty heap with space for ``capacity`` items."""
    return Heap(np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.zeros(1, np.int64))


@compiled
def precedes(heap, position, other):
    """Return whether the item at ``position`` comes before the one at ``other``."""
    if heap.keys[position] != heap.keys[other]:
        return heap.keys[position] < heap.keys[other]
    return heap.items[position] < heap.items[other]


@compiled
def swap(heap, position, other):
    """Swap two positions."""
    heap.keys[position], heap.keys[other] = heap.keys[other], heap.keys[position]
    heap.items[position], heap.items[other] = heap.items[other], heap.items[position]


@compiled
def push(heap, key, item):
    """Add an item."""
    position = heap.size[0]
    heap.keys[position], heap.items[position] = key, item
    heap.size[0] += 1
    while position > 0 and precedes(heap, position, (position - 1) // 2):
        swap(heap, position, (position - 1) // 2)
        position = (position - 1) // 2


@compiled
def pop(heap):
    """Remove the first item; return its key and the item."""
    key, item = heap.keys[0], heap.items[0]
    heap.size[0] -= 1
    last = heap.size[0]
    position = 0
    swap(heap, position, last)
    while 2 * position + 1 < last:
        child = 2 * position + 1
        if child + 1 < last and precedes(heap, child + 1, child):
            child += 1
        if not precedes(heap, child, position):
            break
        swap(heap, position, child)
        position = child
    return key, item


@compiled
def is_greater(keys, ties, item, other):
    """Return whether ``item`` has a greater key than ``other``; of equal keys, a greater tie."""
    if keys[item] == keys[other]:
        return ties[item] > ties[other]
    return keys[item] > keys[other]


@compiled
def sift_up(heap, keys, ties, position, item):
    """Add an item to a max-heap of ``position`` items (sift up)."""
    while position > 0 and is_greater(keys, ties, item, heap[(position - 1) // 2]):
        heap[position] = heap[(position - 1) // 2]
        position = (position - 1) // 2
    heap[position] = item


@compiled
def sift_down(heap, keys, ties, position, size, item):
    """Put an item at ``position`` of a max-heap of ``size`` items, or below it (sift down)."""
    child = 2 * position + 1
    while child < size:
        if child + 1 < size and is_greater(keys, ties, heap[child + 1], heap[child]):
            child += 1
        if not is_greater(keys, ties, heap[child], item):
            break
        heap[position] = heap[child]
        position, child = child, 2 * child + 1
    heap[position] = item
