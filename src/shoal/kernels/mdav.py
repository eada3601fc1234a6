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
from shoal.kernels.growth import outermost, take_around
from shoal.kernels.leftovers import join_nearest
from shoal.kernels.pool import farthest, locate, measure, nearest, open_pool, take


@compiled
def rounds(pool, k, pairs_from, singles_from, work):
    """Form groups until about ``work`` distances are measured; say whether to go on."""
    seed = np.empty(pool.columns.shape[0])
    opposite = np.empty(pool.columns.shape[0])
    group = np.empty(k, np.int64)

    while pool.size[0] >= singles_from and work > 0:
        pair = pool.size[0] >= pairs_from
        work -= 3 * pool.size[0]

        outermost(pool, seed)
        measure(pool, seed)
        if pair:
            locate(pool, farthest(pool), opposite)
        nearest(pool, group)
        take(pool, group)
        if pair:
            take_around(pool, opposite, group)

    return pool.size[0] >= singles_from


@compiled
def mdav1(X, k):
    """Return the groups of MDAV1 in one go, for tables that are parts of a larger one."""
    pool = open_pool(X)
    while rounds(pool, k, 2 * k, k, X.shape[0]):
        pass
    join_nearest(X, pool.labels)
    return pool.labels
