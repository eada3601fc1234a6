"""Maximum Distance to Average Vector."""

from shoal.kernels.leftovers import settle
from shoal.kernels.mdav import rounds
from shoal.parameters import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner, drain


class MDAV(Partitioner):
    """Group records by MDAV, the fixed-size heuristic of [DT05]_.

    While at least 3k records are left, the record farthest from their mean and
    the record farthest from that one each form a group with their k - 1 nearest
    neighbours. Time grows as n²/k. Ties go to the record that comes first, so
    the same table always gives the same groups.

    Parameters
    ----------
    k : int
        Least number of records in a group. It has no default: it is the
        guarantee.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

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
        labels = drain(X, rounds, self.k, 3 * self.k, 2 * self.k)
        settle(X, labels, self.k)
        return labels
