"""Groups of any size that count their records and distinct units.

A unit (a person, a household) may have several records, in one group or in many. How many records
of a unit a group holds is kept in a hash table with open addressing: the key is the pair of group
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

    ``head[g]`` is a record of group g, ``next_record`` and ``previous_record`` lead to the others.
    ``n_units`` counts units. ``version[g]`` increases with every change of group g. The hash table
    has the number of records of each pair of group and unit in ``unit_counts``, at the slot that
    has the pair in ``keys``. ``counts`` holds how many keys are used and the newest version.
    """

    X: np.ndarray  # (n, p)
    unit: np.ndarray  # (n,)
    labels: np.ndarray  # (n,)
    next_record: np.ndarray  # (n,)
    previous_record: np.ndarray  # (n,)
    head: np.ndarray  # (capacity,)
    sizes: np.ndarray  # (capacity,)
    centroids: np.ndarray  # (capacity, p)
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
    for i in range(labels.shape[0] - 1, -1, -1):
        add_record(groups, i, labels[i])
    for g in range(groups.head.shape[0]):
        update_centroid(groups, g)


@compiled
def update_centroid(groups, g):
    """Compute the centroid of group ``g`` from its records."""
    for c in range(groups.X.shape[1]):
        total = 0.0
        i = groups.head[g]
        while i >= 0:
            total += groups.X[i, c]
            i = groups.next_record[i]
        groups.centroids[g, c] = total / max(groups.sizes[g], 1)
    groups.counts[VERSION] += 1
    groups.version[g] = groups.counts[VERSION]


@compiled
def key_of(groups, g, unit):
    """Return a number that stands for the pair of group and unit alone."""
    return g * np.int64(groups.X.shape[0]) + unit


@compiled
def slot_of(groups, g, unit):
    """Return the slot of the pair of group and unit in the hash table, or a free one."""
    key = key_of(groups, g, unit)
    mask = groups.keys.shape[0] - 1
    slot = np.int64((np.uint64(key) * HASH_MULTIPLIER) >> np.uint64(20)) & mask
    while groups.keys[slot] != key and groups.keys[slot] != NONE:
        slot = (slot + 1) & mask
    return slot


@compiled
def count_of(groups, g, unit):
    """Return the number of records of a unit in group ``g``."""
    return groups.unit_counts[slot_of(groups, g, unit)]


@compiled
def add_to_count(groups, g, unit, change):
    """Add ``change`` to the number of records of a unit in group ``g``."""
    slot = slot_of(groups, g, unit)
    if groups.keys[slot] == NONE:
        groups.keys[slot] = key_of(groups, g, unit)
        groups.counts[N_KEYS] += 1
    groups.unit_counts[slot] += change
    if change > 0 and groups.unit_counts[slot] == change:
        groups.n_units[g] += 1
    elif change < 0 and groups.unit_counts[slot] == 0:
        groups.n_units[g] -= 1


@compiled
def rehash(groups):
    """Remove the pairs whose count is 0 from the hash table."""
    groups.keys[:] = NONE
    groups.unit_counts[:] = 0
    groups.counts[N_KEYS] = 0
    for i in range(groups.labels.shape[0]):
        slot = slot_of(groups, groups.labels[i], groups.unit[i])
        if groups.keys[slot] == NONE:
            groups.keys[slot] = key_of(groups, groups.labels[i], groups.unit[i])
            groups.counts[N_KEYS] += 1
        groups.unit_counts[slot] += 1


@compiled
def add_record(groups, i, g):
    """Add record ``i``, which is in no group, to group ``g``."""
    prepend(groups.head, groups.next_record, groups.previous_record, g, i)
    groups.labels[i] = g
    groups.sizes[g] += 1
    add_to_count(groups, g, groups.unit[i], 1)


@compiled
def remove_record(groups, i):
    """Remove record ``i`` from its group."""
    g = groups.labels[i]
    unlink(groups.head, groups.next_record, groups.previous_record, g, i)
    groups.sizes[g] -= 1
    add_to_count(groups, g, groups.unit[i], -1)


@compiled
def move_record(groups, i, h):
    """Move record ``i`` to group ``h`` and update the centroids."""
    g = groups.labels[i]
    remove_record(groups, i)
    add_record(groups, i, h)
    for c in range(groups.X.shape[1]):
        if groups.sizes[g] > 0:
            groups.centroids[g, c] += (groups.centroids[g, c] - groups.X[i, c]) / groups.sizes[g]
        groups.centroids[h, c] += (groups.X[i, c] - groups.centroids[h, c]) / groups.sizes[h]
    groups.counts[VERSION] += 1
    groups.version[g] = groups.version[h] = groups.counts[VERSION]
    if 2 * groups.counts[N_KEYS] > groups.keys.shape[0]:
        rehash(groups)


@compiled
def may_leave(groups, k, i):
    """Return whether the group of record ``i`` still holds k units without it."""
    g = groups.labels[i]
    return groups.n_units[g] > k or count_of(groups, g, groups.unit[i]) > 1


@compiled
def sse_of(groups, g):
    """Return the sum of the squared distances of the records of group ``g`` to its centroid."""
    total = 0.0
    i = groups.head[g]
    while i >= 0:
        total += squared_row_distance(groups.X, i, groups.centroids, g)
        i = groups.next_record[i]
    return total
