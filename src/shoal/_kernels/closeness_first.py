"""Exchange records between groups until a group is within t of the table (t-closeness)."""

from typing import NamedTuple

import numpy as np

from shoal._kernels._compile import compiled


class ConfidentialRanks(NamedTuple):
    """The confidential values of all records as ranks, and how often each rank occurs.

    ``ranks`` has a row for each record and a column for each confidential column, of which
    ``ordered`` are those whose order is meaningful. ``below`` counts the records up to each rank;
    the counts of column c are those from ``start[c]`` to ``start[c + 1]``. ``running`` sums
    ``below`` over all smaller ranks and is one longer for each column.
    """

    ranks: np.ndarray
    ordered: np.ndarray
    below: np.ndarray
    running: np.ndarray
    start: np.ndarray


@compiled
def ordered_distance(rank, below, running):
    """Return the mean over ranks of |P - Q|, the distributions of a sorted group and of the table.

    ``below`` counts the records of the table up to each rank, ``running`` sums
    ``below`` over all smaller ranks.
    """
    m, n, size = below.shape[0], below[-1], rank.shape[0]
    if m == 1:
        return 0.0
    area = float(running[rank[0]])
    for i in range(size):
        start = rank[i]
        end = rank[i + 1] if i + 1 < size else m
        if start == end:
            continue
        height = (i + 1) * n / size
        low, high = start, end  # the first rank where Q reaches P
        while low < high:
            middle = (low + high) // 2
            if below[middle] < height:
                low = middle + 1
            else:
                high = middle
        area += height * (low - start) - (running[low] - running[start])
        area += (running[end] - running[low]) - height * (end - low)
    return area / (n * (m - 1))


@compiled
def unordered_distance(rank, below):
    """Return the sum over values of the positive part of p - q, their shares in group and table.

    ``rank`` is the group, sorted; ``below`` counts the records of the table up to each rank.
    """
    size, n = rank.shape[0], below[-1]
    excess, first = 0.0, 0
    for i in range(size):
        if i + 1 < size and rank[i + 1] == rank[i]:
            continue
        value = rank[i]
        group_share = (i + 1 - first) / size
        table_share = (below[value] - (below[value - 1] if value > 0 else 0)) / n
        excess += max(group_share - table_share, 0.0)
        first = i + 1
    return excess


@compiled
def distance_from_table(table, members, place, replacement):
    """Return the greatest distance of a group from the table, over all confidential columns.

    The record at ``place`` of ``members`` is replaced by ``replacement``.
    """
    greatest = 0.0
    rank = np.empty(members.shape[0], np.int64)
    for c in range(table.ranks.shape[1]):
        for i in range(members.shape[0]):
            rank[i] = table.ranks[replacement if i == place else members[i], c]
        rank.sort()
        start, stop = table.start[c], table.start[c + 1]
        below = table.below[start:stop]
        if table.ordered[c]:
            distance = ordered_distance(rank, below, table.running[start + c : stop + c + 1])
        else:
            distance = unordered_distance(rank, below)
        greatest = max(greatest, distance)
    return greatest


@compiled
def exchange_with_candidates(table, group, candidates, labels, members, first, t):
    """Exchange records of ``group`` with ``candidates`` until it is within ``t`` of the table.

    Each candidate in turn is exchanged with the member whose replacement brings the group
    nearest to the table, provided that its distance falls, and that the other group stays
    within ``t`` or comes no farther from the table. ``members`` lists the records of each
    group, from ``first[group]`` to ``first[group + 1]``. Returns the final distance.
    """
    records = members[first[group] : first[group + 1]]
    current = distance_from_table(table, records, 0, records[0])
    for candidate in candidates:
        if current <= t:
            break
        if labels[candidate] == group:
            continue
        least, place = current, -1
        for i in range(records.shape[0]):
            distance = distance_from_table(table, records, i, candidate)
            if distance < least:
                least, place = distance, i
        if place < 0:
            continue
        other_records = members[first[labels[candidate]] : first[labels[candidate] + 1]]
        other_place = 0
        while other_records[other_place] != candidate:
            other_place += 1
        before = distance_from_table(table, other_records, other_place, candidate)
        after = distance_from_table(table, other_records, other_place, records[place])
        if after > max(t, before):
            continue
        labels[records[place]] = labels[candidate]
        labels[candidate] = group
        other_records[other_place] = records[place]
        records[place] = candidate
        current = least
    return current
