"""What hides in a class of records that look alike: lists, counts and exact fractions."""

from collections import Counter
from fractions import Fraction
from math import exp, log


def classes(released, column):
    """Return the confidential values of each class."""
    members = {}
    for key, value in zip(map(tuple, released.tolist()), column.tolist(), strict=True):
        members.setdefault(key, []).append(value)
    return list(members.values())


def distinct(released, column):
    return min(len(set(values)) for values in classes(released, column))


def entropy(released, column):
    def one(values):
        shares = [count / len(values) for count in Counter(values).values()]
        return exp(-sum(share * log(share) for share in shares))

    return min(one(values) for values in classes(released, column))


def recursive(released, column, c):
    def one(values):
        counts = sorted(Counter(values).values(), reverse=True)
        kept = [m for m in range(1, len(counts) + 1) if counts[0] < c * sum(counts[m - 1 :])]
        return max(kept, default=1)

    return min(one(values) for values in classes(released, column))


def shares(values, support):
    counts = Counter(values)
    return [Fraction(counts[value], len(values)) for value in support]


def closeness(released, column, ordered):
    """Greatest earth mover's distance between the values of a class and those of all."""
    support = sorted(set(column.tolist()))
    of_all = shares(column.tolist(), support)

    def one(values):
        gaps = [p - q for p, q in zip(shares(values, support), of_all, strict=True)]
        if not ordered:
            return sum(abs(gap) for gap in gaps) / 2
        moved = [abs(sum(gaps[: i + 1])) for i in range(len(gaps))]
        return sum(moved) / max(1, len(support) - 1)

    return max(one(values) for values in classes(released, column))
