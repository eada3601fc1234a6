"""The [1,2]-factor of least weight, slow and readable: all pairs and paths are tried."""

from functools import cache
from itertools import combinations
from math import fsum

import numpy as np

from twins.mdav import squared


def lightest(X, group):
    """Return the weight of a pair, or of the lightest path through three records."""
    edges = sorted(squared(X[a], X[b]) for a, b in combinations(group, 2))
    return sum(edges[: len(group) - 1])


def best_factor(X):
    """Return the least weight and its groups; for up to 9 records."""

    @cache
    def best(remaining):
        if not remaining:
            return 0.0, ()
        actual = [(np.inf, ())]
        for size in (1, 2):
            for others in combinations(remaining[1:], size):
                group = remaining[:1] + others
                weight, groups = best(tuple(i for i in remaining if i not in group))
                actual.append((weight + lightest(X, group), (*groups, group)))
        return min(actual)

    return best(tuple(range(len(X))))


def check_certificate(X, certificate):
    """Return the bound that the dual values prove, every edge of the complete graph being tried."""
    n = len(X)
    value, parent = certificate.value, certificate.parent
    assert (value[n : 2 * n] <= 0).all()
    assert (value[2 * n :] >= 0).all()
    sets = [set() for _ in value]
    for slot in range(2 * n):
        node = parent[slot]
        while node >= 0:
            sets[node].add(slot)
            node = parent[node]
    odd = [(members, value[node]) for node, members in enumerate(sets) if members]
    assert all(len(members) % 2 == 1 for members, _ in odd)
    worst = 0.0
    for u, v in combinations(range(n), 2):
        for a, b in ((u, v), (u, n + v), (v, n + u)):
            allowed = value[a] + value[b] - sum(z for s, z in odd if a in s and b in s)
            worst = max(worst, allowed - squared(X[u], X[v]))
    return fsum(value[: 2 * n]) - fsum(z * (len(s) - 1) / 2 for s, z in odd) - n * worst
