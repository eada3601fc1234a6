"""A pool of the records that have no group yet ("remaining"), for passes over all of them.

The remaining records are stored without gaps, one array per column, so that a pass over them is a
run of vector instructions. When a record is removed, the last one takes its position. So positions
are not in the order of the records, and ties are broken by the record's number.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.compensated_sum import add_compensated, add_records, write_mean
from shoal._kernels.distances import write_squared_distances
from shoal._kernels.structures.heap import is_greater, sift_down, sift_up

CHUNK = 64  # distances that are compared together
REMOVED = -1.0  # in place of the distance of a record that is being removed
MEASURED_CHUNK = 512  # distances that stay in the fastest cache over all columns


class Pool(NamedTuple):
    """Living records and the labels given so far.

    ``columns[:, :size]`` are the remaining records, ``records[:size]`` their numbers
    and ``squares[:size]`` their squared distances to the point last measured.
    ``total`` is their sum, as a leading part and its rounding error per column.
    ``size[0]`` counts the remaining records, ``n_groups[0]`` the groups formed, and
    ``labels`` is -1 for remaining records.
    """

    columns: np.ndarray  # (n_columns, n_records)
    records: np.ndarray  # (n_records,)
    squares: np.ndarray  # (n_records,)
    total: np.ndarray  # (n_columns, 2)
    size: np.ndarray  # (1,)
    labels: np.ndarray  # (n_records,)
    n_groups: np.ndarray  # (1,)


def open_pool(X: np.ndarray) -> Pool:
    """Return a pool of all rows of ``X``, none of which has a label."""
    n, p = X.shape
    total = np.zeros((p, 2))
    add_records(total, X)
    return Pool(
        columns=X.T.copy(),  # a copy even of one column, since removed records are overwritten
        records=np.arange(n),
        squares=np.empty(n),
        total=total,
        size=np.full(1, n),
        labels=np.full(n, -1),
        n_groups=np.zeros(1, np.int64),
    )


@compiled
def mean_of_remaining(pool, point):
    """Write the mean of the remaining records into ``point``."""
    write_mean(pool.total, pool.size[0], point)


@compiled
def copy_record(pool, position, point):
    """Write the record at ``position`` into ``point``."""
    for column in range(point.shape[0]):
        point[column] = pool.columns[column, position]


@compiled
def measure_distances(pool, point):
    """Fill ``pool.squares`` with the squared distances of remaining records to ``point``."""
    size = pool.size[0]
    for start in range(0, size, MEASURED_CHUNK):
        stop = min(start + MEASURED_CHUNK, size)
        write_squared_distances(pool.columns, start, stop, point, pool.squares[start:stop])


@compiled
def farthest_position(pool):
    """Return the position with the greatest distance; ties go to the lowest record."""
    squares, records, size = pool.squares, pool.records, pool.size[0]
    best, greatest = 0, squares[0]
    for start in range(0, size, CHUNK):
        stop = min(start + CHUNK, size)
        if any_as_far(squares[start:stop], greatest):
            for i in range(start, stop):
                if squares[i] > greatest or (squares[i] == greatest and records[i] < records[best]):
                    best, greatest = i, squares[i]
    return best


@compiled
def nearest_positions(pool, positions):
    """Fill ``positions`` with the positions of the nearest records; ties go to the lowest record.

    They are in the order of a max-heap. There must be at least as many remaining records as
    ``positions``.
    """
    squares, records, size, count = pool.squares, pool.records, pool.size[0], positions.shape[0]
    for i in range(count):
        sift_up(positions, squares, records, i, i)
    worst = squares[positions[0]]
    for start in range(count, size, CHUNK):
        stop = min(start + CHUNK, size)
        if any_as_near(squares[start:stop], worst):
            for i in range(start, stop):
                if squares[i] <= worst and is_greater(squares, records, positions[0], i):
                    sift_down(positions, squares, records, 0, count, i)
                    worst = squares[positions[0]]


@compiled
def any_as_far(squares, least):
    """Return whether any distance is at least ``least``: a run of vector instructions."""
    is_any = False
    for i in range(squares.shape[0]):
        is_any |= squares[i] >= least
    return is_any


@compiled
def any_as_near(squares, greatest):
    """Return whether any distance is at most ``greatest``."""
    is_any = False
    for i in range(squares.shape[0]):
        is_any |= squares[i] <= greatest
    return is_any


@compiled
def remove_record(pool, position):
    """Remove the record at ``position``; the last remaining record takes its position."""
    for column in range(pool.columns.shape[0]):
        add_compensated(pool.total[column], -pool.columns[column, position])
    pool.size[0] -= 1
    move_record(pool, pool.size[0], position)


@compiled
def position_of(pool, record):
    """Return the position of a remaining record."""
    position = 0
    while pool.records[position] != record:
        position += 1
    return position


@compiled
def assign(pool, position, group):
    """Assign the record at ``position`` to a group and remove it."""
    pool.labels[pool.records[position]] = group
    remove_record(pool, position)


@compiled
def form_group(pool, positions):
    """Make the records at ``positions`` the next group and remove them."""
    squares = pool.squares
    for i in range(positions.shape[0]):
        pool.labels[pool.records[positions[i]]] = pool.n_groups[0]
        squares[positions[i]] = REMOVED
        for column in range(pool.columns.shape[0]):
            add_compensated(pool.total[column], -pool.columns[column, positions[i]])
    # Gaps are filled from the back, where some records may have been removed as well.
    size, last = pool.size[0] - positions.shape[0], pool.size[0] - 1
    for i in range(positions.shape[0]):
        if positions[i] < size:
            while squares[last] == REMOVED:
                last -= 1
            move_record(pool, last, positions[i])
            last -= 1
    pool.size[0] = size
    pool.n_groups[0] += 1


@compiled
def move_record(pool, source, target):
    """Move the record at position ``source`` to position ``target``."""
    for column in range(pool.columns.shape[0]):
        pool.columns[column, target] = pool.columns[column, source]
    pool.records[target] = pool.records[source]
    pool.squares[target] = pool.squares[source]
