"""Groups from the minimum spanning tree, slow and readable: Kruskal, not Prim."""

from itertools import combinations

import numpy as np

from twins.centroid_mdav import centroid_mdav
from twins.md import md
from twins.mdav import squared


def side(edges, start):
    """Return the records that edges connect with ``start``."""
    actual, todo = {start}, [start]
    while todo:
        here = todo.pop()
        for a, b in edges:
            for there in ({a, b} - {here}) if here in (a, b) else ():
                if there not in actual:
                    actual.add(there)
                    todo.append(there)
    return actual


def spanning_tree(X):
    part = list(range(len(X)))
    tree = []
    for a, b in sorted(
        combinations(range(len(X)), 2), key=lambda e: (squared(X[e[0]], X[e[1]]), e)
    ):
        if part[a] != part[b]:
            tree.append((a, b))
            part = [part[a] if p == part[b] else p for p in part]
    return tree


SPLITS = {"diameter": md, "centroid": centroid_mdav, "none": lambda X, k: np.zeros(len(X), int)}


def mst(X, k, split="diameter"):
    tree = spanning_tree(X)
    for edge in sorted(tree, key=lambda e: (-squared(X[e[0]], X[e[1]]), e)):
        rest = [e for e in tree if e != edge]
        if len(side(rest, edge[0])) >= k and len(side(rest, edge[1])) >= k:
            tree = rest
    labels, groups = np.full(len(X), -1), 0
    for i in range(len(X)):
        if labels[i] < 0:
            records = sorted(side(tree, i))
            parts = SPLITS[split if len(records) >= 2 * k else "none"](X[records], k)
            labels[records] = groups + parts
            groups += parts.max() + 1
    return labels
