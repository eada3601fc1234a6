"""Separation of subset-row cuts: clusters of records whose cut a fractional solution violates.

The cut of a cluster of c records with divisor m says that the weights of the groups, each counted
h // m times if h of its records are in the cluster, add up to at most c // m. A cluster whose cut
is violated is grown greedily from one record or from the records of a group: each time, the record
is added that brings the heaviest groups nearest to their next multiple of m. Records are exchanged
where this raises the sum.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE

N_RECORDS, N_TOUCHED = 0, 1  # indices of the counts of a growing cluster
MAX_EXCHANGES = 20  # exchanges at each size of a cluster
MAX_SMALL = 10  # records up to which any record of a cluster may be exchanged, not only one
TIE_WEIGHT = 1e-4  # factor of the weight shared with other records: decides between equal losses
ROUNDING = 1e-9  # differences of weights up to it may be rounding errors


class FractionalGroups(NamedTuple):
    """The groups with a weight between 0 and 1.

    Rows of ``members`` end with -1. The groups that contain a record are
    ``groups_of_record[start[record] : start[record + 1]]``.
    """

    members: np.ndarray  # (n_groups, max_size)
    sizes: np.ndarray  # (n_groups,)
    weights: np.ndarray  # (n_groups,)
    start: np.ndarray  # (n_records + 1,)
    groups_of_record: np.ndarray  # (sum of the sizes,)


class GrowingCluster(NamedTuple):
    """A growing cluster: its records, and how many records of each group it contains.

    ``is_member`` marks its records, and ``n_inside`` is how many of them each group contains.
    ``touched_groups`` begins with the groups that have a record that has been in the cluster;
    ``is_touched`` marks them. ``total[0]`` is the weight of the groups, each counted h // m times.
    ``counts`` are the numbers of records and of touched groups. ``score`` is scratch space.
    """

    divisor: int
    is_member: np.ndarray  # (n_records,)
    n_inside: np.ndarray  # (n_groups,)
    is_touched: np.ndarray  # (n_groups,)
    touched_groups: np.ndarray  # (n_groups,)
    score: np.ndarray  # (n_records,)
    total: np.ndarray  # (1,)
    counts: np.ndarray  # (2,)


@compiled
def open_cluster(groups, divisor):
    """Return an empty cluster."""
    n, n_groups = groups.start.shape[0] - 1, groups.weights.shape[0]
    return GrowingCluster(
        divisor=divisor,
        is_member=np.zeros(n, np.bool_),
        n_inside=np.zeros(n_groups, np.int64),
        is_touched=np.zeros(n_groups, np.bool_),
        touched_groups=np.empty(n_groups, np.int64),
        score=np.zeros(n),
        total=np.zeros(1),
        counts=np.zeros(2, np.int64),
    )


@compiled
def add_record(growth, groups, record):
    """Add a record to the cluster."""
    growth.is_member[record] = True
    growth.counts[N_RECORDS] += 1
    for entry in range(groups.start[record], groups.start[record + 1]):
        group = groups.groups_of_record[entry]
        growth.n_inside[group] += 1
        if growth.n_inside[group] % growth.divisor == 0:
            growth.total[0] += groups.weights[group]
        if not growth.is_touched[group]:
            growth.is_touched[group] = True
            growth.touched_groups[growth.counts[N_TOUCHED]] = group
            growth.counts[N_TOUCHED] += 1


@compiled
def remove_record(growth, groups, record):
    """Remove a record from the cluster."""
    growth.is_member[record] = False
    growth.counts[N_RECORDS] -= 1
    for entry in range(groups.start[record], groups.start[record + 1]):
        group = groups.groups_of_record[entry]
        if growth.n_inside[group] % growth.divisor == 0:
            growth.total[0] -= groups.weights[group]
        growth.n_inside[group] -= 1


@compiled
def next_record(growth, groups):
    """Return the record that brings the heaviest groups nearest to completion, or NONE."""
    growth.score[:] = 0.0
    for group in growth.touched_groups[: growth.counts[N_TOUCHED]]:
        n_missing = growth.divisor - growth.n_inside[group] % growth.divisor
        if growth.n_inside[group] and growth.n_inside[group] + n_missing <= groups.sizes[group]:
            share = groups.weights[group] / (n_missing * n_missing)
            for record in groups.members[group, : groups.sizes[group]]:
                if not growth.is_member[record]:
                    growth.score[record] += share
    best = int(growth.score.argmax())
    return best if growth.score[best] > 0.0 else NONE


@compiled
def least_needed_record(growth, groups):
    """Return the record whose removal lowers the total least.

    Ties go to the record that shares the least weight with the others of the cluster.
    """
    best, least = NONE, np.inf
    for record in range(growth.is_member.shape[0]):
        if growth.is_member[record]:
            loss = 0.0
            for entry in range(groups.start[record], groups.start[record + 1]):
                group = groups.groups_of_record[entry]
                if growth.n_inside[group] % growth.divisor == 0:
                    loss += groups.weights[group]
                loss += TIE_WEIGHT * groups.weights[group] * (growth.n_inside[group] - 1)
            if loss < least:
                best, least = record, loss
    return best


@compiled
def exchange(growth, groups, record):
    """Exchange ``record`` of the cluster for a better one; return whether there is one."""
    previous_total = growth.total[0]
    remove_record(growth, groups, record)
    replacement = next_record(growth, groups)
    if replacement >= 0:
        add_record(growth, groups, replacement)
        if growth.total[0] > previous_total + ROUNDING:
            return True
        remove_record(growth, groups, replacement)
    add_record(growth, groups, record)
    return False


@compiled
def exchange_any(growth, groups):
    """Exchange the least needed record, or any of a small cluster, for a better one.

    Return whether there is one.
    """
    if exchange(growth, groups, least_needed_record(growth, groups)):
        return True
    if growth.counts[N_RECORDS] <= MAX_SMALL:
        for record in np.flatnonzero(growth.is_member):
            if exchange(growth, groups, record):
                return True
    return False


@compiled
def grow_cluster(groups, initial_records, divisor, max_records, cluster):
    """Fill ``cluster`` with the most violated of the sets that grow to ``max_records`` records.

    Growth starts from ``initial_records``. The result is by how much the weight of the groups
    exceeds the right-hand side of the cut, or 0 if it never does.
    """
    growth, greatest_violation = open_cluster(groups, divisor), 0.0
    for record in initial_records:
        add_record(growth, groups, record)
    while True:
        if growth.counts[N_RECORDS] >= divisor:
            for _ in range(MAX_EXCHANGES):
                if not exchange_any(growth, groups):
                    break
        violation = growth.total[0] - growth.counts[N_RECORDS] // divisor
        if violation > greatest_violation + ROUNDING:
            greatest_violation = violation
            cluster[:] = growth.is_member
        record = next_record(growth, groups)
        if record < 0 or growth.counts[N_RECORDS] >= max_records:
            return greatest_violation
        add_record(growth, groups, record)
