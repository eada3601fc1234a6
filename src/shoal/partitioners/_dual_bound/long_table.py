"""A table in an order in which near records follow each other, with their neighbours."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal._kernels.column_generation.candidate_list import NeighbourTable
from shoal._kernels.dual_bound.net_duals import nearest_sums, squared_distances_to_neighbours
from shoal._kernels.spatial.block_order import locality_order
from shoal._kernels.spatial.index import open_index
from shoal._kernels.spatial.neighbours import stream_neighbours
from shoal.partitioners._base import Indices, Matrix, Values
from shoal.partitioners._local_search.refine import centre_and_scale

MANY_RECORDS = 50_000  # records above which shorter lists of neighbours save memory
N_NEIGHBOURS, N_NEIGHBOURS_OF_MANY = 48, 32  # listed neighbours of a record
EPSILON = float(np.finfo(np.float64).eps)

Rows = NDArray[np.int32]


class LongTable(NamedTuple):
    """The records of a table times a power of two, reordered, and the nearest neighbours of each.

    Row r of ``X`` is record ``order[r]`` times 2 ** ``-power``. ``near[r]`` are the rows nearest to
    row r. ``neighbour_dual[r]`` is the feasible dual that follows from its k - 1 nearest
    neighbours: the sum of their squared distances, divided by 2k. No group costs less than the sum
    of these duals.
    """

    X: Matrix
    k: int
    power: int
    order: Rows
    near: Rows
    neighbour_dual: Values


def long_table(X: Matrix, k: int, n_neighbours: int | None = None) -> LongTable:
    """Return the records of ``X`` with lists of ``n_neighbours`` neighbours."""
    n = len(X)
    n_listed = n_neighbours or max(
        N_NEIGHBOURS_OF_MANY if n > MANY_RECORDS else N_NEIGHBOURS, 2 * k
    )
    order = locality_order(centre_and_scale(X)).astype(np.int32)
    power = int(np.frexp(np.abs(X - X[0]).max())[1])
    rows = np.ascontiguousarray(X[order])
    np.ldexp(rows, -power, out=rows)
    n_listed = min(n - 1, n_listed)
    near = np.empty((n, n_listed), np.int32)
    neighbour_dual = np.empty(n)
    n_done = 0
    for records, nearest, squares in stream_neighbours(open_index(rows), n_listed):
        near[records] = nearest
        neighbour_dual[records] = squares[:, : k - 1].sum(axis=1) / (2 * k)
        n_done += len(records)
        progress.report("finding neighbours", n_done, n)
    return LongTable(rows, k, power, order, near, neighbour_dual)


def rounding_share(table: LongTable) -> float:
    """Return the greatest rounding error of a sum over a group, as a share of its terms.

    Every term is part of fewer additions than a group of 2k - 1 records needs.
    """
    return float(8 * EPSILON * (table.X.shape[1] + 16 + 4 * table.k**2))


def rows_around(table: LongTable, start: int, stop: int, groups: Rows) -> Rows:
    """Return the rows outside a block, in ascending order, that are near it or in ``groups``.

    The block contains the rows from ``start`` to ``stop``.
    """
    is_around = np.zeros(len(table.X), np.bool_)
    is_around[table.near[start:stop]] = True
    is_around[groups] = True
    is_around[start:stop] = False
    return np.flatnonzero(is_around).astype(np.int32)


def extract_block(
    table: LongTable, start: int, stop: int, outside: Rows
) -> tuple[NeighbourTable, Indices]:
    """Return a small table of the block from ``start`` to ``stop``, and which rows it contains.

    The rows of the block come first, and the rows ``outside`` follow; see `rows_around`.
    """
    rows = np.concatenate([np.arange(start, stop), outside.astype(np.int64)])
    X = table.X[rows]
    block_near = positions_in_block(table.near[start:stop], start, stop, outside)
    squares = squared_distances_to_neighbours(X, block_near)
    square_sums = nearest_sums(table.X, table.near, rows, table.k)
    return NeighbourTable(X, block_near, squares, square_sums), rows


def positions_in_block(
    rows: NDArray[np.integer], start: int, stop: int, outside: NDArray[np.integer]
) -> Indices:
    """Return the positions of ``rows`` in the small table of a block.

    The table contains the rows from ``start`` to ``stop``, then the rows ``outside``, in ascending
    order.
    """
    inside = (rows >= start) & (rows < stop)
    outside_position = np.searchsorted(outside, rows) + (stop - start)
    return np.asarray(np.where(inside, rows - start, outside_position), np.int64)
