"""Clusters of records that more groups share than is possible.

Of c records, at most c // m groups of a partition contain m or more. A fractional solution may have
more: twelve records that are near each other are covered by groups of ten of total weight 1.2 (here
m is 10). `shoal._kernels.pricing.cluster_growth` finds such clusters, with different m. Those come
first that save most: the violation times the mean cost of the groups.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.pricing.cluster_growth import FractionalGroups, grow_cluster
from shoal.partitioners._base import Labels, Matrix
from shoal.partitioners._column_generation.columns import Columns, incidence

MAX_STARTS = 500  # fractional groups from which clusters are grown
VIOLATION = 0.02  # by which the weight of the groups must exceed their number


class Violated(NamedTuple):
    """A cluster that a fractional solution violates, its divisor, and what that saves, negative."""

    saving: float
    records: tuple[int, ...]
    divisor: int


def fractional_groups(columns: Columns, weights: Matrix) -> tuple[FractionalGroups, Matrix]:
    """Return the groups with a weight between 0 and 1, and their costs, most expensive first."""
    fractions = np.flatnonzero((weights > 1e-6) & (weights < 1 - 1e-6))
    amounts = weights[fractions] * columns.costs[fractions]
    fractions = fractions[np.argsort(-amounts, kind="stable")]
    members = columns.members[fractions]
    sizes = (members >= 0).sum(axis=1)
    around = incidence(members, len(columns.X))
    return FractionalGroups(members, sizes, weights[fractions], *around), columns.costs[fractions]


def mean_cost(
    groups: FractionalGroups, costs: Matrix, cluster: NDArray[np.bool_], divisor: int
) -> float:
    """Return the mean cost of the groups that a cluster limits."""
    inside = np.append(cluster, False)[groups.members].sum(axis=1)
    return float(np.average(costs, weights=inside // divisor * groups.weights))


def violated_clusters(
    columns: Columns,
    weights: Matrix,
    max_clusters: int,
    divisors: Iterable[int],
    least_saving: float = 0.0,
) -> tuple[Labels, Labels]:
    """Return the clusters that a fractional solution violates most, and their divisors.

    The clusters are padded with -1.
    """
    groups, costs = fractional_groups(columns, weights)
    most, cluster = columns.clusters.shape[1], np.zeros(len(columns.X), bool)
    known = {
        (tuple(row[row >= 0].tolist()), int(divisor))
        for row, divisor in zip(columns.clusters, columns.divisors, strict=True)
    }
    violated: list[Violated] = []
    for divisor in divisors:
        covered = np.zeros(len(costs), bool)
        for first in range(min(len(costs), MAX_STARTS)):
            if covered[first]:
                continue
            violation = grow_cluster(groups, first, divisor, most, cluster)
            key = tuple(np.flatnonzero(cluster).tolist())
            if violation > VIOLATION and (key, divisor) not in known:
                known.add((key, divisor))
                covered |= np.append(cluster, True)[groups.members].all(axis=1)
                saving = violation * mean_cost(groups, costs, cluster, divisor)
                if saving > least_saving:
                    violated.append(Violated(-saving, key, divisor))
    violated = sorted(violated)[:max_clusters]
    result = np.full((len(violated), most), -1, np.int64)
    for row, one in zip(result, violated, strict=True):
        row[: len(one.records)] = one.records
    return result, np.array([one.divisor for one in violated], np.int64)
