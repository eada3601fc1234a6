"""Better groups from any groups: a descent, then trials that change whole groups."""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.leftovers import group_means
from shoal._kernels.local_search.grouping import N_QUEUED, VERSION, Grouping
from shoal._kernels.local_search.passes import (
    CLEAR,
    DESCEND,
    DISSOLVE,
    GAINS,
    GATHER,
    NO_NUMBERS,
    QUEUE,
    open_grouping,
    run_pass,
)
from shoal._kernels.mdav import mdav1
from shoal._kernels.spatial.block_order import order_by_halving
from shoal._kernels.spatial.neighbours import neighbours
from shoal.partitioners._base import Labels, Matrix, in_order
from shoal.partitioners._second_phase import divide_large

STRIDE = 500  # trials between two reports of progress: a fraction of a second
MOVES = 100_000  # the same, in moves tried
NEAREST = 8  # others of a record whose groups it may move to, at least
MOST = 60  # the same, at most: memory grows with it
SWEEPS = 20  # moves tried by a record in a descent, at most
PASSES = 2  # over all groups, at most: later ones hardly help
GATHERED = 1  # new groups tried, as a multiple of the groups there may be


class CutShort(KeyboardInterrupt):
    """Somebody wanted an end; ``labels`` are the best groups until then."""

    def __init__(self, labels: Labels):
        super().__init__("refining was cut short")
        self.labels = labels


def refine(X: Matrix, labels: Labels, k: int) -> Labels:
    """Return groups of at least ``k`` with an SSE no higher than that of ``labels``.

    First, records move between the groups of near records while the SSE falls. Then
    each group in turn is dissolved into near groups, and a new group is tried
    around the records that promise most; what was touched descends again, and
    all is as before unless the SSE fell. That is repeated where something changed
    nearby. The same input gives the same groups.

    Ctrl-C ends the work early: `CutShort` holds the best groups so far.

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
    refined, order = start, np.arange(len(X))
    try:
        grouping, order = prepared(X, start, k, max(NEAREST, min(k + k // 2, MOST)))
        refined = grouping.labels
        improve(grouping, k)
    except KeyboardInterrupt:  # the groups are whole after every stride
        raise CutShort(better(X, start, refined[np.argsort(order)])) from None
    return better(X, start, refined[np.argsort(order)])


def prepared(X: Matrix, labels: Labels, k: int, nearest: int) -> tuple[Grouping, Labels]:
    """Return groups that can change, none of 2k records or more, and the order of their records.

    A record may move to the groups of so many nearest others. Records that lie close
    together stand close together in that order, and so in memory.
    """
    divided = labels.copy()
    divide_large(X, divided, k, mdav1)
    units = in_own_units(X)
    near = neighbours(units, min(len(X) - 1, nearest))
    order = close_together(units)
    place = np.argsort(order)
    return open_grouping(units[order], place[near[order]], in_order(divided[order]), k), order


def close_together(X: Matrix) -> Labels:
    """Return the records in an order in which those that lie close together stand so."""
    order = np.arange(len(X))
    no_shells = np.zeros(len(X))
    order_by_halving(np.column_stack([X, no_shells]).astype(np.float32), order)
    return order


def in_own_units(X: Matrix) -> Matrix:
    """Return the records seen from the first, divided by a power of two.

    Squares of huge values would not fit into a float64, those of tiny ones would vanish.
    """
    return np.ascontiguousarray(np.ldexp(X - X[0], -_power(X)))


def _power(X: Matrix) -> int:
    return int(np.frexp(np.abs(X - X[0]).max())[1])


def improve(grouping: Grouping, k: int) -> None:
    """Lower the SSE of groups: the descent, then trials until none helps."""
    groups, records = np.arange(len(grouping.sizes)), len(grouping.X)
    dissolved, gathered = np.full(len(groups), -1), np.full(records, -1)
    descend_all(grouping, k)
    for _ in range(PASSES):
        fall = _in_strides(DISSOLVE, grouping, k, groups, dissolved, "dissolving groups")
        centres = _centres(grouping, k)
        fall += _in_strides(GATHER, grouping, k, centres, gathered, "gathering groups")
        if not descend_all(grouping, k) and not fall:
            break


def descend_all(grouping: Grouping, k: int) -> bool:
    """Move records while the SSE falls; say whether some moved."""
    n, before = len(grouping.X), grouping.counts[VERSION]
    run_pass(grouping, k, QUEUE, NO_NUMBERS, NO_NUMBERS, 0)
    for _ in range(SWEEPS * n // MOVES + 1):
        if not grouping.counts[N_QUEUED]:
            break
        run_pass(grouping, k, DESCEND, NO_NUMBERS, NO_NUMBERS, MOVES)
        progress.report("moving records", n - int(grouping.counts[N_QUEUED]), n)
    run_pass(grouping, k, CLEAR, NO_NUMBERS, NO_NUMBERS, 0)
    return bool(grouping.counts[VERSION] != before)


def _in_strides(
    action: int,
    grouping: Grouping,
    k: int,
    tries: Labels,
    tried: Labels,
    stage: str,
) -> float:
    """Run a pass over ``tries``, a stride at a time; return what the SSE fell by."""
    fall = 0.0
    for start in range(0, len(tries), STRIDE):
        fall += run_pass(grouping, k, action, tries[start : start + STRIDE], tried, 0)
        progress.report(stage, min(start + STRIDE, len(tries)), len(tries))
    return fall


def _centres(grouping: Grouping, k: int) -> Labels:
    """Return the records around which a new group may gain most."""
    if grouping.near.shape[1] < k - 1:
        return np.empty(0, np.int64)
    run_pass(grouping, k, GAINS, NO_NUMBERS, NO_NUMBERS, 0)
    order = np.argsort(-grouping.gains, kind="stable")
    return np.sort(order[: GATHERED * len(order) // k])  # in memory's order, which is faster


def better(X: Matrix, start: Labels, refined: Labels) -> Labels:
    """Return the groups with the lower SSE, computed afresh; in a tie the first."""
    units, refined = in_own_units(X), in_order(refined)
    return refined if sse_of(units, refined) < sse_of(units, start) else start


def sse_of(X: Matrix, labels: Labels) -> float:
    """Return the sum of the squared distances to the group means."""
    means, _ = group_means(X, labels, labels.max() + 1)
    return float(np.square(X - means[labels]).sum())
