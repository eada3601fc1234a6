"""The lowest reduced cost of the groups found from each row of a long table, by exact search."""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import row_distance
from shoal._kernels.pricing.candidates import (
    MOST_PAIRED,
    CandidateSet,
    narrow,
    narrow_again,
)
from shoal._kernels.pricing.group_search import search_candidates
from shoal._kernels.pricing.reach import BATCH, empty_lists, list_rows, reach_of
from shoal._kernels.pricing.relaxation import nearest_sums


@compiled
def plain_candidates(X, near, k, cost, records, extra):
    """Return the candidates of groups of negative reduced cost, without duals of triples."""
    if records.shape[0] > MOST_PAIRED:
        pair, reach = np.empty((0, 0)), nearest_sums(X, near, records, k - 1) / k
    else:
        records, extra, pair, reach = narrow_again(X, cost, records, extra, k, 0.0)
    none = np.empty(0, np.int64)
    start = np.zeros(records.shape[0] + 3, np.int64)
    return CandidateSet(
        X, records, extra, pair, reach, np.empty((0, 3), np.int64), np.empty(0), start, none,
        np.empty((0, records.shape[0] + 1), np.bool_), np.empty(0), k,
    )  # fmt: skip


@compiled
def listed_candidates(k, dual, net, row, lists, last):
    """Return the candidates of a row in a list, by increasing floor, and what each adds."""
    count, at = 0, last
    while at >= 0:
        count += 1
        at = lists.before[at]
    records, extra, floor = np.empty(count, np.int64), np.empty(count), np.empty(count)
    at = last
    for i in range(count):
        other, gap = lists.record[at], lists.gap[at] / k
        records[i], extra[i], floor[i] = other, gap - dual[other], gap - net[other]
        at = lists.before[at]
    count = narrow(records, extra, floor, count, np.empty(k - 1), -dual[row], 0.0)
    order = np.argsort(floor[:count], kind="mergesort")
    return records[:count][order], extra[:count][order]


@compiled
def correct_rows(
    X, near, k, dual, net, inner, outer, rows, margin, work, correction, groups, costs, counts
):
    """Fill ``correction`` with lower bounds of the reduced costs of groups, at most 0.

    It belongs to the groups that are found from ``rows``; see `shoal._kernels.pricing.reach`.
    Where ``work`` suffices, it is exact or, as other groups of these rows may count, below.
    Violated groups are stored in ``groups``, with their reduced costs in ``costs``.
    """
    lists, reach, last = empty_lists(X.shape[0]), np.empty(BATCH), np.empty(BATCH, np.int64)
    at, batch = 0, BATCH
    while at < rows.shape[0]:
        some = rows[at : at + batch]
        for i in range(some.shape[0]):
            reach[i] = reach_of(X, near, k, dual, margin, some[i])
        if list_rows(X, near, inner, outer, some, reach, lists, last) < 0:
            batch = max(1, batch // 2)
            continue
        for i in range(some.shape[0]):
            correction[at], counts[at] = 0.0, 0
            records, extra = listed_candidates(k, dual, net, some[i], lists, last[i])
            if records.shape[0] > 0:
                cost = -dual[some[i]]
                candidates = plain_candidates(X, near, k, cost, records, extra)
                correction[at], counts[at] = search_candidates(
                    candidates, some[i], k, cost, np.inf, 0.0, work, groups[at], costs[at]
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
