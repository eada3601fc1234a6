"""Groups of records in which k counts units: persons, households or firms with several records."""

import numpy as np
from sklearn.base import clone

from shoal import _progress as progress
from shoal._kernels.spatial.box_tree import BoxTree, build_tree
from shoal._kernels.unit_descent import NEAR, sweep
from shoal._kernels.unit_groups import UnitGroups, open_unit_groups
from shoal._kernels.unit_repair import dissolve_worthwhile, mend_all, split_all
from shoal.errors import InputError
from shoal.partitioners._base import Labels, Matrix, Partition, Partitioner, in_order, sse
from shoal.partitioners.refine import in_own_units

STRIDE = 2000  # groups or records between two reports of progress
PASSES = 4  # splits, moves and dissolutions, at most: later passes hardly help
SWEEPS = 20  # over all records, at most, in one pass


def group_units(X: Matrix, units: Labels, partitioner: Partitioner) -> Partition:
    """Group records so that every group holds at least k different units.

    A method groups the records; records of one unit that are equal count once, for they
    would make groups of one unit. Groups with fewer than k units are then mended: they
    join a near group, dissolve, or borrow records, whichever raises the SSE the least.
    After that records move and change places while the SSE falls and every group keeps k units.
    Where the groups of the method hold k units already, they stay as they are.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units of measurement.
    units : ndarray of shape (n_records,)
        The unit of each record, as a number.
    partitioner : Partitioner
        Makes the groups to start from, and says k; it is fitted.

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
    person = np.unique(units, return_inverse=True)[1].ravel()
    number = int(person.max()) + 1
    if number < k:
        raise InputError(
            f"A group needs k={k} units but the data hold only {number}. Lower k, or merge the"
            " strata.",
            code="too-few-units",
            k=k,
            units=number,
        )
    start = np.asarray(partitioner.fit(X).labels_)
    if fewest_units(start, person) >= k:
        return Partition(start.copy(), k)
    found = [hold_units(X, start, person, k)]
    once, again = _distinct(X, person)
    if k <= len(once) < len(X):
        start = np.asarray(clone(partitioner).fit(np.ascontiguousarray(X[once])).labels_)
        found.append(hold_units(X, start[again], person, k))
    return Partition(min(found, key=lambda labels: sse(X, labels)), k)


def hold_units(X: Matrix, labels: Labels, units: Labels, k: int) -> Labels:
    """Return groups near those of ``labels`` that each hold at least ``k`` of the ``units``.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units of measurement.
    labels : ndarray of shape (n_records,)
        The groups to start from.
    units : ndarray of shape (n_records,)
        The unit of each record, numbered from 0 on; at least ``k`` different ones.
    k : int
        Least number of units in a group.

    Returns
    -------
    ndarray of shape (n_records,)
        Group of each record, counted from 0 by first records; each holds k to 2k - 1 units.
    """
    labels = in_order(labels)
    own = in_own_units(X) if np.ptp(X) > 0 else np.zeros(X.shape)
    labels = _mended(own, labels, units, k)
    for _ in range(PASSES):
        groups, tree = _opened(own, labels, units, k)
        moved = _moved(groups, tree, k)
        gone = dissolve_worthwhile(groups, tree, k, np.arange(int(groups.labels.max()) + 1))
        labels = in_order(groups.labels)
        if not moved and not gone:
            break
    groups = open_unit_groups(own, units, labels, _room(labels, k))
    split_all(groups, k, int(labels.max()) + 1, True)
    return in_order(groups.labels)


def fewest_units(labels: Labels, units: Labels) -> int:
    """Return the least number of different units in a group or class."""
    pairs = np.unique(np.column_stack([labels, units]), axis=0)
    return int(np.bincount(pairs[:, 0]).min())


def _distinct(X: Matrix, units: Labels) -> tuple[Labels, Labels]:
    """Return one record of each unit and value, in order, and which of these each record equals."""
    _, once, again = np.unique(
        np.column_stack([units, X]), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(once)
    rank = np.empty(len(once), np.int64)
    rank[order] = np.arange(len(once))
    return once[order], rank[again.ravel()]


def _mended(X: Matrix, labels: Labels, units: Labels, k: int) -> Labels:
    """Return groups that all hold k units."""
    number = int(labels.max()) + 1
    groups = open_unit_groups(X, units, labels, number)
    tree = build_tree(groups.centroids)
    queue = np.flatnonzero(groups.distinct < k)
    for start in range(0, len(queue), STRIDE):
        mend_all(groups, tree, k, queue, start, min(start + STRIDE, len(queue)))
        progress.report("mending groups", min(start + STRIDE, len(queue)), len(queue))
    return in_order(groups.labels)


def _opened(X: Matrix, labels: Labels, units: Labels, k: int) -> tuple[UnitGroups, BoxTree]:
    """Return groups that can change, none of 2k units or more, and a tree of their centroids."""
    groups = open_unit_groups(X, units, labels, _room(labels, k))
    # Groups of equal records stay whole here: in pieces they would hide all other groups nearby.
    number = split_all(groups, k, int(labels.max()) + 1, False)
    return groups, build_tree(groups.centroids[:number].copy())


def _room(labels: Labels, k: int) -> int:
    """Return how many groups there may be."""
    return max(int(labels.max()) + 1, len(labels) // k) + 1


def _moved(groups: UnitGroups, tree: BoxTree, k: int) -> int:
    """Let records move while the SSE falls; return how many did."""
    n, total = len(groups.X), 0
    tried, seen = np.full(n, -1), np.full((n, NEAR), -1)
    for _ in range(SWEEPS):
        moved = 0
        for start in range(0, n, STRIDE):
            moved += sweep(groups, tree, k, tried, seen, start, min(start + STRIDE, n))
            progress.report("moving records", min(start + STRIDE, n), n)
        total += moved
        if not moved:
            break
    return total
