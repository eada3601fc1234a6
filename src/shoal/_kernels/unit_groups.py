"""Groups of any size that count their records and distinct units.

A unit (a person, a household) may have several records, in one group or in many. How many
records of a unit a group holds is kept in a hash table with open addressing: the key is the
pair of group and unit, and removed pairs stay with a count of 0 until the table is
rebuilt.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance

MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no key is lost
NONE = np.int64(-1)
USED, VERSION, FREE = 0, 1, 2


class UnitGroups(NamedTuple):
    """Records in groups, as linked lists, with the number of records and units of each group.

    ``head[g]`` is a record of group g, ``after`` and ``before`` lead to the others.
    ``distinct`` counts units. ``version[g]`` grows with every change of group g;
    ``counts`` holds how many keys of the hash table are used and the newest version.
    """

    X: np.ndarray
    unit: np.ndarray
    labels: np.ndarray
    after: np.ndarray
    before: np.ndarray
    head: np.ndarray
    sizes: np.ndarray
    centroids: np.ndarray
    distinct: np.ndarray
    version: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    counts: np.ndarray


def open_unit_groups(X: np.ndarray, unit: np.ndarray, labels: np.ndarray, room: int) -> UnitGroups:
    """Return the groups of ``labels``, with space for ``room`` groups.

    Units are numbered from 0 on.
    """
    n, p = X.shape
    slots = 1 << max(4, int(4 * n - 1).bit_length())
    s = UnitGroups(
        X, unit, np.full(n, NONE), np.full(n, NONE), np.full(n, NONE),
        np.full(room, NONE), np.zeros(room, np.int64), np.zeros((room, p)),
        np.zeros(room, np.int64), np.zeros(room, np.int64),
        np.full(slots, NONE), np.zeros(slots, np.int64), np.zeros(2, np.int64),
    )  # fmt: skip
    enrol(s, labels)
    return s


@compiled
def enrol(s, labels):
    """Add the records to their groups in reverse order, so that lists begin with the first."""
    for i in range(labels.shape[0] - 1, -1, -1):
        link(s, i, labels[i])
    for g in range(s.head.shape[0]):
        centre(s, g)


@compiled
def centre(s, g):
    """Compute the centroid of group ``g`` from its records."""
    for j in range(s.X.shape[1]):
        total = 0.0
        i = s.head[g]
        while i >= 0:
            total += s.X[i, j]
            i = s.after[i]
        s.centroids[g, j] = total / max(s.sizes[g], 1)
    s.counts[VERSION] += 1
    s.version[g] = s.counts[VERSION]


@compiled
def slot_of(s, g, unit):
    """Return the slot of the pair of group and unit in the hash table, or a free one."""
    key = g * np.int64(s.X.shape[0]) + unit
    mask = s.keys.shape[0] - 1
    at = np.int64((np.uint64(key) * MIX) >> np.uint64(20)) & mask
    while s.keys[at] != key and s.keys[at] != NONE:
        at = (at + 1) & mask
    return at


@compiled
def count_of(s, g, unit):
    """Return the number of records of a unit in group ``g``."""
    return s.values[slot_of(s, g, unit)]


@compiled
def note(s, g, unit, change):
    """Add ``change`` to the number of records of a unit in group ``g``."""
    at = slot_of(s, g, unit)
    if s.keys[at] == NONE:
        s.keys[at] = g * np.int64(s.X.shape[0]) + unit
        s.counts[USED] += 1
    s.values[at] += change
    if change > 0 and s.values[at] == change:
        s.distinct[g] += 1
    elif change < 0 and s.values[at] == 0:
        s.distinct[g] -= 1


@compiled
def rehash(s):
    """Remove the pairs whose count is 0 from the hash table."""
    s.keys[:] = NONE
    s.values[:] = 0
    s.counts[USED] = 0
    for i in range(s.labels.shape[0]):
        at = slot_of(s, s.labels[i], s.unit[i])
        if s.keys[at] == NONE:
            s.keys[at] = s.labels[i] * np.int64(s.X.shape[0]) + s.unit[i]
            s.counts[USED] += 1
        s.values[at] += 1


@compiled
def link(s, i, g):
    """Add record ``i``, which is in no group, to the list of group ``g``."""
    first = s.head[g]
    s.after[i], s.before[i] = first, NONE
    if first >= 0:
        s.before[first] = i
    s.head[g] = i
    s.labels[i] = g
    s.sizes[g] += 1
    note(s, g, s.unit[i], 1)


@compiled
def unlink(s, i):
    """Remove record ``i`` from the list of its group."""
    g = s.labels[i]
    if s.before[i] >= 0:
        s.after[s.before[i]] = s.after[i]
    else:
        s.head[g] = s.after[i]
    if s.after[i] >= 0:
        s.before[s.after[i]] = s.before[i]
    s.sizes[g] -= 1
    note(s, g, s.unit[i], -1)


@compiled
def move(s, i, h):
    """Move record ``i`` to group ``h`` and update the centroids."""
    g = s.labels[i]
    unlink(s, i)
    link(s, i, h)
    for j in range(s.X.shape[1]):
        if s.sizes[g] > 0:
            s.centroids[g, j] += (s.centroids[g, j] - s.X[i, j]) / s.sizes[g]
        s.centroids[h, j] += (s.X[i, j] - s.centroids[h, j]) / s.sizes[h]
    s.counts[VERSION] += 1
    s.version[g] = s.version[h] = s.counts[VERSION]
    if 2 * s.counts[USED] > s.keys.shape[0]:
        rehash(s)


@compiled
def may_leave(s, k, i):
    """Return whether the group of record ``i`` still holds k units without it."""
    g = s.labels[i]
    return s.distinct[g] > k or count_of(s, g, s.unit[i]) > 1


@compiled
def sse_of(s, g):
    """Return the sum of the squared distances of the records of group ``g`` to its centroid."""
    total = 0.0
    i = s.head[g]
    while i >= 0:
        total += row_distance(s.X, i, s.centroids, g)
        i = s.after[i]
    return total
