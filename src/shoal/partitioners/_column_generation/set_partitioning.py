"""The best partition into groups that a search met, by integer programming.

This moves records over long distances, which local moves cannot do. An integer programme for a
whole table takes too long, so it is solved for one region after the other.
"""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.leftovers import group_centroids
from shoal._kernels.local_search.annealing import pool_sse
from shoal.partitioners._base import Indices, Labels, Matrix, Values, in_order, squared_distances
from shoal.partitioners._column_generation.master_problem import whole_groups
from shoal.partitioners.integer_programme import solve

REGION = 400  # most records of a region
MAX_GROUPS = 1000  # candidate groups of a region
OVERLAP = 4  # approximate number of regions that contain a record
MAX_NODES = 20  # a limit in nodes is reproducible, one in seconds is not
MIN_GAIN = 1e-9  # share of the SSE that new groups must save


def select_groups_by_region(X: Matrix, pool: Indices, labels: Labels, max_regions: int) -> Labels:
    """Return groups with an SSE no higher than that of ``labels``, from these and a pool.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units, in an order in which near records are near each other.
    pool : ndarray of shape (n_groups, n_places)
        Records of each group, padded with -1.
    labels : ndarray of shape (n_records,)
        Group of each record.
    max_regions : int
        Most regions to solve an integer programme for.

    Returns
    -------
    ndarray of shape (n_records,)
        Group of each record, counted from 0 by first records.
    """
    n, labels = len(X), in_order(labels)
    pool = np.unique(-np.sort(-pool, axis=1), axis=0)
    regions = 1 if n <= REGION else min(max_regions, -(-OVERLAP * n // REGION))
    for done in range(regions):
        progress.report("choosing groups", done, regions)
        centre = int((done + 0.5) * n / regions)
        labels = in_order(_select_around(X, pool, labels, centre))
    return labels


def _select_around(X: Matrix, pool: Indices, labels: Labels, centre: int) -> Labels:
    """Return the groups, with better ones around a record if there are any."""
    records, groups = _region(X, pool, labels, centre)
    groups = np.vstack([groups, _groups_of(records, labels, pool.shape[1])])
    costs = pool_sse(X, groups)
    current = costs[-len(np.unique(labels[records])) :].sum()
    if current == 0:
        return labels
    selected = _solve(costs * (len(records) / current), _cover(groups, records, len(X)))
    groups = groups[selected]
    if costs[selected].sum() >= current * (1 - MIN_GAIN) or (groups >= 0).sum() != len(records):
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
    size = REGION
    while True:
        count = max(2, int(np.searchsorted(np.cumsum(sizes[nearest]), size, side="right")))
        inside = np.append(np.isin(labels, nearest[:count]), True)  # the last stands for padding
        groups = pool[inside[pool].all(axis=1)]
        if len(groups) <= MAX_GROUPS or count == 2:
            return np.flatnonzero(inside[:-1]), groups[:MAX_GROUPS]
        size //= 2


def _groups_of(records: Indices, labels: Labels, places: int) -> Indices:
    """Return the groups of some records as rows of a pool."""
    own_labels = in_order(labels[records])
    groups = np.full((own_labels.max() + 1, places), -1)
    for row, group in enumerate(groups):
        members = records[own_labels == row]
        group[: len(members)] = members
    return groups


def _cover(groups: Indices, records: Indices, n: int) -> Indices:
    """Return a row per member: its position in ``records`` and its group, in order of groups."""
    position = np.full(n, -1)
    position[records] = np.arange(len(records))
    group_numbers, places = np.nonzero(groups >= 0)
    return np.column_stack([position[groups[group_numbers, places]], group_numbers])


def _solve(costs: Values, cover: Indices) -> Indices:
    """Return the groups of least total cost that cover every record once.

    The result is empty if the solver finds none within its limit of nodes.
    """
    highs = whole_groups(costs, cover)
    highs.setOptionValue("mip_rel_gap", 1e-7)
    highs.setOptionValue("mip_max_nodes", MAX_NODES)
    solve(highs, np.inf, lambda: None)
    solution = highs.getSolution()
    if not solution.value_valid:
        return np.empty(0, np.int64)
    return np.flatnonzero(np.array(solution.col_value) > 0.5)
