"""Groups and what they cost beyond their prices, slow and readable: all groups are tried."""

from itertools import combinations

from twins.optimal import sse


def dear_by(X, group, price, triples=(), toll=(), fee=0.0, clusters=(), cluster_dual=(), k=0):
    """Return what a group costs, with tolls and fee, less what its records pay.

    A toll is due with two records of a triple, the dual of a cluster with ``k`` of its records.
    """
    due = sum(
        one for triple, one in zip(triples, toll, strict=True) if len({*triple} & {*group}) > 1
    )
    for cluster, one in zip(clusters, cluster_dual, strict=True):
        due += one if len({i for i in cluster if i >= 0} & {*group}) >= k else 0.0
    return sse(X, [group]) + due + fee - sum(price[i] for i in group)


def groups_of_size(X, size, rank, first):
    """Yield the groups of ``size`` whose record of the least rank is ``first``."""
    later = [i for i in range(len(X)) if rank[i] > rank[first]]
    for others in combinations(later, size - 1):
        yield (first, *others)


def pairs_and_triples(X):
    """Return the least SSE for k = 2 by trying all ways to pair a record or put it in a triple."""

    def least(left):
        if not left:
            return 0.0
        best = float("inf")
        for size in (1, 2):
            for others in combinations(left[1:], size):
                rest = tuple(i for i in left[1:] if i not in others)
                if len(rest) != 1:
                    best = min(best, sse(X, [(left[0], *others)]) + least(rest))
        return best

    return least(tuple(range(len(X))))
