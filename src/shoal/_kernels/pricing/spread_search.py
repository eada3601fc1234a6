"""Search for the violated groups of a row in which it has a low spread (branch and bound).

`shoal._kernels.pricing.reach` says what a spread is. The candidates of a row are sorted by their
distance to it. A group is built from the farthest of its rows to the nearest: few rows are near
enough to join a far one without exceeding the greatest spread, so few pairs are measured.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.pricing.candidates import take_least


class SpreadSearch(NamedTuple):
    """A partial group; row ``d`` of an array belongs to its first ``d`` rows.

    ``cost[d]`` is their reduced cost and ``spread[d]`` that of the first row so far. The candidates
    ``place[d, :left[d]]`` may join, nearest first; ``extra[d]`` is what each would add,
    ``floor[d]`` a lower bound of what each adds to a complete group, and ``others[d]`` the sum of
    the least floors, one fewer than rows are missing, of which ``last[d]`` is not one. Those before
    ``turn[d]`` have not been tried.
    """

    members: np.ndarray
    cost: np.ndarray
    spread: np.ndarray
    place: np.ndarray
    extra: np.ndarray
    floor: np.ndarray
    left: np.ndarray
    others: np.ndarray
    last: np.ndarray
    turn: np.ndarray


class Candidates(NamedTuple):
    """Rows that may join a first row, nearest first.

    ``gaps`` are their squared distances to the first row. ``extra`` is what each adds beside the
    first row, and ``floor`` a lower bound of what each adds to a complete group. A group contains
    at most one row that is not among the first of them, for which there are ``columns``, their
    values transposed, and ``sums[i, m]``, the squared distances of row i to its m nearest rows,
    over k.
    """

    rows: np.ndarray
    gaps: np.ndarray
    extra: np.ndarray
    floor: np.ndarray
    columns: np.ndarray
    sums: np.ndarray


@compiled
def open_spread_search(candidates, k, cost):
    """Return a search for groups of ``k`` with a first row of cost ``cost``."""
    m = candidates.rows.shape[0]
    search = SpreadSearch(
        np.zeros(k, np.int64),
        np.full(k + 1, cost),
        np.zeros(k + 1),
        np.empty((k, m), np.int64),
        np.empty((k, m)),
        np.empty((k, m)),
        np.full(k, m),
        np.zeros(k),
        np.zeros(k),
        np.full(k, m),
    )
    search.place[1] = np.arange(m)
    search.extra[1], search.floor[1] = candidates.extra, candidates.floor
    return search


@compiled
def least_spread(search, candidates, depth, count, gap):
    """Return the least spread of groups with a row at ``gap`` and ``count`` further candidates."""
    total = search.spread[depth] + gap
    for i in range(count):
        total += candidates.gaps[search.place[depth, i]]
    return total


@compiled
def add_least(search, depth, least, cutoff):
    """Note the least floors; return whether a group below ``cutoff`` may follow."""
    need = search.members.shape[0] - depth
    total = take_least(search.floor[depth], search.left[depth], least[:need])
    search.last[depth] = least[need - 1]
    search.others[depth] = total - least[need - 1]
    return search.cost[depth] + total < cutoff  # infinite where fewer are left than needed


@compiled
def keep_promising(search, candidates, depth, least, cutoff):
    """Keep the candidates of groups below ``cutoff``; return whether enough are left."""
    k, left = search.members.shape[0], search.left[depth]
    place, extra, floor = search.place[depth], search.extra[depth], search.floor[depth]
    for i in range(left):
        floor[i] = extra[i] + candidates.sums[place[i], k - depth - 1] / 2
    if not add_least(search, depth, least, cutoff):
        return False
    kept, others = 0, search.cost[depth] + search.others[depth]
    for i in range(left):
        if floor[i] <= search.last[depth] or others + floor[i] < cutoff:
            place[kept], extra[kept], floor[kept] = place[i], extra[i], floor[i]
            kept += 1
    search.left[depth] = search.turn[depth] = kept
    return True


@compiled
def is_promising(search, candidates, depth, i, most, cutoff):
    """Return whether candidate ``i`` and nearer ones may complete a group below ``cutoff``."""
    floor = max(search.floor[depth, i], search.last[depth])
    if search.cost[depth] + search.others[depth] + floor >= cutoff:
        return False
    need, gap = search.members.shape[0] - depth, candidates.gaps[search.place[depth, i]]
    return least_spread(search, candidates, depth, need - 1, gap) < most


@compiled
def add_row(X, search, candidates, depth, i, most, scratch):
    """Add candidate ``i``; those nearer stay candidates as far as the spread allows."""
    k, at = search.members.shape[0], search.place[depth, i]
    below = depth + 1
    search.members[depth] = at
    search.cost[below] = search.cost[depth] + search.extra[depth, i]
    search.spread[below] = search.spread[depth] + candidates.gaps[at]
    left = least_spread(search, candidates, depth, k - below - 1, candidates.gaps[at])
    count, possible = 0, min(i, candidates.sums.shape[0])
    while count < possible and left + candidates.gaps[search.place[depth, count]] < most:
        count += 1
    search.left[below] = count
    if depth == 1:  # the first candidates are all in order: several distances at once
        scratch[:count] = 0.0
        for j in range(X.shape[1]):
            value = X[candidates.rows[at], j]
            for other in range(count):
                gap = candidates.columns[j, other] - value
                scratch[other] += gap * gap
    else:
        for b in range(count):
            other = search.place[depth, b]
            scratch[b] = row_distance(X, candidates.rows[at], X, candidates.rows[other])
    for b in range(count):
        search.place[below, b] = search.place[depth, b]
        search.extra[below, b] = search.extra[depth, b] + scratch[b] / k
    return count


@compiled
def store_complete(search, candidates, first, groups, costs, count, cutoff):
    """Store the groups that lack one row only; return the number of stored ones and the lowest.

    Where there is no space, a group replaces the worst.
    """
    depth = search.members.shape[0] - 1
    lowest = cutoff
    for i in range(search.left[depth]):
        cost = search.cost[depth] + search.extra[depth, i]
        if cost >= cutoff:
            continue
        lowest = min(lowest, cost)
        place = count
        if count == costs.shape[0]:
            place = costs.argmax()
            if costs[place] <= cost:
                continue
        costs[place], groups[place, 0] = cost, first
        for a in range(1, depth):
            groups[place, a] = candidates.rows[search.members[a]]
        groups[place, depth] = candidates.rows[search.place[depth, i]]
        count = min(count + 1, costs.shape[0])
    return count, lowest


@compiled
def search_spread(X, candidates, first, k, cost, most, work, groups, costs):
    """Find groups of negative reduced cost in which ``first`` has a spread below ``most``.

    They consist of the first row, of cost ``cost``, and candidates. The cheapest are stored in the
    rows of ``groups``, with their reduced costs in ``costs``. No more candidates than ``work`` are
    tried. The result is the lowest reduced cost, at most 0, how many were stored, and whether the
    search was complete.
    """
    search, least = open_spread_search(candidates, k, cost), np.empty(k)
    scratch = np.empty(candidates.rows.shape[0])
    if k == 2:
        count, bound = store_complete(search, candidates, first, groups, costs, 0, 0.0)
        return bound, count, True
    if not add_least(search, 1, least, 0.0):
        return 0.0, 0, True
    count, bound, depth = 0, 0.0, 1
    while depth > 0:
        search.turn[depth] -= 1
        i = search.turn[depth]
        if i < k - depth - 1:  # fewer are left than needed
            depth -= 1
        elif work < 0:
            return bound, count, False
        elif is_promising(search, candidates, depth, i, most, bound):
            work -= 1 + add_row(X, search, candidates, depth, i, most, scratch)
            if depth + 1 == k - 1:
                count, bound = store_complete(
                    search, candidates, first, groups, costs, count, bound
                )
            elif keep_promising(search, candidates, depth + 1, least, bound):
                depth += 1
    return bound, count, True
