"""Set partitioning: the best partition into groups that a search met, by integer programming.

This moves records over long distances, which local moves cannot do. An integer programme for a
whole table takes too long, so one is solved for each of several overlapping regions in turn.
"""

from typing import TYPE_CHECKING

import numpy as np

from shoal import _progress as progress
from shoal._kernels.leftovers import group_centroids
from shoal._kernels.local_search.annealing import pool_sse
from shoal.partitioners._base import Indices, Labels, Matrix, Values, in_order, squared_distances
from shoal.partitioners._integer_programme import solve

if TYPE_CHECKING:
    from highspy import Highs

REGION = 400  # greatest number of records of a region
MAX_GROUPS = 1000  # greatest number of candidate groups of a region
OVERLAP = 4  # approximate number of regions that contain a record
MAX_NODES = 20  # of branch and bound: a limit in nodes is reproducible, one in seconds is not
MIN_GAIN = 1e-9  # share of the SSE that new groups must save


def select_groups_by_region(X: Matrix, pool: Indices, labels: Labels, max_regions: int) -> Labels:
    """Return groups of a pool, or of ``labels``, with an SSE no higher than that of ``labels``.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units, in an order in which near records are near each other.
    pool : ndarray of shape (n_groups, max_size)
        Records of each group, padded with -1.
    labels : ndarray of shape (n_records,)
        Group of each record.
    max_regions : int
        Greatest number of regions, each with an integer programme.

    Returns
    -------
    ndarray of shape (n_records,)
        Group of each record, counted from 0 by first records.
    """
    n, labels = len(X), in_order(labels)
    pool = np.unique(-np.sort(-pool, axis=1), axis=0)
    n_regions = 1 if n <= REGION else min(max_regions, -(-OVERLAP * n // REGION))
    for region in range(n_regions):
        progress.report("choosing groups", region, n_regions)
        centre = int((region + 0.5) * n / n_regions)
        labels = in_order(_select_around(X, pool, labels, centre))
    return labels


def _select_around(X: Matrix, pool: Indices, labels: Labels, centre: int) -> Labels:
    """Return the groups, with better ones around the record ``centre`` if there are any."""
    records, groups = _region(X, pool, labels, centre)
    groups = np.vstack([groups, _groups_of(records, labels, pool.shape[1])])
    costs = pool_sse(X, groups)
    current_sse = costs[-len(np.unique(labels[records])) :].sum()
    if current_sse == 0:
        return labels
    # Costs of about 1 per record suit the tolerances of the solver.
    scaled_costs = costs * (len(records) / current_sse)
    selected = _solve(scaled_costs, _memberships(groups, records, len(X)))
    groups = groups[selected]
    is_partition = (groups >= 0).sum() == len(records)
    if costs[selected].sum() >= current_sse * (1 - MIN_GAIN) or not is_partition:
        return labels
    new_labels = labels.copy()
    for label, group in enumerate(groups, start=len(X)):
        new_labels[group[group >= 0]] = label
    return new_labels


def _region(X: Matrix, pool: Indices, labels: Labels, centre: int) -> tuple[Indices, Indices]:
    """Return the records of the groups nearest to ``centre``, and the candidate groups of these.

    The region is halved until there are at most ``MAX_GROUPS`` candidates.
    """
    means, sizes = group_centroids(X, labels, labels.max() + 1)
    nearest = np.argsort(squared_distances(means, X[centre]), kind="stable")
    max_records = REGION
    while True:
        n_fitting = np.searchsorted(np.cumsum(sizes[nearest]), max_records, side="right")
        n_groups = max(2, int(n_fitting))
        # The last entry stands for padding.
        is_inside = np.append(np.isin(labels, nearest[:n_groups]), True)
        groups = pool[is_inside[pool].all(axis=1)]
        if len(groups) <= MAX_GROUPS or n_groups == 2:
            return np.flatnonzero(is_inside[:-1]), groups[:MAX_GROUPS]
        max_records //= 2


def _groups_of(records: Indices, labels: Labels, max_size: int) -> Indices:
    """Return the groups of some records as rows of a pool, padded with -1."""
    own_labels = in_order(labels[records])
    groups = np.full((own_labels.max() + 1, max_size), -1)
    for row, group in enumerate(groups):
        members = records[own_labels == row]
        group[: len(members)] = members
    return groups


def _memberships(groups: Indices, records: Indices, n: int) -> Indices:
    """Return pairs (record, group), one per member, in order of groups.

    Records are numbered by their positions in ``records``, and ``n`` is their number in the table.
    """
    position = np.full(n, -1)
    position[records] = np.arange(len(records))
    group_numbers, members = np.nonzero(groups >= 0)
    return np.column_stack([position[groups[group_numbers, members]], group_numbers])


def _solve(costs: Values, memberships: Indices) -> Indices:
    """Return the groups of least total cost that cover every record once.

    The result is empty if the solver finds none within its limit of nodes.
    """
    highs = _set_partitioning_problem(costs, memberships)
    highs.setOptionValue("mip_rel_gap", 1e-7)
    highs.setOptionValue("mip_max_nodes", MAX_NODES)
    solve(highs, np.inf, lambda: None)
    solution = highs.getSolution()
    if not solution.value_valid:
        return np.empty(0, np.int64)
    return np.flatnonzero(np.array(solution.col_value) > 0.5)


def _set_partitioning_problem(costs: Values, memberships: Indices) -> "Highs":
    """Return the problem: a binary column per group, and a row per record that equals 1."""
    from highspy import Highs, HighsVarType

    highs = Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    n_records, n_groups = int(memberships[:, 0].max()) + 1, len(costs)
    ones, no_entries = np.ones(n_records), np.empty(0, np.int32)
    highs.addRows(n_records, ones, ones, 0, np.zeros(n_records, np.int32), no_entries, np.empty(0))
    highs.addCols(
        n_groups,
        costs,
        np.zeros(n_groups),
        np.ones(n_groups),
        len(memberships),
        np.searchsorted(memberships[:, 1], np.arange(n_groups)).astype(np.int32),
        memberships[:, 0].astype(np.int32),
        np.ones(len(memberships)),
    )
    kinds = np.full(n_groups, HighsVarType.kInteger)
    highs.changeColsIntegrality(n_groups, np.arange(n_groups, dtype=np.int32), kinds)
    return highs
