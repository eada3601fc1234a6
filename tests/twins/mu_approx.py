"""Mu-Approx, slow and readable: trees as sets of neighbours, sizes counted anew each time."""

from twins.mdav import farthest, labels_of, mean, nearest, squared
from twins.neighbours import neighbours


def tree_of(edges, start, without=()):
    """Return the records that are connected with ``start`` by other records than those left out."""
    actual, waiting = {start}, [start]
    while waiting:
        for other in edges[waiting.pop()] - actual - set(without):
            actual.add(other)
            waiting.append(other)
    return actual


def trees_of(edges):
    return {frozenset(tree_of(edges, record)) for record in edges}


def forest(X, k, order):
    """Procedure 1: of the trees that are too small, the one whose free record comes first."""
    edges = {record: set() for record in range(len(X))}
    near, has_edge = neighbours(X, k - 1), set()
    while small := [tree for tree in trees_of(edges) if len(tree) < k]:
        free = [record for tree in small for record in tree - has_edge]
        u = min(free, key=order.index)
        v = next(v for v in near[u] if v not in tree_of(edges, u))
        has_edge.add(u)
        edges[u].add(v)
        edges[v].add(u)
    return edges


def decompose(X, edges, k, rank):
    """Procedure 2, with the children that lose their hub joined in a chain."""
    while large := [tree for tree in trees_of(edges) if len(tree) > max(2 * k - 1, 3 * k - 5)]:
        tree = large[0]
        s, u = len(tree), min(tree, key=lambda record: rank[record])

        def subtree(u, child):
            return len(tree_of(edges, child, without=[u]))

        while True:
            v = max(edges[u], key=lambda child: (subtree(u, child), -child))
            phi = subtree(u, v)
            if s - phi >= k - 1:
                break
            u = v

        if phi >= k and s - phi >= k:
            hub, orphans = u, {v}
        elif s - phi == k - 1:
            hub, orphans = v, edges[v] - {u}
        elif phi == k - 1:
            hub, orphans = u, edges[u] - {v}
        else:
            hub, first, size = u, set(), 0
            for child in nearest(X, edges[u], X[u], len(edges[u])):
                if size < k - 1:
                    first.add(child)
                    size += subtree(u, child)
            with_hub_second = size != k - 1 and s - 1 - size == k - 1
            orphans = first if with_hub_second else edges[u] - first

        chain = nearest(X, orphans, X[hub], len(orphans))
        for orphan in chain:
            edges[hub].remove(orphan)
            edges[orphan].remove(hub)
        for a, b in zip(chain, chain[1:], strict=False):
            edges[a].add(b)
            edges[b].add(a)


def split(X, group, k):
    """Step 3: the record farthest from the centroid with its nearest, and the rest."""
    if len(group) < 2 * k:
        return [group]
    u = farthest(X, group, mean(X, group))
    first = nearest(X, group, X[u], k)
    return [first, [record for record in group if record not in first]]


def mu_approx(X, k, order, rank):
    edges = forest(X, k, list(order))
    decompose(X, edges, k, rank)
    groups = [part for tree in trees_of(edges) for part in split(X, sorted(tree), k)]
    return labels_of(groups, len(X))


def lower_bound(X, k):
    """Return an SSE that no partition undercuts: each record has k - 1 others in its group."""
    near = neighbours(X, k - 1)
    return sum(squared(X[i], X[j]) for i in range(len(X)) for j in near[i]) / (2 * k)
