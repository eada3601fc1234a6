"""The lowest reduced cost of the groups of each row of a long table, by exact search."""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.pricing.candidates import (
    MOST_PAIRED,
    CandidateSet,
    keep_lowest,
    narrow,
    narrow_again,
)
from shoal._kernels.pricing.group_search import search_candidates
from shoal._kernels.pricing.relaxation import nearest_sums, relax_row
from shoal._kernels.pricing.row_boxes import least_floors, list_below


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
def correct_rows(
    X, near, k, dual, net, ceiling, inner, outer, rows, most, work,
    correction, groups, costs, counts,
):  # fmt: skip
    """Fill ``correction`` with lower bounds of the reduced costs of groups, at most 0.

    It belongs to ``rows``. Where no more than ``most`` rows can join a row, and ``work`` suffices,
    it is exact. Violated groups are stored in ``groups``, with their reduced costs in ``costs``.
    """
    n = X.shape[0]
    records, extra, floor = np.empty(n, np.int64), np.empty(n), np.empty(n)
    least = np.empty(k - 1)
    for i in range(correction.shape[0]):
        row = rows[i]
        correction[i], counts[i] = 0.0, 0
        _, limit = relax_row(X, near, k, dual, net, ceiling[row], row, least)
        if limit == -np.inf:
            continue
        least_floors(X, inner, outer, k, dual, net, row, min(limit, least[k - 2]), least)
        others = -dual[row]
        for m in range(k - 2):
            others += least[m]
        if others + least[k - 2] >= 0.0:
            continue
        limit = min(limit, -others)
        count = list_below(X, inner, outer, k, dual, net, row, limit, records, extra, floor)
        count = narrow(records, extra, floor, count, least, -dual[row], 0.0)
        if count == 0:
            continue
        count, rest = keep_lowest(records, extra, floor, count, most, least, -dual[row])
        candidates = plain_candidates(
            X, near, k, -dual[row], records[:count].copy(), extra[:count].copy()
        )
        correction[i], counts[i] = search_candidates(
            candidates, row, k, -dual[row], rest, 0.0, work, groups[i], costs[i]
        )
