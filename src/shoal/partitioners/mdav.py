"""Maximum Distance to Average Vector."""

from collections.abc import Callable

from shoal._kernels.leftovers import assign_leftovers, join_nearest_centroid
from shoal._kernels.mdav import form_groups, form_groups_on_pool
from shoal._params import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner, run_in_strides

# Records up to which passes over a pool are faster than an index: a constant plus a multiple of k,
# or a multiple of k times the number of columns, since an index rotates every record.
MAX_POOL = 8000
MAX_POOL_PER_K = 300
MAX_POOL_PER_K_AND_COLUMN = 1.5


class MDAV(Partitioner):
    """Group records by MDAV, the fixed-size heuristic of [DT05]_.

    Groups are formed in pairs: around the record farthest from the mean of the remaining
    records, and around the record farthest from that one. So outlying records are grouped
    first.

    Parameters
    ----------
    k : int
        Minimum number of records in a group. It has no default: it is the
        guarantee.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. While at least 3k records are left, the record farthest from their mean and
       the record farthest from that one each form a group with their k - 1 nearest
       neighbours.
    2. With 2k to 3k - 1 records left, the record farthest from their mean forms one
       more group with its k - 1 nearest neighbours.
    3. The other records form the last group.

    **Guarantee.** All groups have k records, the last one k to 2k - 1. Nothing is
    proven about the loss.

    **Cost.** Time grows as n²/k at worst. Long tables are searched by an index that
    skips most records, above all if the records lie in clusters or along few directions;
    time then grows more slowly. Memory grows as n. Ties, which are equal float64
    distances, go to the record that comes first, so the same table always gives the
    same groups.

    References
    ----------
    .. [DT05] Domingo-Ferrer, J. and Torra, V. (2005). Ordinal, continuous and
       heterogeneous k-anonymity through microaggregation. Data Mining and
       Knowledge Discovery 11(2), 195-212.

    Examples
    --------
    >>> MDAV(k=2).fit_predict([[0], [9], [1], [8]])
    array([0, 1, 0, 1])
    """

    facts = Facts(groups="fixed", cost="n²/k", paper="DT05")

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        return mdav_groups(X, self.k, min_for_pair=3 * self.k, min_for_single=2 * self.k)


def mdav_groups(
    X: Matrix,
    k: int,
    min_for_pair: int,
    min_for_single: int,
    join: Callable[[Matrix, Labels], None] = join_nearest_centroid,
) -> Labels:
    """Return the groups of MDAV or of a variant of it.

    `shoal._kernels.mdav` explains ``min_for_pair`` and ``min_for_single``. Fewer than k leftovers
    are assigned to groups by ``join``.
    """
    max_pool = max(MAX_POOL + MAX_POOL_PER_K * k, int(MAX_POOL_PER_K_AND_COLUMN * k * X.shape[1]))
    labels = run_in_strides(
        X,
        form_groups,
        k,
        min_for_pair,
        min_for_single,
        on_pool=form_groups_on_pool,
        max_pool=max_pool,
    )
    assign_leftovers(X, labels, k, join)
    return labels
