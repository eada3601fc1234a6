"""The method that is used if the user names none."""

from shoal._params import K, NJobs
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners.blocked import Blocked
from shoal.partitioners.mdav import MDAV
from shoal.partitioners.refiners import Refine

# Number of records times k up to which the whole table is refined, and up to which its blocks are:
# beyond, refining takes longer than users want to wait.
MAX_REFINED, MAX_REFINED_IN_BLOCKS = 500_000, 20_000_000


class Auto(Partitioner):
    """Group records by the method that Shoal recommends for the table.

    That is :class:`MDAV` followed by :class:`Refine`, which loses far less; on long
    tables, both block by block, or :class:`MDAV` alone. The chosen method is stored in
    ``chosen_`` and named in the release and the report.

    Parameters
    ----------
    k : int
        Minimum number of records in a group.
    n_jobs : int, optional
        Number of blocks of a long table that are grouped at the same time; one for each
        core if None or -1. The groups do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    chosen_ : Partitioner
        The partitioner that was used.

    Notes
    -----
    **Steps**

    1. If the number of records times k is at most 500,000: :class:`MDAV`, then
       :class:`Refine`.
    2. If it is at most 20 million: the same in blocks of near records, by
       :class:`Blocked`.
    3. Otherwise: MDAV alone.

    **Guarantee.** No group has fewer than k records. Nothing is proven about the
    loss.

    **Cost.** That of the chosen partitioner.

    Examples
    --------
    >>> Auto(k=2).fit([[0], [9], [1], [8]]).chosen_
    Refine(k=2)
    """

    facts = Facts(groups="variable", cost="n²/k", paper="")

    def __init__(self, k: K, n_jobs: NJobs = None):
        self.k = k
        self.n_jobs = n_jobs

    def _split(self, X: Matrix) -> Labels:
        self.chosen_ = self._choose(len(X))
        labels = self.chosen_.fit_predict(X)
        if self.chosen_.cut_short_:  # no effort was requested, so Ctrl-C ends everything
            raise KeyboardInterrupt
        return labels

    def _choose(self, n: int) -> Partitioner:
        """Return the recommended partitioner for ``n`` records."""
        work = n * self.k
        if work <= MAX_REFINED:
            return Refine(k=self.k)
        if work <= MAX_REFINED_IN_BLOCKS:
            return Blocked(k=self.k, n_jobs=self.n_jobs)
        return MDAV(k=self.k)
