"""Who may share a cheap group with a record.

Every record has a price, and some triples of records have a toll, which a group
that holds two or three of them has to pay. A group is cheap if its SSE, its tolls
and a fee lie below the sum of its prices. An SSE is the sum of the squared
distances of all pairs over the size, so a pair of a group of given size has a
known share in it.

A group is looked for at the one of its records that comes first in some order.
Records that no cheap group of the size can hold are left out, by bounds alone.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled

ROUNDS = 3  # of asking again who may join; further ones leave out few
CROWD = 200  # records that may join: with more, most pairs would be measured for nothing


class Field(NamedTuple):
    """The records and their nearest others.

    ``near[i]`` are the nearest others of record i and ``gaps[i]`` their squared
    distances, nearest first; ``sums[i, m]`` adds up the first m of these.
    """

    X: np.ndarray
    near: np.ndarray
    gaps: np.ndarray
    sums: np.ndarray


class Prices(NamedTuple):
    """What records pay and triples cost.

    Groups are looked for at their record of the least ``rank``. ``ceiling[i]`` is the
    most that a record after i pays beyond its least share of an SSE. ``toll[t]``
    belongs to the records ``triples[t]``; the triples that hold record i are
    ``around[start[i] : start[i + 1]]``.
    """

    price: np.ndarray
    rank: np.ndarray
    ceiling: np.ndarray
    triples: np.ndarray
    toll: np.ndarray
    start: np.ndarray
    around: np.ndarray


class Company(NamedTuple):
    """The records that may join a first one, numbered from 0; the first comes after them all.

    ``extra`` is what each adds beside the first alone, ``pair`` what two of them add
    beside each other, and ``reach[i, m]`` the sum of the m least pairs of i, or less. Tolls
    are in there where two of a triple are present. The triples whose three records are
    all present are ``triples`` with ``toll``; those that hold i are ``around[start[i] :
    start[i + 1]]``.

    In a crowd ``pair`` is empty, and pairs of ``X`` are measured when a record joins. Then
    ``triples`` holds also those of which two are present, and the third is nobody.
    """

    X: np.ndarray
    records: np.ndarray
    extra: np.ndarray
    pair: np.ndarray
    reach: np.ndarray
    triples: np.ndarray
    toll: np.ndarray
    start: np.ndarray
    around: np.ndarray


@compiled
def squared_distance(X, a, b):
    """Return the squared distance of two rows, summed column by column."""
    total = 0.0
    for j in range(X.shape[1]):
        gap = X[a, j] - X[b, j]
        total += gap * gap
    return total


@compiled
def beside(company, size, a, b):
    """Return what two of a company add beside each other to a group of ``size``."""
    if company.pair.shape[0]:
        return company.pair[a, b]
    return squared_distance(company.X, company.records[a], company.records[b]) / size


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
def ask_near(field, prices, first, size, records, extra, floor):
    """List the near records that come after ``first``; return how many.

    ``floor`` is what each adds at least to a whole group: its extra and, shared
    between two, the distances to its nearest.
    """
    count = 0
    for place in range(field.near.shape[1]):
        record = field.near[first, place]
        if prices.rank[record] > prices.rank[first]:
            records[count] = record
            extra[count] = field.gaps[first, place] / size - prices.price[record]
            floor[count] = extra[count] + field.sums[record, size - 2] / (2 * size)
            count += 1
    return count


@compiled
def ask_all(field, prices, first, size, records, extra, floor):
    """List all records that come after ``first``; return how many."""
    count = 0
    for record in range(field.X.shape[0]):
        if prices.rank[record] > prices.rank[first]:
            records[count] = record
            gap = squared_distance(field.X, first, record)
            extra[count] = gap / size - prices.price[record]
            floor[count] = extra[count] + field.sums[record, size - 2] / (2 * size)
            count += 1
    return count


@compiled
def beyond_near(field, prices, first, size, floor, count, cost):
    """Return what no group goes below that holds a record beyond the near ones."""
    n, most = field.near.shape
    if most == n - 1:
        return np.inf
    beyond = field.gaps[first, most - 1] / size - prices.ceiling[first]
    least = np.empty(size - 2)
    take_least(floor, count, least)
    total = cost + beyond
    for i in range(size - 2):
        total += min(beyond, least[i])
    return total


@compiled
def narrow(records, extra, floor, count, least, cost, cutoff):
    """Keep the records that a group below ``cutoff`` may hold; return how many, 0 if too few."""
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
    """Return what every two of ``records`` add to the SSE of a group of ``size``."""
    pair = np.zeros((records.shape[0], records.shape[0]))
    for a in range(records.shape[0]):
        for b in range(a):
            pair[a, b] = squared_distance(X, records[a], records[b]) / size
            pair[b, a] = pair[a, b]
    return pair


@compiled
def reach_out(pair, most):
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
def thin(records, extra, floor, count, most, least, cost):
    """Keep the ``most`` records of the lowest floors; return what no group with another goes below.

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
def gather(field, prices, first, size, fee, cutoff, most):
    """Return the records that a cheap group of ``first`` may hold, and their extras.

    No more than ``most`` are; the third result is what groups with others do not go below.
    """
    n, near = field.near.shape
    cost = fee - prices.price[first]
    records, extra, floor = np.empty(near, np.int64), np.empty(near), np.empty(near)
    count = ask_near(field, prices, first, size, records, extra, floor)
    rest = beyond_near(field, prices, first, size, floor, count, cost)
    if rest < cutoff and most > near:
        records, extra, floor = np.empty(n, np.int64), np.empty(n), np.empty(n)
        count = ask_all(field, prices, first, size, records, extra, floor)
        rest = np.inf
    least = np.empty(size - 1)
    left = narrow(records, extra, floor, count, least, cost, cutoff)
    left, dropped = thin(records, extra, floor, left, most, least, cost)
    return records[:left], extra[:left], min(rest, dropped)


@compiled
def settle_pairs(prices, first, records, extra, pair, triples, toll):
    """Add the tolls of triples with two records present; list those with three.

    They fill ``triples`` and ``toll``, records by their places; the result is their number.
    In a crowd, those with two are listed as well, with nobody as the third.
    """
    m, count = records.shape[0], 0
    place = np.full(prices.rank.shape[0], -1)
    place[first] = m
    for i in range(m):
        place[records[i]] = i
    for i in range(m + 1):
        record = first if i == m else records[i]
        for at in range(prices.start[record], prices.start[record + 1]):
            there = np.sort(place[prices.triples[prices.around[at]]])
            due = prices.toll[prices.around[at]]
            if there[0] == i:
                triples[count] = there
                toll[count] = due
                count += 1
            elif there[0] < 0 and there[1] == i and there[2] == m:
                extra[i] += due
            elif there[0] < 0 and there[1] == i and pair.shape[0] == 0:
                triples[count] = i, there[2], m + 1
                toll[count] = due
                count += 1
            elif there[0] < 0 and there[1] == i:
                pair[i, there[2]] += due
                pair[there[2], i] += due
    return count


@compiled
def list_around(triples, count, m):
    """Return where the triples that hold each of ``m`` records start, and the triples."""
    start = np.zeros(m + 1, np.int64)
    for t in range(count):
        for corner in triples[t]:
            start[corner + 1] += 1
    for i in range(m):
        start[i + 1] += start[i]
    around, fill = np.empty(3 * count, np.int64), start.copy()
    for t in range(count):
        for corner in triples[t]:
            around[fill[corner]] = t
            fill[corner] += 1
    return start, around


@compiled
def ask_again(X, first_cost, records, extra, size, cutoff):
    """Return the records that a group below ``cutoff`` may hold, their extras, pairs and reach.

    The nearest among those left are farther than the nearest of all, so asking
    again leaves fewer.
    """
    pair = pair_up(X, records, size)
    reach = reach_out(pair, size - 2)
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
        reach = reach_out(pair, size - 2)
    return records, extra, pair, reach


@compiled
def assemble(field, prices, first, size, fee, cutoff, most):
    """Return the company of ``first`` in groups of ``size`` below ``cutoff``.

    No more than ``most`` may join; the second result is what groups with others do
    not go below.
    """
    records, extra, rest = gather(field, prices, first, size, fee, cutoff, most)
    crowd = records.shape[0] > CROWD
    if crowd:
        pair, reach = np.empty((0, 0)), field.sums[records][:, : size - 1] / size
    else:
        cost = fee - prices.price[first]
        records, extra, pair, reach = ask_again(field.X, cost, records, extra, size, cutoff)
    most = 0
    for i in range(records.shape[0]):
        most += prices.start[records[i] + 1] - prices.start[records[i]]
    triples, toll = np.empty((most, 3), np.int64), np.empty(most)
    count = settle_pairs(prices, first, records, extra, pair, triples, toll)
    if most and not crowd:
        reach = reach_out(pair, size - 2)
    start, around = list_around(triples, count, records.shape[0] + 2)
    company = Company(
        field.X, records, extra, pair, reach, triples[:count], toll[:count], start, around
    )
    return company, rest
