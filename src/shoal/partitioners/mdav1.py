"""MDAV1: MDAV whose leftovers join the nearest groups."""

from shoal._params import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners.mdav import mdav_groups


class MDAV1(Partitioner):
    """Group records by MDAV1 of [LWHC10]_, a variant of MDAV.

    Unlike :class:`MDAV`, it forms groups in pairs to the end, and fewer than k leftovers
    join existing groups.

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

    1. While at least 2k records are left, the record farthest from their mean and
       the record farthest from that one each form a group with their k - 1 nearest
       neighbours.
    2. If at least k are left then, the record farthest from their mean forms one
       more group.
    3. Each of the fewer than k leftovers joins the group with the nearest
       centroid; the centroids stay as they were while they join.

    **Guarantee.** All groups have k to 2k - 1 records. Nothing is proven about the
    loss.

    **Cost.** Time grows as n²/k at worst, as for :class:`MDAV`, memory as n. Ties,
    which are equal float64 distances, go to the record that comes first, and
    between groups to the one formed first.

    References
    ----------
    .. [LWHC10] Lin, J.-L., Wen, T.-H., Hsieh, J.-C. and Chang, P.-C. (2010).
       Density-based microaggregation for statistical disclosure control. Expert
       Systems with Applications 37(4), 3256-3263.

    Examples
    --------
    >>> MDAV1(k=2).fit_predict([[0], [9], [1], [8], [2]])
    array([0, 1, 0, 1, 0])
    """

    facts = Facts(groups="fixed", cost="n²/k", paper="LWHC10")

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        return mdav_groups(X, self.k, min_for_pair=2 * self.k, min_for_single=self.k)
