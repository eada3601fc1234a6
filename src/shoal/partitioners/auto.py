"""Our advice: which method to take when the user names none."""

from shoal.parameters import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners.blocked import Blocked
from shoal.partitioners.efforts import Refine

LONG = 100_000  # records, beyond which refining all at once takes longer than a user would wait


class Auto(Partitioner):
    """Group records by the method we would take for this table.

    That is :class:`MDAV` followed by :class:`Refine`, which loses far less; beyond
    100,000 records, the same in blocks of near records, by :class:`Blocked`. What
    was chosen stands in ``chosen_``, and the release and the report say it.

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
    Refine(k=2)
    """

    facts = Facts(groups="variable", cost="n²/k", paper="")

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        self.chosen_ = Blocked(k=self.k) if len(X) > LONG else Refine(k=self.k)
        labels = self.chosen_.fit_predict(X)
        if self.chosen_.cut_short_:  # nobody asked for an effort, so Ctrl-C is meant for all
            raise KeyboardInterrupt
        return labels
