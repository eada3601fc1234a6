"""MDAV over a flat pool: passes over all living records, column by column in vector instructions.

The second reference of the benchmark. It has no index, but all else that makes a
pass fast: columns without gaps, and runs of distances that stay in the cache. Shoal
itself groups short tables so.
"""

from shoal._kernels.leftovers import assign_leftovers
from shoal._kernels.mdav import form_groups_flat
from shoal._kernels.spatial.pool import open_pool


def mdav(X, k):
    """Return the labels of MDAV."""
    pool = open_pool(X)
    while form_groups_flat(pool, k, 3 * k, 2 * k, 1 << 60):
        pass
    assign_leftovers(X, pool.labels, k)
    return pool.labels
