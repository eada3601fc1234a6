"""The lowest reduced cost of the groups found from each row of a long table, by exact search."""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.pricing.candidates import (
    MOST_PAIRED,
    CandidateSet,
    keep_lowest,
    narrow,
    narrow_again,
)
from shoal._kernels.pricing.group_search import search_candidates
from shoal._kernels.pricing.reach import BATCH, empty_lists, list_rows, reach_of
from shoal._kernels.pricing.relaxation import nearest_sums
from shoal._kernels.pricing.spread_search import Candidates, search_spread


class Effort(NamedTuple):
    """How long to search at a row: steps of `search_spread`, then, if needed, of `search_floors`.

    The ``most`` candidates of lowest floor may join a row. ``margin`` is the share by which spreads
    may be larger than allowed, so that rounding excludes no group, and ``space`` the number of rows
    that lists of candidates can hold at least.
    """

    spread_steps: int
    floor_steps: int
    most: int
    margin: float
    space: int


@compiled
def count_inner(gaps, k, most):
    """Return how many of the nearest candidates may be in a group with a farther one."""
    least, count = 0.0, 0
    for i in range(min(k - 3, gaps.shape[0])):
        least += gaps[i]
    while count < gaps.shape[0] and least + 2 * gaps[count] < most:
        count += 1
    return count


@compiled
def listed_candidates(X, near, k, dual, net, row, most_spread, most, lists, last):
    """Return the candidates of a row in a list, nearest first.

    The second result is a lower bound of groups with other rows of the list.
    """
    count, at = 0, last
    while at >= 0:
        count += 1
        at = lists.before[at]
    places, gaps, floor = np.empty(count, np.int64), np.empty(count), np.empty(count)
    at = last
    for i in range(count):
        places[i], gaps[i] = at, lists.gap[at]
        floor[i] = gaps[i] / k - net[lists.record[at]]
        at = lists.before[at]
    least = np.empty(k - 1)
    count = narrow(places, gaps, floor, count, least, -dual[row], 0.0)
    count, rest = keep_lowest(places, gaps, floor, count, most, least, -dual[row])
    order = np.argsort(gaps[:count], kind="mergesort")
    rows, gaps = lists.record[places[:count][order]].astype(np.int64), gaps[:count][order]
    extra = gaps / k - dual[rows]
    inner = count_inner(gaps, k, most_spread)
    columns, sums = np.empty((X.shape[1], inner)), nearest_sums(X, near, rows[:inner], k - 1) / k
    for i in range(inner):
        for j in range(X.shape[1]):
            columns[j, i] = X[rows[i], j]
    return Candidates(rows, gaps, extra, floor[:count][order], columns, sums), rest


@compiled
def search_floors(X, near, k, cost, row, candidates, rest, work, groups, costs):
    """Find groups as `search_spread` does, whatever their spread, those of low floors first."""
    order = np.argsort(candidates.floor, kind="mergesort")
    rows, extra = candidates.rows[order], candidates.extra[order]
    if rows.shape[0] > MOST_PAIRED:
        pair, reach = np.empty((0, 0)), nearest_sums(X, near, rows, k - 1) / k
    else:
        rows, extra, pair, reach = narrow_again(X, cost, rows, extra, k, 0.0)
    none = np.empty(0, np.int64)
    start = np.zeros(rows.shape[0] + 3, np.int64)
    plain = CandidateSet(
        X, rows, extra, pair, reach, np.empty((0, 3), np.int64), np.empty(0), start, none,
        np.empty((0, rows.shape[0] + 1), np.bool_), np.empty(0), none,
    )  # fmt: skip
    return search_candidates(plain, row, k, cost, rest, 0.0, work, groups, costs)


@compiled
def search_row(X, near, k, dual, net, row, effort, lists, last, groups, costs):
    """Return a lower bound of the reduced costs of the groups of a row, and how many it stored."""
    cost, most = -dual[row], 2 * k * dual[row] * (1.0 + effort.margin)
    candidates, rest = listed_candidates(X, near, k, dual, net, row, most, effort.most, lists, last)
    if candidates.rows.shape[0] == 0:
        return 0.0, 0
    bound, count, is_exact = search_spread(
        X, candidates, row, k, cost, most, effort.spread_steps, groups, costs
    )
    if is_exact:
        return min(bound, rest), count
    costs[:] = 0.0
    return search_floors(X, near, k, cost, row, candidates, rest, effort.floor_steps, groups, costs)


@compiled
def correct_rows(
    X, near, k, dual, net, inner, outer, rows, effort, correction, groups, costs, counts
):
    """Fill ``correction`` with lower bounds of the reduced costs of groups, at most 0.

    It belongs to the groups that are found from ``rows``; see `shoal._kernels.pricing.reach`.
    Violated groups are stored in ``groups``, with their reduced costs in ``costs``. Where the
    ``effort`` suffices, the correction is the lowest of these.
    """
    lists = empty_lists(max(effort.space, X.shape[0]))
    reach, last = np.empty(BATCH), np.empty(BATCH, np.int64)
    at, batch = 0, BATCH
    while at < rows.shape[0]:
        some = rows[at : at + batch]
        for i in range(some.shape[0]):
            reach[i] = reach_of(X, near, k, dual, effort.margin, some[i])
        if list_rows(X, near, inner, outer, some, reach, lists, last) < 0:
            batch = max(1, batch // 2)
            continue
        for i in range(some.shape[0]):
            correction[at], counts[at] = 0.0, 0
            if last[i] >= 0:
                correction[at], counts[at] = search_row(
                    X, near, k, dual, net, some[i], effort, lists, last[i], groups[at], costs[at]
                )
            at += 1
        batch = BATCH


@compiled
def lower_greatest(X, groups, dual):
    """Lower the greatest dual of each group as far as its duals exceed its SSE, in turn."""
    k = groups.shape[1]
    for group in groups:
        reduced, greatest = 0.0, group[0]
        for a in range(k):
            for b in range(a):
                reduced += row_distance(X, group[a], X, group[b])
        reduced /= k
        for row in group:
            reduced -= dual[row]
            if dual[row] > dual[greatest]:
                greatest = row
        if reduced < 0.0:
            dual[greatest] += reduced
