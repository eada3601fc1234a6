"""The partition with the least SSE."""

import time

import numpy as np

from shoal._kernels.subset_enumeration import optimal_labels
from shoal._params import K
from shoal.errors import InputError
from shoal.partitioners._base import BOUND_SAFETY_FACTOR, Facts, Labels, Matrix, Partitioner, sse
from shoal.partitioners.mdav import MDAV

MAX_ENUMERATED = 16  # records up to which all subsets are tried: memory doubles with each
MAX_RECORDS = 1200  # records up to which a proof is attempted
MAX_SECONDS = 120.0  # CPU seconds of a proof, so that a busy machine changes nothing


class Optimal(Partitioner):
    """Group records with the least SSE of all partitions into groups of at least k.

    The SSE is the sum of the squared distances of the records to the means of their
    groups. There is an optimal partition into groups of k to 2k - 1 records [DM02]_, so
    only such partitions are compared.

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
    bound_ : float
        A lower bound of the SSE of any partition: the SSE of these groups, to eight digits.

    Notes
    -----
    **Steps**

    1. Up to 16 records, all such partitions are compared, by dynamic programming
       over subsets.
    2. For more records, a linear programme over groups, to which groups are added while
       they lower its optimum (column generation), bounds the SSE from below.
    3. Integer programming chooses among the groups that can be part of an optimum.

    **Guarantee.** The SSE is the least possible, proven to eight digits. If several
    partitions have the same SSE, one of them is returned; with more than 16 records, which
    one may depend on the version of the solver, and on the speed of the machine if the
    proof takes nearly all the time that it may.

    **Cost.** The problem is NP-hard, so time and memory may grow exponentially with
    n. A table of more than 1,200 records is refused, unless k is 1 or above n/2, and so is
    one whose proof is not complete after 120 CPU seconds. In our trials, this time was
    enough for 1,000 records at k = 2, 400 at k = 3, 100 at k = 5 and 60 at k = 7, and for
    more records if there are few columns.

    References
    ----------
    .. [DM02] Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002). Practical
       data-oriented microaggregation for statistical disclosure control. IEEE
       Transactions on Knowledge and Data Engineering 14(1), 189-201.

    Examples
    --------
    >>> Optimal(k=2).fit_predict([[0], [9], [1], [8], [5]])
    array([0, 1, 0, 1, 1])
    """

    facts = Facts(
        groups="variable",
        cost="exponential",
        paper="DM02",
        guarantee="the SSE is the least possible",
        max_records=MAX_ENUMERATED,
    )

    def __init__(self, k: K):
        self.k = k

    def _check(self, X: Matrix) -> None:
        super()._check(X)
        if len(X) > MAX_RECORDS and 1 < self.k <= len(X) // 2:
            raise InputError(
                f"Optimal takes at most {MAX_RECORDS:,} records but the data hold {len(X):,}."
                " Use another method, or group within strata.",
                code="too-many-records",
                records=len(X),
                most=MAX_RECORDS,
            )

    def _split(self, X: Matrix) -> Labels:
        labels = self._optimal_partition(X)
        self.bound_ = BOUND_SAFETY_FACTOR * sse(X, labels)
        return labels

    def _optimal_partition(self, X: Matrix) -> Labels:
        n = len(X)
        if self.k == 1:
            return np.arange(n)
        if n < 2 * self.k:
            return np.zeros(n, np.int64)
        if n <= MAX_ENUMERATED:
            labels: Labels = optimal_labels(X, self.k)
            return labels
        # Imported here, since they load 30 modules that other methods do not need.
        from shoal.partitioners._budget import Budget, OutOfTime
        from shoal.partitioners._column_generation.prove import prove_within_budget

        start, budget = MDAV(k=self.k).fit_predict(X), Budget(MAX_SECONDS, time.thread_time)
        proof_result = prove_within_budget(X, start, int(self.k), budget, (OutOfTime,))
        if not proof_result.optimal:
            raise InputError(
                f"The optimum of {n:,} records at k={self.k} could not be proven within the time"
                " limit. Use fewer records, a lower k, or another method; up to"
                f" {MAX_ENUMERATED} records a proof always succeeds.",
                code="not-proven",
                records=n,
                k=self.k,
            )
        return proof_result.labels
