"""The candidates of an anchor, with the costs of their pairs, triples and clusters.

`candidate_list` defines reduced costs and lists the candidates; here the distances between
candidates exclude further ones.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.column_generation.candidate_list import (
    anchor_cost,
    find_candidates,
    select_promising,
)
from shoal._kernels.column_generation.least_values import select_least
from shoal._kernels.distances import squared_row_distance

MAX_ROUNDS = 3  # rounds in which candidates are excluded; further rounds exclude few
MAX_PAIRED = 200  # candidates up to which all pairs are measured in advance


class CandidateSet(NamedTuple):
    """The candidates of an ``anchor`` for groups of ``size``, numbered from 0; the anchor is last.

    ``cost`` is the reduced cost of the anchor alone, ``added_cost`` what each candidate adds to it,
    and ``pair_cost`` what two candidates add together. ``least_pair_sums[candidate, count]`` is a
    lower bound of the sum of the ``count`` least pairs of a candidate. The dual of a triple is
    included in these if exactly two of its records are present. ``others_bound`` is a lower bound
    of the cost of the groups with other records.

    Triples with all three records present are in ``triples``, and their duals in ``triple_dual``.
    ``triples_of_record`` lists the triples that contain a candidate, from ``triple_start`` on.

    With more than `MAX_PAIRED` candidates ``pair_cost`` is empty, and pairs of ``X`` are measured
    when a record joins. ``triples`` then also contains triples with two records present; the
    number after the number of the anchor stands for their third record.

    ``in_cluster[cluster, candidate]`` is True where a cluster contains a candidate. A cluster is
    listed only if at least as many of its records are present as its divisor, since its dual never
    counts otherwise.
    """

    X: np.ndarray  # (n_records, n_columns)
    anchor: int
    size: int
    cost: float
    others_bound: float
    records: np.ndarray  # (n_candidates,)
    added_cost: np.ndarray  # (n_candidates,)
    pair_cost: np.ndarray  # (n_candidates, n_candidates), or (0, 0)
    least_pair_sums: np.ndarray  # (n_candidates, size - 1)
    triples: np.ndarray  # (n_triples, 3)
    triple_dual: np.ndarray  # (n_triples,)
    triple_start: np.ndarray  # (n_candidates + 3,)
    triples_of_record: np.ndarray  # (3 * n_triples,)
    in_cluster: np.ndarray  # (n_clusters, n_candidates + 1)
    cluster_dual: np.ndarray  # (n_clusters,)
    divisors: np.ndarray  # (n_clusters,)


@compiled
def cost_of_pair(candidates, candidate, other):
    """Return the reduced cost that a pair of candidates adds to a group."""
    if candidates.pair_cost.shape[0]:
        return candidates.pair_cost[candidate, other]
    X, records = candidates.X, candidates.records
    return squared_row_distance(X, records[candidate], X, records[other]) / candidates.size


@compiled
def pair_sses(X, records, size):
    """Return the SSE that every pair of ``records`` adds to a group of ``size``."""
    n_records, p = records.shape[0], X.shape[1]
    # Stored by column, so that the processor computes several pairs at once.
    columns, pair_cost = np.empty((p, n_records)), np.zeros((n_records, n_records))
    for first in range(n_records):
        for column in range(p):
            columns[column, first] = X[records[first], column]
    for first in range(n_records):
        for column in range(p):
            for second in range(first):
                difference = columns[column, first] - columns[column, second]
                pair_cost[first, second] += difference * difference
        for second in range(first):
            pair_cost[first, second] /= size
            pair_cost[second, first] = pair_cost[first, second]
    return pair_cost


@compiled
def cumulative_least_pairs(pair_cost, max_pairs):
    """Return for each record the sums of its 0, 1, .. ``max_pairs`` least pairs with others."""
    n_records = pair_cost.shape[0]
    least_pair_sums = np.zeros((n_records, max_pairs + 1))
    least, row = np.empty(max_pairs), np.empty(n_records)
    for record in range(n_records):
        row[:] = pair_cost[record]
        row[record] = np.inf
        select_least(row, n_records, least)
        for count in range(max_pairs):
            least_pair_sums[record, count + 1] = least_pair_sums[record, count] + least[count]
    return least_pair_sums


@compiled
def count_incident_triples(duals, records):
    """Return the sum over ``records`` of the number of triples that contain each."""
    total = 0
    for record in records:
        total += duals.triple_start[record + 1] - duals.triple_start[record]
    return total


@compiled
def add_pair_duals(duals, anchor, records, added_cost, pair_cost):
    """Add the duals of triples with two records present; return those with three, and their duals.

    Records of the returned triples are numbered as the candidates are. If pairs are not stored,
    triples with two records are returned as well.
    """
    n_candidates, count = records.shape[0], 0
    absent = n_candidates + 1  # stands for the third record of a triple of which two are present
    max_triples = count_incident_triples(duals, records)
    triples, triple_dual = np.empty((max_triples, 3), np.int64), np.empty(max_triples)
    if duals.triples.shape[0] == 0:
        return triples, triple_dual
    index_of = np.full(duals.rank.shape[0], -1)
    index_of[anchor] = n_candidates
    for i in range(n_candidates):
        index_of[records[i]] = i
    for i in range(n_candidates + 1):
        record = anchor if i == n_candidates else records[i]
        for entry in range(duals.triple_start[record], duals.triple_start[record + 1]):
            triple = duals.triples_of_record[entry]
            # The candidates that are its records, ascending. -1 stands for a record that is no
            # candidate, and the anchor has the greatest number. A triple is added only where ``i``
            # is the first of the records present.
            numbers = np.sort(index_of[duals.triples[triple]])
            dual = duals.triple_dual[triple]
            if numbers[0] == i:  # all three are present
                triples[count] = numbers
                triple_dual[count] = dual
                count += 1
            elif numbers[0] < 0 and numbers[1] == i and numbers[2] == n_candidates:
                # Two are present, a candidate and the anchor, which is in every group.
                added_cost[i] += dual
            elif numbers[0] < 0 and numbers[1] == i and pair_cost.shape[0] == 0:
                # Two candidates are present, and pairs are not stored: `absent` stands for the
                # third record.
                triples[count] = i, numbers[2], absent
                triple_dual[count] = dual
                count += 1
            elif numbers[0] < 0 and numbers[1] == i:
                # Two candidates are present, and pairs are stored.
                pair_cost[i, numbers[2]] += dual
                pair_cost[numbers[2], i] += dual
    return triples[:count], triple_dual[:count]


@compiled
def incidence_of(triples, n_records):
    """Return where the triples of each of ``n_records`` start in a list, and the list."""
    start = np.zeros(n_records + 1, np.int64)
    for triple in range(triples.shape[0]):
        for member in triples[triple]:
            start[member + 1] += 1
    for i in range(n_records):
        start[i + 1] += start[i]
    triples_of_record, next_free = np.empty(3 * triples.shape[0], np.int64), start.copy()
    for triple in range(triples.shape[0]):
        for member in triples[triple]:
            triples_of_record[next_free[member]] = triple
            next_free[member] += 1
    return start, triples_of_record


@compiled
def keep_promising_by_pairs(X, cost, records, added_cost, size, cutoff):
    """Return the candidates of groups below ``cutoff``, and the costs that `CandidateSet` defines.

    These are the added costs, the costs of pairs and the least sums of pairs. ``cost`` is the cost
    of the anchor. Bounds use the nearest remaining candidates, so each round may exclude more.
    """
    pair_cost = pair_sses(X, records, size)
    least_pair_sums = cumulative_least_pairs(pair_cost, size - 2)
    for _ in range(MAX_ROUNDS):
        floor = added_cost + least_pair_sums[:, size - 2] / 2
        promising = select_promising(floor, size - 1, cost, cutoff)
        if promising.shape[0] == records.shape[0]:
            break
        records, added_cost = records[promising], added_cost[promising]
        pair_cost = pair_cost[promising][:, promising]
        least_pair_sums = cumulative_least_pairs(pair_cost, size - 2)
    return records, added_cost, pair_cost, least_pair_sums


@compiled
def present_clusters(duals, anchor, records):
    """Return a mask of the records in each cluster, the anchor last, and the clusters' numbers."""
    n_candidates, n_clusters = records.shape[0], duals.cluster_dual.shape[0]
    if n_clusters == 0:
        return np.empty((0, n_candidates + 1), np.bool_), np.empty(0, np.int64)
    n_present, index_of = np.zeros(n_clusters, np.int64), np.full(n_clusters, -1)
    for i in range(n_candidates + 1):
        record = anchor if i == n_candidates else records[i]
        for entry in range(duals.cluster_start[record], duals.cluster_start[record + 1]):
            n_present[duals.clusters_of_record[entry]] += 1
    cluster_numbers = np.flatnonzero(n_present >= duals.divisors)
    order = np.argsort(-duals.cluster_dual[cluster_numbers], kind="mergesort")
    cluster_numbers = cluster_numbers[order]
    index_of[cluster_numbers] = np.arange(cluster_numbers.shape[0])
    in_cluster = np.zeros((cluster_numbers.shape[0], n_candidates + 1), np.bool_)
    for i in range(n_candidates + 1):
        record = anchor if i == n_candidates else records[i]
        for entry in range(duals.cluster_start[record], duals.cluster_start[record + 1]):
            if index_of[duals.clusters_of_record[entry]] >= 0:
                in_cluster[index_of[duals.clusters_of_record[entry]], i] = True
    return in_cluster, cluster_numbers


@compiled
def candidate_set(table, duals, anchor, cutoff, max_candidates):
    """Return at most ``max_candidates`` candidates of ``anchor`` for groups below ``cutoff``."""
    size, cost = duals.size, anchor_cost(duals, anchor)
    records, added_cost, others_bound = find_candidates(
        table, duals, anchor, cutoff, max_candidates
    )
    is_paired = records.shape[0] <= MAX_PAIRED
    if is_paired:
        records, added_cost, pair_cost, least_pair_sums = keep_promising_by_pairs(
            table.X, cost, records, added_cost, size, cutoff
        )
    else:
        pair_cost = np.empty((0, 0))
        least_pair_sums = table.square_sums[records][:, : size - 1] / size
    triples, triple_dual = add_pair_duals(duals, anchor, records, added_cost, pair_cost)
    if is_paired and count_incident_triples(duals, records):
        least_pair_sums = cumulative_least_pairs(pair_cost, size - 2)
    # Beside the candidates, there are the anchor and an absent record.
    triple_start, triples_of_record = incidence_of(triples, records.shape[0] + 2)
    in_cluster, cluster_numbers = present_clusters(duals, anchor, records)
    return CandidateSet(
        X=table.X,
        anchor=anchor,
        size=size,
        cost=cost,
        others_bound=others_bound,
        records=records,
        added_cost=added_cost,
        pair_cost=pair_cost,
        least_pair_sums=least_pair_sums,
        triples=triples,
        triple_dual=triple_dual,
        triple_start=triple_start,
        triples_of_record=triples_of_record,
        in_cluster=in_cluster,
        cluster_dual=duals.cluster_dual[cluster_numbers],
        divisors=duals.divisors[cluster_numbers],
    )
