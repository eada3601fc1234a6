"""Separation: the subset-row cuts that a fractional solution violates.

`violated_clusters` grows clusters by a heuristic (see
`shoal._kernels.column_generation.cluster_separation`), with different divisors, and ranks them by
their *saving*: the violation times the mean cost of the groups that the cut limits.
`violated_triples` enumerates the triples of records that share fractional groups.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.column_generation.cluster_separation import FractionalGroups, grow_cluster
from shoal.partitioners._base import Indices, Values
from shoal.partitioners._column_generation.columns import Columns, incidence

WEIGHT_TOLERANCE = 1e-6  # distance from 0 or 1 up to which a weight counts as a whole number
MIN_VIOLATION = 0.02  # amount by which the weights must exceed the right-hand side of a cut
MAX_STARTS = 500  # fractional groups from which clusters are grown
MAX_PAIRS = 40_000  # pairs of records in the fractional groups that are searched for triples


class ViolatedCluster(NamedTuple):
    """A cluster whose cut a fractional solution violates, its divisor, and what the cut saves."""

    saving: float
    records: tuple[int, ...]
    divisor: int


def find_fractional(weights: Values) -> Indices:
    """Return the columns with a weight between 0 and 1."""
    return np.flatnonzero((weights > WEIGHT_TOLERANCE) & (weights < 1 - WEIGHT_TOLERANCE))


def fractional_groups(columns: Columns, weights: Values) -> tuple[FractionalGroups, Values]:
    """Return the groups with a weight between 0 and 1, and their costs, most expensive first."""
    fractional = find_fractional(weights)
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
    """Return the mean cost of the groups that the cut of a cluster limits.

    Each group is weighted by its weight times the number of times that it counts in the cut.
    """
    # The last position stands for -1, the padding of shorter groups.
    n_inside = np.append(cluster, False)[groups.members].sum(axis=1)
    return float(np.average(costs, weights=n_inside // divisor * groups.weights))


def grow_clusters(
    groups: FractionalGroups, divisor: int, max_records: int, k: int
) -> Iterator[tuple[float, NDArray[np.bool_]]]:
    """Yield clusters of at most ``max_records`` records and by how much each cut is violated.

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
                # The last position stands for -1, no record.
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
    clusters = np.full((len(violated), max_records), -1, np.int64)
    for row, violated_cluster in zip(clusters, violated, strict=True):
        row[: len(violated_cluster.records)] = violated_cluster.records
    return clusters, np.array([cluster.divisor for cluster in violated], np.int64)


def violated_triples(columns: Columns, weights: Values, max_triples: int) -> Indices:
    """Return the triples that a fractional solution violates most, in that order."""
    fractional = find_fractional(weights)
    heaviest = np.argsort(-weights[fractional], kind="stable")
    fractional = fractional[heaviest[: MAX_PAIRS // columns.k**2]]
    groups = [[i for i in row if i >= 0] for row in columns.members[fractional].tolist()]
    near: dict[int, set[int]] = {}  # the records that share a fractional group with each record
    for group in groups:
        for record in group:
            near.setdefault(record, set()).update(group)
    triple_weight: dict[tuple[int, ...], float] = {}
    for group, weight in zip(groups, weights[fractional].tolist(), strict=True):
        touched_triples = {
            tuple(sorted((first, second, third)))
            for first, second in combinations(group, 2)
            for third in (near[first] | near[second]) - {first, second}
        }
        for triple in touched_triples:
            triple_weight[triple] = triple_weight.get(triple, 0.0) + weight
    for triple in map(tuple, columns.triples.tolist()):
        triple_weight.pop(triple, None)
    violated = sorted(
        (-weight, triple) for triple, weight in triple_weight.items() if weight > 1 + MIN_VIOLATION
    )
    return np.array([triple for _, triple in violated[:max_triples]], np.int64).reshape(-1, 3)
