"""The second phase, slow and readable: every trial on a copy of the partition, sums exact."""

import numpy as np

from twins.dba1 import exact_sse
from twins.leftovers import join_nearest_centroid
from twins.mdav import labels_of


def second_phase(X, labels, k, divide):
    groups = sorted([int(i) for i in np.flatnonzero(labels == g)] for g in np.unique(labels))
    for group in sorted(groups, key=lambda group: -exact_sse(X, group)):
        position = next(position for position, other in enumerate(groups) if other[0] == group[0])
        trial = [list(other) for other in groups[:position] + groups[position + 1 :]]
        if trial:
            join_nearest_centroid(X, trial, groups[position])
            if total(X, trial) < total(X, groups):
                groups = trial
    return divide_large(X, groups, k, divide)


def total(X, groups):
    return sum(exact_sse(X, group) for group in groups)


def divide_large(X, groups, k, divide):
    divided_groups = []
    for group in groups:
        records = np.sort(group)
        if len(records) >= 2 * k:
            labels = divide(X[records], k)
            divided_groups += [records[labels == g] for g in np.unique(labels)]
        else:
            divided_groups.append(records)
    return labels_of(divided_groups, len(X))
