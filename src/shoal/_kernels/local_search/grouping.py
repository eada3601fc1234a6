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

    ``near`` are the nearest others of each record. The records of a group are
    ``members[group, :size]``; ``position`` is the position of a record there, and ``values[group]``
    holds their values, those of `LANES` members at a time, column by column. ``squares`` are the
    squared distances of the members to the centroid. ``version`` of a group increases with every
    change.

    The trial changed the first ``counts[N_SAVED]`` groups in ``copies``, which ``is_saved`` marks.
    ``empty_groups`` holds at least all empty groups. ``queue`` is a ring buffer of
    ``counts[N_QUEUED]`` records from ``counts[QUEUE_START]`` on; ``is_queued`` marks them.

    ``joins`` are the cheapest joins of each record; ``least_join_cost`` holds the lower cost again,
    by group and position, for vector instructions. ``last_scan`` of a group is the number of the
    last listing of near groups that contained it, so that each is listed once. ``near_groups``,
    ``new_members``, ``member_squares``, ``swap_changes`` and ``chain_changes`` are scratch space;
    ``gains`` is written by `write_gains`.
    """

    X: np.ndarray  # (n, p)
    near: np.ndarray  # (n, n_near)
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
    near_groups: np.ndarray  # (n_near,)
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
    for record in range(grouping.X.shape[0]):
        group = grouping.labels[record]
        put_member(grouping, record, group, grouping.sizes[group])
        grouping.sizes[group] += 1
    for group in range(grouping.sizes.shape[0] - 1, -1, -1):
        if grouping.sizes[group] == 0:
            add_empty_group(grouping, group)
        else:
            update_group(grouping, group)


@compiled
def put_member(grouping, record, group, position):
    """Put ``record`` at ``position`` of ``group``."""
    grouping.labels[record], grouping.position[record], grouping.members[group, position] = (
        group,
        position,
        record,
    )
    store_least_join_cost(grouping, record)
    for column in range(grouping.X.shape[1]):
        grouping.values[group, position // LANES, column, position % LANES] = grouping.X[
            record, column
        ]


@inlined
def store_least_join_cost(grouping, record):
    """Store the cost of the cheapest join of ``record`` by its group and position.

    A record all of whose neighbours are in its own group has no join now, but may have one later.
    """
    group, position = grouping.labels[record], grouping.position[record]
    has_join = grouping.joins.groups[record, 0] >= 0
    grouping.least_join_cost[group, position] = grouping.joins.costs[record, 0] if has_join else 0.0


@inlined
def add_empty_group(grouping, group):
    """Add ``group`` to the list of empty groups."""
    if not grouping.is_listed_empty[group]:
        grouping.is_listed_empty[group] = True
        grouping.empty_groups[grouping.counts[N_EMPTY]] = group
        grouping.counts[N_EMPTY] += 1


@compiled
def pop_empty_group(grouping):
    """Remove a group from the list of empty groups and return it."""
    while True:
        grouping.counts[N_EMPTY] -= 1
        group = grouping.empty_groups[grouping.counts[N_EMPTY]]
        grouping.is_listed_empty[group] = False
        if grouping.sizes[group] == 0:
            return group


@compiled
def update_group(grouping, group):
    """Compute centroid and SSE of ``group`` from its records."""
    size, p = grouping.sizes[group], grouping.X.shape[1]
    sse = 0.0
    if size == 0:
        add_empty_group(grouping, group)
    else:
        for column in range(p):
            total = 0.0
            for position in range(size):
                total += grouping.values[group, position // LANES, column, position % LANES]
            grouping.centroids[group, column] = total / size
        for start in range(0, size, LANES):
            squares = fill_lanes(0.0)
            for column in range(p):
                values = load_lanes(grouping.values, (group, start // LANES, column, 0))
                differences = values - fill_lanes(grouping.centroids[group, column])
                squares = squares + differences * differences
            store_lanes(grouping.squares, (group, start), squares)
        for position in range(size):
            sse += grouping.squares[group, position]
    grouping.sse[group] = sse
    grouping.counts[VERSION] += 1
    grouping.version[group] = grouping.counts[VERSION]


@inlined
def prefetch_group(grouping, group):
    """Begin to load what moves to ``group`` read of it.

    Groups lie scattered in memory. All near groups are requested before the first is used, since
    waiting for each in turn takes longer than the computation.
    """
    prefetch(grouping.sizes, (group,))
    prefetch(grouping.sse, (group,))
    prefetch(grouping.squares, (group, 0))
    prefetch(grouping.least_join_cost, (group, 0))
    n_columns = min(grouping.X.shape[1], PREFETCHED_COLUMNS)
    for column in range(0, n_columns, LINE):
        prefetch(grouping.centroids, (group, column))
    for column in range(0, n_columns, LINE // LANES):
        prefetch(grouping.values, (group, 0, column, 0))
        prefetch(grouping.values, (group, 1, column, 0))


@inlined
def save_group(grouping, group):
    """Keep a copy of ``group``, once in a trial."""
    if grouping.is_saved[group]:
        return
    copy = grouping.counts[N_SAVED]
    grouping.is_saved[group] = True
    grouping.copies.groups[copy] = group
    grouping.counts[N_SAVED] += 1
    grouping.copies.sizes[copy] = grouping.sizes[group]
    grouping.copies.sse[copy] = grouping.sse[group]
    for position in range(grouping.sizes[group]):
        grouping.copies.members[copy, position] = grouping.members[group, position]
        grouping.copies.squares[copy, position] = grouping.squares[group, position]
    grouping.copies.version[copy] = grouping.version[group]
    for column in range(grouping.X.shape[1]):
        grouping.copies.centroids[copy, column] = grouping.centroids[group, column]


@compiled
def move(grouping, record, target):
    """Move ``record`` to group ``target``; centroids and SSE are not yet computed."""
    group = grouping.labels[record]
    save_group(grouping, group)
    save_group(grouping, target)
    put_member(
        grouping,
        grouping.members[group, grouping.sizes[group] - 1],
        group,
        grouping.position[record],
    )
    grouping.sizes[group] -= 1
    put_member(grouping, record, target, grouping.sizes[target])
    grouping.sizes[target] += 1


@compiled
def join_cost(grouping, record, group):
    """Return the increase of the SSE of ``group`` if ``record`` joins it."""
    size = grouping.sizes[group]
    return squared_row_distance(grouping.X, record, grouping.centroids, group) * (
        size / (size + 1.0)
    )


@compiled
def accept_trial(grouping):
    """End the trial and keep its changes."""
    for copy in range(grouping.counts[N_SAVED]):
        grouping.is_saved[grouping.copies.groups[copy]] = False
    grouping.counts[N_SAVED] = 0


@compiled
def undo_trial(grouping):
    """End the trial and undo its changes."""
    for copy in range(grouping.counts[N_SAVED]):
        group = grouping.copies.groups[copy]
        grouping.is_saved[group] = False
        grouping.sizes[group] = grouping.copies.sizes[copy]
        grouping.sse[group] = grouping.copies.sse[copy]
        for position in range(grouping.sizes[group]):
            put_member(grouping, grouping.copies.members[copy, position], group, position)
            grouping.squares[group, position] = grouping.copies.squares[copy, position]
        for column in range(grouping.X.shape[1]):
            grouping.centroids[group, column] = grouping.copies.centroids[copy, column]
        grouping.version[group] = grouping.copies.version[copy]
        if grouping.sizes[group] == 0:
            add_empty_group(grouping, group)
    grouping.counts[N_SAVED] = 0


@compiled
def sse_change(grouping):
    """Return the increase of the SSE by the trial so far."""
    total = 0.0
    for copy in range(grouping.counts[N_SAVED]):
        total += grouping.sse[grouping.copies.groups[copy]] - grouping.copies.sse[copy]
    return total
