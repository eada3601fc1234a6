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


def most_distant(rows, part, k, upper, grow="centroid"):
    """Return two groups grown from the most distant pair; equal records just in their order."""
    if all(rows[i] == rows[part[0]] for i in part):
        return part[:k], part[-k:]
    pairs = [(i, j) for i in part for j in part if i < j]
    seeds = max(pairs, key=lambda ij: (squared(rows[ij[0]], rows[ij[1]]), -ij[0], -ij[1]))
    free = [i for i in part if i not in seeds]
    ends = []
    for seed in reversed(seeds) if upper else seeds:
        end = [seed]
        while len(end) < k:
            centre = mean([rows[i] for i in (end if grow == "centroid" else end[:1])])
            end.append(min(free, key=lambda i: (squared(rows[i], centre), i)))
            free.remove(end[-1])
        ends.append(end)
    return ends


def join(rows, part, ends, k):
    """Join the cheapest admissible pair until no group is small."""
    tied = {i for end in ends for i in end}
    groups = [sorted(end) for end in ends] + [[i] for i in part if i not in tied]
    costs = {}

    def cost(a, b):
        key = (tuple(a), tuple(b))
        if key not in costs:
            costs[key] = increase(rows, a, b)
        return costs[key]

    while any(len(group) < k for group in groups):
        groups.sort()
        _, a, b = min(
            (cost(a, b), at, by)
            for at, a in enumerate(groups)
            for by, b in enumerate(groups)
            if at < by and (len(a) < k or len(b) < k)
        )
        groups.append(sorted(groups[a] + groups.pop(b)))
        del groups[a]
    return groups


def join_by_matrix(X, part, ends, k):
    """Do what ``join`` does with a matrix of costs in plain numbers: for long tables, no ties."""
    tied = {i for end in ends for i in end}
    groups = sorted([*map(sorted, ends), *([i] for i in part if i not in tied)])
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
    rows, done, parts = exactly(X), [], [list(range(len(X)))]
    if start != "max-distance":
        place = {i: at for at, i in enumerate(in_order(score(X, start), descending))}
    while parts:
        part = parts.pop()
        if len(part) < 2 * k:
            done.append(part)
        elif start == "max-distance":
            parts += join(rows, part, most_distant(rows, part, k, descending, grow), k)
        else:
            order = sorted(part, key=place.get)
            ends = order[:k], order[-k:]
            long = len(part) > 60
            parts += join_by_matrix(X, part, ends, k) if long else join(rows, part, ends, k)
    return labels_of(done, len(X))
