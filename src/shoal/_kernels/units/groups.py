"""Groups of any size that count their records and distinct units.

A unit (a person, a household) may have several records, in one group or in many. How many records
of a unit a group has is stored in a hash table with open addressing: the key is the pair of group
and unit, and removed pairs stay with a count of 0 until the table is rebuilt.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.structures.linked_lists import prepend, unlink

HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that different keys stay different
N_KEYS, VERSION = 0, 1  # indices of the counts


class UnitGroups(NamedTuple):
    """Records in groups, as linked lists, with the number of records and units of each group.

    ``head`` is a record of each group, ``next_record`` and ``previous_record`` lead to the others.
    ``n_units`` counts units. ``version`` increases with every change of a group. The hash table has
    the number of records of each pair of group and unit in ``unit_counts``, at the slot that
    has the pair in ``keys``. ``counts`` has the number of used keys and the newest version.
    """

    X: np.ndarray  # (n_records, n_columns)
    unit: np.ndarray  # (n_records,)
    labels: np.ndarray  # (n_records,)
    next_record: np.ndarray  # (n_records,)
    previous_record: np.ndarray  # (n_records,)
    head: np.ndarray  # (capacity,)
    sizes: np.ndarray  # (capacity,)
    centroids: np.ndarray  # (capacity, n_columns)
    n_units: np.ndarray  # (capacity,)
    version: np.ndarray  # (capacity,)
    keys: np.ndarray  # (n_slots,)
    unit_counts: np.ndarray  # (n_slots,)
    counts: np.ndarray  # (2,)


def open_unit_groups(
    X: np.ndarray, unit: np.ndarray, labels: np.ndarray, capacity: int
) -> UnitGroups:
    """Return the groups of ``labels``, with space for ``capacity`` groups.

    Units are numbered from 0 on.
    """
    n, p = X.shape
    n_slots = 1 << max(4, int(4 * n - 1).bit_length())
    groups = UnitGroups(
        X=X,
        unit=unit,
        labels=np.full(n, NONE),
        next_record=np.full(n, NONE),
        previous_record=np.full(n, NONE),
        head=np.full(capacity, NONE),
        sizes=np.zeros(capacity, np.int64),
        centroids=np.zeros((capacity, p)),
        n_units=np.zeros(capacity, np.int64),
        version=np.zeros(capacity, np.int64),
        keys=np.full(n_slots, NONE),
        unit_counts=np.zeros(n_slots, np.int64),
        counts=np.zeros(2, np.int64),
    )
    link_records(groups, labels)
    return groups


@compiled
def link_records(groups, labels):
    """Add the records to their groups in reverse order, so that lists begin with the first."""
    for record in range(labels.shape[0] - 1, -1, -1):
        add_record(groups, record, labels[record])
    for group in range(groups.head.shape[0]):
        update_centroid(groups, group)


@compiled
def update_centroid(groups, group):
    """Compute the centroid of ``group`` from its records."""
    for column in range(groups.X.shape[1]):
        total = 0.0
        record = groups.head[group]
        while record >= 0:
            total += groups.X[record, column]
            record = groups.next_record[record]
        groups.centroids[group, column] = total / max(groups.sizes[group], 1)
    groups.counts[VERSION] += 1
    groups.version[group] = groups.counts[VERSION]


@compiled
def key_of(groups, group, unit):
    """Return the key of a pair of group and unit: a different number for every pair."""
    return group * np.int64(groups.X.shape[0]) + unit


@compiled
def slot_of(groups, group, unit):
    """Return the slot of the pair of group and unit in the hash table, or a free one."""
    key = key_of(groups, group, unit)
    mask = groups.keys.shape[0] - 1
    slot = np.int64((np.uint64(key) * HASH_MULTIPLIER) >> np.uint64(20)) & mask
    while groups.keys[slot] != key and groups.keys[slot] != NONE:
        slot = (slot + 1) & mask
    return slot


@compiled
def count_of(groups, group, unit):
    """Return the number of records of a unit in ``group``."""
    return groups.unit_counts[slot_of(groups, group, unit)]


@compiled
def add_to_count(groups, group, unit, change):
    """Add ``change`` to the number of records of a unit in ``group``."""
    slot = slot_of(groups, group, unit)
    if groups.keys[slot] == NONE:
        groups.keys[slot] = key_of(groups, group, unit)
        groups.counts[N_KEYS] += 1
    groups.unit_counts[slot] += change
    if change > 0 and groups.unit_counts[slot] == change:
        groups.n_units[group] += 1
    elif change < 0 and groups.unit_counts[slot] == 0:
        groups.n_units[group] -= 1


@compiled
def rehash(groups):
    """Remove the pairs whose count is 0 from the hash table."""
    groups.keys[:] = NONE
    groups.unit_counts[:] = 0
    groups.counts[N_KEYS] = 0
    for record in range(groups.labels.shape[0]):
        slot = slot_of(groups, groups.labels[record], groups.unit[record])
        if groups.keys[slot] == NONE:
            groups.keys[slot] = key_of(groups, groups.labels[record], groups.unit[record])
            groups.counts[N_KEYS] += 1
        groups.unit_counts[slot] += 1


@compiled
def add_record(groups, record, group):
    """Add ``record``, which is in no group, to ``group``."""
    prepend(groups.head, groups.next_record, groups.previous_record, group, record)
    groups.labels[record] = group
    groups.sizes[group] += 1
    add_to_count(groups, group, groups.unit[record], 1)


@compiled
def remove_record(groups, record):
    """Remove ``record`` from its group."""
    group = groups.labels[record]
    unlink(groups.head, groups.next_record, groups.previous_record, group, record)
    groups.sizes[group] -= 1
    add_to_count(groups, group, groups.unit[record], -1)


@compiled
def move_record(groups, record, target):
    """Move ``record`` to the group ``target`` and update the centroids."""
    group = groups.labels[record]
    remove_record(groups, record)
    add_record(groups, record, target)
    for column in range(groups.X.shape[1]):
        value = groups.X[record, column]
        if groups.sizes[group] > 0:
            difference = groups.centroids[group, column] - value
            groups.centroids[group, column] += difference / groups.sizes[group]
        difference = value - groups.centroids[target, column]
        groups.centroids[target, column] += difference / groups.sizes[target]
    groups.counts[VERSION] += 1
    groups.version[group] = groups.version[target] = groups.counts[VERSION]
    if 2 * groups.counts[N_KEYS] > groups.keys.shape[0]:
        rehash(groups)


@compiled
def may_leave(groups, k, record):
    """Return whether the group of ``record`` still has k units without it."""
    group = groups.labels[record]
    return groups.n_units[group] > k or count_of(groups, group, groups.unit[record]) > 1


@compiled
def sse_of(groups, group):
    """Return the sum of the squared distances of the records of ``group`` to its centroid."""
    total = 0.0
    record = groups.head[group]
    while record >= 0:
        total += squared_row_distance(groups.X, record, groups.centroids, group)
        record = groups.next_record[record]
    return total
