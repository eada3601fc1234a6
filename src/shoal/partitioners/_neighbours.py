"""The nearest neighbours of all records, with reports of progress."""

import numpy as np

from shoal import _progress as progress
from shoal._kernels.spatial.index import Index
from shoal._kernels.spatial.neighbours import find_in_strides
from shoal.partitioners._base import Indices, Matrix


def nearest_others(index: Index, m: int) -> tuple[Indices, Matrix]:
    """Return the ``m`` nearest others of each record, nearest first, and their squared distances.

    Ties go to the lowest record. The search works in strides, so that progress is
    reported and Ctrl-C is handled between them.
    """
    n = len(index.X)
    nearest, squares = np.empty((n, m), np.int64), np.empty((n, m))
    for done in find_in_strides(index, nearest, squares):
        progress.report("finding neighbours", done, n)
    return nearest, squares
