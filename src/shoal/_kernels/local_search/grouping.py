"""Groups that change record by record, and a trial of changes that can be undone.

Centroid and SSE of a group are computed again from its records whenever these change. Groups are
small, so that this is cheap, and rounding errors do not accumulate. The first change of a group
within a trial stores a copy of it; undoing the trial restores the copies, to the bit.
"""

import math
from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.distances import squared_row_distance
from shoal._kernels.lanes import SINGLE_LANES, prefetch
from shoal._kernels.local_search.candidates import Candidates, allocate_candidates

N_SAVED, N_EMPTY, N_QUEUED, QUEUE_START, VERSION, SCAN = range(6)  # indices of the counts

LINE, LINE_BYTES = 8, 64  # doubles, and bytes, that the processor loads at a time
# The processor itself continues loads of neighbouring lines; this many start it.
MAX_PREFETCHED_COLUMNS, MAX_PREFETCHED_ROWS = 32, 32
BELOW_ONE = 1.0 - 2.0**-23  # a product with it, rounded to single precision, is not above the other


class GroupCopies(NamedTuple):
    """Copies of the groups that a trial changed, as they were before, in the order of ``groups``.

    They are stored one after another, so that they stay in the processor's cache. The shapes are
    those of `Grouping`; only the first entries are used, as many as groups were changed. What
    follows from the members is computed again instead of copied, which gives the same bits.
    """

    groups: np.ndarray  # (max_groups,)
    members: np.ndarray
    sizes: np.ndarray
    sse: np.ndarray
    version: np.ndarray


class CheapestJoins(NamedTuple):
    """The two groups that each record would join at the least cost, and the costs.

    The cost is the increase of that group's SSE. ``versions`` are those of the groups when the
    costs were computed. What belongs to a record is in one cache line.
    """

    groups: np.ndarray  # (n, 2)
    versions: np.ndarray  # (n, 2)
    costs: np.ndarray  # (n, 2)


class Grouping(NamedTuple):
    """Groups of records, the changes of a trial, and the queue of records to be moved.

    ``near`` are the nearest others of each record, as 32-bit integers to save memory. The records
    of a group are ``members[group, :size]``; ``position`` is the position of a record there.
    ``squares`` are the squared distances of the members to the centroid. ``version`` of a group
    increases with every change.

    ``blocks`` holds in single precision, for `SINGLE_LANES` members at a time, their differences to
    the centroid column by column, then ``squares``, and then the lower costs of ``joins`` or less.
    Rows of ``centroids`` are padded to whole cache lines.

    The trial changed the first ``counts[N_SAVED]`` groups in ``copies``, which ``is_saved`` marks.
    ``empty_groups`` holds at least all empty groups. ``queue`` is a ring buffer of
    ``counts[N_QUEUED]`` records from ``counts[QUEUE_START]`` on; ``is_queued`` marks them.

    ``joins`` are the cheapest joins of each record. ``last_scan`` of a group is the number of the
    last listing of near groups that contained it, so that each is listed once. ``near_groups``,
    ``candidates``, ``join_groups``, ``join_costs``, ``new_members`` and ``member_squares`` are
    scratch space; ``gains`` is written by `write_gains`.
    """

    X: np.ndarray  # (n, p)
    near: np.ndarray  # (n, n_near)
    labels: np.ndarray  # (n,)
    position: np.ndarray  # (n,)
    members: np.ndarray  # (max_groups, max_size)
    sizes: np.ndarray  # (max_groups,)
    sse: np.ndarray  # (max_groups,)
    centroids: np.ndarray  # (max_groups, at least p)
    blocks: np.ndarray  # (max_groups, n_blocks, p + 2, SINGLE_LANES)
    squares: np.ndarray  # (max_groups, max_size)
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
    candidates: Candidates
    join_groups: np.ndarray  # (n_near,)
    join_costs: np.ndarray  # (n_near,)
    gains: np.ndarray  # (n,)


def allocate_grouping(X: np.ndarray, near: np.ndarray, labels: np.ndarray, k: int) -> Grouping:
    """Return groups whose records are still to be filled in; see `passes.open_grouping`."""
    n, p = X.shape
    # Groups there may be during a trial, and records in a group before it is split.
    max_groups, max_size = n // k + 4, 4 * k
    return Grouping(
        X=X,
        near=near.astype(np.int32, copy=False),
        labels=labels.copy(),
        position=np.zeros(n, np.int64),
        members=_aligned_zeros((max_groups, _round_up(max_size, LINE)), np.int64),
        sizes=np.zeros(max_groups, np.int64),
        sse=np.zeros(max_groups),
        centroids=_aligned_zeros((max_groups, _round_up(p, LINE)), np.float64),
        blocks=_aligned_zeros(
            (max_groups, _round_up(max_size, SINGLE_LANES) // SINGLE_LANES, p + 2, SINGLE_LANES),
            np.float32,
        ),
        squares=np.zeros((max_groups, max_size)),
        version=np.zeros(max_groups, np.int64),
        copies=_allocate_copies(max_groups, max_size),
        is_saved=np.zeros(max_groups, np.bool_),
        empty_groups=np.zeros(max_groups, np.int64),
        is_listed_empty=np.zeros(max_groups, np.bool_),
        queue=np.zeros(n, np.int64),
        is_queued=np.zeros(n, np.bool_),
        counts=np.zeros(6, np.int64),
        last_scan=np.zeros(max_groups, np.int64),
        joins=_allocate_joins(n),
        near_groups=np.zeros(near.shape[1], np.int64),
        new_members=np.zeros((2, k), np.int64),
        member_squares=np.zeros(max_size),
        candidates=allocate_candidates(near.shape[1], max_size, p),
        join_groups=np.zeros(near.shape[1], np.int64),
        join_costs=np.zeros(near.shape[1]),
        gains=np.zeros(n),
    )


def _allocate_joins(n: int) -> CheapestJoins:
    lines = _aligned_zeros((n, LINE), np.float64)
    numbers = lines.view(np.int64)
    numbers[:, 2:6] = -1
    return CheapestJoins(costs=lines[:, :2], groups=numbers[:, 2:4], versions=numbers[:, 4:6])


def _allocate_copies(max_groups: int, max_size: int) -> GroupCopies:
    return GroupCopies(
        groups=np.zeros(max_groups, np.int64),
        members=np.zeros((max_groups, max_size), np.int64),
        sizes=np.zeros(max_groups, np.int64),
        sse=np.zeros(max_groups),
        version=np.zeros(max_groups, np.int64),
    )


def _round_up(number: int, step: int) -> int:
    """Return the least multiple of ``step`` that is not below ``number``."""
    return -(-number // step) * step


def _aligned_zeros(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """Return an array of zeros that begins with a cache line."""
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    buffer = np.zeros(n_bytes + LINE_BYTES, np.uint8)
    start = -buffer.ctypes.data % LINE_BYTES
    return buffer[start : start + n_bytes].view(dtype).reshape(shape)


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
    store_join_cost(grouping, record)


@inlined
def least_join_cost(grouping, record):
    """Return the cost of the cheapest join of ``record``.

    A record all of whose neighbours are in its own group has no join now, but may have one later.
    """
    return grouping.joins.costs[record, 0] if grouping.joins.groups[record, 0] >= 0 else 0.0


@inlined
def store_join_cost(grouping, record):
    """Store the cost of the cheapest join of ``record`` by its group and position, or less."""
    group, position = grouping.labels[record], grouping.position[record]
    block, lane = position // SINGLE_LANES, position % SINGLE_LANES
    grouping.blocks[group, block, grouping.X.shape[1] + 1, lane] = np.float32(
        BELOW_ONE * least_join_cost(grouping, record)
    )


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
    """Compute ``group`` from its records, and give it a new version."""
    compute_group(grouping, group)
    grouping.counts[VERSION] += 1
    grouping.version[group] = grouping.counts[VERSION]


@compiled
def compute_group(grouping, group):
    """Compute centroid, SSE and differences of ``group`` from its records, in their order."""
    size, p = grouping.sizes[group], grouping.X.shape[1]
    grouping.sse[group] = 0.0
    if size == 0:
        add_empty_group(grouping, group)
        return
    for column in range(p):
        grouping.centroids[group, column] = 0.0
    for position in range(size):
        record = grouping.members[group, position]
        for column in range(p):
            grouping.centroids[group, column] += grouping.X[record, column]
    for column in range(p):
        grouping.centroids[group, column] /= size
    for position in range(size):
        record, square = grouping.members[group, position], 0.0
        block, lane = position // SINGLE_LANES, position % SINGLE_LANES
        for column in range(p):
            difference = grouping.X[record, column] - grouping.centroids[group, column]
            square += difference * difference
            grouping.blocks[group, block, column, lane] = np.float32(difference)
        grouping.squares[group, position] = square
        grouping.blocks[group, block, p, lane] = np.float32(square)
        grouping.sse[group] += square


@inlined
def prefetch_group(grouping, group):
    """Begin to load what moves to ``group`` read of it.

    Groups lie scattered in memory. All near groups are requested before the first is used, since
    waiting for each in turn takes longer than the computation.
    """
    prefetch_centroid(grouping, group)
    prefetch(grouping.members, (group, 0))
    for row in range(0, min(grouping.blocks.shape[2], MAX_PREFETCHED_ROWS), 2):
        prefetch(grouping.blocks, (group, 0, row, 0))


@inlined
def prefetch_centroid(grouping, group):
    """Begin to load what a record that joins ``group`` reads of it."""
    prefetch(grouping.sizes, (group,))
    prefetch(grouping.sse, (group,))
    for column in range(0, min(grouping.X.shape[1], MAX_PREFETCHED_COLUMNS), LINE):
        prefetch(grouping.centroids, (group, column))


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
    grouping.copies.version[copy] = grouping.version[group]


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


@inlined
def list_near_groups(grouping, record, groups):
    """List the groups of the neighbours of ``record`` except its own; return their number."""
    count = 0
    grouping.counts[SCAN] += 1
    scan = grouping.counts[SCAN]
    grouping.last_scan[grouping.labels[record]] = scan
    for position in range(grouping.near.shape[1]):
        group = grouping.labels[grouping.near[record, position]]
        groups[count] = group
        count += grouping.last_scan[group] != scan  # no branch, which could not be predicted
        grouping.last_scan[group] = scan
    return count


@compiled
def list_joins(grouping, record):
    """List the near groups that ``record`` may join, and the costs; return their number."""
    count = list_near_groups(grouping, record, grouping.join_groups)
    for near in range(count):
        prefetch_centroid(grouping, grouping.join_groups[near])
    for near in range(count):
        grouping.join_costs[near] = join_cost(grouping, record, grouping.join_groups[near])
    return count


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
        for position in range(grouping.sizes[group]):
            put_member(grouping, grouping.copies.members[copy, position], group, position)
        compute_group(grouping, group)
        grouping.version[group] = grouping.copies.version[copy]
    grouping.counts[N_SAVED] = 0


@compiled
def sse_change(grouping):
    """Return the increase of the SSE by the trial so far."""
    total = 0.0
    for copy in range(grouping.counts[N_SAVED]):
        total += grouping.sse[grouping.copies.groups[copy]] - grouping.copies.sse[copy]
    return total
