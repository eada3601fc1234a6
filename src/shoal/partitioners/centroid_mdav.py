"""Centroid-based MDAV: one group per round, around the outermost of the remaining records."""

from shoal._kernels.mdav import NO_PAIRS
from shoal._params import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners.mdav import mdav_groups


class CentroidMDAV(Partitioner):
    """Group records by centroid-based fixed-size microaggregation, CBFS of [LM05]_.

    Groups are formed one at a time, around the record farthest from the mean of the
    remaining records. The mean is computed again for each group, whereas :class:`MDAV`
    computes it for every second group.

    Parameters
    ----------
    k : int
        Minimum number of records in a group.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. While at least 2k records are left, the record farthest from their mean forms
       a group with its k - 1 nearest neighbours.
    2. The last k to 2k - 1 records form a group.

    **Guarantee.** All groups have k records, the last one k to 2k - 1. Nothing is
    proven about the loss.

    **Cost.** Time grows as n²/k at worst, as for :class:`MDAV`, memory as n. Ties,
    which are equal float64 distances, go to the record that comes first.

    References
    ----------
    .. [LM05] Laszlo, M. and Mukherjee, S. (2005). Minimum spanning tree
       partitioning algorithm for microaggregation. IEEE Transactions on Knowledge
       and Data Engineering 17(7), 902-911.

    Examples
    --------
    >>> CentroidMDAV(k=2).fit_predict([[0], [9], [1], [8], [5]])
    array([0, 1, 0, 1, 1])
    """

    facts = Facts(groups="fixed", cost="n²/k", paper="LM05")

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        return mdav_groups(X, self.k, min_for_pair=NO_PAIRS, min_for_single=2 * self.k)
