"""MD: groups from the two living records that lie farthest apart."""

from shoal._kernels._compile import compiled
from shoal._kernels.farthest_pair import farthest_pair
from shoal._kernels.growth import grow
from shoal._kernels.spatial.pool import assign, place_of


@compiled
def rounds(pool, ends, X, k, work):
    """Form groups until about ``work`` distances are measured; say whether to go on."""
    while pool.size[0] >= 2 * k and work > 0:
        first, second, work = farthest_pair(pool, ends, X, work)
        if first < 0:
            return True
        work -= 2 * k * pool.size[0]

        # Both leave before either group grows, so that neither takes the other's seed.
        group = pool.groups[0]
        pool.groups[0] += 2
        assign(pool, place_of(pool, first), group)
        assign(pool, place_of(pool, second), group + 1)
        grow(pool, X[first], group, k)
        grow(pool, X[second], group + 1, k)
    return pool.size[0] >= 2 * k
