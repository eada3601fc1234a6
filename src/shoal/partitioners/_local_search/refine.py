"""Descent to a local optimum from any groups: moves of records, then changes of whole groups."""

from collections.abc import Callable

import numpy as np

from shoal import _progress as progress
from shoal._kernels.local_search.grouping import N_QUEUED, VERSION, Grouping
from shoal._kernels.local_search.passes import (
    empty_queue,
    gains_of_gathering,
    open_grouping,
    queue_all_records,
    try_moves,
    try_to_dissolve,
    try_to_gather,
)
from shoal._kernels.mdav import mdav1
from shoal._kernels.spatial.block_order import locality_order
from shoal._kernels.spatial.neighbours import neighbours
from shoal.partitioners._base import Indices, Labels, Matrix, centroids_and_sse, in_order
from shoal.partitioners._second_phase import divide_large

STRIDE = 500  # changes of groups between two reports of progress: a fraction of a second
MOVE_STRIDE = 100_000  # moves of records between two reports of progress
MIN_NEAREST, MAX_NEAREST = 8, 60  # neighbours whose groups a record may move to; more cost memory
MAX_SWEEPS = 20  # moves tried per record in a descent
MAX_PASSES = 2  # over all groups: later ones hardly help
NEW_GROUPS = 1  # new groups tried, as a multiple of n / k


class CutShort(KeyboardInterrupt):
    """The user interrupted the work; ``labels`` are the best groups so far."""

    def __init__(self, labels: Labels):
        super().__init__("refining was cut short")
        self.labels = labels


def refine(X: Matrix, labels: Labels, k: int) -> Labels:
    """Return groups of at least ``k`` with an SSE no higher than that of ``labels``.

    First, records move between neighbouring groups while the SSE falls. Then each group in
    turn is dissolved into its neighbours, and new groups are formed around the most promising
    records. After each change the affected records move again, and the change is undone unless
    the SSE has fallen. This is repeated where groups nearby have changed. The same input gives
    the same groups.

    Ctrl-C raises `CutShort` with the best groups so far.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        Records in comparable units.
    labels : ndarray of shape (n_records,)
        Group of each record; no group is smaller than ``k``.
    k : int
        Least number of records in a group.

    Returns
    -------
    ndarray of shape (n_records,)
        Group of each record, counted from 0 by first records.
    """
    start = in_order(labels)
    if k == 1 or len(X) < 2 * k:
        return start if k > 1 else np.arange(len(X))
    refined_labels, order = start, np.arange(len(X))
    try:
        grouping, order = prepare_grouping(X, start, k, MIN_NEAREST)
        refined_labels = grouping.labels
        improve(grouping, k)
    except KeyboardInterrupt:  # the groups are valid after every stride
        raise CutShort(lower_sse(X, start, refined_labels[np.argsort(order)])) from None
    return lower_sse(X, start, refined_labels[np.argsort(order)])


def prepare_grouping(
    X: Matrix, labels: Labels, k: int, min_nearest: int
) -> tuple[Grouping, Indices]:
    """Return the state of a local search, and the order in which it holds the records.

    Groups of 2k records or more are divided. A record may move to the groups of 1.5 k nearest
    neighbours, at least ``min_nearest``. Near records are held near each other, for the memory
    cache.
    """
    nearest = max(min_nearest, min(k + k // 2, MAX_NEAREST))
    divided_labels = labels.copy()
    divide_large(X, divided_labels, k, mdav1)
    Z = centre_and_scale(X)
    near = neighbours(Z, min(len(X) - 1, nearest))
    order = locality_order(Z)
    rank = np.argsort(order)
    return open_grouping(Z[order], rank[near[order]], in_order(divided_labels[order]), k), order


def centre_and_scale(X: Matrix) -> Matrix:
    """Return the differences to the first record, divided by a power of two.

    Without that, squares of very large or small values would overflow or underflow.
    """
    differences = X - X[0]
    exponent = int(np.frexp(np.abs(differences).max())[1])
    return np.ascontiguousarray(np.ldexp(differences, -exponent))


def improve(grouping: Grouping, k: int) -> None:
    """Lower the SSE: move records, then change whole groups until nothing helps."""
    groups, n = np.arange(len(grouping.sizes)), len(grouping.X)
    # When each group and each record was last tried, in versions of the grouping.
    dissolve_versions, gather_versions = np.full(len(groups), -1), np.full(n, -1)
    descend_all(grouping, k)
    for _ in range(MAX_PASSES):
        decrease = _in_strides(
            try_to_dissolve, grouping, k, groups, dissolve_versions, "dissolving groups"
        )
        centres = _promising_centres(grouping, k)
        decrease += _in_strides(
            try_to_gather, grouping, k, centres, gather_versions, "gathering groups"
        )
        if not descend_all(grouping, k) and not decrease:
            break


def descend_all(grouping: Grouping, k: int) -> bool:
    """Move records while the SSE falls; return whether any moved."""
    n, before = len(grouping.X), grouping.counts[VERSION]
    queue_all_records(grouping, k)
    for _ in range(MAX_SWEEPS * n // MOVE_STRIDE + 1):
        if not grouping.counts[N_QUEUED]:
            break
        try_moves(grouping, k, MOVE_STRIDE)
        progress.report("moving records", n - int(grouping.counts[N_QUEUED]), n)
    empty_queue(grouping, k)
    return bool(grouping.counts[VERSION] != before)


def _in_strides(
    try_changes: Callable[[Grouping, int, Indices, Indices], float],
    grouping: Grouping,
    k: int,
    candidates: Indices,
    last_tried: Indices,
    stage: str,
) -> float:
    """Run a pass over ``candidates``, a stride at a time; return the decrease of the SSE."""
    decrease, n = 0.0, len(candidates)
    for start in range(0, n, STRIDE):
        chunk = candidates[start : start + STRIDE]
        decrease += try_changes(grouping, k, chunk, last_tried)
        progress.report(stage, min(start + STRIDE, n), n)
    return decrease


def _promising_centres(grouping: Grouping, k: int) -> Indices:
    """Return the records around which a new group may lower the SSE most."""
    if grouping.near.shape[1] < k - 1:
        return np.empty(0, np.int64)
    order = np.argsort(-gains_of_gathering(grouping, k), kind="stable")
    return np.sort(order[: NEW_GROUPS * len(order) // k])  # in the order of memory, which is faster


def lower_sse(X: Matrix, start: Labels, refined_labels: Labels) -> Labels:
    """Return the groups with the lower SSE, computed from scratch; ties go to ``start``."""
    Z, refined_labels = centre_and_scale(X), in_order(refined_labels)
    has_lower_sse = centroids_and_sse(Z, refined_labels)[1] < centroids_and_sse(Z, start)[1]
    return refined_labels if has_lower_sse else start
