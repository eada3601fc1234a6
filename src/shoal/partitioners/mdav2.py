"""MDAV2: MDAV1 and a second phase."""

from shoal._kernels.mdav import mdav1
from shoal._params import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners._second_phase import second_phase
from shoal.partitioners.mdav1 import MDAV1


class MDAV2(Partitioner):
    """Group records by MDAV2: :class:`MDAV1`, then the second phase of [LWHC10]_.

    Groups of :class:`MDAV1` are dissolved into neighbouring groups if that lowers the
    SSE.

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

    1. The groups are those of MDAV1.
    2. They are visited by decreasing SSE. A group dissolves if the SSE falls when
       each of its records joins the other group with the nearest centroid; the
       centroids stay as they were while the records of one group choose, and move
       before the next group is visited.
    3. At the end MDAV1 divides the groups of 2k records or more.

    **Guarantee.** All groups have k to 2k - 1 records. The loss is never above that
    of MDAV1.

    **Cost.** Time grows as n²/k, nearly all of it in the first phase, memory as n.
    Ties, which are equal float64 distances, go to the record that comes first, and
    between groups to the one whose first record comes first.

    References
    ----------
    .. [LWHC10] Lin, J.-L., Wen, T.-H., Hsieh, J.-C. and Chang, P.-C. (2010).
       Density-based microaggregation for statistical disclosure control. Expert
       Systems with Applications 37(4), 3256-3263.

    Examples
    --------
    >>> MDAV2(k=2).fit_predict([[0], [9], [1], [8], [2]])
    array([0, 1, 0, 1, 0])
    """

    facts = Facts(groups="variable", cost="n²/k", paper="LWHC10")

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        return second_phase(X, MDAV1(k=self.k)._split(X), self.k, mdav1)
