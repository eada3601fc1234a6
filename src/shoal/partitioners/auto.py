"""Our advice: which method to take when the user names none."""

from shoal.parameters import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners.mdav import MDAV


class Auto(Partitioner):
    """Group records by the method we would take for this table.

    At present that is always :class:`MDAV`. What was chosen stands in
    ``chosen_``, and the release and the report say it.

    Parameters
    ----------
    k : int
        Least number of records in a group.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    chosen_ : Partitioner
        The partitioner that was used.

    Examples
    --------
    >>> Auto(k=2).fit([[0], [9], [1], [8]]).chosen_
    MDAV(k=2)
    """

    facts = Facts(groups="fixed", cost="n²/k", paper="")

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        self.chosen_ = MDAV(k=self.k)
        return self.chosen_.fit_predict(X)
