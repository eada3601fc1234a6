"""Groups that change record by record, and a trial of changes that can be undone.

Centroid and SSE of a group are computed afresh from its records whenever these
change: groups are small, so that costs little, and no rounding error gathers.
The first change of a group within a trial keeps a copy of it; taking the trial
back puts the copies in place, to the bit.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled, inlined

N_SAVED, N_EMPTY, N_QUEUED, QUEUE_START, VERSION, LOOK = 0, 1, 2, 3, 4, 5


class Grouping(NamedTuple):
    """Groups of records, what a trial changed, and the queue of records to be moved.

    ``near`` are the nearest others of each record. The records of group g are
    ``members[g, :sizes[g]]``; ``place`` is the place of a record there, and
    ``values[g]`` holds their values column by column. The trial
    changed the ``counts[N_SAVED]`` groups in ``saved``; what ends in ``_before``
    holds copies of them, in that order, so that these stay in the processor's cache.
    ``free`` holds at least all empty groups. ``queue`` is a ring of
    ``counts[N_QUEUED]`` records from ``counts[QUEUE_START]`` on; ``is_queued`` marks them.
    ``joins`` and ``costs`` are two groups that a record would join, their versions
    then, and the costs; ``leave_cost`` holds the lower cost by group and place, where it is at
    hand. ``group_list``, ``parts``, ``along`` and
    ``across`` are working space; ``gains`` is written by `gather_gains`.
    """

    X: np.ndarray
    near: np.ndarray
    labels: np.ndarray
    place: np.ndarray
    members: np.ndarray
    values: np.ndarray
    sizes: np.ndarray
    centroids: np.ndarray
    sse: np.ndarray
    squares: np.ndarray
    leave_cost: np.ndarray
    version: np.ndarray
    members_before: np.ndarray
    sizes_before: np.ndarray
    centroids_before: np.ndarray
    sse_before: np.ndarray
    squares_before: np.ndarray
    version_before: np.ndarray
    saved: np.ndarray
    is_saved: np.ndarray
    free: np.ndarray
    is_free: np.ndarray
    queue: np.ndarray
    is_queued: np.ndarray
    counts: np.ndarray
    seen: np.ndarray
    joins: np.ndarray
    costs: np.ndarray
    group_list: np.ndarray
    parts: np.ndarray
    along: np.ndarray
    across: np.ndarray
    gains: np.ndarray


def empty_grouping(X: np.ndarray, near: np.ndarray, labels: np.ndarray, k: int) -> Grouping:
    """Return groups whose records are still to be filled in; see `passes.open_grouping`."""
    n, p = X.shape
    room = n // k + 4
    shape, most = (room, p), 4 * k
    return Grouping(
        X, near, labels.copy(), np.zeros(n, np.int64),
        np.zeros((room, most), np.int64), np.zeros((room, p, most)),
        np.zeros(room, np.int64), np.zeros(shape), np.zeros(room),
        np.zeros((room, most)), np.zeros((room, most)), np.zeros(room, np.int64),
        np.zeros((room, most), np.int64), np.zeros(room, np.int64), np.zeros(shape), np.zeros(room),
        np.zeros((room, most)), np.zeros(room, np.int64),
        np.zeros(room, np.int64), np.zeros(room, np.bool_),
        np.zeros(room, np.int64), np.zeros(room, np.bool_),
        np.zeros(n, np.int64), np.zeros(n, np.bool_), np.zeros(6, np.int64),
        np.zeros(room, np.int64), np.full((n, 4), -1), np.zeros((n, 2)),
        np.zeros(near.shape[1], np.int64), np.zeros((2, k), np.int64),
        np.zeros(most), np.zeros(most), np.zeros(n),
    )  # fmt: skip


@compiled
def fill_groups(s):
    """Add the records to the groups of their labels."""
    for i in range(s.X.shape[0]):
        g = s.labels[i]
        place_member(s, i, g, s.sizes[g])
        s.sizes[g] += 1
    for g in range(s.sizes.shape[0] - 1, -1, -1):
        if s.sizes[g] == 0:
            mark_empty(s, g)
        else:
            refresh(s, g)


@compiled
def place_member(s, i, g, m):
    """Put record ``i`` at place ``m`` of group ``g``."""
    s.labels[i], s.place[i], s.members[g, m] = g, m, i
    s.leave_cost[g, m] = s.costs[i, 0]
    for j in range(s.X.shape[1]):
        s.values[g, j, m] = s.X[i, j]


@inlined
def mark_empty(s, g):
    """Add group ``g`` to the list of empty groups."""
    if not s.is_free[g]:
        s.is_free[g] = True
        s.free[s.counts[N_EMPTY]] = g
        s.counts[N_EMPTY] += 1


@compiled
def empty_group(s):
    """Remove a group from the list of empty groups and return it."""
    while True:
        s.counts[N_EMPTY] -= 1
        g = s.free[s.counts[N_EMPTY]]
        s.is_free[g] = False
        if s.sizes[g] == 0:
            return g


@compiled
def refresh(s, g):
    """Compute centroid and SSE of group ``g`` from its records."""
    size, p = s.sizes[g], s.X.shape[1]
    squares = 0.0
    if size == 0:
        mark_empty(s, g)
    else:
        s.squares[g, :size] = 0.0
        for j in range(p):
            total = 0.0
            for m in range(size):
                total += s.values[g, j, m]
            centre = total / size
            s.centroids[g, j] = centre
            for m in range(size):
                d = s.values[g, j, m] - centre
                s.squares[g, m] += d * d
        for m in range(size):
            squares += s.squares[g, m]
    s.sse[g] = squares
    s.counts[VERSION] += 1
    s.version[g] = s.counts[VERSION]


@inlined
def save_group(s, g):
    """Keep a copy of group ``g``, once in a trial."""
    if s.is_saved[g]:
        return
    t = s.counts[N_SAVED]
    s.is_saved[g] = True
    s.saved[t] = g
    s.counts[N_SAVED] += 1
    s.sizes_before[t] = s.sizes[g]
    s.sse_before[t] = s.sse[g]
    for m in range(s.sizes[g]):
        s.members_before[t, m] = s.members[g, m]
        s.squares_before[t, m] = s.squares[g, m]
    s.version_before[t] = s.version[g]
    for j in range(s.X.shape[1]):
        s.centroids_before[t, j] = s.centroids[g, j]


@compiled
def move(s, i, h):
    """Move record ``i`` to group ``h``; centroids and SSE are not yet computed."""
    g = s.labels[i]
    save_group(s, g)
    save_group(s, h)
    place_member(s, s.members[g, s.sizes[g] - 1], g, s.place[i])
    s.sizes[g] -= 1
    place_member(s, i, h, s.sizes[h])
    s.sizes[h] += 1


@compiled
def accept_trial(s):
    """End the trial and keep its changes."""
    for t in range(s.counts[N_SAVED]):
        s.is_saved[s.saved[t]] = False
    s.counts[N_SAVED] = 0


@compiled
def undo_trial(s):
    """End the trial and undo its changes."""
    for t in range(s.counts[N_SAVED]):
        g = s.saved[t]
        s.is_saved[g] = False
        s.sizes[g] = s.sizes_before[t]
        s.sse[g] = s.sse_before[t]
        for m in range(s.sizes[g]):
            place_member(s, s.members_before[t, m], g, m)
            s.squares[g, m] = s.squares_before[t, m]
        for j in range(s.X.shape[1]):
            s.centroids[g, j] = s.centroids_before[t, j]
        s.version[g] = s.version_before[t]
        if s.sizes[g] == 0:
            mark_empty(s, g)
    s.counts[N_SAVED] = 0


@compiled
def sse_change(s):
    """Return the increase of the SSE by the trial so far."""
    total = 0.0
    for t in range(s.counts[N_SAVED]):
        total += s.sse[s.saved[t]] - s.sse_before[t]
    return total
