"""Candidates: the records that a group of negative reduced cost may contain with a first one.

Every record has a dual value, and so have some triples of records and every group. The reduced
cost of a group is its SSE, plus the duals of the triples of which it holds two or three records,
plus the dual of a group, minus the duals of its records. A group is called cheap if that is
negative. An SSE is the sum of the squared distances of all pairs over the size, so a pair of a
group of given size has a known share in it.

A group is searched for at the one of its records that comes first in some order. Records that
no cheap group of the size can hold are left out, by bounds alone.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance

ROUNDS = 3  # of narrowing the candidates; further ones leave out few
MOST_PAIRED = 200  # records that may join: with more, most pairs would be measured for nothing


class NeighbourTable(NamedTuple):
    """The records and their nearest neighbours.

    ``near[i]`` are the nearest others of record i and ``gaps[i]`` their squared
    distances, nearest first; ``sums[i, m]`` adds up the first m of these.
    """

    X: np.ndarray
    near: np.ndarray
    gaps: np.ndarray
    sums: np.ndarray


class PricingDuals(NamedTuple):
    """Dual values of records and triples, in the form that the search needs.

    Groups are searched for at their record of the least ``rank``. ``ceiling[i]`` is the
    most by which the dual of a record after i exceeds its least share of an SSE. ``triple_dual[t]``
    belongs to the records ``triples[t]``; the triples that hold record i are
    ``incidence[start[i] : start[i + 1]]``.
    """

    record_dual: np.ndarray
    rank: np.ndarray
    ceiling: np.ndarray
    triples: np.ndarray
    triple_dual: np.ndarray
    start: np.ndarray
    incidence: np.ndarray


class CandidateSet(NamedTuple):
    """The candidates of a first record, numbered from 0; the first record has the last number.

    ``extra`` is what each adds to the first alone, ``pair`` what two of them add for each
    other, and ``reach[i, m]`` the sum of the m least pairs of i, or less. Duals of triples
    are included where two of a triple are present. The triples whose three records are
    all present are ``triples`` with ``triple_dual``; those that hold i are ``around[start[i] :
    start[i + 1]]``.

    Where the candidates are too many, ``pair`` is empty, and pairs of ``X`` are measured when a
    record joins. Then ``triples`` holds also those of which two are present; the third is none.
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


@compiled
def pair_cost(candidates, size, a, b):
    """Return what a pair of candidates adds to the reduced cost of a group of ``size``."""
    if candidates.pair.shape[0]:
        return candidates.pair[a, b]
    return (
        row_distance(candidates.X, candidates.records[a], candidates.X, candidates.records[b])
        / size
    )


@compiled
def take_least(values, count, least):
    """Fill ``least`` with the least of ``values[:count]``, in order; return their sum."""
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

    ``floor`` is what each adds at least to a whole group: its extra and, shared
    between two, the distances to its nearest.
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
    """Return a lower bound of all groups that contain a record beyond the near ones."""
    n, most = table.near.shape
    if most == n - 1:
        return np.inf
    beyond = table.gaps[first, most - 1] / size - prices.ceiling[first]
    least = np.empty(size - 2)
    take_least(floor, count, least)
    total = cost + beyond
    for i in range(size - 2):
        total += min(beyond, least[i])
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
    """Return what every pair of ``records`` adds to the SSE of a group of ``size``."""
    pair = np.zeros((records.shape[0], records.shape[0]))
    for a in range(records.shape[0]):
        for b in range(a):
            pair[a, b] = row_distance(X, records[a], X, records[b]) / size
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

    It is infinite where none is left out.
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
    """Return the candidates of groups of ``first`` below the cutoff, and their extras.

    No more than ``most`` are; the third result is what groups with others do not go below.
    """
    n, near = table.near.shape
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

    They fill ``triples`` and ``triple_dual``, records by their places; the result is their number.
    Where pairs are not stored, those with two are listed as well, without a third.
    """
    m, count = records.shape[0], 0
    place = np.full(prices.rank.shape[0], -1)
    place[first] = m
    for i in range(m):
        place[records[i]] = i
    for i in range(m + 1):
        record = first if i == m else records[i]
        for at in range(prices.start[record], prices.start[record + 1]):
            there = np.sort(place[prices.triples[prices.incidence[at]]])
            due = prices.triple_dual[prices.incidence[at]]
            if there[0] == i:
                triples[count] = there
                triple_dual[count] = due
                count += 1
            elif there[0] < 0 and there[1] == i and there[2] == m:
                extra[i] += due
            elif there[0] < 0 and there[1] == i and pair.shape[0] == 0:
                triples[count] = i, there[2], m + 1
                triple_dual[count] = due
                count += 1
            elif there[0] < 0 and there[1] == i:
                pair[i, there[2]] += due
                pair[there[2], i] += due
    return count


@compiled
def list_around(triples, count, m):
    """Return the triples that contain each of ``m`` records, and where those of each start."""
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

    The nearest among those left are farther than the nearest of all, so each round
    leaves fewer.
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
def candidate_set(table, prices, first, size, group_dual, cutoff, most):
    """Return the candidates of ``first`` for groups of ``size`` below ``cutoff``.

    No more than ``most`` may join; the second result is what groups with others do
    not go below.
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
    candidates = CandidateSet(
        table.X, records, extra, pair, reach, triples[:count], triple_dual[:count], start, incidence
    )
    return candidates, rest
