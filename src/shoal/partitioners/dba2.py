"""Density-based microaggregation, both phases."""

from shoal._kernels.mdav import mdav1
from shoal._params import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners._second_phase import second_phase
from shoal.partitioners.dba1 import DBA1


class DBA2(Partitioner):
    """Group records by DBA-2: :class:`DBA1`, then the second phase of [LWHC10]_.

    Groups of :class:`DBA1` are dissolved into neighbouring groups if that lowers the SSE.

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

    1. The groups are those of DBA1.
    2. They are visited by decreasing SSE. A group dissolves if the SSE falls when
       each of its records joins the other group with the nearest centroid; the
       centroids stay as they were while the records of one group choose, and move
       before the next group is visited.
    3. At the end :class:`MDAV1` divides the groups of 2k records or more.

    **Guarantee.** All groups have k to 2k - 1 records. The loss is never above that
    of DBA1.

    **Cost.** Time grows as n² at worst, memory as n k, both in the first phase.
    Ties, which are equal float64 distances, go to the record that comes first, and
    between groups to the one whose first record comes first.

    References
    ----------
    .. [LWHC10] Lin, J.-L., Wen, T.-H., Hsieh, J.-C. and Chang, P.-C. (2010).
       Density-based microaggregation for statistical disclosure control. Expert
       Systems with Applications 37(4), 3256-3263.

    Examples
    --------
    >>> DBA2(k=2).fit_predict([[0], [9], [1], [8], [4]])
    array([0, 1, 0, 1, 0])
    """

    facts = Facts(groups="variable", cost="n²", paper="LWHC10")

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        return second_phase(X, DBA1(k=self.k)._split(X), self.k, mdav1)
