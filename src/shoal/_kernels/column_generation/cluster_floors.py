"""Lower bounds of what records add to a partial group, with duals of clusters.

The dual of a cluster applies h // m times to a group with h of its records, where m is the divisor
of the cluster, so it is a cost of the group as a whole. Here it is divided among the candidates of
the cluster, as far as that raises the lower bound. `group_search` describes the search and
its candidates.
"""

import numpy as np

from shoal._kernels._compile import compiled, inlined
from shoal._kernels.column_generation.least_values import insert_least, select_least


@compiled
def list_lowest(search, depth, highest):
    """List the candidates with a floor of at most ``highest``; return their number."""
    count = 0
    for i in range(search.n_candidates[depth]):
        if search.floor[depth, i] <= highest:
            search.lowest[count] = search.candidates[depth, i]
            count += 1
    return count


@compiled
def count_inside(search, candidates, cluster, count):
    """Return how many of the first ``count`` candidates of lowest floor are in a cluster."""
    n_inside = 0
    for i in range(count):
        n_inside += candidates.in_cluster[cluster, search.lowest[i]]
    return n_inside


@compiled
def split_floors(search, candidates, depth, cluster, inside, outside):
    """Fill two lists with the least floors of the candidates inside and outside a cluster."""
    inside[:], outside[:] = np.inf, np.inf
    for i in range(search.n_candidates[depth]):
        if candidates.in_cluster[cluster, search.candidates[depth, i]]:
            insert_least(inside, search.floor[depth, i])
        else:
            insert_least(outside, search.floor[depth, i])


@compiled
def charge_clusters(search, candidates, depth, cutoff):
    """Raise the floors by shares of the duals of clusters; return the sum of the least floors.

    This sum plus ``search.constant[depth]`` is a lower bound of what the missing records add. The
    least floors are written to ``search.least_floors``. If the bound reaches ``cutoff``, no further
    cluster is charged.
    """
    floor, n_candidates = search.floor[depth], search.n_candidates[depth]
    least = search.least_floors[: search.members.shape[0] - depth]
    total = select_least(floor, n_candidates, least)
    search.constant[depth] = 0.0
    n_lowest = list_lowest(search, depth, least[-1])
    for cluster in range(search.n_in_cluster.shape[0]):
        if charge_cluster(search, candidates, depth, cluster, n_lowest):
            total = select_least(floor, n_candidates, least)
            if search.cost[depth] + search.constant[depth] + total >= cutoff:
                break
            n_lowest = list_lowest(search, depth, least[-1])
    return total


@inlined
def charge_cluster(search, candidates, depth, cluster, n_lowest):
    """Raise the floors of the records of a cluster by a share of its dual; return whether any rose.

    A group lacks ``n_needed`` records. Let j of them be in the cluster, whose dual counts as soon
    as ``n_missing`` of them have joined. Any share of at most
    dual / (n_needed - n_missing + 1) satisfies

        share * (j - (n_missing - 1)) <= dual if j >= n_missing, else 0.

    So the share can be added to the floor of each record of the cluster, if it is subtracted
    ``n_missing - 1`` times from ``search.constant[depth]``. The share is limited so that the
    records of the cluster remain among the lowest floors. What it leaves of the dual is written to
    ``search.uncharged_dual``; see `excludes_all_groups`.

    The ``n_lowest`` candidates ``search.lowest`` have the least floors.
    """
    n_needed, floor = search.members.shape[0] - depth, search.floor[depth]
    divisor, dual = candidates.divisors[cluster], candidates.cluster_dual[cluster]
    n_missing = divisor - search.n_in_cluster[cluster] % divisor
    search.uncharged_dual[cluster] = 0.0
    if n_missing > n_needed or count_inside(search, candidates, cluster, n_lowest) < n_missing:
        return False
    search.uncharged_dual[cluster] = dual
    inside = search.inside_floors[:n_missing]
    outside = search.outside_floors[: n_needed - n_missing + 1]
    split_floors(search, candidates, depth, cluster, inside, outside)
    share = min(
        dual / (n_needed - n_missing + 1), outside[n_needed - n_missing] - inside[n_missing - 1]
    )
    if not share > 0.0:
        return False
    for i in range(search.n_candidates[depth]):
        if candidates.in_cluster[cluster, search.candidates[depth, i]]:
            floor[i] += share
    search.constant[depth] -= share * (n_missing - 1)
    search.uncharged_dual[cluster] = dual - share * (n_needed - n_missing + 1)
    return True


@compiled
def merged_sum(inside, outside, n_needed):
    """Return the sum of the ``n_needed`` least values of two sorted lists."""
    total, n_inside = 0.0, 0
    for i in range(n_needed):
        if n_inside < inside.shape[0] and inside[n_inside] <= outside[i - n_inside]:
            total += inside[n_inside]
            n_inside += 1
        else:
            total += outside[i - n_inside]
    return total


@compiled
def excludes_all_groups(search, candidates, depth, total, cutoff):
    """Return whether no group is below ``cutoff``, by the uncharged dual of a cluster.

    A group either pays the dual of the cluster, or fewer records of the cluster join than are
    missing. ``total`` is the least sum of the floors.
    """
    n_needed = search.members.shape[0] - depth
    cost = search.cost[depth] + search.constant[depth]
    for cluster in range(search.n_in_cluster.shape[0]):
        divisor = candidates.divisors[cluster]
        n_missing = divisor - search.n_in_cluster[cluster] % divisor
        if (
            search.uncharged_dual[cluster] > 0.0
            and cost + total + search.uncharged_dual[cluster] >= cutoff
        ):
            inside = search.inside_floors[: n_missing - 1]
            outside = search.outside_floors[:n_needed]
            split_floors(search, candidates, depth, cluster, inside, outside)
            if cost + merged_sum(inside, outside, n_needed) >= cutoff:
                return True
    return False
