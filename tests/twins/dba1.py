"""DBA1, slow and readable: densities of all that are left, anew for every group, exact."""

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
    left, groups = list(range(len(X))), []
    while len(left) >= k:
        around = {i: [i, *[j for j in ranking[i] if j in left][: k - 1]] for i in left}
        densest = min(left, key=lambda i: (exact_sse(X, around[i]), i))
        groups.append(around[densest])
        left = [i for i in left if i not in around[densest]]
    join_nearest_centroid(X, groups, left)
    return labels_of(groups, len(X))
