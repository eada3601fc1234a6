"""Search for the violated groups anchored at a row by their spreads (branch and bound).

`search_radius` defines spreads and anchors. The anchor is the first row of each group, and its
candidates are sorted by their distance to it. A group is built from the farthest of its rows to the
nearest: few rows are near enough to join a far one without exceeding the greatest spread, so few
pairs are measured.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.column_generation.least_values import select_least
from shoal._kernels.distances import squared_row_distance


class SpreadSearch(NamedTuple):
    """A partial group; the entry at ``depth`` of an array belongs to its first ``depth`` rows.

    ``cost`` is their reduced cost, and ``spread`` the spread of the anchor so far. The candidates
    ``position[depth, :n_candidates[depth]]`` may join, nearest first. The candidates before
    ``next_candidate`` have not been tried. ``added_cost`` is what each would add, and ``floor`` a
    lower bound of what each adds to a complete group. With r rows missing, ``least_floor_sum`` is
    the sum of the r - 1 least floors and ``largest_of_least`` the r-th. ``squares`` is scratch
    space.
    """

    members: np.ndarray  # (k,)
    cost: np.ndarray  # (k + 1,)
    spread: np.ndarray  # (k + 1,)
    position: np.ndarray  # (k, n_candidates)
    added_cost: np.ndarray  # (k, n_candidates)
    floor: np.ndarray  # (k, n_candidates)
    n_candidates: np.ndarray  # (k,)
    least_floor_sum: np.ndarray  # (k,)
    largest_of_least: np.ndarray  # (k,)
    next_candidate: np.ndarray  # (k,)
    squares: np.ndarray  # (n_candidates,)


class SpreadCandidates(NamedTuple):
    """The ``rows`` of ``X`` that may join an ``anchor`` in a group of ``size``, nearest first.

    The spread of the anchor in the group is below ``max_spread``. ``cost`` is the reduced cost of
    the anchor alone, and ``others_bound`` a lower bound of the reduced cost of groups
    with other rows.

    ``squares`` are the squared distances of the candidates to the anchor. ``added_cost`` is what
    each adds beside the anchor, and ``floor`` a lower bound of what each adds to a complete group.

    A group contains at most one row that is not among the ``n_inner`` nearest candidates. For
    these, ``columns`` are their values, transposed, and ``cost_sums[row, count]`` is the sum
    of the squared distances of a row to its ``count`` nearest rows, divided by the size.
    """

    X: np.ndarray  # (n_rows, n_columns)
    anchor: int
    size: int
    cost: float
    max_spread: float
    others_bound: float
    rows: np.ndarray  # (n_candidates,)
    squares: np.ndarray  # (n_candidates,)
    added_cost: np.ndarray  # (n_candidates,)
    floor: np.ndarray  # (n_candidates,)
    columns: np.ndarray  # (n_columns, n_inner)
    cost_sums: np.ndarray  # (n_inner, size - 1)


@compiled
def open_spread_search(candidates):
    """Return a search whose partial group is the anchor alone."""
    n_candidates, k = candidates.rows.shape[0], candidates.size
    search = SpreadSearch(
        members=np.zeros(k, np.int64),
        cost=np.full(k + 1, candidates.cost),
        spread=np.zeros(k + 1),
        position=np.empty((k, n_candidates), np.int64),
        added_cost=np.empty((k, n_candidates)),
        floor=np.empty((k, n_candidates)),
        n_candidates=np.full(k, n_candidates),
        least_floor_sum=np.zeros(k),
        largest_of_least=np.zeros(k),
        next_candidate=np.full(k, n_candidates),
        squares=np.empty(n_candidates),
    )
    search.position[1] = np.arange(n_candidates)
    search.added_cost[1], search.floor[1] = candidates.added_cost, candidates.floor
    return search


@compiled
def least_spread(search, candidates, depth, count, square):
    """Return a lower bound of the anchor's spread in groups with ``count`` + 1 further rows.

    One of these rows is at squared distance ``square`` from the anchor. The others are candidates.
    """
    total = search.spread[depth] + square
    for i in range(count):
        total += candidates.squares[search.position[depth, i]]
    return total


@compiled
def store_least(search, depth, least, cutoff):
    """Store the least floors; return whether a group below ``cutoff`` may follow."""
    n_needed = search.members.shape[0] - depth
    total = select_least(search.floor[depth], search.n_candidates[depth], least[:n_needed])
    search.largest_of_least[depth] = least[n_needed - 1]
    search.least_floor_sum[depth] = total - least[n_needed - 1]
    return search.cost[depth] + total < cutoff  # infinite if fewer are left than needed


@compiled
def keep_promising_rows(search, candidates, depth, least, cutoff):
    """Keep the candidates of groups below ``cutoff``; return whether enough are left."""
    k, n_candidates = search.members.shape[0], search.n_candidates[depth]
    position, floor = search.position[depth], search.floor[depth]
    added_cost = search.added_cost[depth]
    for i in range(n_candidates):
        floor[i] = added_cost[i] + candidates.cost_sums[position[i], k - depth - 1] / 2
    if not store_least(search, depth, least, cutoff):
        return False
    n_kept, others_cost = 0, search.cost[depth] + search.least_floor_sum[depth]
    for i in range(n_candidates):
        if floor[i] <= search.largest_of_least[depth] or others_cost + floor[i] < cutoff:
            position[n_kept] = position[i]
            added_cost[n_kept] = added_cost[i]
            floor[n_kept] = floor[i]
            n_kept += 1
    search.n_candidates[depth] = search.next_candidate[depth] = n_kept
    return True


@compiled
def is_promising(search, candidates, depth, position, cutoff):
    """Return whether a candidate and nearer ones may complete a group below ``cutoff``."""
    floor = max(search.floor[depth, position], search.largest_of_least[depth])
    if search.cost[depth] + search.least_floor_sum[depth] + floor >= cutoff:
        return False
    n_needed = search.members.shape[0] - depth
    square = candidates.squares[search.position[depth, position]]
    return least_spread(search, candidates, depth, n_needed - 1, square) < candidates.max_spread


@compiled
def count_nearer(search, candidates, depth, position):
    """Return how many nearer candidates may join the one at ``position``, as the spread allows."""
    square = candidates.squares[search.position[depth, position]]
    others_spread = least_spread(search, candidates, depth, candidates.size - depth - 2, square)
    count, max_count = 0, min(position, candidates.cost_sums.shape[0])
    while (
        count < max_count
        and others_spread + candidates.squares[search.position[depth, count]]
        < candidates.max_spread
    ):
        count += 1
    return count


@compiled
def measure_nearer(search, candidates, depth, candidate, count):
    """Fill the scratch space with the squared distances of a candidate to ``count`` nearer ones."""
    X, squares = candidates.X, search.squares
    if depth == 1:  # all candidates are in order: several distances at once
        squares[:count] = 0.0
        for column in range(X.shape[1]):
            value = X[candidates.rows[candidate], column]
            for other in range(count):
                difference = candidates.columns[column, other] - value
                squares[other] += difference * difference
    else:
        for position in range(count):
            other = search.position[depth, position]
            squares[position] = squared_row_distance(
                X, candidates.rows[candidate], X, candidates.rows[other]
            )


@compiled
def add_row(search, candidates, depth, position):
    """Add the candidate at ``position``; nearer ones stay candidates as far as the spread allows.

    Return the number of the nearer ones.
    """
    candidate, next_depth = search.position[depth, position], depth + 1
    search.members[depth] = candidate
    search.cost[next_depth] = search.cost[depth] + search.added_cost[depth, position]
    search.spread[next_depth] = search.spread[depth] + candidates.squares[candidate]
    count = count_nearer(search, candidates, depth, position)
    search.n_candidates[next_depth] = count
    measure_nearer(search, candidates, depth, candidate, count)
    for nearer in range(count):
        search.position[next_depth, nearer] = search.position[depth, nearer]
        pair_cost = search.squares[nearer] / candidates.size
        search.added_cost[next_depth, nearer] = search.added_cost[depth, nearer] + pair_cost
    return count


@compiled
def store_complete(search, candidates, groups, costs, count, cutoff):
    """Store the groups that lack only one row; return their number and the lowest cost.

    If there is no space, a group replaces the worst.
    """
    depth = search.members.shape[0] - 1
    lowest = cutoff
    for i in range(search.n_candidates[depth]):
        cost = search.cost[depth] + search.added_cost[depth, i]
        if cost >= cutoff:
            continue
        lowest = min(lowest, cost)
        slot = count
        if count == costs.shape[0]:
            slot = costs.argmax()
            if costs[slot] <= cost:
                continue
        costs[slot], groups[slot, 0] = cost, candidates.anchor
        for member in range(1, depth):
            groups[slot, member] = candidates.rows[search.members[member]]
        groups[slot, depth] = candidates.rows[search.position[depth, i]]
        count = min(count + 1, costs.shape[0])
    return count, lowest


@compiled
def search_spread(candidates, max_steps, groups, costs):
    """Find groups of negative reduced cost in which the anchor has a low spread.

    They consist of the anchor and candidates. The cheapest are stored in the rows of ``groups``,
    with their reduced costs in ``costs``. About ``max_steps`` candidates are tried. Return the
    lowest reduced cost, at most 0, how many groups were stored, and whether the search was
    complete.
    """
    search, k = open_spread_search(candidates), candidates.size
    least = np.empty(k)
    if k == 2:
        count, bound = store_complete(search, candidates, groups, costs, 0, 0.0)
        return bound, count, True
    if not store_least(search, 1, least, 0.0):
        return 0.0, 0, True
    count, bound, depth = 0, 0.0, 1
    while depth > 0:
        search.next_candidate[depth] -= 1
        position = search.next_candidate[depth]
        if position < k - depth - 1:  # fewer are left than needed
            depth -= 1
        elif max_steps < 0:
            return bound, count, False
        elif is_promising(search, candidates, depth, position, bound):
            max_steps -= 1 + add_row(search, candidates, depth, position)
            if depth + 1 == k - 1:
                count, bound = store_complete(search, candidates, groups, costs, count, bound)
            elif keep_promising_rows(search, candidates, depth + 1, least, bound):
                depth += 1
    return bound, count, True
