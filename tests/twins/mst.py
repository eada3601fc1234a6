"""Groups from the minimum spanning tree, slow and readable: Kruskal, not Prim."""

from itertools import combinations

import numpy as np

from twins.centroid_mdav import centroid_mdav
from twins.md import md
from twins.mdav import squared


def connected_records(edges, start):
    """Return the records that edges connect with ``start``."""
    actual, pending = {start}, [start]
    while pending:
        record = pending.pop()
        for a, b in edges:
            for neighbour in ({a, b} - {record}) if record in (a, b) else ():
                if neighbour not in actual:
                    actual.add(neighbour)
                    pending.append(neighbour)
    return actual


def spanning_tree(X):
    component = list(range(len(X)))
    tree = []
    for a, b in sorted(
        combinations(range(len(X)), 2), key=lambda e: (squared(X[e[0]], X[e[1]]), e)
    ):
        if component[a] != component[b]:
            tree.append((a, b))
            component = [component[a] if label == component[b] else label for label in component]
    return tree


SPLITS = {"diameter": md, "centroid": centroid_mdav, "none": lambda X, k: np.zeros(len(X), int)}


def mst(X, k, split="diameter"):
    tree = spanning_tree(X)
    for edge in sorted(tree, key=lambda e: (-squared(X[e[0]], X[e[1]]), e)):
        other_edges = [e for e in tree if e != edge]
        if (
            len(connected_records(other_edges, edge[0])) >= k
            and len(connected_records(other_edges, edge[1])) >= k
        ):
            tree = other_edges
    labels, groups = np.full(len(X), -1), 0
    for i in range(len(X)):
        if labels[i] < 0:
            records = sorted(connected_records(tree, i))
            group_labels = SPLITS[split if len(records) >= 2 * k else "none"](X[records], k)
            labels[records] = groups + group_labels
            groups += group_labels.max() + 1
    return labels
