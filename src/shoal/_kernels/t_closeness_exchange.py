"""Exchange records between groups until they are within t of the table, for t-closeness.

The method is that of Soria-Comas, Domingo-Ferrer, Sánchez and Martínez (2015). The distance of a
group from the table is the distance of the two distributions of a confidential column (Li, Li and
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

    ranks: np.ndarray  # (n_records, n_confidential)
    ordered: np.ndarray  # (n_confidential,)
    cumulative_counts: np.ndarray  # (n_ranks of all columns,)
    cumulative_sums: np.ndarray  # (n_ranks of all columns + n_confidential,)
    start: np.ndarray  # (n_confidential + 1,)


class GroupMembers(NamedTuple):
    """The records of all groups: ``members[start[group] : start[group + 1]]`` for each group."""

    labels: np.ndarray  # (n_records,)
    members: np.ndarray  # (n_records,)
    start: np.ndarray  # (n_groups + 1,)


@compiled
def ordered_distance(sorted_ranks, cumulative_counts, cumulative_sums):
    """Return the earth mover's distance of a group from the table.

    It is the sum of |P - Q| over all ranks, divided by the number of ranks less one; P and Q are
    the cumulative distributions of the group and of the table. ``cumulative_counts`` has the number
    of records of the table up to each rank, and ``cumulative_sums`` the sum of these over all
    smaller ranks.
    """
    n_ranks, n_records = cumulative_counts.shape[0], cumulative_counts[-1]
    size = sorted_ranks.shape[0]
    if n_ranks == 1:
        return 0.0
    total = float(cumulative_sums[sorted_ranks[0]])  # n_records times the sum of |P - Q|
    for i in range(size):
        start = sorted_ranks[i]
        end = sorted_ranks[i + 1] if i + 1 < size else n_ranks
        if start == end:
            continue
        group_count = (i + 1) * n_records / size  # n_records times P, from start to end
        low, high = start, end  # the first rank where Q reaches P
        while low < high:
            middle = (low + high) // 2
            if cumulative_counts[middle] < group_count:
                low = middle + 1
            else:
                high = middle
        total += group_count * (low - start) - (cumulative_sums[low] - cumulative_sums[start])
        total += (cumulative_sums[end] - cumulative_sums[low]) - group_count * (end - low)
    return total / (n_records * (n_ranks - 1))


@compiled
def unordered_distance(sorted_ranks, cumulative_counts):
    """Return the sum over values of the positive part of p - q, their shares in group and table.

    ``cumulative_counts`` has the number of records of the table up to each rank.
    """
    size, n_records = sorted_ranks.shape[0], cumulative_counts[-1]
    total, run_start = 0.0, 0
    for i in range(size):
        if i + 1 < size and sorted_ranks[i + 1] == sorted_ranks[i]:
            continue
        run_rank = sorted_ranks[i]
        group_share = (i + 1 - run_start) / size
        n_lower = cumulative_counts[run_rank - 1] if run_rank > 0 else 0
        table_share = (cumulative_counts[run_rank] - n_lower) / n_records
        total += max(group_share - table_share, 0.0)
        run_start = i + 1
    return total


@compiled
def group_distance(table, members):
    """Return the greatest distance of a group from the table, over all confidential columns."""
    return distance_with_replacement(table, members, 0, members[0])


@compiled
def distance_with_replacement(table, members, position, replacement):
    """Return the `group_distance` if a record replaces the one at ``position`` of ``members``."""
    greatest = 0.0
    sorted_ranks = np.empty(members.shape[0], np.int64)
    for column in range(table.ranks.shape[1]):
        for i in range(members.shape[0]):
            sorted_ranks[i] = table.ranks[replacement if i == position else members[i], column]
        sorted_ranks.sort()
        start, stop = table.start[column], table.start[column + 1]
        cumulative_counts = table.cumulative_counts[start:stop]
        if table.ordered[column]:
            distance = ordered_distance(
                sorted_ranks,
                cumulative_counts,
                table.cumulative_sums[start + column : stop + column + 1],
            )
        else:
            distance = unordered_distance(sorted_ranks, cumulative_counts)
        greatest = max(greatest, distance)
    return greatest


@compiled
def exchange_with_candidates(table, groups, group, candidates, t):
    """Exchange records of ``group`` with ``candidates`` until it is within ``t`` of the table.

    Each candidate in turn is exchanged with the member whose replacement brings the group
    nearest to the table, provided that its distance falls, and that the other group stays
    within ``t`` or comes no farther from the table. Return the final distance.
    """
    labels = groups.labels
    records = groups.members[groups.start[group] : groups.start[group + 1]]
    current_distance = group_distance(table, records)
    for candidate in candidates:
        if current_distance <= t:
            break
        other = labels[candidate]
        if other == group:
            continue
        position, least_distance = best_replacement(table, records, candidate, current_distance)
        if position < 0:
            continue
        other_records = groups.members[groups.start[other] : groups.start[other + 1]]
        other_position = 0
        while other_records[other_position] != candidate:
            other_position += 1
        record = records[position]
        other_distance = group_distance(table, other_records)
        new_distance = distance_with_replacement(table, other_records, other_position, record)
        if new_distance > max(t, other_distance):
            continue
        labels[record], labels[candidate] = other, group
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
        distance = distance_with_replacement(table, records, i, candidate)
        if distance < least:
            least, best = distance, i
    return best, least
