"""The modified Ward method, slow and exact: fractions, and every pair looked at every time."""

from fractions import Fraction

import numpy as np

from twins.mdav import labels_of
from twins.scores import in_order, score
from twins.univariate import exactly


def mean(rows):
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def squared(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def increase(rows, a, b):
    na, nb = len(a), len(b)
    gap = squared(mean([rows[i] for i in a]), mean([rows[i] for i in b]))
    return Fraction(na * nb, na + nb) * gap


def most_distant(rows, records, k, upper, grow="centroid"):
    """Return two groups grown from the most distant pair; equal records just in their order."""
    if all(rows[i] == rows[records[0]] for i in records):
        return records[:k], records[-k:]
    pairs = [(i, j) for i in records for j in records if i < j]
    seeds = max(pairs, key=lambda ij: (squared(rows[ij[0]], rows[ij[1]]), -ij[0], -ij[1]))
    free = [i for i in records if i not in seeds]
    extreme_groups = []
    for seed in reversed(seeds) if upper else seeds:
        extreme_group = [seed]
        while len(extreme_group) < k:
            centre = mean(
                [rows[i] for i in (extreme_group if grow == "centroid" else extreme_group[:1])]
            )
            extreme_group.append(min(free, key=lambda i: (squared(rows[i], centre), i)))
            free.remove(extreme_group[-1])
        extreme_groups.append(extreme_group)
    return extreme_groups


def join(rows, records, extreme_groups, k):
    """Join the cheapest admissible pair until no group is small."""
    in_extreme_groups = {i for extreme_group in extreme_groups for i in extreme_group}
    groups = [sorted(extreme_group) for extreme_group in extreme_groups] + [
        [i] for i in records if i not in in_extreme_groups
    ]
    costs = {}

    def cost(a, b):
        key = (tuple(a), tuple(b))
        if key not in costs:
            costs[key] = increase(rows, a, b)
        return costs[key]

    while any(len(group) < k for group in groups):
        groups.sort()
        _, a, b = min(
            (cost(a, b), position, other_position)
            for position, a in enumerate(groups)
            for other_position, b in enumerate(groups)
            if position < other_position and (len(a) < k or len(b) < k)
        )
        groups.append(sorted(groups[a] + groups.pop(b)))
        del groups[a]
    return groups


def join_by_matrix(X, records, extreme_groups, k):
    """Do what ``join`` does with a matrix of costs in plain numbers: for long tables, no ties."""
    in_extreme_groups = {i for extreme_group in extreme_groups for i in extreme_group}
    groups = sorted(
        [*map(sorted, extreme_groups), *([i] for i in records if i not in in_extreme_groups)]
    )
    centre = np.array([X[group].mean(axis=0) for group in groups])
    size = np.array([float(len(group)) for group in groups])

    def costs(g):
        cost = size[g] * size / (size[g] + size) * ((centre - centre[g]) ** 2).sum(axis=1)
        cost[(size == 0) | ((size >= k) & (size[g] >= k))] = np.inf
        cost[g] = np.inf
        return cost

    matrix = np.array([costs(g) for g in range(len(groups))])
    while ((size > 0) & (size < k)).any():
        a, b = sorted(divmod(int(matrix.argmin()), len(groups)))
        groups[a] += groups[b]
        centre[a] = X[groups[a]].mean(axis=0)
        size[a], size[b] = len(groups[a]), 0
        matrix[a] = matrix[:, a] = costs(a)
        matrix[b] = matrix[:, b] = np.inf
    return [sorted(group) for group, n in zip(groups, size, strict=True) if n]


def mward(X, k, start="max-distance", descending=False, grow="centroid"):
    rows, final_groups, pending = exactly(X), [], [list(range(len(X)))]
    if start != "max-distance":
        rank = {i: position for position, i in enumerate(in_order(score(X, start), descending))}
    while pending:
        records = pending.pop()
        if len(records) < 2 * k:
            final_groups.append(records)
        elif start == "max-distance":
            pending += join(rows, records, most_distant(rows, records, k, descending, grow), k)
        else:
            order = sorted(records, key=rank.get)
            extreme_groups = order[:k], order[-k:]
            long = len(records) > 60
            pending += (
                join_by_matrix(X, records, extreme_groups, k)
                if long
                else join(rows, records, extreme_groups, k)
            )
    return labels_of(final_groups, len(X))
