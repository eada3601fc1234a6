"""The second phase that MDAV2, DBA2 and TFRP share."""

from collections.abc import Callable

import numpy as np

from shoal import _progress as progress
from shoal._kernels.group_dissolution import dissolve_groups, open_linked_groups, write_labels
from shoal.partitioners._base import Labels, Matrix, in_order

STRIDE = 1000  # groups between two reports of progress: a fraction of a second


def second_phase(
    X: Matrix, labels: Labels, k: int, divide: Callable[[Matrix, int], Labels]
) -> Labels:
    """Return the groups after groups are dissolved where that helps, and large ones are divided.

    The groups are visited by decreasing initial SSE; ties go to the group whose first record is
    lowest. A group is dissolved if the SSE falls when its records join the other groups with the
    nearest centroids. The centroids stay fixed while the records of one group choose, and are
    updated before the next group is visited. At the end ``divide`` splits every group of 2k records
    or more. Time grows as n times the number of groups at worst, memory as n.
    """
    groups = open_linked_groups(X, in_order(labels))
    order = np.argsort(-groups.sse, kind="stable")
    for start in range(0, len(order), STRIDE):
        dissolve_groups(X, groups, order[start : start + STRIDE])
        progress.report("second phase", min(start + STRIDE, len(order)), len(order))
    final_labels = np.full(len(X), -1)
    write_labels(groups, final_labels)
    divide_large(X, final_labels, k, divide)
    return final_labels


def divide_large(
    X: Matrix, labels: Labels, k: int, divide: Callable[[Matrix, int], Labels]
) -> None:
    """Split the groups of 2k records or more by ``divide``, in place."""
    sizes = np.bincount(labels)
    order, stop = np.argsort(labels, kind="stable"), np.cumsum(sizes)
    next_label = len(sizes)
    for group in np.flatnonzero(sizes >= 2 * k):
        records = order[stop[group] - sizes[group] : stop[group]]
        labels[records] = next_label + divide(X[records], k)
        next_label += sizes[group] // k
