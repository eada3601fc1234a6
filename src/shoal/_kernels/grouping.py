"""Groups that change record by record, and a trial of changes that can be undone.

Centroid and SSE of a group are computed afresh from its records whenever these
change: groups are small, so that costs little, and no rounding error gathers.
The first change of a group within a trial keeps a copy of it; taking the trial
back puts the copies in place, to the bit.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled, inlined

TOUCHED, FREE, WAITING, NEXT, VERSION, LOOK = 0, 1, 2, 3, 4, 5


class Grouping(NamedTuple):
    """Groups of records, what a trial changed, and the records whose moves wait to be tried.

    ``near`` are the nearest others of each record. The records of group g are
    ``members[g, :sizes[g]]``; ``place`` tells where a record stands there, and
    ``inside[g]`` holds their values column by column. The trial
    changed the ``counts[TOUCHED]`` groups in ``touched``; what ends in ``_before``
    holds copies of them, in that order, so that these stay in the processor's cache.
    ``free`` holds at least all empty groups. ``queue`` is a ring of
    ``counts[WAITING]`` records from ``counts[NEXT]`` on; ``waits`` marks them.
    ``joins`` and ``costs`` are two groups that a record would join, their versions
    then, and the costs; ``leave`` holds the lower cost by group and place, where it is at
    hand. ``found``, ``parts``, ``along`` and
    ``across`` are room to work in.
    """

    X: np.ndarray
    near: np.ndarray
    labels: np.ndarray
    place: np.ndarray
    members: np.ndarray
    inside: np.ndarray
    sizes: np.ndarray
    centroids: np.ndarray
    sse: np.ndarray
    apart: np.ndarray
    leave: np.ndarray
    version: np.ndarray
    members_before: np.ndarray
    sizes_before: np.ndarray
    centroids_before: np.ndarray
    sse_before: np.ndarray
    apart_before: np.ndarray
    version_before: np.ndarray
    touched: np.ndarray
    is_touched: np.ndarray
    free: np.ndarray
    is_free: np.ndarray
    queue: np.ndarray
    waits: np.ndarray
    counts: np.ndarray
    seen: np.ndarray
    joins: np.ndarray
    costs: np.ndarray
    found: np.ndarray
    parts: np.ndarray
    along: np.ndarray
    across: np.ndarray


def open_grouping(X: np.ndarray, near: np.ndarray, labels: np.ndarray, k: int) -> Grouping:
    """Return the groups that ``labels`` tell, each of at most 2k - 1 records."""
    n, p = X.shape
    room = n // k + 4
    shape, most = (room, p), 4 * k
    s = Grouping(
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
        np.zeros(most), np.zeros(most),
    )  # fmt: skip
    enrol(s)
    return s


@compiled
def enrol(s):
    """Enter the records into the groups that their labels tell."""
    for i in range(s.X.shape[0]):
        g = s.labels[i]
        seat(s, i, g, s.sizes[g])
        s.sizes[g] += 1
    for g in range(s.sizes.shape[0] - 1, -1, -1):
        if s.sizes[g] == 0:
            release(s, g)
        else:
            refresh(s, g)


@compiled
def seat(s, i, g, m):
    """Let record ``i`` stand at place ``m`` of group ``g``."""
    s.labels[i], s.place[i], s.members[g, m] = g, m, i
    s.leave[g, m] = s.costs[i, 0]
    for j in range(s.X.shape[1]):
        s.inside[g, j, m] = s.X[i, j]


@inlined
def release(s, g):
    """Note that group ``g`` is empty."""
    if not s.is_free[g]:
        s.is_free[g] = True
        s.free[s.counts[FREE]] = g
        s.counts[FREE] += 1


@compiled
def empty_group(s):
    """Return an empty group and take it from the list of these."""
    while True:
        s.counts[FREE] -= 1
        g = s.free[s.counts[FREE]]
        s.is_free[g] = False
        if s.sizes[g] == 0:
            return g


@compiled
def refresh(s, g):
    """Compute centroid and SSE of group ``g`` from its records."""
    size, p = s.sizes[g], s.X.shape[1]
    squares = 0.0
    if size == 0:
        release(s, g)
    else:
        s.apart[g, :size] = 0.0
        for j in range(p):
            total = 0.0
            for m in range(size):
                total += s.inside[g, j, m]
            centre = total / size
            s.centroids[g, j] = centre
            for m in range(size):
                d = s.inside[g, j, m] - centre
                s.apart[g, m] += d * d
        for m in range(size):
            squares += s.apart[g, m]
    s.sse[g] = squares
    s.counts[VERSION] += 1
    s.version[g] = s.counts[VERSION]


@compiled
def gap(A, a, B, b):
    """Return the squared distance of row ``a`` of ``A`` to row ``b`` of ``B``.

    It takes whole arrays, since a view of a row costs as much as its distance.
    """
    total = 0.0
    for j in range(A.shape[1]):
        d = A[a, j] - B[b, j]
        total += d * d
    return total


@inlined
def touch(s, g):
    """Keep a copy of group ``g``, once in a trial."""
    if s.is_touched[g]:
        return
    t = s.counts[TOUCHED]
    s.is_touched[g] = True
    s.touched[t] = g
    s.counts[TOUCHED] += 1
    s.sizes_before[t] = s.sizes[g]
    s.sse_before[t] = s.sse[g]
    for m in range(s.sizes[g]):
        s.members_before[t, m] = s.members[g, m]
        s.apart_before[t, m] = s.apart[g, m]
    s.version_before[t] = s.version[g]
    for j in range(s.X.shape[1]):
        s.centroids_before[t, j] = s.centroids[g, j]


@compiled
def move(s, i, h):
    """Move record ``i`` to group ``h``; centroids and SSE are not yet computed."""
    g = s.labels[i]
    touch(s, g)
    touch(s, h)
    seat(s, s.members[g, s.sizes[g] - 1], g, s.place[i])
    s.sizes[g] -= 1
    seat(s, i, h, s.sizes[h])
    s.sizes[h] += 1


@compiled
def keep(s):
    """End the trial: what it changed stays."""
    for t in range(s.counts[TOUCHED]):
        s.is_touched[s.touched[t]] = False
    s.counts[TOUCHED] = 0


@compiled
def take_back(s):
    """End the trial: all groups are as before it."""
    for t in range(s.counts[TOUCHED]):
        g = s.touched[t]
        s.is_touched[g] = False
        s.sizes[g] = s.sizes_before[t]
        s.sse[g] = s.sse_before[t]
        for m in range(s.sizes[g]):
            seat(s, s.members_before[t, m], g, m)
            s.apart[g, m] = s.apart_before[t, m]
        for j in range(s.X.shape[1]):
            s.centroids[g, j] = s.centroids_before[t, j]
        s.version[g] = s.version_before[t]
        if s.sizes[g] == 0:
            release(s, g)
    s.counts[TOUCHED] = 0


@compiled
def rise(s):
    """Return by how much the trial has raised the SSE so far."""
    total = 0.0
    for t in range(s.counts[TOUCHED]):
        total += s.sse[s.touched[t]] - s.sse_before[t]
    return total
