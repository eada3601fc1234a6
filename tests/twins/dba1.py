"""DBA1, slow and readable: for every group, the exact densities of all remaining records."""

from fractions import Fraction

from twins.leftovers import join_nearest_centroid
from twins.mdav import labels_of
from twins.neighbours import neighbours


def exact_sse(X, records):
    total = Fraction(0)
    for j in range(X.shape[1]):
        values = [Fraction(X[i, j]) for i in records]
        centre = sum(values) / len(values)
        total += sum((value - centre) ** 2 for value in values)
    return total


def dba1(X, k):
    ranking = neighbours(X, len(X) - 1)
    remaining, groups = list(range(len(X))), []
    while len(remaining) >= k:
        neighbourhoods = {
            i: [i, *[j for j in ranking[i] if j in remaining][: k - 1]] for i in remaining
        }
        densest = min(remaining, key=lambda i: (exact_sse(X, neighbourhoods[i]), i))
        groups.append(neighbourhoods[densest])
        remaining = [i for i in remaining if i not in neighbourhoods[densest]]
    join_nearest_centroid(X, groups, remaining)
    return labels_of(groups, len(X))
