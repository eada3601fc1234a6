"""The cheapest cuts of an order into groups: a shortest path over the positions of cuts."""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.double_double import add, two_sum

# Losses that differ by less than a tolerance are equal, so that rounding never decides between
# two cuts. The first is relative to the loss of the last group, the others to the loss of the path,
# computed in float64 or in double-double arithmetic.
TIE_TOLERANCE = 2.0**-40
FLOAT_TOLERANCE = 2.0**-48
DOUBLE_DOUBLE_TOLERANCE = 2.0**-90


class Path(NamedTuple):
    """The cheapest groups of the first j records, for each j up to ``n_reached[0]``.

    ``loss[j]`` and ``loss_trailing[j]`` are the sum of squares as a double-double number, infinite
    if j records cannot be divided into groups; ``last_size[j]`` is the size of the last group and
    ``last_loss[j]`` the sum of squares of this group alone.
    """

    loss: np.ndarray
    loss_trailing: np.ndarray
    last_size: np.ndarray
    last_loss: np.ndarray
    n_reached: np.ndarray


@compiled
def open_path(n):
    """Return an empty path over ``n`` records."""
    path = Path(
        loss=np.full(n + 1, np.inf),
        loss_trailing=np.zeros(n + 1),
        last_size=np.zeros(n + 1, np.int64),
        last_loss=np.zeros(n + 1),
        n_reached=np.zeros(1, np.int64),
    )
    path.loss[0] = 0.0
    return path


@compiled
def relax(path, j, size, loss, trailing):
    """Let the path to ``j`` end with a group of ``size`` records if that is cheaper."""
    total, total_trailing = add(path.loss[j - size], path.loss_trailing[j - size], loss, trailing)
    gain = (path.loss[j] - total) + (path.loss_trailing[j] - total_trailing)
    if gain > TIE_TOLERANCE * max(loss, path.last_loss[j]) + DOUBLE_DOUBLE_TOLERANCE * total:
        path.loss[j] = total
        path.loss_trailing[j] = total_trailing
        path.last_size[j] = size
        path.last_loss[j] = loss


@compiled
def relax_run(path, start, stop, size, loss):
    """Do what `relax` does for each j of a run, without branches, so that it is vectorised."""
    for j in range(start, stop):
        total, total_trailing = two_sum(path.loss[j - size], loss[j - start])
        total_trailing += path.loss_trailing[j - size]
        gain = (path.loss[j] - total) + (path.loss_trailing[j] - total_trailing)
        is_better = (
            gain > TIE_TOLERANCE * max(loss[j - start], path.last_loss[j]) + FLOAT_TOLERANCE * total
        )
        path.loss[j] = total if is_better else path.loss[j]
        path.loss_trailing[j] = total_trailing if is_better else path.loss_trailing[j]
        path.last_size[j] = size if is_better else path.last_size[j]
        path.last_loss[j] = loss[j - start] if is_better else path.last_loss[j]


@compiled
def extend_path(path, columns, k, work):
    """Extend the path along records in any order, up to ``work``; return whether records are left.

    The sums of squares of all groups that end at j grow backwards from j, one
    record at a time, so nothing is ever subtracted. A run of k neighbouring j
    is processed together: none of them ends where another begins.
    """
    p, n = columns.shape
    run_length = min(k, 256)
    mean = np.empty((p, run_length))
    loss = np.empty(run_length)
    while path.n_reached[0] < n and work > 0:
        start = path.n_reached[0] + 1
        stop = min(start + run_length, n + 1)
        mean[:] = 0.0
        loss[:] = 0.0
        for size in range(1, min(2 * k, stop)):
            first = max(start, size)
            grow_groups(columns, start, first, stop, size, mean, loss)
            if size >= k:
                relax_run(path, first, stop, size, loss[first - start :])
        path.n_reached[0] = stop - 1
        work -= (stop - start) * 2 * k * p
    return path.n_reached[0] < n


@compiled
def grow_groups(columns, start, first, stop, size, mean, loss):
    """Add to each group that ends before j its ``size``-th record from the end."""
    weight = 1.0 / size
    share = (size - 1.0) / size
    for c in range(columns.shape[0]):
        column = columns[c, first - size : stop - size]
        centre = mean[c, first - start : stop - start]
        total = loss[first - start : stop - start]
        for i in range(column.shape[0]):
            gap = column[i] - centre[i]
            centre[i] += gap * weight
            total[i] += gap * gap * share


@compiled
def label_groups(path):
    """Return the group of each position in the order."""
    j = path.last_size.shape[0] - 1
    labels = np.empty(j, np.int64)
    group = 0
    while j > 0:
        labels[j - path.last_size[j] : j] = group
        j -= path.last_size[j]
        group += 1
    return labels
