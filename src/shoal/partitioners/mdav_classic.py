"""MDAV as first described: pairs of groups to the end; leftovers join their nearest records."""

from shoal._kernels.leftovers import join_nearest_record
from shoal._params import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners.mdav import mdav_groups


class MDAVClassic(Partitioner):
    """Group records by classic MDAV, in pairs of groups to the end [CPD13]_.

    It differs from :class:`MDAV`, which is MDAV-generic, in the last groups. [CPD13]_
    prints the figures of this variant for MDAV.

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
    2. If k to 2k - 1 records are left then, they form the last group.
    3. Each of fewer than k leftovers joins the group of the nearest record that had a
       group before.

    **Guarantee.** All groups have k to 2k - 1 records. Nothing is proven about the
    loss.

    **Cost.** Time grows as n²/k at worst, as for :class:`MDAV`, memory as n. Ties,
    which are equal float64 distances, go to the record that comes first.

    References
    ----------
    .. [CPD13] Chettri, S. K., Paul, B. and Dutta, A. K. (2013). Statistical
       disclosure control for data privacy preservation. International Journal of
       Computer Applications.

    Examples
    --------
    >>> MDAVClassic(k=2).fit_predict([[0], [9], [1], [8], [5]])
    array([0, 1, 0, 1, 1])
    """

    facts = Facts(groups="fixed", cost="n²/k", paper="CPD13")

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        return mdav_groups(X, self.k, 2 * self.k, 2 * self.k, join_nearest_record)
