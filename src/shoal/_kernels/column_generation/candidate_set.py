"""The candidates of an anchor, with the costs of their pairs, triples and clusters.

`shoal._kernels.column_generation.candidate_list` defines reduced costs and lists the candidates; here the
distances between candidates exclude further ones.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.column_generation.candidate_list import (
    keep_promising,
    list_candidates,
    select_least,
)
from shoal._kernels.distances import squared_row_distance

MAX_ROUNDS = 3  # of excluding candidates; further ones exclude few
MAX_PAIRED = 200  # candidates up to which all pairs are measured in advance


class CandidateSet(NamedTuple):
    """The candidates of an anchor, numbered from 0; the anchor comes last.

    ``added_cost`` is the cost that each candidate adds beside the anchor, and ``pair_cost``
    that of two candidates together. ``least_pair_sums[i, m]`` is a lower bound of the sum of the m
    least pairs of i. The dual of a triple is included in these if exactly two of its records are
    present.

    Triples with all three records present are in ``triples``, and their duals in ``triple_dual``.
    Those that contain i are ``incidence[start[i] : start[i + 1]]``.

    With more than `MAX_PAIRED` candidates ``pair_cost`` is empty, and pairs of ``X`` are measured
    when a record joins. ``triples`` then also contains those with two records present.

    ``in_cluster[c, i]`` is True where cluster c contains i. A cluster is listed only if at least as
    many of its records are present as its divisor, since its dual never counts otherwise.
    """

    X: np.ndarray
    records: np.ndarray
    added_cost: np.ndarray
    pair_cost: np.ndarray
    least_pair_sums: np.ndarray
    triples: np.ndarray
    triple_dual: np.ndarray
    start: np.ndarray
    incidence: np.ndarray
    in_cluster: np.ndarray
    cluster_dual: np.ndarray
    divisors: np.ndarray


@compiled
def cost_of_pair(candidates, size, a, b):
    """Return the reduced cost that a pair of candidates adds to a group of ``size``."""
    if candidates.pair_cost.shape[0]:
        return candidates.pair_cost[a, b]
    return (
        squared_row_distance(
            candidates.X, candidates.records[a], candidates.X, candidates.records[b]
        )
        / size
    )


@compiled
def pair_sses(X, records, size):
    """Return the SSE that every pair of ``records`` adds to a group of ``size``."""
    n, p = records.shape[0], X.shape[1]
    columns, pair_cost = np.empty((p, n)), np.zeros((n, n))  # by column: several pairs at once
    for a in range(n):
        for j in range(p):
            columns[j, a] = X[records[a], j]
    for a in range(n):
        for j in range(p):
            for b in range(a):
                gap = columns[j, a] - columns[j, b]
                pair_cost[a, b] += gap * gap
        for b in range(a):
            pair_cost[a, b] /= size
            pair_cost[b, a] = pair_cost[a, b]
    return pair_cost


@compiled
def cumulative_nearest(pair_cost, max_pairs):
    """Return for each record the sums of its 0, 1, .. ``max_pairs`` least pairs with others."""
    n = pair_cost.shape[0]
    least_pair_sums, least, row = np.zeros((n, max_pairs + 1)), np.empty(max_pairs), np.empty(n)
    for a in range(n):
        row[:] = pair_cost[a]
        row[a] = np.inf
        select_least(row, n, least)
        for m in range(max_pairs):
            least_pair_sums[a, m + 1] = least_pair_sums[a, m] + least[m]
    return least_pair_sums


@compiled
def add_pair_duals(duals, anchor, records, added_cost, pair_cost, triples, triple_dual):
    """Add the duals of triples with two records present; list those with three.

    The latter fill ``triples`` (by the indices of candidates) and ``triple_dual``. The result is
    their number. If pairs are not stored, triples with two records are listed as well.
    """
    m, count = records.shape[0], 0
    absent = m + 1  # stands for the third record of a triple of which two are present
    if duals.triples.shape[0] == 0:
        return 0
    index_of = np.full(duals.rank.shape[0], -1)
    index_of[anchor] = m
    for i in range(m):
        index_of[records[i]] = i
    for i in range(m + 1):
        record = anchor if i == m else records[i]
        for entry in range(duals.start[record], duals.start[record + 1]):
            # The candidates of the triple, ascending; -1 stands for a record that is none.
            corners = np.sort(index_of[duals.triples[duals.incidence[entry]]])
            dual = duals.triple_dual[duals.incidence[entry]]
            if corners[0] == i:
                triples[count] = corners
                triple_dual[count] = dual
                count += 1
            elif corners[0] < 0 and corners[1] == i and corners[2] == m:
                added_cost[i] += dual
            elif corners[0] < 0 and corners[1] == i and pair_cost.shape[0] == 0:
                triples[count] = i, corners[2], absent
                triple_dual[count] = dual
                count += 1
            elif corners[0] < 0 and corners[1] == i:
                pair_cost[i, corners[2]] += dual
                pair_cost[corners[2], i] += dual
    return count


@compiled
def incidence_of(triples, count, m):
    """Return the triples that contain each of ``m`` records, in compressed row format."""
    start = np.zeros(m + 1, np.int64)
    for t in range(count):
        for corner in triples[t]:
            start[corner + 1] += 1
    for i in range(m):
        start[i + 1] += start[i]
    incidence, next_free = np.empty(3 * count, np.int64), start.copy()
    for t in range(count):
        for corner in triples[t]:
            incidence[next_free[corner]] = t
            next_free[corner] += 1
    return start, incidence


@compiled
def keep_promising_by_pairs(X, anchor_cost, records, added_cost, size, cutoff):
    """Return the candidates of groups below ``cutoff``, and the costs that `CandidateSet` defines.

    These are the added costs, the costs of pairs and the least sums of pairs. Bounds use the
    nearest remaining candidates, so each round may exclude more.
    """
    pair_cost = pair_sses(X, records, size)
    least_pair_sums = cumulative_nearest(pair_cost, size - 2)
    least = np.empty(size - 1)
    for _ in range(MAX_ROUNDS):
        n_records = records.shape[0]
        floor = added_cost + least_pair_sums[:, size - 2] / 2
        selected = np.arange(n_records)
        n_kept = keep_promising(selected, added_cost, floor, n_records, least, anchor_cost, cutoff)
        if n_kept == n_records:
            break
        selected, added_cost = selected[:n_kept], added_cost[:n_kept]
        records = records[selected]
        pair_cost = pair_cost[selected][:, selected]
        least_pair_sums = cumulative_nearest(pair_cost, size - 2)
    return records, added_cost, pair_cost, least_pair_sums


@compiled
def list_clusters(duals, anchor, records):
    """Return which clusters contain which records, the anchor last, and the cluster numbers."""
    m, n_clusters = records.shape[0], duals.cluster_dual.shape[0]
    if n_clusters == 0:
        return np.empty((0, m + 1), np.bool_), np.empty(0, np.int64)
    n_present, index_of = np.zeros(n_clusters, np.int64), np.full(n_clusters, -1)
    for i in range(m + 1):
        record = anchor if i == m else records[i]
        for entry in range(duals.cluster_start[record], duals.cluster_start[record + 1]):
            n_present[duals.cluster_incidence[entry]] += 1
    cluster_numbers = np.flatnonzero(n_present >= duals.divisors)
    cluster_numbers = cluster_numbers[
        np.argsort(-duals.cluster_dual[cluster_numbers], kind="mergesort")
    ]
    index_of[cluster_numbers] = np.arange(cluster_numbers.shape[0])
    in_cluster = np.zeros((cluster_numbers.shape[0], m + 1), np.bool_)
    for i in range(m + 1):
        record = anchor if i == m else records[i]
        for entry in range(duals.cluster_start[record], duals.cluster_start[record + 1]):
            if index_of[duals.cluster_incidence[entry]] >= 0:
                in_cluster[index_of[duals.cluster_incidence[entry]], i] = True
    return in_cluster, cluster_numbers


@compiled
def candidate_set(table, duals, anchor, size, cutoff, max_candidates):
    """Return at most ``max_candidates`` of ``anchor`` for groups of ``size`` below ``cutoff``.

    The second result is a lower bound of the cost of the groups with other records.
    """
    records, added_cost, others_bound = list_candidates(
        table, duals, anchor, size, cutoff, max_candidates
    )
    is_paired = records.shape[0] <= MAX_PAIRED
    if is_paired:
        cost = duals.group_dual - duals.record_dual[anchor]
        records, added_cost, pair_cost, least_pair_sums = keep_promising_by_pairs(
            table.X, cost, records, added_cost, size, cutoff
        )
    else:
        pair_cost, least_pair_sums = np.empty((0, 0)), table.gap_sums[records][:, : size - 1] / size
    max_triples = 0
    for i in range(records.shape[0]):
        max_triples += duals.start[records[i] + 1] - duals.start[records[i]]
    triples, triple_dual = np.empty((max_triples, 3), np.int64), np.empty(max_triples)
    count = add_pair_duals(duals, anchor, records, added_cost, pair_cost, triples, triple_dual)
    if max_triples and is_paired:
        least_pair_sums = cumulative_nearest(pair_cost, size - 2)
    # Beside the candidates, there are the anchor and an absent record.
    start, incidence = incidence_of(triples, count, records.shape[0] + 2)
    in_cluster, cluster_numbers = list_clusters(duals, anchor, records)
    candidates = CandidateSet(
        X=table.X,
        records=records,
        added_cost=added_cost,
        pair_cost=pair_cost,
        least_pair_sums=least_pair_sums,
        triples=triples[:count],
        triple_dual=triple_dual[:count],
        start=start,
        incidence=incidence,
        in_cluster=in_cluster,
        cluster_dual=duals.cluster_dual[cluster_numbers],
        divisors=duals.divisors[cluster_numbers],
    )
    return candidates, others_bound
