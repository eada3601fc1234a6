"""Groups change at random, descend again, and stay so by chance: less likely the worse they are.

Every change is a trial: a group dissolves, a new one gathers, records change places,
or two near groups merge and split anew. The colder it is, the less may the SSE rise.
A rise is weighed by the SSE of the groups that changed: where records lie far apart,
groups could otherwise never change, and where they lie close, never settle.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.descent import NOBODY
from shoal._kernels.draws import below, fraction
from shoal._kernels.grouping import TOUCHED, gap, keep, move, refresh, rise, take_back
from shoal._kernels.reshape import before, dissolve, gather, recover

CHANGED, KNOWN = 0, 1
DISSOLVE, GATHER, SWAP = 0.15, 0.3, 0.5  # cumulated shares of the kinds of change
SWAPS = 3  # at most, in one change
NEARLY = 0.3  # rise of a trial, as a share of a group's SSE, up to which its groups are remembered


class Memory(NamedTuple):
    """The best groups of a run, and good groups that it met.

    ``best`` are the labels at the least SSE so far; ``sse`` holds the SSE now and
    the least. Records whose group may differ from ``best`` stand in
    ``changed[:counts[CHANGED]]``. The ``counts[KNOWN]`` groups met are rows of
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
    """Return a memory of the groups at the start, with room for so many others."""
    n = len(labels)
    signs = np.random.default_rng(0).integers(0, 2**63, n).astype(np.uint64)
    return Memory(
        labels.copy(),
        np.array([sse, sse]),
        np.zeros(n, np.int64),
        np.zeros(n, np.bool_),
        np.full((room, 2 * k - 1), NOBODY),
        np.zeros(room, np.uint64),
        np.full(4 * room, NOBODY),
        signs,
        np.zeros(2, np.int64),
    )


@compiled
def change(s, k, state):
    """Change some groups at random; say whether that was possible."""
    i = below(state, s.X.shape[0])
    kind = fraction(state)
    if kind < DISSOLVE:
        return dissolve(s, k, s.labels[i])
    if kind < GATHER and s.near.shape[1] >= k - 1:
        return gather(s, k, i)
    if kind < SWAP:
        return exchange(s, i, state)
    return merge(s, i, state)


@compiled
def another(s, i, state):
    """Draw a near record of ``i`` in another group, or nobody."""
    j = s.near[i, below(state, s.near.shape[1])]
    if s.labels[j] == s.labels[i]:
        return NOBODY
    return j


@compiled
def exchange(s, i, state):
    """Let some near records change places, starting from ``i``."""
    for _ in range(1 + below(state, SWAPS)):
        j = another(s, i, state)
        if j != NOBODY:
            a, b = s.labels[i], s.labels[j]
            move(s, i, b)
            move(s, j, a)
            refresh(s, a)
            refresh(s, b)
            i = s.members[a, below(state, s.sizes[a])]
    return s.counts[TOUCHED] > 0


@compiled
def merge(s, i, state):
    """Merge the group of ``i`` with a near one; it is split anew when the trial recovers."""
    j = another(s, i, state)
    if j == NOBODY:
        return False
    a, b = s.labels[i], s.labels[j]
    while s.sizes[b] > 0:
        move(s, s.members[b, s.sizes[b] - 1], a)
    refresh(s, b)
    refresh(s, a)
    return True


@compiled
def note(s, memory):
    """Remember who stands in the groups that the trial changed."""
    for t in range(s.counts[TOUCHED]):
        g = s.touched[t]
        for m in range(s.sizes[g]):
            i = s.members[g, m]
            if not memory.is_changed[i]:
                memory.is_changed[i] = True
                memory.changed[memory.counts[CHANGED]] = i
                memory.counts[CHANGED] += 1


@compiled
def collect(s, k, memory):
    """Put the groups that the trial changed into the pool; a full one starts anew."""
    for t in range(s.counts[TOUCHED]):
        g = s.touched[t]
        size = s.sizes[g]
        if k <= size <= memory.pool.shape[1]:
            if memory.counts[KNOWN] == memory.pool.shape[0]:
                memory.counts[KNOWN] = 0
                memory.slots[:] = NOBODY
            enter(s, g, memory)


@compiled
def enter(s, g, memory):
    """Put group ``g`` into the pool, unless it is known."""
    size, known = s.sizes[g], memory.counts[KNOWN]
    key = np.uint64(0)
    for m in range(size):
        key += memory.signs[s.members[g, m]]
    slot = np.int64(key % np.uint64(memory.slots.shape[0]))
    while memory.slots[slot] != NOBODY:
        if memory.keys[memory.slots[slot]] == key:
            return
        slot = (slot + 1) % memory.slots.shape[0]
    memory.slots[slot] = known
    memory.keys[known] = key
    for m in range(memory.pool.shape[1]):
        memory.pool[known, m] = s.members[g, m] if m < size else NOBODY
    memory.counts[KNOWN] = known + 1


@compiled
def remember_best(s, memory):
    """Let the groups as they are be the best."""
    memory.sse[1] = memory.sse[0]
    for c in range(memory.counts[CHANGED]):
        i = memory.changed[c]
        memory.best[i] = s.labels[i]
        memory.is_changed[i] = False
    memory.counts[CHANGED] = 0


@compiled
def anneal(s, k, memory, state, temperatures):
    """Make one trial at each of ``temperatures``; good groups go into the pool, kept or not."""
    for temperature in temperatures:
        fine = change(s, k, state)
        allowed = -temperature * np.log(1.0 - fraction(state))
        if fine:
            usual = before(s) / s.counts[TOUCHED]
            allowed *= usual / k
            recover(s, k, allowed)
            raised = rise(s)
            fine = raised <= allowed
            if fine or raised <= NEARLY * usual:
                collect(s, k, memory)
        if fine:
            note(s, memory)
            keep(s)
            memory.sse[0] += raised
            if memory.sse[0] < memory.sse[1]:
                remember_best(s, memory)
        else:
            take_back(s)


@compiled
def pool_sse(X, pool):
    """Return the SSE of each group of a pool."""
    found, mean = np.zeros(pool.shape[0]), np.empty((1, X.shape[1]))
    for g in range(pool.shape[0]):
        size = 0
        mean[:] = 0.0
        while size < pool.shape[1] and pool[g, size] != NOBODY:
            mean[0] += X[pool[g, size]]
            size += 1
        mean /= size
        for m in range(size):
            found[g] += gap(X, pool[g, m], mean, 0)
    return found
