"""Simulated annealing: random changes of groups, descent, and acceptance by temperature.

Every change is a trial: a group dissolves, a new one gathers, records change places,
or two near groups merge and split again. The colder it is, the less may the SSE rise.
A rise is weighed by the SSE of the groups that changed: where records lie far apart,
groups could otherwise never change, and where they lie close, never come to rest.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.local_search.descent import NONE
from shoal._kernels.local_search.draws import below, fraction
from shoal._kernels.local_search.grouping import (
    N_SAVED,
    accept_trial,
    move,
    refresh,
    sse_change,
    undo_trial,
)
from shoal._kernels.local_search.reshape import descend_around, dissolve, gather, sse_before_trial

N_CHANGED, N_POOLED = 0, 1
DISSOLVE, GATHER, SWAP = 0.15, 0.3, 0.5  # cumulated shares of the kinds of change
SWAPS = 3  # at most, in one change
NEARLY = 0.3  # rise of a trial, as a share of a group's SSE, up to which its groups are remembered


class Memory(NamedTuple):
    """The best groups of a run, and a pool of good groups that it met.

    ``best`` are the labels at the least SSE so far; ``sse`` holds the SSE now and
    the least. Records whose group may differ from ``best`` stand in
    ``changed[:counts[N_CHANGED]]``. The ``counts[N_POOLED]`` groups met are rows of
    ``pool``, filled up with -1; ``slots`` finds a group by its ``keys``, which are
    sums of one random number per record.
    """

    best: np.ndarray
    sse: np.ndarray
    changed: np.ndarray
    is_changed: np.ndarray
    pool: np.ndarray
    keys: np.ndarray
    slots: np.ndarray
    signs: np.ndarray
    counts: np.ndarray


def open_memory(labels: np.ndarray, sse: float, k: int, room: int) -> Memory:
    """Return a memory of the groups at the start, and an empty pool."""
    n = len(labels)
    signs = np.random.default_rng(0).integers(0, 2**63, n).astype(np.uint64)
    return Memory(
        labels.copy(),
        np.array([sse, sse]),
        np.zeros(n, np.int64),
        np.zeros(n, np.bool_),
        np.full((room, 2 * k - 1), NONE),
        np.zeros(room, np.uint64),
        np.full(4 * room, NONE),
        signs,
        np.zeros(2, np.int64),
    )


@compiled
def change(s, k, state):
    """Change some groups at random; return whether that was possible."""
    i = below(state, s.X.shape[0])
    kind = fraction(state)
    if kind < DISSOLVE:
        return dissolve(s, k, s.labels[i])
    if kind < GATHER and s.near.shape[1] >= k - 1:
        return gather(s, k, i)
    if kind < SWAP:
        return swap_records(s, i, state)
    return merge_groups(s, i, state)


@compiled
def draw_neighbour(s, i, state):
    """Draw a near record of ``i`` in another group, or none."""
    j = s.near[i, below(state, s.near.shape[1])]
    if s.labels[j] == s.labels[i]:
        return NONE
    return j


@compiled
def swap_records(s, i, state):
    """Swap some near records, starting from ``i``."""
    for _ in range(1 + below(state, SWAPS)):
        j = draw_neighbour(s, i, state)
        if j != NONE:
            a, b = s.labels[i], s.labels[j]
            move(s, i, b)
            move(s, j, a)
            refresh(s, a)
            refresh(s, b)
            i = s.members[a, below(state, s.sizes[a])]
    return s.counts[N_SAVED] > 0


@compiled
def merge_groups(s, i, state):
    """Merge the group of ``i`` with a near one; it is split again when the trial descends."""
    j = draw_neighbour(s, i, state)
    if j == NONE:
        return False
    a, b = s.labels[i], s.labels[j]
    while s.sizes[b] > 0:
        move(s, s.members[b, s.sizes[b] - 1], a)
    refresh(s, b)
    refresh(s, a)
    return True


@compiled
def mark_changed(s, memory):
    """Mark the records of the groups that the trial changed."""
    for t in range(s.counts[N_SAVED]):
        g = s.saved[t]
        for m in range(s.sizes[g]):
            i = s.members[g, m]
            if not memory.is_changed[i]:
                memory.is_changed[i] = True
                memory.changed[memory.counts[N_CHANGED]] = i
                memory.counts[N_CHANGED] += 1


@compiled
def add_changed_groups(s, k, memory):
    """Add the groups that the trial changed to the pool; a full pool is emptied first."""
    for t in range(s.counts[N_SAVED]):
        g = s.saved[t]
        size = s.sizes[g]
        if k <= size <= memory.pool.shape[1]:
            if memory.counts[N_POOLED] == memory.pool.shape[0]:
                memory.counts[N_POOLED] = 0
                memory.slots[:] = NONE
            add_group(s, g, memory)


@compiled
def add_group(s, g, memory):
    """Add group ``g`` to the pool, unless it is there already."""
    size, known = s.sizes[g], memory.counts[N_POOLED]
    key = np.uint64(0)
    for m in range(size):
        key += memory.signs[s.members[g, m]]
    slot = np.int64(key % np.uint64(memory.slots.shape[0]))
    while memory.slots[slot] != NONE:
        if memory.keys[memory.slots[slot]] == key:
            return
        slot = (slot + 1) % memory.slots.shape[0]
    memory.slots[slot] = known
    memory.keys[known] = key
    for m in range(memory.pool.shape[1]):
        memory.pool[known, m] = s.members[g, m] if m < size else NONE
    memory.counts[N_POOLED] = known + 1


@compiled
def remember_best(s, memory):
    """Store the current groups as the best."""
    memory.sse[1] = memory.sse[0]
    for c in range(memory.counts[N_CHANGED]):
        i = memory.changed[c]
        memory.best[i] = s.labels[i]
        memory.is_changed[i] = False
    memory.counts[N_CHANGED] = 0


@compiled
def anneal(s, k, memory, state, temperatures):
    """Make one trial at each of ``temperatures``; add good groups to the pool, accepted or not."""
    for temperature in temperatures:
        fine = change(s, k, state)
        allowed = -temperature * np.log(1.0 - fraction(state))
        if fine:
            usual = sse_before_trial(s) / s.counts[N_SAVED]
            allowed *= usual / k
            descend_around(s, k, allowed)
            raised = sse_change(s)
            fine = raised <= allowed
            if fine or raised <= NEARLY * usual:
                add_changed_groups(s, k, memory)
        if fine:
            mark_changed(s, memory)
            accept_trial(s)
            memory.sse[0] += raised
            if memory.sse[0] < memory.sse[1]:
                remember_best(s, memory)
        else:
            undo_trial(s)


@compiled
def pool_sse(X, pool):
    """Return the SSE of each group of a pool."""
    sse, mean = np.zeros(pool.shape[0]), np.empty((1, X.shape[1]))
    for g in range(pool.shape[0]):
        size = 0
        mean[:] = 0.0
        while size < pool.shape[1] and pool[g, size] != NONE:
            mean[0] += X[pool[g, size]]
            size += 1
        mean /= size
        for m in range(size):
            sse[g] += row_distance(X, pool[g, m], mean, 0)
    return sse
