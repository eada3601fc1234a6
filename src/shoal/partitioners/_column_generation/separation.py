"""Clusters of records that more groups share than is feasible.

At most c // m groups of a partition can contain m or more of c records. A fractional solution may
have more: twelve records that are near each other are covered by groups of ten of total weight 1.2
(here m is 10). `shoal._kernels.column_generation.cluster_separation` finds these clusters, with different m. The
clusters with the greatest saving come first, which is the violation times the mean cost of the
groups.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.column_generation.cluster_separation import FractionalGroups, grow_cluster
from shoal.partitioners._base import Indices, Values
from shoal.partitioners._column_generation.columns import Columns, incidence

MAX_STARTS = 500  # fractional groups from which clusters are grown
MIN_VIOLATION = 0.02  # by which the weight of the groups must exceed their number


class ViolatedCluster(NamedTuple):
    """A cluster that a fractional solution violates, its divisor, and what the cluster saves."""

    saving: float
    records: tuple[int, ...]
    divisor: int


def fractional_groups(columns: Columns, weights: Values) -> tuple[FractionalGroups, Values]:
    """Return the groups with a weight between 0 and 1, and their costs, most expensive first."""
    fractional = np.flatnonzero((weights > 1e-6) & (weights < 1 - 1e-6))
    weighted_costs = weights[fractional] * columns.costs[fractional]
    fractional = fractional[np.argsort(-weighted_costs, kind="stable")]
    members = columns.members[fractional]
    sizes = (members >= 0).sum(axis=1)
    record_groups = incidence(members, len(columns.X))
    groups = FractionalGroups(members, sizes, weights[fractional], *record_groups)
    return groups, columns.costs[fractional]


def mean_cost(
    groups: FractionalGroups, costs: Values, cluster: NDArray[np.bool_], divisor: int
) -> float:
    """Return the mean cost of the groups that a cluster limits.

    A group counts with its weight, and as often as it counts for the cluster.
    """
    n_inside = np.append(cluster, False)[groups.members].sum(axis=1)
    return float(np.average(costs, weights=n_inside // divisor * groups.weights))


def grow_clusters(
    groups: FractionalGroups, divisor: int, max_records: int, k: int
) -> Iterator[tuple[float, NDArray[np.bool_]]]:
    """Yield clusters of at most ``max_records`` records and by how much each is violated.

    Large clusters grow from whole groups. Clusters of at most ``k`` records grow from single
    records. The array that marks the records is overwritten by the next cluster.
    """
    is_covered, cluster = np.zeros(len(groups.sizes), bool), np.zeros(len(groups.start) - 1, bool)
    for group in range(min(len(is_covered), MAX_STARTS)):
        if not is_covered[group]:
            records = groups.members[group, : groups.sizes[group]]
            violation = grow_cluster(groups, records, divisor, max_records, cluster)
            yield violation, cluster
            if violation > MIN_VIOLATION:
                is_covered |= np.append(cluster, True)[groups.members].all(axis=1)
    if 2 * divisor - 1 <= k:  # the smallest clusters that can be violated
        for record in np.flatnonzero(np.diff(groups.start)):
            yield grow_cluster(groups, np.array([record]), divisor, k, cluster), cluster


def violated_clusters(
    columns: Columns,
    weights: Values,
    max_clusters: int,
    divisors: Iterable[int],
    least_saving: float = 0.0,
) -> tuple[Indices, Indices]:
    """Return the clusters that a fractional solution violates most, and their divisors.

    The clusters are padded with -1.
    """
    groups, costs = fractional_groups(columns, weights)
    known_clusters = {
        (tuple(row[row >= 0].tolist()), int(divisor))
        for row, divisor in zip(columns.clusters, columns.divisors, strict=True)
    }
    violated: list[ViolatedCluster] = []
    max_records = columns.clusters.shape[1]
    for divisor in divisors:
        for violation, cluster in grow_clusters(groups, divisor, max_records, columns.k):
            records = tuple(np.flatnonzero(cluster).tolist())
            if violation > MIN_VIOLATION and (records, divisor) not in known_clusters:
                known_clusters.add((records, divisor))
                saving = violation * mean_cost(groups, costs, cluster, divisor)
                if saving > least_saving:
                    violated.append(ViolatedCluster(saving, records, divisor))
    violated.sort(key=lambda cluster: (-cluster.saving, cluster.records, cluster.divisor))
    violated = violated[:max_clusters]
    result = np.full((len(violated), max_records), -1, np.int64)
    for row, violated_cluster in zip(result, violated, strict=True):
        row[: len(violated_cluster.records)] = violated_cluster.records
    return result, np.array([cluster.divisor for cluster in violated], np.int64)
