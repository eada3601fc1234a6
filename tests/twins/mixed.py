"""What two records of a table of several kinds are apart, pair by pair."""

import math
from statistics import fmean


def apart(kind, one, other, order=(), hierarchy=(), distances=()):
    """Return the distance of two values in the units of their column."""
    if kind == "numeric":
        return abs(one - other)
    if kind == "date":
        return abs((one - other).total_seconds())
    if kind == "ordinal":
        return abs(order.index(one) - order.index(other))
    if hierarchy:
        return climb(one, other, {row[0]: row for row in hierarchy})
    if distances:
        return (
            0.0
            if one == other
            else {frozenset(row[:2]): row[2] for row in distances}[frozenset((one, other))]
        )
    return float(one != other)


def climb(one, other, path):
    """Return how many levels up two values meet, as a share of the way to the root."""
    height = len(path[one])
    for level in range(height):
        if path[one][level] == path[other][level]:
            return level / height
    return 1.0


def squared_distances(columns):
    """Return the squared distances of all pairs of records.

    Each column is a list of values and the keywords of `apart`. Its unit is such that
    two records drawn at random are 2 apart on average, as z-scores are.
    """
    n = len(columns[0][0])
    total = [[0.0] * n for _ in range(n)]
    for values, declared in columns:
        squares = [[apart(one=a, other=b, **declared) ** 2 for b in values] for a in values]
        unit = fmean(square for row in squares for square in row) / 2
        for i in range(n):
            for j in range(n):
                total[i][j] += squares[i][j] / unit if unit else 0.0
    return total


def mode(group, everybody):
    """Return the most frequent code; then the most frequent of all; then the least."""
    return min(set(group), key=lambda code: (-group.count(code), -everybody.count(code), code))


def low_median(group):
    """Return the middle one, or the lower of the two."""
    return sorted(group)[(len(group) - 1) // 2]


def trimmed_mean(group, trim):
    """Return the mean without a share of the values at each end."""
    cut = min(math.floor(round(trim * len(group), 9)), (len(group) - 1) // 2)
    return fmean(sorted(group)[cut : len(group) - cut])
