"""MD: groups from the two remaining records that lie farthest apart.

The method is that of Domingo-Ferrer and Mateo-Sanz (2002); the variant in which groups grow around
their first record is that of Chettri, Paul and Dutta (2013).
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.farthest_pair import farthest_pair
from shoal._kernels.group_formation import grow_group
from shoal._kernels.spatial.pool import (
    assign,
    form_group,
    measure_distances,
    nearest_positions,
    position_of,
)


@compiled
def form_groups(pool, pairs, X, k, nearest_to_seed, work):
    """Form groups until about ``work`` distances are measured; return whether to go on.

    Groups grow by the record nearest to their running centroid or, if ``nearest_to_seed``, by the
    records nearest to the one they started from.
    """
    while pool.size[0] >= 2 * k and work > 0:
        first, second, work = farthest_pair(pool, pairs, X, work)
        if first < 0:
            return True
        work -= 2 * k * pool.size[0]

        # Both seeds are assigned before either group grows, so that neither takes the other's.
        group = pool.n_groups[0]
        assign(pool, position_of(pool, first), group)
        assign(pool, position_of(pool, second), group + 1)
        if nearest_to_seed and k > 1:
            form_group_near(pool, X[first], k - 1)
            form_group_near(pool, X[second], k - 1)
        else:
            pool.n_groups[0] += 2
            grow_group(pool, X[first], group, k)
            grow_group(pool, X[second], group + 1, k)
    return pool.size[0] >= 2 * k


@compiled
def form_group_near(pool, point, size):
    """Make the ``size`` remaining records nearest to ``point`` the next group."""
    positions = np.empty(size, np.int64)
    measure_distances(pool, point)
    nearest_positions(pool, positions)
    form_group(pool, positions)
