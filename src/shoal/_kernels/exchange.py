"""Exchange records between groups until they are within t of the table, for t-closeness.

The method is that of Soria-Comas, Domingo-Ferrer, Sánchez and Martínez (2015). The distance of a
group from the table is that of the two distributions of a confidential column (Li, Li and
Venkatasubramanian, 2007): the earth mover's distance if its values are ordered, otherwise half the
sum of the absolute differences of the shares.
"""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled


class ConfidentialRanks(NamedTuple):
    """The confidential values of all records as ranks, and how often each rank occurs.

    ``ranks`` has a row for each record and a column for each confidential column, of which
    ``ordered`` are those whose order is meaningful. ``cumulative_counts`` has the number of records
    up to each rank; the entries of column c are those from ``start[c]`` to ``start[c + 1]``.
    ``cumulative_sums`` has the sum of these over all smaller ranks, with one more entry per column.
    """

    ranks: np.ndarray  # (n, n_confidential)
    ordered: np.ndarray  # (n_confidential,)
    cumulative_counts: np.ndarray  # (n_ranks of all columns,)
    cumulative_sums: np.ndarray  # (n_ranks of all columns + n_confidential,)
    start: np.ndarray  # (n_confidential + 1,)


class GroupMembers(NamedTuple):
    """The records of all groups; those of group g are ``members[start[g] : start[g + 1]]``."""

    labels: np.ndarray  # (n,)
    members: np.ndarray  # (n,)
    start: np.ndarray  # (n_groups + 1,)


@compiled
def ordered_distance(rank, cumulative_counts, cumulative_sums):
    """Return the mean over ranks of |P - Q|, the distributions of a sorted group and of the table.

    ``cumulative_counts`` has the number of records of the table up to each rank, and
    ``cumulative_sums`` the sum of these over all smaller ranks.
    """
    n_ranks, n_records, size = cumulative_counts.shape[0], cumulative_counts[-1], rank.shape[0]
    if n_ranks == 1:
        return 0.0
    area = float(cumulative_sums[rank[0]])
    for i in range(size):
        start = rank[i]
        end = rank[i + 1] if i + 1 < size else n_ranks
        if start == end:
            continue
        height = (i + 1) * n_records / size
        low, high = start, end  # the first rank where Q reaches P
        while low < high:
            middle = (low + high) // 2
            if cumulative_counts[middle] < height:
                low = middle + 1
            else:
                high = middle
        area += height * (low - start) - (cumulative_sums[low] - cumulative_sums[start])
        area += (cumulative_sums[end] - cumulative_sums[low]) - height * (end - low)
    return area / (n_records * (n_ranks - 1))


@compiled
def unordered_distance(rank, cumulative_counts):
    """Return the sum over values of the positive part of p - q, their shares in group and table.

    ``rank`` has the ranks of the group, sorted; ``cumulative_counts`` the number of records of the
    table up to each rank.
    """
    size, n_records = rank.shape[0], cumulative_counts[-1]
    total_excess, run_start = 0.0, 0
    for i in range(size):
        if i + 1 < size and rank[i + 1] == rank[i]:
            continue
        run_rank = rank[i]
        group_share = (i + 1 - run_start) / size
        n_lower = cumulative_counts[run_rank - 1] if run_rank > 0 else 0
        table_share = (cumulative_counts[run_rank] - n_lower) / n_records
        total_excess += max(group_share - table_share, 0.0)
        run_start = i + 1
    return total_excess


@compiled
def distance_from_table(table, members, position, replacement):
    """Return the greatest distance of a group from the table, over all confidential columns.

    The record at ``position`` of ``members`` is replaced by ``replacement``.
    """
    greatest = 0.0
    rank = np.empty(members.shape[0], np.int64)
    for c in range(table.ranks.shape[1]):
        for i in range(members.shape[0]):
            rank[i] = table.ranks[replacement if i == position else members[i], c]
        rank.sort()
        start, stop = table.start[c], table.start[c + 1]
        cumulative_counts = table.cumulative_counts[start:stop]
        if table.ordered[c]:
            distance = ordered_distance(
                rank, cumulative_counts, table.cumulative_sums[start + c : stop + c + 1]
            )
        else:
            distance = unordered_distance(rank, cumulative_counts)
        greatest = max(greatest, distance)
    return greatest


@compiled
def exchange_with_candidates(table, groups, g, candidates, t):
    """Exchange records of group ``g`` with ``candidates`` until it is within ``t`` of the table.

    Each candidate in turn is exchanged with the member whose replacement brings the group
    nearest to the table, provided that its distance falls, and that the other group stays
    within ``t`` or comes no farther from the table. Return the final distance.
    """
    labels = groups.labels
    records = groups.members[groups.start[g] : groups.start[g + 1]]
    current_distance = distance_from_table(table, records, 0, records[0])
    for candidate in candidates:
        if current_distance <= t:
            break
        other = labels[candidate]
        if other == g:
            continue
        position, least_distance = best_replacement(table, records, candidate, current_distance)
        if position < 0:
            continue
        other_records = groups.members[groups.start[other] : groups.start[other + 1]]
        other_position = 0
        while other_records[other_position] != candidate:
            other_position += 1
        record = records[position]
        other_distance = distance_from_table(table, other_records, other_position, candidate)
        new_distance = distance_from_table(table, other_records, other_position, record)
        if new_distance > max(t, other_distance):
            continue
        labels[record], labels[candidate] = other, g
        other_records[other_position], records[position] = record, candidate
        current_distance = least_distance
    return current_distance


@compiled
def best_replacement(table, records, candidate, max_distance):
    """Return the position of the record to replace by ``candidate``, and the distance then.

    The position is -1 if no replacement brings the group nearer than ``max_distance``.
    """
    least, best = max_distance, -1
    for i in range(records.shape[0]):
        distance = distance_from_table(table, records, i, candidate)
        if distance < least:
            least, best = distance, i
    return best, least
