"""Groups in which k counts units, such as persons or firms, that may have several records."""

import numpy as np
from sklearn.base import clone

from shoal import _progress as progress
from shoal._kernels.spatial.box_tree import BoxTree, build_tree
from shoal._kernels.units.descent import MAX_NEAR_GROUPS, LastTrials, try_moves
from shoal._kernels.units.groups import UnitGroups, open_unit_groups
from shoal._kernels.units.repair import dissolve_if_cheaper, repair_groups, split_groups
from shoal.errors import InputError
from shoal.partitioners._base import Indices, Labels, Matrix, Partition, Partitioner, in_order, sse
from shoal.partitioners._local_search.refine import centre_and_scale

STRIDE = 2000  # groups or records between two reports of progress
MAX_PASSES = 4  # passes of splitting, moving and dissolving: further ones hardly help
MAX_SWEEPS = 20  # times that all records are tried in one pass


def group_units(X: Matrix, units: Labels, partitioner: Partitioner) -> Partition:
    """Group records so that every group has records of at least k units.

    If all groups of the method have k units, they are returned as they are. Otherwise groups with
    fewer than k units are repaired: they are merged with a near group, dissolved, or extended by
    records of other groups, whichever raises the SSE least. Then records move and are exchanged
    while the SSE falls and every group keeps k units. The method is also run on the distinct
    records of each unit, since equal records would otherwise form groups of one unit, and the
    better of the two results is returned.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units of measurement.
    units : ndarray of shape (n_records,)
        The unit of each record, as a number.
    partitioner : Partitioner
        Makes the groups to start from, and has the minimum number of units as its ``k``. It is
        fitted.

    Returns
    -------
    Partition
        Groups of at least k units, so of at least k records.

    Examples
    --------
    >>> from shoal.partitioners import MDAV
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> group_units(X, np.array([1, 1, 2, 3, 3, 3]), MDAV(k=2)).sizes
    array([2, 4])
    """
    k = int(partitioner.k)
    unit_codes = np.unique(units, return_inverse=True)[1].ravel()
    n_units = int(unit_codes.max()) + 1
    if n_units < k:
        raise InputError(
            f"A group needs k={k} units but the data hold only {n_units:,}. Lower k, or merge the"
            " strata.",
            code="too-few-units",
            k=k,
            units=n_units,
        )
    start_labels = np.asarray(partitioner.fit(X).labels_)
    if fewest_units(start_labels, unit_codes) >= k:
        return Partition(start_labels.copy(), k)
    candidates = [ensure_units(X, start_labels, unit_codes, k)]
    first, inverse = _distinct_records(X, unit_codes)
    if k <= len(first) < len(X):
        start_labels = np.asarray(clone(partitioner).fit(np.ascontiguousarray(X[first])).labels_)
        candidates.append(ensure_units(X, start_labels[inverse], unit_codes, k))
    return Partition(min(candidates, key=lambda labels: sse(X, labels)), k)


def ensure_units(X: Matrix, labels: Labels, units: Labels, k: int) -> Labels:
    """Return groups similar to ``labels`` that each have at least ``k`` of the ``units``.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units of measurement.
    labels : ndarray of shape (n_records,)
        The groups to start from.
    units : ndarray of shape (n_records,)
        The unit of each record, numbered from 0 on; at least ``k`` different ones.
    k : int
        Minimum number of units in a group.

    Returns
    -------
    ndarray of shape (n_records,)
        Group of each record, numbered by first records; each group has k to 2k - 1 units.
    """
    labels = in_order(labels)
    Z = centre_and_scale(X) if np.ptp(X) > 0 else np.zeros(X.shape)
    labels = _repair_groups(Z, labels, units, k)
    for _ in range(MAX_PASSES):
        groups, tree = _open_groups(Z, labels, units, k)
        n_moved = _move_records(groups, tree, k)
        n_dissolved = dissolve_if_cheaper(groups, tree, k, np.arange(int(groups.labels.max()) + 1))
        labels = in_order(groups.labels)
        if not n_moved and not n_dissolved:
            break
    groups = open_unit_groups(Z, units, labels, _max_groups(labels, k))
    split_groups(groups, k, int(labels.max()) + 1, True)
    return in_order(groups.labels)


def fewest_units(labels: Labels, units: Labels) -> int:
    """Return the smallest number of distinct units in a group or class."""
    pairs = np.unique(np.column_stack([labels, units]), axis=0)
    return int(np.bincount(pairs[:, 0]).min())


def _distinct_records(X: Matrix, units: Labels) -> tuple[Indices, Indices]:
    """Return the first of equal records of a unit, and the position of the first of each record."""
    _, first, inverse = np.unique(
        np.column_stack([units, X]), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    rank = np.empty(len(first), np.int64)
    rank[order] = np.arange(len(first))
    return first[order], rank[inverse.ravel()]


def _repair_groups(X: Matrix, labels: Labels, units: Labels, k: int) -> Labels:
    """Return groups that all have at least k units."""
    n_groups = int(labels.max()) + 1
    groups = open_unit_groups(X, units, labels, n_groups)
    tree = build_tree(groups.centroids)
    queue = np.flatnonzero(groups.n_units < k)
    for start in range(0, len(queue), STRIDE):
        repair_groups(groups, tree, k, queue, start, min(start + STRIDE, len(queue)))
        progress.report("repairing groups", min(start + STRIDE, len(queue)), len(queue))
    return in_order(groups.labels)


def _open_groups(X: Matrix, labels: Labels, units: Labels, k: int) -> tuple[UnitGroups, BoxTree]:
    """Return the state of a local search, and a tree of the centroids; divide large groups."""
    groups = open_unit_groups(X, units, labels, _max_groups(labels, k))
    # Groups of equal records are not divided, since the new groups would be each other's nearest.
    n_groups = split_groups(groups, k, int(labels.max()) + 1, False)
    return groups, build_tree(groups.centroids[:n_groups].copy())


def _max_groups(labels: Labels, k: int) -> int:
    """Return the greatest possible number of groups, plus one."""
    return max(int(labels.max()) + 1, len(labels) // k) + 1


def _move_records(groups: UnitGroups, tree: BoxTree, k: int) -> int:
    """Move records while the SSE falls; return the number of moves."""
    n, n_total = len(groups.X), 0
    last_trials = LastTrials(np.full(n, -1), np.full((n, MAX_NEAR_GROUPS), -1))
    for _ in range(MAX_SWEEPS):
        n_moved = 0
        for start in range(0, n, STRIDE):
            n_moved += try_moves(groups, tree, k, last_trials, start, min(start + STRIDE, n))
            progress.report("moving records", min(start + STRIDE, n), n)
        n_total += n_moved
        if not n_moved:
            break
    return n_total
