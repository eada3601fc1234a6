"""The groups that cost less than their records pay.

The search adds one record after another to a first one and turns back where no
cheap group can follow, so what it does not find does not exist. When its work is
used up, it still tells what no group goes below.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.company import assemble, beside, take_least


class Search(NamedTuple):
    """A group under way; row ``d`` of an array belongs to its first ``d`` records.

    ``cost[d]`` is what they cost less what they pay. ``candidates[d, :left[d]]`` may
    join, ``extra[d]`` is what each would add, ``half[d]`` is half of the tolls that
    would fall due, and ``floor[d]`` what it adds at least to a whole group. ``turn[d]``
    is the candidate to try next, -1 before they are put in order. ``inside[t]`` counts
    the members of triple t.
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


@compiled
def open_search(company, size, cost):
    """Return a search for the groups of ``size`` around the first record, which costs ``cost``."""
    m = company.records.shape[0]
    search = Search(
        np.full(size, m),
        np.full(size + 1, cost),
        np.empty((size + 1, m), np.int64),
        np.empty((size + 1, m)),
        np.zeros((size + 1, m)),
        np.empty((size + 1, m)),
        np.full(size + 1, m),
        np.full(size + 1, -1),
        np.zeros(company.toll.shape[0], np.int64),
    )
    for i in range(m):
        search.candidates[1, i] = i
        search.extra[1, i] = company.extra[i]
    for at in range(company.start[m], company.start[m + 1]):
        triple = company.around[at]
        search.inside[triple] = 1
        for corner in company.triples[triple]:
            if corner < m:
                search.half[1, corner] += company.toll[triple] / 2
    return search


@compiled
def put_in_order(search, depth, kept, i):
    """Move candidate ``i`` to its place by floor among the first ``kept``."""
    floor, extra = search.floor[depth], search.extra[depth]
    half, candidates = search.half[depth], search.candidates[depth]
    one, two, three, four = floor[i], extra[i], half[i], candidates[i]
    at = kept
    while at > 0 and floor[at - 1] > one:
        floor[at], extra[at] = floor[at - 1], extra[at - 1]
        half[at], candidates[at] = half[at - 1], candidates[at - 1]
        at -= 1
    floor[at], extra[at], half[at], candidates[at] = one, two, three, four


@compiled
def line_up(search, company, depth, least, cutoff):
    """Keep the candidates that a group below ``cutoff`` may hold, in order; say if any are."""
    need, left = search.members.shape[0] - depth, search.left[depth]
    floor = search.floor[depth]
    for i in range(left):
        reach = company.reach[search.candidates[depth, i], need - 1]
        floor[i] = search.extra[depth, i] + search.half[depth, i] + reach / 2
    total = take_least(floor, left, least[:need])
    if search.cost[depth] + total >= cutoff:  # also where fewer are left than needed
        return False
    last = least[need - 1]
    others = search.cost[depth] + total - last
    kept = 0
    for i in range(left):
        if floor[i] <= last or others + floor[i] < cutoff:
            put_in_order(search, depth, kept, i)
            kept += 1
    search.left[depth] = kept
    search.turn[depth] = 0
    return True


@compiled
def open_floor(search, depth):
    """Return what no group goes below that has the candidates from the next one on."""
    need, at = search.members.shape[0] - depth, search.turn[depth]
    if at + need > search.left[depth]:
        return np.inf
    total = search.cost[depth]
    for i in range(need):
        total += search.floor[depth, at + i]
    return total


@compiled
def pay_tolls(search, company, record, depth):
    """Return the tolls that fall due when ``record`` joins: it is the second of their triple.

    The third shares a toll with the second until it is due: half may count for each.
    """
    due = 0.0
    for at in range(company.start[record], company.start[record + 1]):
        triple = company.around[at]
        search.inside[triple] += 1
        share = company.toll[triple] / 2
        if search.inside[triple] == 2:
            due += company.toll[triple]
            share = -share
        if search.inside[triple] <= 2:
            for i in range(search.left[depth + 1]):
                for corner in company.triples[triple]:
                    if search.candidates[depth + 1, i] == corner:
                        search.half[depth + 1, i] += share
    return due


@compiled
def join(search, company, depth):
    """Let the next candidate join; those after it stay candidates."""
    at = search.turn[depth]
    record = search.candidates[depth, at]
    search.turn[depth] += 1
    search.members[depth] = record
    left = 0
    if depth + 1 < search.members.shape[0]:
        for i in range(at + 1, search.left[depth]):
            other = search.candidates[depth, i]
            search.candidates[depth + 1, left] = other
            search.extra[depth + 1, left] = search.extra[depth, i] + beside(
                company, search.members.shape[0], record, other
            )
            search.half[depth + 1, left] = search.half[depth, i]
            left += 1
    search.left[depth + 1] = left
    search.turn[depth + 1] = -1
    due = pay_tolls(search, company, record, depth)
    search.cost[depth + 1] = search.cost[depth] + search.extra[depth, at] + due


@compiled
def leave(search, company, depth):
    """Let the last of ``depth`` records leave; return how many stay."""
    if depth > 1:
        record = search.members[depth - 1]
        for at in range(company.start[record], company.start[record + 1]):
            search.inside[company.around[at]] -= 1
    return depth - 1


@compiled
def note(search, company, first, found, costs, count):
    """Note a whole group, in the place of the dearest where there is none left; return how many."""
    size = search.members.shape[0]
    place = count
    if count == costs.shape[0]:
        place = costs.argmax()
        if costs[place] <= search.cost[size]:
            return count
    costs[place] = search.cost[size]
    found[place, 0] = first
    for i in range(1, size):
        found[place, i] = company.records[search.members[i]]
    return min(count + 1, costs.shape[0])


@compiled
def cheapest_groups(field, prices, first, size, fee, cutoff, most, work, found, costs):
    """Find cheap groups of ``size`` whose record of the least rank is ``first``.

    The cheapest are noted in the rows of ``found``, with what they cost and do not
    pay in ``costs``. No more than ``most`` records may join, and no more candidates than
    ``work`` are looked at. The result is what no group of ``first`` goes below all the
    same, at most ``cutoff``, and how many were noted.
    """
    company, rest = assemble(field, prices, first, size, fee, cutoff, most)
    search = open_search(company, size, fee - prices.price[first])
    least = np.empty(size)
    count, depth, bound = 0, 1, cutoff
    while depth > 0:
        if depth == size:
            if search.cost[size] < cutoff:
                count = note(search, company, first, found, costs, count)
                bound = min(bound, search.cost[size])
            depth = leave(search, company, depth)
        elif search.turn[depth] < 0 and not line_up(search, company, depth, least, bound):
            depth = leave(search, company, depth)
        elif open_floor(search, depth) >= bound:
            depth = leave(search, company, depth)
        elif work < 0:
            for above in range(1, depth + 1):
                rest = min(rest, open_floor(search, above))
            break
        else:
            join(search, company, depth)
            depth += 1
            work -= search.left[depth] + 1
    return min(bound, rest), count


@compiled
def all_groups(field, prices, first, size, fee, cutoff, found):
    """List all groups of ``size`` below ``cutoff``; return how many, -1 if the rows run out."""
    company, _ = assemble(field, prices, first, size, fee, cutoff, field.X.shape[0])
    search = open_search(company, size, fee - prices.price[first])
    least, costs = np.empty(size), np.empty(found.shape[0])
    count, depth = 0, 1
    while depth > 0:
        if depth == size:
            if search.cost[size] < cutoff:
                if count == found.shape[0]:
                    return -1
                count = note(search, company, first, found, costs, count)
            depth = leave(search, company, depth)
        elif (
            search.turn[depth] < 0 and not line_up(search, company, depth, least, cutoff)
        ) or open_floor(search, depth) >= cutoff:
            depth = leave(search, company, depth)
        else:
            join(search, company, depth)
            depth += 1
    return count


@compiled
def price_groups(field, prices, anchors, size, fee, most, work, bounds, found, costs, counts):
    """Search at every one of ``anchors`` for groups that cost less than they pay."""
    for i in range(anchors.shape[0]):
        bounds[i], counts[i] = cheapest_groups(
            field, prices, anchors[i], size, fee, 0.0, most, work, found[i], costs[i]
        )
