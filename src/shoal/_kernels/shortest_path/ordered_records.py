"""The cheapest cuts of an order into groups: a shortest path over the positions of cuts.

A cut before position j follows one k to 2k - 1 positions earlier, at the cost of the group between
the two (Hansen and Mukherjee, 2003; Domingo-Ferrer et al., 2006, for several columns).
"""

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
MAX_RUN = 256  # positions that are processed together, so that their groups stay in the cache


class Path(NamedTuple):
    """The cheapest groups of the first j records, for each j up to ``n_reached[0]``.

    ``loss[j]`` and ``loss_trailing[j]`` are the SSE as a double-double number, infinite if j
    records cannot be divided into groups; ``last_size[j]`` is the size of the last group and
    ``last_loss[j]`` the SSE of this group alone.
    """

    loss: np.ndarray  # (n_records + 1,)
    loss_trailing: np.ndarray  # (n_records + 1,)
    last_size: np.ndarray  # (n_records + 1,)
    last_loss: np.ndarray  # (n_records + 1,)
    n_reached: np.ndarray  # (1,)


class GroupsOfRun(NamedTuple):
    """Groups that end before each j of a run of positions from ``start`` on.

    ``mean`` and ``loss`` are those of the last ``size`` records before each j; ``size`` grows by
    one at a time.
    """

    start: int
    mean: np.ndarray  # (n_columns, run_length)
    loss: np.ndarray  # (run_length,)


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
    """Let the path to ``j`` end with a group of ``size`` records if that is cheaper.

    ``loss`` and ``trailing`` are the SSE of the group as a double-double number.
    """
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
    """Extend the path until about ``work`` distances are measured; return whether to go on.

    ``columns`` are the columns of the records, in the order to be cut. The SSEs of all groups that
    end before j grow backwards from j, one record at a time, so nothing is ever subtracted. A run
    of k neighbouring j is processed together: none of them ends where another begins.
    """
    p, n = columns.shape
    run_length = min(k, MAX_RUN)
    mean, loss = np.empty((p, run_length)), np.empty(run_length)
    while path.n_reached[0] < n and work > 0:
        groups = GroupsOfRun(path.n_reached[0] + 1, mean, loss)
        stop = min(groups.start + run_length, n + 1)
        mean[:] = 0.0
        loss[:] = 0.0
        for size in range(1, min(2 * k, stop)):
            first = max(groups.start, size)
            grow_groups(columns, groups, first, stop, size)
            if size >= k:
                relax_run(path, first, stop, size, loss[first - groups.start :])
        path.n_reached[0] = stop - 1
        work -= (stop - groups.start) * 2 * k * p
    return path.n_reached[0] < n


@compiled
def grow_groups(columns, groups, first, stop, size):
    """Add to each group that ends before j its ``size``-th record from the end.

    The j are those from ``first`` to ``stop``; before a smaller j there are fewer records.
    """
    weight = 1.0 / size
    share = (size - 1.0) / size
    loss = groups.loss[first - groups.start : stop - groups.start]
    for column in range(columns.shape[0]):
        values = columns[column, first - size : stop - size]
        mean = groups.mean[column, first - groups.start : stop - groups.start]
        for i in range(values.shape[0]):
            difference = values[i] - mean[i]
            mean[i] += difference * weight
            loss[i] += difference * difference * share


@compiled
def label_groups(path):
    """Return the group of each position in the order; the last group is 0."""
    j = path.last_size.shape[0] - 1
    labels = np.empty(j, np.int64)
    group = 0
    while j > 0:
        labels[j - path.last_size[j] : j] = group
        j -= path.last_size[j]
        group += 1
    return labels
