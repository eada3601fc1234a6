"""Nearest neighbours for methods that start from them."""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.index import Index
from shoal._kernels.neighbours import in_strides
from shoal.partitioners._base import Labels, Matrix


def nearest_others(index: Index, m: int) -> tuple[Labels, Matrix]:
    """Return the ``m`` nearest others of each record, nearest first, and their squared distances.

    Ties go to the lowest record. The search works in strides, so that progress
    is told and Ctrl-C is heard between them.
    """
    n = len(index.X)
    found, squares = np.empty((n, m), np.int64), np.empty((n, m))
    for done in in_strides(index, found, squares):
        progress.report("finding neighbours", done, n)
    return found, squares
