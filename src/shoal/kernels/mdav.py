"""MDAV and its fixed-size relatives: groups from the ends of what is left.

They differ in two numbers. ``pairs_from`` is the number of living records from
which a round forms two groups, ``singles_from`` the number from which it forms
one. Fewer are left-overs; see `shoal.kernels.leftovers.settle`.

================  ============  ==============  ====================
method            pairs_from    singles_from    left-overs
================  ============  ==============  ====================
MDAV              3k            2k              k to 2k - 1 or none
MDAV1             2k            k               0 to k - 1
CentroidMDAV      never         2k              k to 2k - 1
================  ============  ==============  ====================
"""

import numpy as np

from shoal.kernels._compile import compiled
from shoal.kernels.arrange import BLOCK
from shoal.kernels.growth import outermost, take_around
from shoal.kernels.index import plain_index, worn
from shoal.kernels.leftovers import join_nearest
from shoal.kernels.search import farthest


@compiled
def rounds(index, k, pairs_from, singles_from, work):
    """Form groups until about ``work`` distances are measured; say whether to go on."""
    group, squares = np.empty(k, np.int64), np.empty(k)

    while index.size[0] >= singles_from and work > 0 and not worn(index):
        looked = index.looked[0]
        seed = outermost(index)
        if index.size[0] >= pairs_from:
            opposite = farthest(index, index.X[seed])
            take_around(index, seed, group, squares)
            take_around(index, opposite, group, squares)
        else:
            take_around(index, seed, group, squares)
        work -= BLOCK * (index.looked[0] - looked)

    return index.size[0] >= singles_from


@compiled
def mdav1(X, k):
    """Return the groups of MDAV1 in one go, for tables that are parts of a larger one."""
    index = plain_index(X)
    while rounds(index, k, 2 * k, k, X.shape[0]):
        pass
    join_nearest(X, index.labels)
    return index.labels
