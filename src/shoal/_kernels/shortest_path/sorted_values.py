"""The cheapest cuts of sorted values, in time that hardly grows with k.

For sorted values, the best last cut before j is not to the left of the best last cut before a
smaller j (total monotonicity). So every second j is solved first, and bounds the cuts that are
tried for those in between (divide and conquer).

The SSE of a group is a difference of running sums, which are double-double numbers. A row of
``sums`` has the sum of the values and the sum of their squares, each as leading and trailing part.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.double_double import add, divide, square, two_sum
from shoal._kernels.shortest_path.ordered_records import relax

VALUE_COST = 64  # cost of a value, counted in distances


@compiled
def extend_sorted_path(path, values, k, work):
    """Extend the path along sorted values until ``work`` is done; return whether to go on.

    Work is counted as distances, which take about as long.
    """
    n = values.shape[0]
    sums = np.empty((3 * k, 4))
    if path.n_reached[0] == 0:
        start_path(path, values, sums, k)
    while path.n_reached[0] < n and work > 0:
        start = path.n_reached[0] + 1
        stop = min(start + k, n + 1)
        window = values[start - 2 * k + 1 : stop - 1]
        accumulate_sums(window, sums)
        find_last_groups(path, window, sums, k, start, stop)
        path.n_reached[0] = stop - 1
        work -= VALUE_COST * (stop - start)
    return path.n_reached[0] < n


@compiled
def start_path(path, values, sums, k):
    """Make one group of the first k, k + 1, ..., 2k - 1 values."""
    path.n_reached[0] = min(2 * k - 1, values.shape[0])
    accumulate_sums(values[: path.n_reached[0]], sums)
    for j in range(k, path.n_reached[0] + 1):
        loss, trailing = loss_between(values, sums, 0, j)
        relax(path, j, j, loss, trailing)


@compiled
def accumulate_sums(values, sums):
    """Fill ``sums`` with the sums and sums of squares from the middle value to each position.

    They grow outwards from the middle, so that a distant value is in no sum that
    does not need it.
    """
    middle = values.shape[0] // 2
    sums[middle] = 0.0
    for i in range(middle, values.shape[0]):
        set_sums(sums, i + 1, i, values[i], values[middle], 1.0)
    for i in range(middle - 1, -1, -1):
        set_sums(sums, i, i + 1, values[i], values[middle], -1.0)


@compiled
def set_sums(sums, position, previous, value, middle, sign):
    """Set the sums at ``position`` to those at ``previous`` plus or minus one value."""
    difference, difference_trailing = two_sum(value, -middle)
    total, trailing = add(
        sums[previous, 0], sums[previous, 1], sign * difference, sign * difference_trailing
    )
    sums[position, 0] = total
    sums[position, 1] = trailing
    squared, squared_trailing = square(difference, difference_trailing)
    total, trailing = add(
        sums[previous, 2], sums[previous, 3], sign * squared, sign * squared_trailing
    )
    sums[position, 2] = total
    sums[position, 3] = trailing


@compiled
def loss_between(values, sums, i, j):
    """Return the SSE of the values between two positions, as leading and trailing part."""
    if values[i] == values[j - 1]:  # sorted, so all are equal: exactly 0
        return 0.0, 0.0
    total, trailing = add(sums[j, 0], sums[j, 1], -sums[i, 0], -sums[i, 1])
    total, trailing = square(total, trailing)
    total, trailing = divide(total, trailing, float(j - i))
    squares, squares_trailing = add(sums[j, 2], sums[j, 3], -sums[i, 2], -sums[i, 3])
    return add(squares, squares_trailing, -total, -trailing)


@compiled
def find_last_groups(path, values, sums, k, start, stop):
    """Find the best last group of each j of a run, from coarse to fine.

    ``values`` is a window of the values that begins at ``origin``, and ``sums`` are its sums.
    """
    origin = start - 2 * k + 1
    step = 1
    while step < stop - start:
        step *= 2
    while step > 0:
        for j in range(start + step - 1, stop, 2 * step):
            min_size = k
            max_size = min(2 * k - 1, j - k)
            if j - step >= start:
                max_size = min(max_size, path.last_size[j - step] + step)
            if j + step < stop:
                min_size = max(min_size, path.last_size[j + step] - step)
            for size in range(min_size, max(min_size, max_size) + 1):
                loss, trailing = loss_between(values, sums, j - size - origin, j - origin)
                relax(path, j, size, loss, trailing)
        step //= 2
