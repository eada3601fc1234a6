"""Nearest neighbours for methods that start from them."""

import numpy as np

from shoal import progress
from shoal.kernels.boxes import BoxTree
from shoal.kernels.neighbours import find_neighbours
from shoal.partitioners._base import Labels

STRIDE = 1000  # searches between two reports of progress: a fraction of a second


def nearest_others(tree: BoxTree, m: int) -> Labels:
    """Return the ``m`` nearest others of each record in ``tree``, nearest first.

    Ties go to the lowest record. The search works in strides, so that progress
    is told and Ctrl-C is heard between them.
    """
    n = len(tree.records)
    found = np.empty((n, m), np.int64)
    for start in range(0, n if m else 0, STRIDE):
        stop = min(start + STRIDE, n)
        find_neighbours(tree, start, stop, found)
        progress.report("finding neighbours", stop, n)
    return found
