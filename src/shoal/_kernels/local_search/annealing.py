"""Simulated annealing: random changes of groups, descent, and acceptance by temperature.

Every change is a trial: a group is dissolved, a new one is gathered, records are swapped, or two
near groups are merged and split again. As in the Metropolis algorithm, a rise r of the SSE is
accepted with probability exp(-r / (s t / k)) at the temperature t, where s is the mean SSE of the
groups that changed. It is relative to s because otherwise groups of sparse records would never
change, and groups of dense ones would never stop changing.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.local_search.dissolve_and_gather import (
    descend_around,
    dissolve,
    gather,
    reject_trial,
    sse_before_trial,
)
from shoal._kernels.local_search.grouping import (
    N_SAVED,
    accept_trial,
    move,
    sse_change,
    update_group,
)
from shoal._kernels.local_search.random_numbers import draw_fraction, draw_index

N_CHANGED, N_POOLED = 0, 1  # indices of the counts of a `BestAndPool`
CURRENT, BEST = 0, 1  # indices of its ``sse``
P_DISSOLVE, P_GATHER, P_SWAP = 0.15, 0.3, 0.5  # cumulative; two groups are merged otherwise
MAX_SWAPS = 3  # in one change
NEAR_MISS = 0.3  # rise of the SSE, as a share of that of a group, up to which groups are pooled


class BestAndPool(NamedTuple):
    """The best groups of a run, and a pool of good groups that occurred during the run.

    ``best`` are the labels at the least SSE so far; ``sse`` holds the current SSE and the
    least. Records whose group may differ from ``best`` stand in
    ``changed_records[:counts[N_CHANGED]]``. The ``counts[N_POOLED]`` groups of the pool are rows
    of ``pool``, padded with -1. ``slots`` is a hash table of their ``keys``; the key of a
    group is the sum of the random ``record_keys`` of its records.
    """

    best: np.ndarray  # (n,)
    sse: np.ndarray  # (2,)
    changed_records: np.ndarray  # (n,)
    is_changed: np.ndarray  # (n,)
    pool: np.ndarray  # (capacity, 2 * k - 1)
    keys: np.ndarray  # (capacity,)
    slots: np.ndarray  # (4 * capacity,)
    record_keys: np.ndarray  # (n,)
    counts: np.ndarray  # (2,)


def open_best_and_pool(labels: np.ndarray, sse: float, k: int, capacity: int) -> BestAndPool:
    """Return the groups at the start as the best, and an empty pool."""
    n = len(labels)
    # They only distinguish groups, so their seed is fixed.
    record_keys = np.random.default_rng(0).integers(0, 2**63, n).astype(np.uint64)
    return BestAndPool(
        best=labels.copy(),
        sse=np.array([sse, sse]),
        changed_records=np.zeros(n, np.int64),
        is_changed=np.zeros(n, np.bool_),
        pool=np.full((capacity, 2 * k - 1), NONE),
        keys=np.zeros(capacity, np.uint64),
        slots=np.full(4 * capacity, NONE),
        record_keys=record_keys,
        counts=np.zeros(2, np.int64),
    )


@compiled
def change_groups(grouping, k, rng_state):
    """Change some groups at random; return whether that was possible."""
    record = draw_index(rng_state, grouping.X.shape[0])
    fraction = draw_fraction(rng_state)
    if fraction < P_DISSOLVE:
        return dissolve(grouping, k, grouping.labels[record])
    if fraction < P_GATHER and grouping.near.shape[1] >= k - 1:
        return gather(grouping, k, record)
    if fraction < P_SWAP:
        return swap_records(grouping, record, rng_state)
    return merge_groups(grouping, record, rng_state)


@compiled
def draw_neighbour(grouping, record, rng_state):
    """Draw a near record of ``record`` in another group, or none."""
    neighbour = np.int64(grouping.near[record, draw_index(rng_state, grouping.near.shape[1])])
    if grouping.labels[neighbour] == grouping.labels[record]:
        return NONE
    return neighbour


@compiled
def swap_records(grouping, record, rng_state):
    """Swap some near records, starting from ``record``."""
    for _ in range(1 + draw_index(rng_state, MAX_SWAPS)):
        neighbour = draw_neighbour(grouping, record, rng_state)
        if neighbour != NONE:
            group, other = grouping.labels[record], grouping.labels[neighbour]
            move(grouping, record, other)
            move(grouping, neighbour, group)
            update_group(grouping, group)
            update_group(grouping, other)
            record = grouping.members[group, draw_index(rng_state, grouping.sizes[group])]
    return grouping.counts[N_SAVED] > 0


@compiled
def merge_groups(grouping, record, rng_state):
    """Merge the group of ``record`` with a near one; it is split again when the trial descends."""
    neighbour = draw_neighbour(grouping, record, rng_state)
    if neighbour == NONE:
        return False
    group, other = grouping.labels[record], grouping.labels[neighbour]
    while grouping.sizes[other] > 0:
        move(grouping, grouping.members[other, grouping.sizes[other] - 1], group)
    update_group(grouping, other)
    update_group(grouping, group)
    return True


@compiled
def mark_changed(grouping, best_and_pool):
    """Mark the records of the groups that the trial changed."""
    for copy in range(grouping.counts[N_SAVED]):
        group = grouping.copies.groups[copy]
        for position in range(grouping.sizes[group]):
            record = grouping.members[group, position]
            if not best_and_pool.is_changed[record]:
                best_and_pool.is_changed[record] = True
                best_and_pool.changed_records[best_and_pool.counts[N_CHANGED]] = record
                best_and_pool.counts[N_CHANGED] += 1


@compiled
def add_changed_groups(grouping, k, best_and_pool):
    """Add the groups that the trial changed to the pool; a full pool is emptied first."""
    for copy in range(grouping.counts[N_SAVED]):
        group = grouping.copies.groups[copy]
        size = grouping.sizes[group]
        if k <= size <= best_and_pool.pool.shape[1]:
            if best_and_pool.counts[N_POOLED] == best_and_pool.pool.shape[0]:
                best_and_pool.counts[N_POOLED] = 0
                best_and_pool.slots[:] = NONE
            add_group(grouping, group, best_and_pool)


@compiled
def add_group(grouping, group, best_and_pool):
    """Add ``group`` to the pool, unless it is there already."""
    size, n_pooled = grouping.sizes[group], best_and_pool.counts[N_POOLED]
    key = np.uint64(0)
    for position in range(size):
        key += best_and_pool.record_keys[grouping.members[group, position]]
    slot = np.int64(key % np.uint64(best_and_pool.slots.shape[0]))
    while best_and_pool.slots[slot] != NONE:
        if best_and_pool.keys[best_and_pool.slots[slot]] == key:
            return
        slot = (slot + 1) % best_and_pool.slots.shape[0]
    best_and_pool.slots[slot] = n_pooled
    best_and_pool.keys[n_pooled] = key
    for position in range(best_and_pool.pool.shape[1]):
        best_and_pool.pool[n_pooled, position] = (
            grouping.members[group, position] if position < size else NONE
        )
    best_and_pool.counts[N_POOLED] = n_pooled + 1


@compiled
def store_best(grouping, best_and_pool):
    """Store the current groups as the best."""
    best_and_pool.sse[BEST] = best_and_pool.sse[CURRENT]
    for position in range(best_and_pool.counts[N_CHANGED]):
        record = best_and_pool.changed_records[position]
        best_and_pool.best[record] = grouping.labels[record]
        best_and_pool.is_changed[record] = False
    best_and_pool.counts[N_CHANGED] = 0


@compiled
def anneal(grouping, k, best_and_pool, rng_state, temperatures):
    """Make one trial at each of ``temperatures``; add good groups to the pool, accepted or not."""
    for temperature in temperatures:
        is_possible, is_accepted = change_groups(grouping, k, rng_state), False
        max_rise = -temperature * np.log(1.0 - draw_fraction(rng_state))
        if is_possible:
            mean_sse = sse_before_trial(grouping) / grouping.counts[N_SAVED]
            max_rise *= mean_sse / k
            descend_around(grouping, k, max_rise)
            rise = sse_change(grouping)
            is_accepted = rise <= max_rise
            if is_accepted or rise <= NEAR_MISS * mean_sse:
                add_changed_groups(grouping, k, best_and_pool)
        if is_accepted:
            mark_changed(grouping, best_and_pool)
            accept_trial(grouping)
            best_and_pool.sse[CURRENT] += rise
            if best_and_pool.sse[CURRENT] < best_and_pool.sse[BEST]:
                store_best(grouping, best_and_pool)
        else:
            reject_trial(grouping)


@compiled
def pool_sse(X, pool):
    """Return the SSE of each group of a pool, whose rows list records and are padded with -1."""
    sse, mean = np.zeros(pool.shape[0]), np.empty((1, X.shape[1]))
    for group in range(pool.shape[0]):
        size = 0
        mean[:] = 0.0
        while size < pool.shape[1] and pool[group, size] != NONE:
            mean[0] += X[pool[group, size]]
            size += 1
        mean /= size
        for position in range(size):
            sse[group] += squared_row_distance(X, pool[group, position], mean, 0)
    return sse
