"""Records that may join another one, the anchor, in a group of negative reduced cost.

The reduced cost of a group is its SSE, plus the dual of a group, minus the duals of its records,
plus the duals of triples and clusters. The dual of a triple counts once if the group contains two
or three of its records. The dual of a cluster counts h // m times if the group contains h of its
records, where m is the divisor of the cluster. The SSE is the sum of the squared distances of all
pairs divided by the size of the group, so each pair of a group of given size adds a fixed amount.

A group is generated at its anchor, the record of lowest rank in it. Lower bounds exclude the
records that no group of the given size and of negative reduced cost can contain. ``added_cost`` is
what a record adds beside the anchor, and ``floor`` a lower bound of what it adds to a complete
group.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance


class NeighbourTable(NamedTuple):
    """The records and their nearest neighbours.

    ``near[i]`` are the nearest neighbours of record i, nearest first, and ``gaps[i]`` their squared
    distances. ``gap_sums[i, m]`` is the sum of the first m of these. Only records that are searched
    as anchors need rows in ``near`` and ``gaps``.
    """

    X: np.ndarray
    near: np.ndarray
    gaps: np.ndarray
    gap_sums: np.ndarray


class PricingDuals(NamedTuple):
    """Dual values of records, triples, clusters and groups, as the search needs them.

    Groups are generated at their record of lowest ``rank``. The net dual of a record is its dual
    less half of the least that its pairs with all but one of the others of a group can add.
    ``ceiling[i]`` is the greatest net dual of the records after i.

    ``triple_dual[t]`` is the dual of the records ``triples[t]``. The triples that contain record i
    are ``incidence[start[i] : start[i + 1]]``. ``cluster_dual[c]`` is the dual of cluster c, and
    ``divisors[c]`` its divisor. The clusters that contain record i are
    ``cluster_incidence[cluster_start[i] : cluster_start[i + 1]]``.
    """

    record_dual: np.ndarray
    group_dual: float
    rank: np.ndarray
    ceiling: np.ndarray
    triples: np.ndarray
    triple_dual: np.ndarray
    start: np.ndarray
    incidence: np.ndarray
    cluster_dual: np.ndarray
    cluster_start: np.ndarray
    cluster_incidence: np.ndarray
    divisors: np.ndarray


@compiled
def select_least(values, count, least):
    """Write the smallest of ``values[:count]`` to ``least``, sorted; return their sum."""
    n_least = least.shape[0]
    least[:] = np.inf
    for i in range(count if n_least else 0):
        value = values[i]
        if value < least[n_least - 1]:
            slot = n_least - 1
            while slot > 0 and value < least[slot - 1]:
                least[slot] = least[slot - 1]
                slot -= 1
            least[slot] = value
    total = 0.0
    for i in range(n_least):
        total += least[i]
    return total


@compiled
def list_near(table, duals, anchor, size, records, added_cost, floor):
    """List the near records of higher rank than ``anchor``; return their number.

    ``floor`` is a lower bound of the cost that each adds to a group: its added cost, and half the
    distances to its nearest neighbours.
    """
    count = 0
    for m in range(table.near.shape[1]):
        record = table.near[anchor, m]
        if duals.rank[record] > duals.rank[anchor]:
            records[count] = record
            added_cost[count] = table.gaps[anchor, m] / size - duals.record_dual[record]
            floor[count] = added_cost[count] + table.gap_sums[record, size - 2] / (2 * size)
            count += 1
    return count


@compiled
def list_all(table, duals, anchor, size, records, added_cost, floor):
    """List all records of higher rank than ``anchor``; return their number."""
    count = 0
    for record in range(table.X.shape[0]):
        if duals.rank[record] > duals.rank[anchor]:
            records[count] = record
            gap = squared_row_distance(table.X, anchor, table.X, record)
            added_cost[count] = gap / size - duals.record_dual[record]
            floor[count] = added_cost[count] + table.gap_sums[record, size - 2] / (2 * size)
            count += 1
    return count


@compiled
def bound_with_far(table, duals, anchor, size, floor, count, cost):
    """Return a lower bound of the cost of all groups that contain a record that is not near."""
    n_near = table.near.shape[1]
    if n_near == table.X.shape[0] - 1:
        return np.inf
    far_cost = table.gaps[anchor, n_near - 1] / size - duals.ceiling[anchor]
    least = np.empty(size - 2)
    select_least(floor, count, least)
    total = cost + far_cost
    for i in range(size - 2):
        total += min(far_cost, least[i])
    return total


@compiled
def keep_promising(records, added_cost, floor, count, least, cost, cutoff):
    """Keep the candidates of groups below ``cutoff``; return their number, 0 if too few."""
    total = select_least(floor, count, least)
    if cost + total >= cutoff:  # also if fewer are left than needed
        return 0
    largest_of_least = least[least.shape[0] - 1]
    others_cost = cost + total - largest_of_least
    n_kept = 0
    for i in range(count):
        if floor[i] <= largest_of_least or others_cost + floor[i] < cutoff:
            records[n_kept], added_cost[n_kept], floor[n_kept] = records[i], added_cost[i], floor[i]
            n_kept += 1
    return n_kept


@compiled
def keep_lowest(records, added_cost, floor, count, max_count, n_joining, cost):
    """Keep the ``max_count`` records of lowest floor; bound the cost of groups with others.

    Return how many are kept, and a lower bound of the groups in which ``n_joining`` records join
    the anchor and one of them is excluded. It is infinite if no record is excluded.
    """
    if count <= max_count:
        return count, np.inf
    order = np.argsort(floor[:count], kind="mergesort")
    records[:count], added_cost[:count] = records[order], added_cost[order]
    floor[:count] = floor[order]
    others_cost = cost
    for i in range(n_joining - 1):
        others_cost += floor[i]
    return max_count, others_cost + floor[max_count]


@compiled
def list_candidates(table, duals, anchor, size, cutoff, max_candidates):
    """Return the candidates of ``anchor`` for groups of ``size`` below ``cutoff``.

    There are at most ``max_candidates``. The second result is the cost that each adds, the third a
    lower bound of the cost of the groups with other records.
    """
    n, n_near = table.X.shape[0], table.near.shape[1]
    cost = duals.group_dual - duals.record_dual[anchor]
    records, added_cost, floor = np.empty(n_near, np.int64), np.empty(n_near), np.empty(n_near)
    count = list_near(table, duals, anchor, size, records, added_cost, floor)
    far_bound = bound_with_far(table, duals, anchor, size, floor, count, cost)
    if far_bound < cutoff and max_candidates > n_near:
        records, added_cost, floor = np.empty(n, np.int64), np.empty(n), np.empty(n)
        count = list_all(table, duals, anchor, size, records, added_cost, floor)
        far_bound = np.inf
    least = np.empty(size - 1)
    count = keep_promising(records, added_cost, floor, count, least, cost, cutoff)
    count, excluded_bound = keep_lowest(
        records, added_cost, floor, count, max_candidates, size - 1, cost
    )
    return records[:count], added_cost[:count], min(far_bound, excluded_bound)
