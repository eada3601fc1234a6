"""Candidates: records that may join another one, the anchor, in a group of negative reduced cost.

The *reduced cost* of a group is its SSE, plus the dual of a group, minus the duals of its records,
plus the duals of triples and clusters, the sets of records that define subset-row cuts. The dual of
a triple counts once if the group contains two or three of its records. The dual of a cluster counts
h // m times if the group contains h of its records, where m is the divisor of the cluster. The SSE
is the sum of the squared distances of all pairs divided by the size of the group, so each pair of a
group of given size adds a fixed amount.

A group is generated at its *anchor*, the record of lowest rank in it. The *added cost* of a record
is what it adds beside the anchor: its squared distance divided by the size, minus its dual. Its
*floor* is a lower bound of what it adds to a complete group: the added cost, and half of the least
that its pairs with the others of the group can add, since two records share each pair. Floors
exclude the records that no group of the given size and of negative reduced cost can contain.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.column_generation.least_values import select_least
from shoal._kernels.distances import squared_row_distance


class NeighbourTable(NamedTuple):
    """The records and their nearest neighbours.

    A row of ``near`` has the nearest neighbours of a record, nearest first, and ``squares`` their
    squared distances. ``square_sums[record, count]`` is the sum of the first ``count`` of these.
    Only records that are searched as anchors need rows in ``near`` and ``squares``.
    """

    X: np.ndarray  # (n_records, n_columns)
    near: np.ndarray  # (n_anchors, n_near)
    squares: np.ndarray  # (n_anchors, n_near)
    square_sums: np.ndarray  # (n_records, max_size)


class PricingDuals(NamedTuple):
    """Dual values of records, triples, clusters and groups, for a search for groups of ``size``.

    Groups are generated at their record of lowest ``rank``. The net dual of a record is its dual
    minus half of the least that its pairs with all but one of the others of a group can add.
    ``ceiling`` is the greatest net dual of the records of higher rank than a record, which bounds
    what far records can add.

    ``triple_dual`` are the duals of ``triples``, and ``cluster_dual`` those of clusters, which have
    the ``divisors``. The triples and the clusters that contain a record are listed in
    ``triples_of_record``, from ``triple_start`` on, and ``clusters_of_record``, from
    ``cluster_start`` on.
    """

    size: int
    record_dual: np.ndarray  # (n_records,)
    group_dual: float
    rank: np.ndarray  # (n_records,)
    ceiling: np.ndarray  # (n_records,)
    triples: np.ndarray  # (n_triples, 3)
    triple_dual: np.ndarray  # (n_triples,)
    triple_start: np.ndarray  # (n_records + 1,)
    triples_of_record: np.ndarray  # (3 * n_triples,)
    cluster_dual: np.ndarray  # (n_clusters,)
    cluster_start: np.ndarray  # (n_records + 1,)
    clusters_of_record: np.ndarray  # (sum of the sizes of the clusters,)
    divisors: np.ndarray  # (n_clusters,)


@compiled
def anchor_cost(duals, anchor):
    """Return the reduced cost of an anchor alone, to which other records of a group add."""
    return duals.group_dual - duals.record_dual[anchor]


@compiled
def near_candidates(table, duals, anchor):
    """Return the near records of higher rank than ``anchor``, their added costs and floors."""
    n_near, size = table.near.shape[1], duals.size
    records, added_cost, floor = np.empty(n_near, np.int64), np.empty(n_near), np.empty(n_near)
    count = 0
    for position in range(n_near):
        record = table.near[anchor, position]
        if duals.rank[record] > duals.rank[anchor]:
            records[count] = record
            added_cost[count] = table.squares[anchor, position] / size - duals.record_dual[record]
            floor[count] = added_cost[count] + table.square_sums[record, size - 2] / (2 * size)
            count += 1
    return records[:count], added_cost[:count], floor[:count]


@compiled
def all_candidates(table, duals, anchor):
    """Return all records of higher rank than ``anchor``, their added costs and floors."""
    n, size = table.X.shape[0], duals.size
    records, added_cost, floor = np.empty(n, np.int64), np.empty(n), np.empty(n)
    count = 0
    for record in range(n):
        if duals.rank[record] > duals.rank[anchor]:
            records[count] = record
            square = squared_row_distance(table.X, anchor, table.X, record)
            added_cost[count] = square / size - duals.record_dual[record]
            floor[count] = added_cost[count] + table.square_sums[record, size - 2] / (2 * size)
            count += 1
    return records[:count], added_cost[:count], floor[:count]


@compiled
def bound_with_far(table, duals, anchor, near_floor):
    """Return a lower bound of the cost of all groups that contain a record that is not near.

    ``near_floor`` are the floors of the near records.
    """
    n_near, size = table.near.shape[1], duals.size
    if n_near == table.X.shape[0] - 1:
        return np.inf
    far_cost = table.squares[anchor, n_near - 1] / size - duals.ceiling[anchor]
    least = np.empty(size - 2)
    select_least(near_floor, near_floor.shape[0], least)
    total = anchor_cost(duals, anchor) + far_cost
    for i in range(size - 2):
        total += min(far_cost, least[i])
    return total


@compiled
def select_promising(floor, n_joining, cost, cutoff):
    """Return the positions of the candidates of groups below ``cutoff``; none if there are too few.

    In a group, ``n_joining`` candidates join an anchor that costs ``cost``.
    """
    least = np.empty(n_joining)
    total = select_least(floor, floor.shape[0], least)
    if cost + total >= cutoff:  # also if there are fewer candidates than needed
        return np.empty(0, np.int64)
    largest_of_least = least[n_joining - 1]
    others_cost = cost + total - largest_of_least
    return np.flatnonzero((floor <= largest_of_least) | (others_cost + floor < cutoff))


@compiled
def select_lowest(floor, max_count, n_joining, cost):
    """Return the positions of the ``max_count`` lowest floors, and a bound of groups with others.

    The bound is a lower bound of the cost of the groups in which ``n_joining`` candidates, one of
    them not selected, join an anchor that costs ``cost``. It is infinite if all are selected.
    """
    count = floor.shape[0]
    if count <= max_count:
        return np.arange(count), np.inf
    order = np.argsort(floor, kind="mergesort")
    others_cost = cost
    for i in range(n_joining - 1):
        others_cost += floor[order[i]]
    return order[:max_count], others_cost + floor[order[max_count]]


@compiled
def find_candidates(table, duals, anchor, cutoff, max_candidates):
    """Return candidates of ``anchor`` for groups below ``cutoff``, their added costs, and a bound.

    There are at most ``max_candidates``. The bound is a lower bound of the cost of the groups with
    other records.
    """
    records, added_cost, floor = near_candidates(table, duals, anchor)
    far_bound = bound_with_far(table, duals, anchor, floor)
    if far_bound < cutoff and max_candidates > table.near.shape[1]:
        records, added_cost, floor = all_candidates(table, duals, anchor)
        far_bound = np.inf
    cost, n_joining = anchor_cost(duals, anchor), duals.size - 1
    promising = select_promising(floor, n_joining, cost, cutoff)
    records, added_cost, floor = records[promising], added_cost[promising], floor[promising]
    lowest, excluded_bound = select_lowest(floor, max_candidates, n_joining, cost)
    return records[lowest], added_cost[lowest], min(far_bound, excluded_bound)
