"""Search for the groups of negative reduced cost (branch and bound).

The search adds one record after another to a first one and backtracks where no group of negative
reduced cost can follow, so it misses none. When its work is used up, it still returns a lower bound
of the reduced cost.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.pricing.candidates import candidate_set, pair_cost, take_least
from shoal._kernels.pricing.cluster_floors import charge_clusters, exceeds


class Search(NamedTuple):
    """A partial group; row ``d`` of an array belongs to its first ``d`` records.

    ``cost[d]`` is their reduced cost so far. ``candidates[d, :left[d]]`` may join, ``extra[d]`` is
    what each would add, ``half[d]`` is half of the triple duals that would be added, and
    ``floor[d]`` a lower bound of what each adds to a complete group, beside ``constant[d]``.
    ``turn[d]`` is the position of the candidate to try next, -1 before they are sorted.
    ``inside[t]`` counts the members of triple t, ``held[c]`` those of cluster c, of whose dual
    ``rest[c]`` is not part of the floors. The other arrays are for sorting floors.
    """

    members: np.ndarray
    cost: np.ndarray
    candidates: np.ndarray
    extra: np.ndarray
    half: np.ndarray
    floor: np.ndarray
    left: np.ndarray
    turn: np.ndarray
    inside: np.ndarray
    held: np.ndarray
    constant: np.ndarray
    rest: np.ndarray
    inside_floor: np.ndarray
    outside_floor: np.ndarray
    lowest: np.ndarray


@compiled
def open_search(candidates, size, cost):
    """Return a search for groups of ``size`` with a first record of cost ``cost``."""
    m = candidates.records.shape[0]
    search = Search(
        np.full(size, m),
        np.full(size + 1, cost),
        np.empty((size + 1, m), np.int64),
        np.empty((size + 1, m)),
        np.zeros((size + 1, m)),
        np.empty((size + 1, m)),
        np.full(size + 1, m),
        np.full(size + 1, -1),
        np.zeros(candidates.triple_dual.shape[0], np.int64),
        np.zeros(candidates.cluster_dual.shape[0], np.int64),
        np.zeros(size + 1),
        np.zeros(candidates.cluster_dual.shape[0]),
        np.empty(size),
        np.empty(size),
        np.empty(m, np.int64),
    )
    for cluster in range(search.held.shape[0]):
        search.held[cluster] = candidates.cluster[cluster, m]
    for i in range(m):
        search.candidates[1, i] = i
        search.extra[1, i] = candidates.extra[i]
    for at in range(candidates.start[m], candidates.start[m + 1]):
        triple = candidates.incidence[at]
        search.inside[triple] = 1
        for corner in candidates.triples[triple]:
            if corner < m:
                search.half[1, corner] += candidates.triple_dual[triple] / 2
    return search


@compiled
def insert_by_floor(search, depth, kept, i):
    """Insert candidate ``i`` by its floor among the first ``kept`` (insertion sort)."""
    floor, extra = search.floor[depth], search.extra[depth]
    half, candidates = search.half[depth], search.candidates[depth]
    new_floor, new_extra, new_half, candidate = floor[i], extra[i], half[i], candidates[i]
    at = kept
    while at > 0 and floor[at - 1] > new_floor:
        floor[at], extra[at] = floor[at - 1], extra[at - 1]
        half[at], candidates[at] = half[at - 1], candidates[at - 1]
        at -= 1
    floor[at], extra[at], half[at], candidates[at] = new_floor, new_extra, new_half, candidate


@compiled
def add_cluster_duals(search, candidates, record):
    """Return the duals of the clusters that ``record`` adds when it joins."""
    dual_sum = 0.0
    for cluster in range(search.held.shape[0]):
        if candidates.cluster[cluster, record]:
            search.held[cluster] += 1
            if search.held[cluster] % candidates.divisors[cluster] == 0:
                dual_sum += candidates.cluster_dual[cluster]
    return dual_sum


@compiled
def order_candidates(search, candidates, depth, least, cutoff):
    """Keep candidates of groups below ``cutoff``, sorted by floor; return whether any are left."""
    need, left = search.members.shape[0] - depth, search.left[depth]
    floor = search.floor[depth]
    for i in range(left):
        reach = candidates.reach[search.candidates[depth, i], need - 1]
        floor[i] = search.extra[depth, i] + search.half[depth, i] + reach / 2
    total = take_least(floor, left, least[:need])
    if search.cost[depth] + total >= cutoff:  # also where fewer are left than needed
        return False
    cost = search.cost[depth]
    if search.held.shape[0]:
        total = charge_clusters(search, candidates, depth, least, cutoff)
        cost += search.constant[depth]
        if cost + total >= cutoff or exceeds(search, candidates, depth, total, cutoff):
            return False
    last = least[need - 1]
    others = cost + total - last
    kept = 0
    for i in range(left):
        if floor[i] <= last or others + floor[i] < cutoff:
            insert_by_floor(search, depth, kept, i)
            kept += 1
    search.left[depth] = kept
    search.turn[depth] = 0
    return True


@compiled
def remaining_bound(search, depth):
    """Return a lower bound of all groups with candidates from the next one on."""
    need, at = search.members.shape[0] - depth, search.turn[depth]
    if at + need > search.left[depth]:
        return np.inf
    total = search.cost[depth] + search.constant[depth]
    for i in range(need):
        total += search.floor[depth, at + i]
    return total


@compiled
def add_triple_duals(search, candidates, record, depth):
    """Return the triple duals added when ``record`` joins: it is the second of their triple.

    Until a dual is added, half of it counts for each of the second and the third.
    """
    dual_sum = 0.0
    for at in range(candidates.start[record], candidates.start[record + 1]):
        triple = candidates.incidence[at]
        search.inside[triple] += 1
        share = candidates.triple_dual[triple] / 2
        if search.inside[triple] == 2:
            dual_sum += candidates.triple_dual[triple]
            share = -share
        if search.inside[triple] <= 2:
            for i in range(search.left[depth + 1]):
                for corner in candidates.triples[triple]:
                    if search.candidates[depth + 1, i] == corner:
                        search.half[depth + 1, i] += share
    return dual_sum


@compiled
def join(search, candidates, depth):
    """Add the next candidate; those after it stay candidates."""
    at = search.turn[depth]
    record = search.candidates[depth, at]
    search.turn[depth] += 1
    search.members[depth] = record
    left = 0
    if depth + 1 < search.members.shape[0]:
        for i in range(at + 1, search.left[depth]):
            other = search.candidates[depth, i]
            search.candidates[depth + 1, left] = other
            search.extra[depth + 1, left] = search.extra[depth, i] + pair_cost(
                candidates, search.members.shape[0], record, other
            )
            search.half[depth + 1, left] = search.half[depth, i]
            left += 1
    search.left[depth + 1] = left
    search.turn[depth + 1] = -1
    dual_sum = add_triple_duals(search, candidates, record, depth)
    dual_sum += add_cluster_duals(search, candidates, record)
    search.cost[depth + 1] = search.cost[depth] + search.extra[depth, at] + dual_sum


@compiled
def backtrack(search, candidates, depth):
    """Remove the last of ``depth`` records; return the new depth."""
    if depth > 1:
        record = search.members[depth - 1]
        for at in range(candidates.start[record], candidates.start[record + 1]):
            search.inside[candidates.incidence[at]] -= 1
        for cluster in range(search.held.shape[0]):
            search.held[cluster] -= candidates.cluster[cluster, record]
    return depth - 1


@compiled
def store_group(search, candidates, first, groups, costs, count):
    """Store a complete group, replacing the worst if there is no space; return their number."""
    size = search.members.shape[0]
    place = count
    if count == costs.shape[0]:
        place = costs.argmax()
        if costs[place] <= search.cost[size]:
            return count
    costs[place] = search.cost[size]
    groups[place, 0] = first
    for i in range(1, size):
        groups[place, i] = candidates.records[search.members[i]]
    return min(count + 1, costs.shape[0])


@compiled
def search_candidates(candidates, first, size, cost, rest, cutoff, work, groups, costs):
    """Find groups of ``size`` below ``cutoff`` that consist of ``first`` and candidates.

    ``cost`` is that of the first record, and ``rest`` a lower bound of groups with other records.
    Groups are stored as in `cheapest_groups`.
    """
    search = open_search(candidates, size, cost)
    least = np.empty(size)
    count, depth, bound = 0, 1, cutoff
    while depth > 0:
        if depth == size:
            if search.cost[size] < cutoff:
                count = store_group(search, candidates, first, groups, costs, count)
                bound = min(bound, search.cost[size])
            depth = backtrack(search, candidates, depth)
        elif search.turn[depth] < 0 and not order_candidates(
            search, candidates, depth, least, bound
        ):
            depth = backtrack(search, candidates, depth)
        elif remaining_bound(search, depth) >= bound:
            depth = backtrack(search, candidates, depth)
        elif work < 0:
            for above in range(1, depth + 1):
                rest = min(rest, remaining_bound(search, above))
            break
        else:
            join(search, candidates, depth)
            depth += 1
            work -= search.left[depth] + 1
    return min(bound, rest), count


@compiled
def cheapest_groups(table, prices, first, size, group_dual, cutoff, most, work, groups, costs):
    """Find groups of ``size`` and low reduced cost whose record of lowest rank is ``first``.

    The cheapest are stored in the rows of ``groups``, with their reduced costs in ``costs``. No
    more than ``most`` records may join, and no more candidates than ``work`` are tried. The
    result is a lower bound of the reduced cost of the groups of ``first``, at most ``cutoff``,
    and how many were stored.
    """
    candidates, rest = candidate_set(table, prices, first, size, group_dual, cutoff, most)
    cost = group_dual - prices.record_dual[first]
    return search_candidates(candidates, first, size, cost, rest, cutoff, work, groups, costs)


@compiled
def all_groups(table, prices, first, size, group_dual, cutoff, groups):
    """List all groups of ``size`` below ``cutoff``; return their number, -1 if too many."""
    candidates, _ = candidate_set(table, prices, first, size, group_dual, cutoff, table.X.shape[0])
    search = open_search(candidates, size, group_dual - prices.record_dual[first])
    least, costs = np.empty(size), np.empty(groups.shape[0])
    count, depth = 0, 1
    while depth > 0:
        if depth == size:
            if search.cost[size] < cutoff:
                if count == groups.shape[0]:
                    return -1
                count = store_group(search, candidates, first, groups, costs, count)
            depth = backtrack(search, candidates, depth)
        elif (
            search.turn[depth] < 0
            and not order_candidates(search, candidates, depth, least, cutoff)
        ) or remaining_bound(search, depth) >= cutoff:
            depth = backtrack(search, candidates, depth)
        else:
            join(search, candidates, depth)
            depth += 1
    return count


@compiled
def price_groups(
    table, prices, anchors, size, group_dual, cutoff, most, work, bounds, groups, costs, counts
):
    """Search for groups of a reduced cost below ``cutoff`` that begin with one of ``anchors``."""
    for i in range(anchors.shape[0]):
        bounds[i], counts[i] = cheapest_groups(
            table, prices, anchors[i], size, group_dual, cutoff, most, work, groups[i], costs[i]
        )
