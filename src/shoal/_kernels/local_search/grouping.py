"""Groups that change record by record, and a trial of changes that can be undone.

Centroid and SSE of a group are computed again from its records whenever these change. Groups are
small, so that this is cheap, and rounding errors do not accumulate. The first change of a group
within a trial stores a copy of it; undoing the trial restores the copies, to the bit.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.lanes import LANES, fill_lanes, load_lanes, prefetch, store_lanes

N_SAVED, N_EMPTY, N_QUEUED, QUEUE_START, VERSION, SCAN = range(6)  # indices of the counts

LINE = 8  # doubles that the processor loads at a time
# The processor itself continues loads of neighbouring lines; this many columns start it.
PREFETCHED_COLUMNS = 16


class GroupCopies(NamedTuple):
    """Copies of the groups that a trial changed, as they were before, in the order of ``groups``.

    They are stored one after another, so that they stay in the processor's cache. The shapes are
    those of `Grouping`; only the first entries are used, as many as groups were changed.
    """

    groups: np.ndarray  # (max_groups,)
    members: np.ndarray
    sizes: np.ndarray
    centroids: np.ndarray
    sse: np.ndarray
    squares: np.ndarray
    version: np.ndarray


class CheapestJoins(NamedTuple):
    """The two groups that each record would join at the least cost, and the costs.

    The cost is the increase of that group's SSE. ``versions`` are those of the groups when the
    costs were computed.
    """

    groups: np.ndarray  # (n, 2)
    versions: np.ndarray  # (n, 2)
    costs: np.ndarray  # (n, 2)


class Grouping(NamedTuple):
    """Groups of records, the changes of a trial, and the queue of records to be moved.

    ``near`` are the nearest others of each record. The records of group g are
    ``members[g, :sizes[g]]``; ``position`` is the position of a record there, and ``values[g]``
    holds their values, those of `LANES` members at a time, column by column. ``squares`` are the
    squared distances of the members to the centroid. ``version`` of a group increases with every
    change.

    The trial changed the first ``counts[N_SAVED]`` groups in ``copies``, which ``is_saved`` marks.
    ``empty_groups`` holds at least all empty groups. ``queue`` is a ring buffer of
    ``counts[N_QUEUED]`` records from ``counts[QUEUE_START]`` on; ``is_queued`` marks them.

    ``joins`` are the cheapest joins of each record; ``least_join_cost`` holds the lower cost again,
    by group and position, for vector instructions. ``last_scan[g]`` is the number of the last
    listing of near groups that contained group g, so that each is listed once. ``near_groups``,
    ``new_members``, ``member_squares``, ``swap_changes`` and ``chain_changes`` are scratch space;
    ``gains`` is written by `write_gains`.
    """

    X: np.ndarray  # (n, p)
    near: np.ndarray  # (n, m)
    labels: np.ndarray  # (n,)
    position: np.ndarray  # (n,)
    members: np.ndarray  # (max_groups, max_size)
    values: np.ndarray  # (max_groups, max_size / LANES, p, LANES)
    sizes: np.ndarray  # (max_groups,)
    centroids: np.ndarray  # (max_groups, p)
    sse: np.ndarray  # (max_groups,)
    squares: np.ndarray  # (max_groups, max_size)
    least_join_cost: np.ndarray  # (max_groups, max_size)
    version: np.ndarray  # (max_groups,)
    copies: GroupCopies
    is_saved: np.ndarray  # (max_groups,)
    empty_groups: np.ndarray  # (max_groups,)
    is_listed_empty: np.ndarray  # (max_groups,)
    queue: np.ndarray  # (n,)
    is_queued: np.ndarray  # (n,)
    counts: np.ndarray  # (6,)
    last_scan: np.ndarray  # (max_groups,)
    joins: CheapestJoins
    near_groups: np.ndarray  # (m,)
    new_members: np.ndarray  # (2, k)
    member_squares: np.ndarray  # (max_size,)
    swap_changes: np.ndarray  # (LANES,)
    chain_changes: np.ndarray  # (LANES,)
    gains: np.ndarray  # (n,)


def allocate_grouping(X: np.ndarray, near: np.ndarray, labels: np.ndarray, k: int) -> Grouping:
    """Return groups whose records are still to be filled in; see `passes.open_grouping`."""
    n, p = X.shape
    # Groups there may be during a trial, and records in a group before it is split, rounded up to
    # whole vectors.
    max_groups, max_size = n // k + 4, -(-4 * k // LANES) * LANES
    return Grouping(
        X=X,
        near=near,
        labels=labels.copy(),
        position=np.zeros(n, np.int64),
        members=np.zeros((max_groups, max_size), np.int64),
        values=np.zeros((max_groups, max_size // LANES, p, LANES)),
        sizes=np.zeros(max_groups, np.int64),
        centroids=np.zeros((max_groups, p)),
        sse=np.zeros(max_groups),
        squares=np.zeros((max_groups, max_size)),
        least_join_cost=np.zeros((max_groups, max_size)),
        version=np.zeros(max_groups, np.int64),
        copies=_allocate_copies(max_groups, max_size, p),
        is_saved=np.zeros(max_groups, np.bool_),
        empty_groups=np.zeros(max_groups, np.int64),
        is_listed_empty=np.zeros(max_groups, np.bool_),
        queue=np.zeros(n, np.int64),
        is_queued=np.zeros(n, np.bool_),
        counts=np.zeros(6, np.int64),
        last_scan=np.zeros(max_groups, np.int64),
        joins=CheapestJoins(
            groups=np.full((n, 2), -1), versions=np.full((n, 2), -1), costs=np.zeros((n, 2))
        ),
        near_groups=np.zeros(near.shape[1], np.int64),
        new_members=np.zeros((2, k), np.int64),
        member_squares=np.zeros(max_size),
        swap_changes=np.zeros(LANES),
        chain_changes=np.zeros(LANES),
        gains=np.zeros(n),
    )


def _allocate_copies(max_groups: int, max_size: int, p: int) -> GroupCopies:
    return GroupCopies(
        groups=np.zeros(max_groups, np.int64),
        members=np.zeros((max_groups, max_size), np.int64),
        sizes=np.zeros(max_groups, np.int64),
        centroids=np.zeros((max_groups, p)),
        sse=np.zeros(max_groups),
        squares=np.zeros((max_groups, max_size)),
        version=np.zeros(max_groups, np.int64),
    )


@compiled
def fill_groups(grouping):
    """Add the records to the groups of their labels."""
    for i in range(grouping.X.shape[0]):
        g = grouping.labels[i]
        put_member(grouping, i, g, grouping.sizes[g])
        grouping.sizes[g] += 1
    for g in range(grouping.sizes.shape[0] - 1, -1, -1):
        if grouping.sizes[g] == 0:
            add_empty_group(grouping, g)
        else:
            update_group(grouping, g)


@compiled
def put_member(grouping, i, g, m):
    """Put record ``i`` at position ``m`` of group ``g``."""
    grouping.labels[i], grouping.position[i], grouping.members[g, m] = g, m, i
    store_least_join_cost(grouping, i)
    for j in range(grouping.X.shape[1]):
        grouping.values[g, m // LANES, j, m % LANES] = grouping.X[i, j]


@inlined
def store_least_join_cost(grouping, i):
    """Store the cost of the cheapest join of record ``i`` by its group and position.

    A record all of whose neighbours are in its own group has no join now, but may have one later.
    """
    g, m = grouping.labels[i], grouping.position[i]
    has_join = grouping.joins.groups[i, 0] >= 0
    grouping.least_join_cost[g, m] = grouping.joins.costs[i, 0] if has_join else 0.0


@inlined
def add_empty_group(grouping, g):
    """Add group ``g`` to the list of empty groups."""
    if not grouping.is_listed_empty[g]:
        grouping.is_listed_empty[g] = True
        grouping.empty_groups[grouping.counts[N_EMPTY]] = g
        grouping.counts[N_EMPTY] += 1


@compiled
def pop_empty_group(grouping):
    """Remove a group from the list of empty groups and return it."""
    while True:
        grouping.counts[N_EMPTY] -= 1
        g = grouping.empty_groups[grouping.counts[N_EMPTY]]
        grouping.is_listed_empty[g] = False
        if grouping.sizes[g] == 0:
            return g


@compiled
def update_group(grouping, g):
    """Compute centroid and SSE of group ``g`` from its records."""
    size, p = grouping.sizes[g], grouping.X.shape[1]
    sse = 0.0
    if size == 0:
        add_empty_group(grouping, g)
    else:
        for j in range(p):
            total = 0.0
            for m in range(size):
                total += grouping.values[g, m // LANES, j, m % LANES]
            grouping.centroids[g, j] = total / size
        for start in range(0, size, LANES):
            squares = fill_lanes(0.0)
            for j in range(p):
                values = load_lanes(grouping.values, (g, start // LANES, j, 0))
                gaps = values - fill_lanes(grouping.centroids[g, j])
                squares = squares + gaps * gaps
            store_lanes(grouping.squares, (g, start), squares)
        for m in range(size):
            sse += grouping.squares[g, m]
    grouping.sse[g] = sse
    grouping.counts[VERSION] += 1
    grouping.version[g] = grouping.counts[VERSION]


@inlined
def prefetch_group(grouping, g):
    """Begin to load what moves to group ``g`` read of it.

    Groups lie scattered in memory. All near groups are requested before the first is used, since
    waiting for each in turn takes longer than the computation.
    """
    prefetch(grouping.sizes, (g,))
    prefetch(grouping.sse, (g,))
    prefetch(grouping.squares, (g, 0))
    prefetch(grouping.least_join_cost, (g, 0))
    n_columns = min(grouping.X.shape[1], PREFETCHED_COLUMNS)
    for column in range(0, n_columns, LINE):
        prefetch(grouping.centroids, (g, column))
    for column in range(0, n_columns, LINE // LANES):
        prefetch(grouping.values, (g, 0, column, 0))
        prefetch(grouping.values, (g, 1, column, 0))


@inlined
def save_group(grouping, g):
    """Keep a copy of group ``g``, once in a trial."""
    if grouping.is_saved[g]:
        return
    t = grouping.counts[N_SAVED]
    grouping.is_saved[g] = True
    grouping.copies.groups[t] = g
    grouping.counts[N_SAVED] += 1
    grouping.copies.sizes[t] = grouping.sizes[g]
    grouping.copies.sse[t] = grouping.sse[g]
    for m in range(grouping.sizes[g]):
        grouping.copies.members[t, m] = grouping.members[g, m]
        grouping.copies.squares[t, m] = grouping.squares[g, m]
    grouping.copies.version[t] = grouping.version[g]
    for j in range(grouping.X.shape[1]):
        grouping.copies.centroids[t, j] = grouping.centroids[g, j]


@compiled
def move(grouping, i, h):
    """Move record ``i`` to group ``h``; centroids and SSE are not yet computed."""
    g = grouping.labels[i]
    save_group(grouping, g)
    save_group(grouping, h)
    put_member(grouping, grouping.members[g, grouping.sizes[g] - 1], g, grouping.position[i])
    grouping.sizes[g] -= 1
    put_member(grouping, i, h, grouping.sizes[h])
    grouping.sizes[h] += 1


@compiled
def join_cost(grouping, i, h):
    """Return the increase of the SSE of group ``h`` if record ``i`` joins it."""
    size = grouping.sizes[h]
    return squared_row_distance(grouping.X, i, grouping.centroids, h) * (size / (size + 1.0))


@compiled
def accept_trial(grouping):
    """End the trial and keep its changes."""
    for t in range(grouping.counts[N_SAVED]):
        grouping.is_saved[grouping.copies.groups[t]] = False
    grouping.counts[N_SAVED] = 0


@compiled
def undo_trial(grouping):
    """End the trial and undo its changes."""
    for t in range(grouping.counts[N_SAVED]):
        g = grouping.copies.groups[t]
        grouping.is_saved[g] = False
        grouping.sizes[g] = grouping.copies.sizes[t]
        grouping.sse[g] = grouping.copies.sse[t]
        for m in range(grouping.sizes[g]):
            put_member(grouping, grouping.copies.members[t, m], g, m)
            grouping.squares[g, m] = grouping.copies.squares[t, m]
        for j in range(grouping.X.shape[1]):
            grouping.centroids[g, j] = grouping.copies.centroids[t, j]
        grouping.version[g] = grouping.copies.version[t]
        if grouping.sizes[g] == 0:
            add_empty_group(grouping, g)
    grouping.counts[N_SAVED] = 0


@compiled
def sse_change(grouping):
    """Return the increase of the SSE by the trial so far."""
    total = 0.0
    for t in range(grouping.counts[N_SAVED]):
        total += grouping.sse[grouping.copies.groups[t]] - grouping.copies.sse[t]
    return total
