"""Short sorted lists of items with the least keys; ties go to the lowest item."""

from shoal._kernels._compile import compiled


@compiled
def precedes(key, item, other_key, other_item):
    """Return whether the first key is lower, or equal and its item lower."""
    return key < other_key or (key == other_key and item < other_item)


@compiled
def insert(items, keys, count, item, key):
    """Insert an item into a list of ``count`` items; return its length.

    The last item of a full list is dropped, or the new one if its key is the greatest.
    """
    slot, capacity = count, items.shape[0]
    while slot > 0 and precedes(key, item, keys[slot - 1], items[slot - 1]):
        slot -= 1
    if slot == capacity:
        return count
    count = min(count + 1, capacity)
    for later in range(count - 1, slot, -1):
        items[later], keys[later] = items[later - 1], keys[later - 1]
    items[slot], keys[slot] = item, key
    return count
