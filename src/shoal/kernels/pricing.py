"""The groups that cost less than their records pay.

Every record has a price, and some triples of records have a toll, which a group
that holds two or three of them has to pay. A group is cheap if its SSE and its
tolls lie below the sum of its prices. The search adds one record after another
and turns back where no cheap group can follow, so what it does not find does
not exist. An SSE is the sum of the squared distances of all pairs over the size.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels._compile import compiled


class Prices(NamedTuple):
    """The price of each record, and the tolls.

    ``toll[t]`` belongs to the records ``triples[t]``; the triples that hold record
    i are ``around[start[i] : start[i + 1]]``.
    """

    price: np.ndarray
    triples: np.ndarray
    toll: np.ndarray
    start: np.ndarray
    around: np.ndarray


class Search(NamedTuple):
    """A group under way; row ``d`` of an array belongs to its first ``d`` records.

    ``cost[d]`` is what they cost less what they pay. ``candidates[d, :left[d]]`` may
    join, ``extra[d]`` is what each would add, tolls apart, and ``floor[d]`` what it
    adds at least to a whole group. ``turn[d]`` is the candidate to try next, -1
    before they are put in order.
    """

    members: np.ndarray
    cost: np.ndarray
    candidates: np.ndarray
    extra: np.ndarray
    floor: np.ndarray
    left: np.ndarray
    turn: np.ndarray


@compiled
def open_search(distance, price, first, size):
    """Return a search for the groups of ``size`` in which ``first`` has the highest price."""
    n = distance.shape[0]
    search = Search(
        np.empty(size, np.int64),
        np.zeros(size + 1),
        np.empty((size + 1, n), np.int64),
        np.empty((size + 1, n)),
        np.empty((size + 1, n)),
        np.zeros(size + 1, np.int64),
        np.full(size + 1, -1),
    )
    search.members[0] = first
    search.cost[1] = -price[first]
    left = 0
    for record in range(n):
        if price[record] < price[first] or (price[record] == price[first] and record > first):
            search.candidates[1, left] = record
            search.extra[1, left] = distance[first, record] / size - price[record]
            left += 1
    search.left[1] = left
    return search


@compiled
def sum_of_least(values, m):
    """Return the sum of the ``m`` least values, and the greatest of these."""
    least = np.full(m, np.inf)
    for value in values:
        at = m
        while at > 0 and value < least[at - 1]:
            at -= 1
        if at < m:
            for later in range(m - 1, at, -1):
                least[later] = least[later - 1]
            least[at] = value
    return least.sum(), least[m - 1]


@compiled
def sort_candidates(search, depth):
    """Put the candidates in the order of their floors (Shell's sort)."""
    floor, extra, record = search.floor[depth], search.extra[depth], search.candidates[depth]
    for step in (701, 301, 132, 57, 23, 10, 4, 1):
        for i in range(step, search.left[depth]):
            at, one, two, three = i, floor[i], extra[i], record[i]
            while at >= step and floor[at - step] > one:
                floor[at], extra[at] = floor[at - step], extra[at - step]
                record[at] = record[at - step]
                at -= step
            floor[at], extra[at], record[at] = one, two, three


@compiled
def narrow(search, depth, sums, cutoff):
    """Keep the candidates that a group below ``cutoff`` may hold, in order; say if there are any.

    Of the records still needed each adds its extra and, shared between two, at
    least the distances to its nearest.
    """
    size = search.members.shape[0]
    need, left = size - depth, search.left[depth]
    floor, extra, candidates = search.floor[depth], search.extra[depth], search.candidates[depth]
    for i in range(left):
        floor[i] = extra[i] + sums[candidates[i], need - 1] / (2 * size)
    total, last = sum_of_least(floor[:left], need)
    if search.cost[depth] + total >= cutoff:  # also where fewer are left than needed
        return False
    others = search.cost[depth] + total - last
    kept = 0
    for i in range(left):
        if floor[i] <= last or others + floor[i] < cutoff:
            floor[kept], extra[kept], candidates[kept] = floor[i], extra[i], candidates[i]
            kept += 1
    search.left[depth] = kept
    search.turn[depth] = 0
    sort_candidates(search, depth)
    return True


@compiled
def exhausted(search, depth, cutoff):
    """Say whether the candidates from the next one on are too few or too dear."""
    need = search.members.shape[0] - depth
    at = search.turn[depth]
    if at + need > search.left[depth]:
        return True
    return search.cost[depth] + search.floor[depth, at : at + need].sum() >= cutoff


@compiled
def toll_to_join(prices, members, record):
    """Return the tolls that fall due when ``record`` joins: it is the second of their triple."""
    due = 0.0
    for place in range(prices.start[record], prices.start[record + 1]):
        triple = prices.around[place]
        inside = 0
        for member in members:
            for corner in prices.triples[triple]:
                inside += member == corner
        if inside == 1:
            due += prices.toll[triple]
    return due


@compiled
def join(search, depth, distance, prices):
    """Let the next candidate join; those after it stay candidates."""
    size = search.members.shape[0]
    at = search.turn[depth]
    record = search.candidates[depth, at]
    due = toll_to_join(prices, search.members[:depth], record)
    search.turn[depth] += 1
    search.members[depth] = record
    search.cost[depth + 1] = search.cost[depth] + search.extra[depth, at] + due
    left = 0
    if depth + 1 < size:
        for i in range(at + 1, search.left[depth]):
            other = search.candidates[depth, i]
            search.candidates[depth + 1, left] = other
            search.extra[depth + 1, left] = search.extra[depth, i] + distance[record, other] / size
            left += 1
    search.left[depth + 1] = left
    search.turn[depth + 1] = -1


@compiled
def cheap_groups(distance, sums, prices, first, size, cutoff, best, found, work):
    """Find the groups of ``size`` that cost less than ``cutoff``, less what they pay.

    ``first`` is their record of the highest price. They fill the rows of ``found``;
    with ``best``, only the cheapest is kept. The result is their number, -1 if the
    rows or the work did not suffice, and the work that is left.
    """
    search = open_search(distance, prices.price, first, size)
    count, depth = 0, 1
    while depth > 0:
        if depth == size:
            depth -= 1
            if search.cost[size] >= cutoff:
                continue
            if best:
                cutoff, count = search.cost[size], 0
            elif count == found.shape[0]:
                return -1, work
            found[count, :size] = search.members
            count += 1
        elif search.turn[depth] < 0 and not narrow(search, depth, sums, cutoff):
            depth -= 1
        elif exhausted(search, depth, cutoff):
            depth -= 1
        else:
            work -= search.left[depth]
            if work < 0:
                return -1, work
            join(search, depth, distance, prices)
            depth += 1
    return count, work
