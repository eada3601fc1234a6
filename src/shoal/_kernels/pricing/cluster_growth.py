"""Clusters of records that the groups of a fractional solution share more than is possible.

Of c records, at most c // m groups contain m or more; m is the divisor of a cluster. The weight of
the groups, each counted h // m times where h is the number of its records in the cluster, may
exceed c // m in a fractional solution. Such a cluster is grown from the records of one group, by
the records that complete most of the others; records are exchanged where this helps.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled

MAX_EXCHANGES = 20  # at each size of a cluster
TIE = 1e-4  # weight of records that are shared, where removals lower the total by the same
TINY = 1e-9  # a difference of weights that is rounding


class FractionalGroups(NamedTuple):
    """The groups with a weight between 0 and 1.

    Rows of ``members`` end with -1. The groups that contain record i are
    ``incidence[start[i] : start[i + 1]]``.
    """

    members: np.ndarray
    sizes: np.ndarray
    weights: np.ndarray
    start: np.ndarray
    incidence: np.ndarray


class Growth(NamedTuple):
    """A cluster: which records it has, and how many records of each group it has.

    ``touched`` lists the groups with a record that has been in the cluster, ``total[0]`` is the
    weight of the groups, as often as they count, and ``counts`` are the numbers of records and of
    touched groups.
    """

    divisor: int
    chosen: np.ndarray
    inside: np.ndarray
    listed: np.ndarray
    touched: np.ndarray
    score: np.ndarray
    total: np.ndarray
    counts: np.ndarray


@compiled
def open_growth(groups, divisor):
    """Return an empty cluster."""
    n, number = groups.start.shape[0] - 1, groups.weights.shape[0]
    return Growth(
        divisor,
        np.zeros(n, np.bool_),
        np.zeros(number, np.int64),
        np.zeros(number, np.bool_),
        np.empty(number, np.int64),
        np.zeros(n),
        np.zeros(1),
        np.zeros(2, np.int64),
    )


@compiled
def add_record(growth, groups, record):
    """Add a record to the cluster."""
    growth.chosen[record] = True
    growth.counts[0] += 1
    for at in range(groups.start[record], groups.start[record + 1]):
        group = groups.incidence[at]
        growth.inside[group] += 1
        if growth.inside[group] % growth.divisor == 0:
            growth.total[0] += groups.weights[group]
        if not growth.listed[group]:
            growth.listed[group] = True
            growth.touched[growth.counts[1]] = group
            growth.counts[1] += 1


@compiled
def remove_record(growth, groups, record):
    """Remove a record from the cluster."""
    growth.chosen[record] = False
    growth.counts[0] -= 1
    for at in range(groups.start[record], groups.start[record + 1]):
        group = groups.incidence[at]
        if growth.inside[group] % growth.divisor == 0:
            growth.total[0] -= groups.weights[group]
        growth.inside[group] -= 1


@compiled
def next_record(growth, groups):
    """Return the record that completes most of the groups, -1 if none does."""
    growth.score[:] = 0.0
    for group in growth.touched[: growth.counts[1]]:
        missing = growth.divisor - growth.inside[group] % growth.divisor
        if growth.inside[group] and growth.inside[group] + missing <= groups.sizes[group]:
            share = groups.weights[group] / (missing * missing)
            for record in groups.members[group, : groups.sizes[group]]:
                if not growth.chosen[record]:
                    growth.score[record] += share
    best = int(growth.score.argmax())
    return best if growth.score[best] > 0.0 else -1


@compiled
def least_needed(growth, groups):
    """Return the record whose removal lowers the total least.

    Of several, it is the one that shares the least weight with the others of the cluster.
    """
    best, least = -1, np.inf
    for record in range(growth.chosen.shape[0]):
        if growth.chosen[record]:
            loss = 0.0
            for at in range(groups.start[record], groups.start[record + 1]):
                group = groups.incidence[at]
                if growth.inside[group] % growth.divisor == 0:
                    loss += groups.weights[group]
                loss += TIE * groups.weights[group] * (growth.inside[group] - 1)
            if loss < least:
                best, least = record, loss
    return best


@compiled
def exchange(growth, groups):
    """Exchange the record that is needed least for a better one; return whether there is one."""
    before, least = growth.total[0], least_needed(growth, groups)
    remove_record(growth, groups, least)
    new = next_record(growth, groups)
    if new >= 0:
        add_record(growth, groups, new)
        if growth.total[0] > before + TINY:
            return True
        remove_record(growth, groups, new)
    add_record(growth, groups, least)
    return False


@compiled
def grow_cluster(groups, first, divisor, most, cluster):
    """Fill ``cluster`` with the most violated set on the way from a group to ``most`` records.

    The result is by how much the weight of the groups exceeds their number, 0 if it never does.
    """
    growth, best = open_growth(groups, divisor), 0.0
    for record in groups.members[first, : groups.sizes[first]]:
        add_record(growth, groups, record)
    while True:
        for _ in range(MAX_EXCHANGES):
            if not exchange(growth, groups):
                break
        violation = growth.total[0] - growth.counts[0] // divisor
        if violation > best + TINY:
            best = violation
            cluster[:] = growth.chosen
        new = next_record(growth, groups)
        if new < 0 or growth.counts[0] >= most:
            return best
        add_record(growth, groups, new)
