"""The smallest of many values, in a short sorted list."""

import numpy as np

from shoal._kernels._compile import compiled


@compiled
def insert_least(least, value):
    """Insert a value into a sorted list of the least values, if it is among them."""
    slot = least.shape[0]
    while slot > 0 and value < least[slot - 1]:
        if slot < least.shape[0]:
            least[slot] = least[slot - 1]
        slot -= 1
    if slot < least.shape[0]:
        least[slot] = value


@compiled
def select_least(values, count, least):
    """Write the smallest of ``values[:count]`` to ``least``, sorted; return their sum.

    Missing values are infinite, and so is the sum if there are fewer values than places.
    """
    n_least = least.shape[0]
    if n_least == 0:
        return 0.0
    least[:] = np.inf
    for i in range(count):
        value = values[i]
        if value < least[n_least - 1]:
            slot = n_least - 1
            while slot > 0 and value < least[slot - 1]:
                least[slot] = least[slot - 1]
                slot -= 1
            least[slot] = value
    total = 0.0
    for i in range(n_least):
        total += least[i]
    return total
