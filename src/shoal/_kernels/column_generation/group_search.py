"""Pricing at an anchor: search for the groups of negative reduced cost (branch and bound).

The search adds one record after another to an anchor and backtracks where no group of negative
reduced cost can follow, so it misses none. When its steps are used up, it still returns a lower
bound of the reduced costs. `candidate_list` defines reduced costs and floors.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.column_generation.candidate_set import candidate_set, cost_of_pair
from shoal._kernels.column_generation.cluster_floors import charge_clusters, excludes_all_groups
from shoal._kernels.column_generation.least_values import select_least


class SearchLimits(NamedTuple):
    """Which groups are searched for at an anchor, and how long.

    Groups have a reduced cost below ``cutoff``. At most ``max_candidates`` records are candidates,
    and the search ends after about ``max_steps`` steps: records added, and candidates examined when
    one is added.
    """

    cutoff: float
    max_candidates: int
    max_steps: int


class GroupSearch(NamedTuple):
    """A partial group of candidates; a row ``depth`` belongs to its first ``depth`` records.

    ``cost`` is their reduced cost so far. The ``candidates[depth, :n_candidates[depth]]`` may join.
    ``added_cost`` is what each would add, and ``half_triple_dual`` half of the triple duals that
    would be added. ``floor`` is a lower bound of what each adds to a complete group, to which the
    group as a whole adds ``constant``. ``next_candidate`` is the position of the candidate to try
    next, -1 before they are sorted by their floors.

    ``n_in_triple`` counts the members in each triple, and ``n_in_cluster`` those in each cluster.
    ``uncharged_dual`` is the part of the dual of each cluster that no floor contains. The other
    arrays are scratch space: ``least_floors`` are the least floors of as many candidates as are
    missing, and `cluster_floors` writes the last three.
    """

    members: np.ndarray  # (size,)
    cost: np.ndarray  # (size + 1,)
    candidates: np.ndarray  # (size + 1, n_candidates)
    added_cost: np.ndarray  # (size + 1, n_candidates)
    half_triple_dual: np.ndarray  # (size + 1, n_candidates)
    floor: np.ndarray  # (size + 1, n_candidates)
    n_candidates: np.ndarray  # (size + 1,)
    next_candidate: np.ndarray  # (size + 1,)
    n_in_triple: np.ndarray  # (n_triples,)
    n_in_cluster: np.ndarray  # (n_clusters,)
    constant: np.ndarray  # (size + 1,)
    uncharged_dual: np.ndarray  # (n_clusters,)
    least_floors: np.ndarray  # (size,)
    inside_floors: np.ndarray  # (size,)
    outside_floors: np.ndarray  # (size,)
    lowest: np.ndarray  # (n_candidates,)


@compiled
def open_search(candidates):
    """Return a search whose partial group is the anchor alone."""
    n_candidates = candidates.records.shape[0]  # also the number of the anchor, which comes last
    size = candidates.size
    search = GroupSearch(
        members=np.full(size, n_candidates),
        cost=np.full(size + 1, candidates.cost),
        candidates=np.empty((size + 1, n_candidates), np.int64),
        added_cost=np.empty((size + 1, n_candidates)),
        half_triple_dual=np.zeros((size + 1, n_candidates)),
        floor=np.empty((size + 1, n_candidates)),
        n_candidates=np.full(size + 1, n_candidates),
        next_candidate=np.full(size + 1, -1),
        n_in_triple=np.zeros(candidates.triple_dual.shape[0], np.int64),
        n_in_cluster=np.zeros(candidates.cluster_dual.shape[0], np.int64),
        constant=np.zeros(size + 1),
        uncharged_dual=np.zeros(candidates.cluster_dual.shape[0]),
        least_floors=np.empty(size),
        inside_floors=np.empty(size),
        outside_floors=np.empty(size),
        lowest=np.empty(n_candidates, np.int64),
    )
    for cluster in range(search.n_in_cluster.shape[0]):
        search.n_in_cluster[cluster] = candidates.in_cluster[cluster, n_candidates]
    for i in range(n_candidates):
        search.candidates[1, i] = i
        search.added_cost[1, i] = candidates.added_cost[i]
    start, stop = candidates.triple_start[n_candidates], candidates.triple_start[n_candidates + 1]
    for entry in range(start, stop):
        triple = candidates.triples_of_record[entry]
        search.n_in_triple[triple] = 1
        for member in candidates.triples[triple]:
            if member < n_candidates:
                search.half_triple_dual[1, member] += candidates.triple_dual[triple] / 2
    return search


@compiled
def insert_by_floor(search, depth, n_kept, position):
    """Insert the candidate at ``position`` among the first ``n_kept``, sorted by floor."""
    floor, added_cost = search.floor[depth], search.added_cost[depth]
    half_dual, candidates = search.half_triple_dual[depth], search.candidates[depth]
    new_floor, new_added_cost = floor[position], added_cost[position]
    new_half_dual, candidate = half_dual[position], candidates[position]
    slot = n_kept
    while slot > 0 and floor[slot - 1] > new_floor:
        floor[slot], added_cost[slot] = floor[slot - 1], added_cost[slot - 1]
        half_dual[slot], candidates[slot] = half_dual[slot - 1], candidates[slot - 1]
        slot -= 1
    floor[slot], added_cost[slot] = new_floor, new_added_cost
    half_dual[slot], candidates[slot] = new_half_dual, candidate


@compiled
def add_cluster_duals(search, candidates, record):
    """Count ``record`` in its clusters; return the cluster duals that it adds."""
    dual_sum = 0.0
    for cluster in range(search.n_in_cluster.shape[0]):
        if candidates.in_cluster[cluster, record]:
            search.n_in_cluster[cluster] += 1
            if search.n_in_cluster[cluster] % candidates.divisors[cluster] == 0:
                dual_sum += candidates.cluster_dual[cluster]
    return dual_sum


@compiled
def order_candidates(search, candidates, depth, cutoff):
    """Keep candidates of groups below ``cutoff``, sorted by floor; return whether any are left."""
    n_needed, n_candidates = search.members.shape[0] - depth, search.n_candidates[depth]
    floor, least = search.floor[depth], search.least_floors
    for i in range(n_candidates):
        pair_sum = candidates.least_pair_sums[search.candidates[depth, i], n_needed - 1]
        floor[i] = search.added_cost[depth, i] + search.half_triple_dual[depth, i] + pair_sum / 2
    total = select_least(floor, n_candidates, least[:n_needed])
    if search.cost[depth] + total >= cutoff:  # also if fewer are left than needed
        return False
    cost = search.cost[depth]
    if search.n_in_cluster.shape[0]:
        total = charge_clusters(search, candidates, depth, cutoff)
        cost += search.constant[depth]
        if cost + total >= cutoff or excludes_all_groups(search, candidates, depth, total, cutoff):
            return False
    largest_of_least = least[n_needed - 1]
    others_cost = cost + total - largest_of_least
    n_kept = 0
    for i in range(n_candidates):
        if floor[i] <= largest_of_least or others_cost + floor[i] < cutoff:
            insert_by_floor(search, depth, n_kept, i)
            n_kept += 1
    search.n_candidates[depth] = n_kept
    search.next_candidate[depth] = 0
    return True


@compiled
def remaining_bound(search, depth):
    """Return a lower bound of the cost of all groups with candidates from the next one on."""
    n_needed, next_position = search.members.shape[0] - depth, search.next_candidate[depth]
    if next_position + n_needed > search.n_candidates[depth]:
        return np.inf
    total = search.cost[depth] + search.constant[depth]
    for i in range(n_needed):
        total += search.floor[depth, next_position + i]
    return total


@inlined
def is_exhausted(search, candidates, depth, cutoff):
    """Return whether no group below ``cutoff`` is left at ``depth``; sort its candidates first."""
    is_sorted = search.next_candidate[depth] >= 0
    if not is_sorted and not order_candidates(search, candidates, depth, cutoff):
        return True
    return remaining_bound(search, depth) >= cutoff


@compiled
def add_triple_duals(search, candidates, record, depth):
    """Count ``record`` in its triples; return the sum of the duals of triples where it is second.

    Once one record of a triple has joined, each of the other two carries half of the dual in its
    floor. When the second joins, the whole dual is added to the cost, and the third carries
    nothing.
    """
    dual_sum = 0.0
    for entry in range(candidates.triple_start[record], candidates.triple_start[record + 1]):
        triple = candidates.triples_of_record[entry]
        search.n_in_triple[triple] += 1
        share = candidates.triple_dual[triple] / 2
        if search.n_in_triple[triple] == 2:
            dual_sum += candidates.triple_dual[triple]
            share = -share
        if search.n_in_triple[triple] <= 2:
            for i in range(search.n_candidates[depth + 1]):
                for member in candidates.triples[triple]:
                    if search.candidates[depth + 1, i] == member:
                        search.half_triple_dual[depth + 1, i] += share
    return dual_sum


@compiled
def add_candidate(search, candidates, depth):
    """Add the next candidate; those after it stay candidates."""
    position = search.next_candidate[depth]
    record = search.candidates[depth, position]
    search.next_candidate[depth] += 1
    search.members[depth] = record
    n_candidates = 0
    if depth + 1 < search.members.shape[0]:
        for i in range(position + 1, search.n_candidates[depth]):
            other = search.candidates[depth, i]
            search.candidates[depth + 1, n_candidates] = other
            pair_cost = cost_of_pair(candidates, record, other)
            search.added_cost[depth + 1, n_candidates] = search.added_cost[depth, i] + pair_cost
            search.half_triple_dual[depth + 1, n_candidates] = search.half_triple_dual[depth, i]
            n_candidates += 1
    search.n_candidates[depth + 1] = n_candidates
    search.next_candidate[depth + 1] = -1
    dual_sum = add_triple_duals(search, candidates, record, depth)
    dual_sum += add_cluster_duals(search, candidates, record)
    search.cost[depth + 1] = search.cost[depth] + search.added_cost[depth, position] + dual_sum


@compiled
def backtrack(search, candidates, depth):
    """Remove the last of ``depth`` records; return the new depth."""
    if depth > 1:
        record = search.members[depth - 1]
        for entry in range(candidates.triple_start[record], candidates.triple_start[record + 1]):
            search.n_in_triple[candidates.triples_of_record[entry]] -= 1
        for cluster in range(search.n_in_cluster.shape[0]):
            search.n_in_cluster[cluster] -= candidates.in_cluster[cluster, record]
    return depth - 1


@compiled
def store_group(search, candidates, groups, costs, count):
    """Store a complete group, in place of the worst if there is no space; return the new count."""
    size = search.members.shape[0]
    slot = count
    if count == costs.shape[0]:
        slot = costs.argmax()
        if costs[slot] <= search.cost[size]:
            return count
    costs[slot] = search.cost[size]
    groups[slot, 0] = candidates.anchor
    for i in range(1, size):
        groups[slot, i] = candidates.records[search.members[i]]
    return min(count + 1, costs.shape[0])


@compiled
def search_candidates(candidates, cutoff, max_steps, groups, costs):
    """Find groups below ``cutoff`` that consist of the anchor and candidates.

    Return what `search_anchor` returns.
    """
    search, size = open_search(candidates), candidates.size
    bound, others_bound = cutoff, candidates.others_bound
    count, depth = 0, 1
    while depth > 0:
        if depth == size:
            if search.cost[size] < cutoff:
                count = store_group(search, candidates, groups, costs, count)
                bound = min(bound, search.cost[size])
            depth = backtrack(search, candidates, depth)
        elif is_exhausted(search, candidates, depth, bound):
            depth = backtrack(search, candidates, depth)
        elif max_steps < 0:
            for level in range(1, depth + 1):
                others_bound = min(others_bound, remaining_bound(search, level))
            break
        else:
            add_candidate(search, candidates, depth)
            depth += 1
            max_steps -= search.n_candidates[depth] + 1
    return min(bound, others_bound), count


@compiled
def search_anchor(table, duals, anchor, limits, groups, costs):
    """Find groups of low reduced cost whose record of lowest rank is ``anchor``.

    The cheapest are stored in the rows of ``groups``, with their reduced costs in ``costs``. Return
    a lower bound of the reduced costs of the groups of ``anchor``, at most the cutoff of the
    ``limits``, and how many groups were stored.
    """
    candidates = candidate_set(table, duals, anchor, limits.cutoff, limits.max_candidates)
    return search_candidates(candidates, limits.cutoff, limits.max_steps, groups, costs)


@compiled
def list_all_groups(table, duals, anchor, limits, groups):
    """List all groups of an anchor below the cutoff of the ``limits``; return their number.

    The result is -1 if there are too many for ``groups``, or if the steps do not suffice to list
    them.
    """
    cutoff, max_steps, size = limits.cutoff, limits.max_steps, duals.size
    candidates = candidate_set(table, duals, anchor, cutoff, limits.max_candidates)
    search = open_search(candidates)
    costs = np.empty(groups.shape[0])
    count, depth = 0, 1
    while depth > 0:
        if depth == size:
            if search.cost[size] < cutoff:
                if count == groups.shape[0]:
                    return -1
                count = store_group(search, candidates, groups, costs, count)
            depth = backtrack(search, candidates, depth)
        elif is_exhausted(search, candidates, depth, cutoff):
            depth = backtrack(search, candidates, depth)
        elif max_steps < 0:
            return -1
        else:
            add_candidate(search, candidates, depth)
            depth += 1
            max_steps -= search.n_candidates[depth] + 1
    return count


@compiled
def price_groups(table, duals, anchors, limits, results):
    """Fill ``results`` with the cheapest groups below the cutoff at each of the ``anchors``."""
    for i in range(anchors.shape[0]):
        results.bounds[i], results.counts[i] = search_anchor(
            table, duals, anchors[i], limits, results.groups[i], results.costs[i]
        )
