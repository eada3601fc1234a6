"""Reduced costs of groups, slow and readable: all groups are tried."""

from itertools import combinations

from twins.optimal import sse


def reduced_cost(
    X, group, record_dual, triples=(), triple_dual=(), group_dual=0.0, clusters=(),
    cluster_dual=(), divisors=(),
):  # fmt: skip
    """Return the SSE of a group plus the duals of its constraints, less those of its records.

    The dual of a triple counts with two of its records, that of a cluster with as many as its
    divisor says, and again with every further multiple.
    """
    duals = sum(
        dual
        for triple, dual in zip(triples, triple_dual, strict=True)
        if len({*triple} & {*group}) > 1
    )
    for cluster, dual, divisor in zip(clusters, cluster_dual, divisors, strict=True):
        duals += len({i for i in cluster if i >= 0} & {*group}) // divisor * dual
    return sse(X, [group]) + duals + group_dual - sum(record_dual[i] for i in group)


def groups_of_size(X, size, rank, first):
    """Yield the groups of ``size`` whose record of the least rank is ``first``."""
    later = [i for i in range(len(X)) if rank[i] > rank[first]]
    for others in combinations(later, size - 1):
        yield (first, *others)


def pairs_and_triples(X):
    """Return the least SSE for k = 2 by trying all ways to pair a record or put it in a triple."""

    def least(remaining):
        if not remaining:
            return 0.0
        best = float("inf")
        for size in (1, 2):
            for others in combinations(remaining[1:], size):
                others_remaining = tuple(i for i in remaining[1:] if i not in others)
                if len(others_remaining) != 1:
                    best = min(best, sse(X, [(remaining[0], *others)]) + least(others_remaining))
        return best

    return least(tuple(range(len(X))))
