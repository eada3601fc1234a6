"""The best partition among groups that a search met, by integer programming.

Records that are too many in one place and too few in another move over long
distances here, where local moves do not lead. A programme of a whole table takes too
long, so one region after the other is chosen again.
"""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.leftovers import group_means
from shoal._kernels.local_search.annealing import pool_sse
from shoal.partitioners._base import Labels, Matrix, in_order
from shoal.partitioners._column_generation.master_problem import solve, whole_groups

REGION = 400  # records that are chosen for at a time, at most
MOST = 1000  # groups that are chosen among at a time
OVERLAP = 4  # regions that a record is in, about
NODES = 20  # a limit in nodes repeats, one in seconds does not
ROUNDING = 1e-9  # share of the SSE that a choice must save


def choose(X: Matrix, pool: Labels, labels: Labels, most: int) -> Labels:
    """Return groups that lose no more than ``labels``, from these groups and those of a pool.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units; those that lie close together stand close together.
    pool : ndarray of shape (n_groups, n_places)
        Records of each group, filled up with -1.
    labels : ndarray of shape (n_records,)
        Group of each record.
    most : int
        Number of regions that are chosen again, at most.

    Returns
    -------
    ndarray of shape (n_records,)
        Group of each record, counted from 0 by first records.
    """
    n, labels = len(X), in_order(labels)
    pool = np.unique(-np.sort(-pool, axis=1), axis=0)
    regions = 1 if n <= REGION else min(most, -(-OVERLAP * n // REGION))
    for done in range(regions):
        progress.report("choosing groups", done, regions)
        centre = int((done + 0.5) * n / regions)
        labels = in_order(_choose_around(X, pool, labels, centre))
    return labels


def _choose_around(X: Matrix, pool: Labels, labels: Labels, centre: int) -> Labels:
    """Return the groups, those around a record chosen again."""
    records, groups = _region(X, pool, labels, centre)
    groups = np.vstack([groups, _groups_of(records, labels, pool.shape[1])])
    costs = pool_sse(X, groups)
    now = costs[-len(np.unique(labels[records])) :].sum()
    if now == 0:
        return labels
    chosen = _solve(costs * (len(records) / now), _cover(groups, records, len(X)))
    groups = groups[chosen]
    if costs[chosen].sum() >= now * (1 - ROUNDING) or (groups >= 0).sum() != len(records):
        return labels
    chosen_labels = labels.copy()
    for label, group in enumerate(groups, start=len(X)):
        chosen_labels[group[group >= 0]] = label
    return chosen_labels


def _region(X: Matrix, pool: Labels, labels: Labels, centre: int) -> tuple[Labels, Labels]:
    """Return the records of the groups nearest to one record, and the groups of these alone.

    It is as large as the groups to choose among are not too many.
    """
    means, sizes = group_means(X, labels, labels.max() + 1)
    nearest = np.argsort(np.square(means - X[centre]).sum(axis=1), kind="stable")
    size = REGION
    while True:
        count = max(2, int(np.searchsorted(np.cumsum(sizes[nearest]), size, side="right")))
        values = np.append(np.isin(labels, nearest[:count]), True)  # the last for empty places
        groups = pool[values[pool].all(axis=1)]
        if len(groups) <= MOST or count == 2:
            return np.flatnonzero(values[:-1]), groups[:MOST]
        size //= 2


def _groups_of(records: Labels, labels: Labels, places: int) -> Labels:
    """Return the groups of some records as rows of a pool."""
    own = in_order(labels[records])
    groups = np.full((own.max() + 1, places), -1)
    for row, group in enumerate(groups):
        members = records[own == row]
        group[: len(members)] = members
    return groups


def _cover(groups: Labels, records: Labels, n: int) -> Labels:
    """Return a row per member: its place among ``records`` and its group, in order of groups."""
    place = np.full(n, -1)  # records of other regions have none
    place[records] = np.arange(len(records))
    columns, places = np.nonzero(groups >= 0)
    return np.column_stack([place[groups[columns, places]], columns])


def _solve(costs: Matrix, cover: Labels) -> Labels:
    """Return the groups with the least sum of costs that cover every record once.

    There are none if the solver met no such groups within its limit of nodes.
    """
    highs = whole_groups(costs, cover)
    highs.setOptionValue("mip_rel_gap", 1e-7)
    highs.setOptionValue("mip_max_nodes", NODES)
    solve(highs, np.inf, lambda: None)
    solution = highs.getSolution()
    if not solution.value_valid:
        return np.empty(0, np.int64)
    return np.flatnonzero(np.array(solution.col_value) > 0.5)
