"""MDAV by passes over a pool: the second reference of the benchmark, without an index.

A pass reads the columns of all records without a group by vector instructions. Shoal itself groups
short tables in this way.
"""

from shoal._kernels.leftovers import assign_leftovers
from shoal._kernels.mdav import form_groups_on_pool
from shoal._kernels.spatial.pool import open_pool


def mdav(X, k):
    """Return the labels of MDAV."""
    pool = open_pool(X)
    while form_groups_on_pool(pool, k, 3 * k, 2 * k, 1 << 60):
        pass
    assign_leftovers(X, pool.labels, k)
    return pool.labels
