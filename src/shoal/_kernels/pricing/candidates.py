"""Candidates that may join a first record in a group of negative reduced cost.

The reduced cost of a group is its SSE, plus the duals of the triples of which it contains two or
three records, plus the duals of the clusters, as often as the number of its records in the cluster
contains the divisor of the cluster, plus the dual of a group, minus the duals of its records. The
SSE is the sum of the squared distances of all pairs divided by the size of the group, so each pair
of a group of given size adds a fixed amount.

A group is generated at the record of lowest rank in it. Records that no group of the given size and
of negative reduced cost can contain are excluded by lower bounds.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance

ROUNDS = 3  # of excluding candidates; further ones exclude few
MOST_PAIRED = 200  # candidates up to which all pairs are measured in advance


class NeighbourTable(NamedTuple):
    """The records and their nearest neighbours.

    ``near[i]`` are the nearest neighbours of record i and ``gaps[i]`` their squared
    distances, nearest first; ``sums[i, m]`` is the sum of the first m of these. Only records
    that are searched as first ones need rows in ``near`` and ``gaps``.
    """

    X: np.ndarray
    near: np.ndarray
    gaps: np.ndarray
    sums: np.ndarray


class PricingDuals(NamedTuple):
    """Dual values of records and triples, as the search needs them.

    Groups are generated at their record of lowest ``rank``. ``ceiling[i]`` is the greatest amount
    by which the dual of a record after i exceeds its least share of an SSE. ``triple_dual[t]``
    is the dual of the records ``triples[t]``; the triples that contain record i are
    ``incidence[start[i] : start[i + 1]]``. ``cluster_dual`` applies once for every multiple of
    the divisor of a cluster that the number of its records in a group attains; the clusters of
    record i are ``cluster_incidence[cluster_start[i] : cluster_start[i + 1]]``.
    """

    record_dual: np.ndarray
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


class CandidateSet(NamedTuple):
    """The candidates of a first record, numbered from 0; the first record comes last.

    ``extra`` is the cost that each candidate adds beside the first record, ``pair`` that of two
    candidates together, and ``reach[i, m]`` a lower bound of the sum of the m least pairs of i.
    The dual of a triple is included in these if exactly two of its records are present. Triples
    with all three records present are in ``triples`` and ``triple_dual``; those that contain i are
    ``incidence[start[i] : start[i + 1]]``.

    With more than `MOST_PAIRED` candidates ``pair`` is empty, and pairs of ``X`` are measured when
    a record joins. ``triples`` then also contains those with two records present.

    ``cluster[c, i]`` says whether cluster c contains i; only clusters with at least as many records
    present as their divisor says are listed.
    """

    X: np.ndarray
    records: np.ndarray
    extra: np.ndarray
    pair: np.ndarray
    reach: np.ndarray
    triples: np.ndarray
    triple_dual: np.ndarray
    start: np.ndarray
    incidence: np.ndarray
    cluster: np.ndarray
    cluster_dual: np.ndarray
    divisors: np.ndarray


@compiled
def pair_cost(candidates, size, a, b):
    """Return the reduced cost that a pair of candidates adds to a group of ``size``."""
    if candidates.pair.shape[0]:
        return candidates.pair[a, b]
    return (
        row_distance(candidates.X, candidates.records[a], candidates.X, candidates.records[b])
        / size
    )


@compiled
def take_least(values, count, least):
    """Fill ``least`` with the smallest of ``values[:count]``, sorted; return their sum."""
    most = least.shape[0]
    least[:] = np.inf
    for i in range(count if most else 0):
        value = values[i]
        if value < least[most - 1]:
            at = most - 1
            while at > 0 and value < least[at - 1]:
                least[at] = least[at - 1]
                at -= 1
            least[at] = value
    total = 0.0
    for i in range(most):
        total += least[i]
    return total


@compiled
def list_near(table, prices, first, size, records, extra, floor):
    """List the near records of higher rank than ``first``; return their number.

    ``floor`` is a lower bound of the cost that each adds to a group: its extra, and half the
    distances to its nearest neighbours.
    """
    count = 0
    for place in range(table.near.shape[1]):
        record = table.near[first, place]
        if prices.rank[record] > prices.rank[first]:
            records[count] = record
            extra[count] = table.gaps[first, place] / size - prices.record_dual[record]
            floor[count] = extra[count] + table.sums[record, size - 2] / (2 * size)
            count += 1
    return count


@compiled
def list_all(table, prices, first, size, records, extra, floor):
    """List all records of higher rank than ``first``; return their number."""
    count = 0
    for record in range(table.X.shape[0]):
        if prices.rank[record] > prices.rank[first]:
            records[count] = record
            gap = row_distance(table.X, first, table.X, record)
            extra[count] = gap / size - prices.record_dual[record]
            floor[count] = extra[count] + table.sums[record, size - 2] / (2 * size)
            count += 1
    return count


@compiled
def beyond_near(table, prices, first, size, floor, count, cost):
    """Return a lower bound of all groups that contain a record not among the near ones."""
    most = table.near.shape[1]
    if most == table.X.shape[0] - 1:
        return np.inf
    beyond_cost = table.gaps[first, most - 1] / size - prices.ceiling[first]
    least = np.empty(size - 2)
    take_least(floor, count, least)
    total = cost + beyond_cost
    for i in range(size - 2):
        total += min(beyond_cost, least[i])
    return total


@compiled
def narrow(records, extra, floor, count, least, cost, cutoff):
    """Keep the candidates of groups below ``cutoff``; return their number, 0 if too few."""
    total = take_least(floor, count, least)
    if cost + total >= cutoff:  # also where fewer are left than needed
        return 0
    last = least[least.shape[0] - 1]
    others = cost + total - last
    kept = 0
    for i in range(count):
        if floor[i] <= last or others + floor[i] < cutoff:
            records[kept], extra[kept], floor[kept] = records[i], extra[i], floor[i]
            kept += 1
    return kept


@compiled
def pair_up(X, records, size):
    """Return the SSE that every pair of ``records`` adds to a group of ``size``."""
    n, p = records.shape[0], X.shape[1]
    columns, pair = np.empty((p, n)), np.zeros((n, n))  # by columns: several pairs at once
    for a in range(n):
        for j in range(p):
            columns[j, a] = X[records[a], j]
    for a in range(n):
        for j in range(p):
            for b in range(a):
                gap = columns[j, a] - columns[j, b]
                pair[a, b] += gap * gap
        for b in range(a):
            pair[a, b] /= size
            pair[b, a] = pair[a, b]
    return pair


@compiled
def cumulative_nearest(pair, most):
    """Return for each record the sums of its 0, 1, .. ``most`` least pairs with others."""
    n = pair.shape[0]
    reach, least, row = np.zeros((n, most + 1)), np.empty(most), np.empty(n)
    for a in range(n):
        row[:] = pair[a]
        row[a] = np.inf
        take_least(row, n, least)
        for m in range(most):
            reach[a, m + 1] = reach[a, m] + least[m]
    return reach


@compiled
def keep_lowest(records, extra, floor, count, most, least, cost):
    """Keep the ``most`` records of lowest floor; return a lower bound of groups with others.

    The bound is infinite if no record is excluded.
    """
    if count <= most:
        return count, np.inf
    order = np.argsort(floor[:count], kind="mergesort")
    records[:count], extra[:count] = records[order], extra[order]
    floor[:count] = floor[order]
    others = cost
    for i in range(least.shape[0] - 1):
        others += floor[i]
    return most, others + floor[most]


@compiled
def gather(table, prices, first, size, group_dual, cutoff, most):
    """Return at most ``most`` candidates of groups of ``first`` below the cutoff, and their extras.

    The third result is a lower bound of groups with other records.
    """
    n, near = table.X.shape[0], table.near.shape[1]
    cost = group_dual - prices.record_dual[first]
    records, extra, floor = np.empty(near, np.int64), np.empty(near), np.empty(near)
    count = list_near(table, prices, first, size, records, extra, floor)
    rest = beyond_near(table, prices, first, size, floor, count, cost)
    if rest < cutoff and most > near:
        records, extra, floor = np.empty(n, np.int64), np.empty(n), np.empty(n)
        count = list_all(table, prices, first, size, records, extra, floor)
        rest = np.inf
    least = np.empty(size - 1)
    left = narrow(records, extra, floor, count, least, cost, cutoff)
    left, dropped = keep_lowest(records, extra, floor, left, most, least, cost)
    return records[:left], extra[:left], min(rest, dropped)


@compiled
def add_pair_duals(prices, first, records, extra, pair, triples, triple_dual):
    """Add the duals of triples with two records present; list those with three.

    The latter fill ``triples`` (by the indices of candidates) and ``triple_dual``; their number is
    returned. If pairs are not stored, triples with two records are listed as well.
    """
    m, count = records.shape[0], 0
    if prices.triples.shape[0] == 0:
        return 0
    place = np.full(prices.rank.shape[0], -1)
    place[first] = m
    for i in range(m):
        place[records[i]] = i
    for i in range(m + 1):
        record = first if i == m else records[i]
        for at in range(prices.start[record], prices.start[record + 1]):
            places = np.sort(place[prices.triples[prices.incidence[at]]])
            dual = prices.triple_dual[prices.incidence[at]]
            if places[0] == i:
                triples[count] = places
                triple_dual[count] = dual
                count += 1
            elif places[0] < 0 and places[1] == i and places[2] == m:
                extra[i] += dual
            elif places[0] < 0 and places[1] == i and pair.shape[0] == 0:
                triples[count] = i, places[2], m + 1
                triple_dual[count] = dual
                count += 1
            elif places[0] < 0 and places[1] == i:
                pair[i, places[2]] += dual
                pair[places[2], i] += dual
    return count


@compiled
def list_around(triples, count, m):
    """Return the triples that contain each of ``m`` records, in compressed row format."""
    start = np.zeros(m + 1, np.int64)
    for t in range(count):
        for corner in triples[t]:
            start[corner + 1] += 1
    for i in range(m):
        start[i + 1] += start[i]
    incidence, fill = np.empty(3 * count, np.int64), start.copy()
    for t in range(count):
        for corner in triples[t]:
            incidence[fill[corner]] = t
            fill[corner] += 1
    return start, incidence


@compiled
def narrow_again(X, first_cost, records, extra, size, cutoff):
    """Return the candidates of groups below ``cutoff``, their extras, pairs and reach.

    Bounds use the nearest remaining candidates, so each round may exclude more.
    """
    pair = pair_up(X, records, size)
    reach = cumulative_nearest(pair, size - 2)
    least = np.empty(size - 1)
    for _ in range(ROUNDS):
        count = records.shape[0]
        floor = extra + reach[:, size - 2] / 2
        places = np.arange(count)
        left = narrow(places, extra, floor, count, least, first_cost, cutoff)
        if left == count:
            break
        places, extra = places[:left], extra[:left]
        records = records[places]
        pair = pair[places][:, places]
        reach = cumulative_nearest(pair, size - 2)
    return records, extra, pair, reach


@compiled
def list_clusters(prices, first, records):
    """Return which clusters contain which records, the first one last, and their numbers."""
    m, clusters = records.shape[0], prices.cluster_dual.shape[0]
    if clusters == 0:
        return np.empty((0, m + 1), np.bool_), np.empty(0, np.int64)
    count, place = np.zeros(clusters, np.int64), np.full(clusters, -1)
    for i in range(m + 1):
        record = first if i == m else records[i]
        for at in range(prices.cluster_start[record], prices.cluster_start[record + 1]):
            count[prices.cluster_incidence[at]] += 1
    listed = np.flatnonzero(count >= prices.divisors)
    listed = listed[np.argsort(-prices.cluster_dual[listed], kind="mergesort")]
    place[listed] = np.arange(listed.shape[0])
    inside = np.zeros((listed.shape[0], m + 1), np.bool_)
    for i in range(m + 1):
        record = first if i == m else records[i]
        for at in range(prices.cluster_start[record], prices.cluster_start[record + 1]):
            if place[prices.cluster_incidence[at]] >= 0:
                inside[place[prices.cluster_incidence[at]], i] = True
    return inside, listed


@compiled
def candidate_set(table, prices, first, size, group_dual, cutoff, most):
    """Return at most ``most`` candidates of ``first`` for groups of ``size`` below ``cutoff``.

    The second result is a lower bound of groups with other records.
    """
    records, extra, rest = gather(table, prices, first, size, group_dual, cutoff, most)
    unpaired = records.shape[0] > MOST_PAIRED
    if unpaired:
        pair, reach = np.empty((0, 0)), table.sums[records][:, : size - 1] / size
    else:
        cost = group_dual - prices.record_dual[first]
        records, extra, pair, reach = narrow_again(table.X, cost, records, extra, size, cutoff)
    most = 0
    for i in range(records.shape[0]):
        most += prices.start[records[i] + 1] - prices.start[records[i]]
    triples, triple_dual = np.empty((most, 3), np.int64), np.empty(most)
    count = add_pair_duals(prices, first, records, extra, pair, triples, triple_dual)
    if most and not unpaired:
        reach = cumulative_nearest(pair, size - 2)
    start, incidence = list_around(triples, count, records.shape[0] + 2)
    cluster, listed = list_clusters(prices, first, records)
    candidates = CandidateSet(
        table.X, records, extra, pair, reach, triples[:count], triple_dual[:count],
        start, incidence, cluster, prices.cluster_dual[listed], prices.divisors[listed],
    )  # fmt: skip
    return candidates, rest
