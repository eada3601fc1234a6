"""Clusters of records that more groups share than is possible.

At most c // k groups of a partition have k or more of c records. A fractional solution may have
more: twelve records that are near each other are covered by groups of ten of total weight 1.2. Such
clusters are grown from one fractional group, by the records that complete most of the others.
"""

from collections import defaultdict

import numpy as np

from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._column_generation.columns import LARGEST_CLUSTER, Columns

MAX_STARTS = 2_000  # fractional groups from which clusters are grown
VIOLATION = 0.02  # by which the weight of the groups must exceed their number


class FractionalGroups:
    """The groups with a weight between 0 and 1, by their records."""

    def __init__(self, columns: Columns, weights: Matrix):
        fractions = np.flatnonzero((weights > 1e-6) & (weights < 1 - 1e-6))
        fractions = fractions[np.argsort(-weights[fractions], kind="stable")]
        self.k, self.weights = columns.k, weights[fractions].tolist()
        self.groups = [[i for i in row if i >= 0] for row in columns.members[fractions].tolist()]
        self.around: dict[int, list[int]] = defaultdict(list)
        for group, records in enumerate(self.groups):
            for record in records:
                self.around[record].append(group)

    def grow(self, start: int) -> tuple[float, set[int]]:
        """Return the most violated cluster around a group, and by how much it is."""
        k, cluster = self.k, set[int]()
        inside: dict[int, int] = defaultdict(int)
        score: dict[int, float] = defaultdict(float)
        total, best = 0.0, (0.0, set[int]())
        new = list(self.groups[start])
        while new:
            for record in new:
                cluster.add(record)
                score.pop(record, None)
                for group in self.around[record]:
                    inside[group] += 1
                    if inside[group] == k:
                        total += self.weights[group]
            violation = total - len(cluster) // k
            if violation > best[0] + 1e-9:
                best = (violation, set(cluster))
            if len(cluster) >= LARGEST_CLUSTER * k - 1:
                break
            score.clear()
            for group, count in inside.items():
                if count < k:
                    for record in self.groups[group]:
                        if record not in cluster:
                            score[record] += self.weights[group] / (k - count) ** 2
            new = [min(score, key=lambda record: (-score[record], record))] if score else []
        return best


def violated_clusters(columns: Columns, weights: Matrix, max_clusters: int) -> Labels:
    """Return the clusters that a fractional solution violates most, padded with -1."""
    fractional = FractionalGroups(columns, weights)
    known = {tuple(row[row >= 0].tolist()) for row in columns.clusters}
    clusters: list[tuple[float, tuple[int, ...]]] = []
    covered: list[set[int]] = []
    for start, records in enumerate(fractional.groups[:MAX_STARTS]):
        if any(cluster.issuperset(records) for cluster in covered):
            continue
        violation, cluster = fractional.grow(start)
        key = tuple(sorted(cluster))
        if violation > VIOLATION and key not in known:
            known.add(key)
            covered.append(cluster)
            clusters.append((-violation, key))
    result = np.full((min(len(clusters), max_clusters), columns.clusters.shape[1]), -1, np.int64)
    for row, (_, key) in zip(result, sorted(clusters), strict=False):
        row[: len(key)] = key
    return result
