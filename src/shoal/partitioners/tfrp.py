"""Two Fixed Reference Points."""

from typing import Literal

import numpy as np

from shoal._kernels.leftovers import join_nearest_centroid
from shoal._kernels.tfrp import form_groups
from shoal._params import K
from shoal.partitioners._base import Facts, Indices, Labels, Matrix, Partitioner, run_in_strides
from shoal.partitioners._second_phase import second_phase


class TFRP(Partitioner):
    """Group records by TFRP, the method of two fixed reference points of [CLH07]_.

    Two fixed points, one below and one above all records, take the place of the
    mean. The points are fixed, so the distances to them are measured only once.

    Parameters
    ----------
    k : int
        Minimum number of records in a group.
    phases : {1, 2}, default=2
        With 1, the groups of the first phase are the result. With 2, the second phase
        follows; in the literature the method is then called TFRP-2.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. One point has the smallest value of the whole table in every column, the other
       the largest.
    2. In turn, the record farthest from the first point and the one farthest from
       the second form a group with their k - 1 nearest neighbours, while at least k
       records are left.
    3. Each leftover joins the group with the nearest centroid; the centroids stay
       as they were while they join.
    4. In the second phase the groups are visited by decreasing SSE, and a group
       dissolves if the SSE falls when its records join the groups with the nearest
       centroids.
    5. At the end each group of 2k records or more is divided by the first phase, as
       if it were a table.

    **Guarantee.** All groups have k to 2k - 1 records. The second phase never loses
    more than the first.

    **Cost.** Time grows as n²/k at worst, and far less on tables of few or related
    columns; memory grows as n. Ties, which are equal float64 distances, go to the
    record that comes first.

    **Interpretation.** The paper leaves two details open, which were chosen by
    comparison with the published losses of the Tarragona table: the reference
    points, which might also be the smallest and the largest value of each column, and
    the division of large groups by the first phase instead of MDAV1. Among the variants
    tried, only this one gives all eight figures to the digits printed.

    References
    ----------
    .. [CLH07] Chang, C.-C., Li, Y.-C. and Huang, W.-H. (2007). TFRP: An efficient
       microaggregation algorithm for statistical disclosure control. Journal of
       Systems and Software 80(11), 1866-1878.

    Examples
    --------
    >>> TFRP(k=2).fit_predict([[0], [9], [1], [8], [2]])
    array([0, 1, 0, 1, 0])
    """

    facts = Facts(groups="variable", cost="n²/k", paper="CLH07")

    def __init__(self, k: K, phases: Literal[1, 2] = 2):
        self.k = k
        self.phases = phases

    def _split(self, X: Matrix) -> Labels:
        labels = _first_phase(X, self.k)
        return labels if self.phases == 1 else second_phase(X, labels, self.k, _first_phase)


def _first_phase(X: Matrix, k: int) -> Labels:
    """Form groups from two fixed points in turn; leftovers join the nearest group."""
    queues = np.stack([_farthest_first(X, X.min()), _farthest_first(X, X.max())])
    labels = run_in_strides(X, form_groups, k, queues, np.zeros(2, np.int64))
    join_nearest_centroid(X, labels)
    return labels


def _farthest_first(X: Matrix, value: float) -> Indices:
    """Order the records by decreasing distance to the point with ``value`` in every column."""
    squares = np.zeros(len(X))
    for column in X.T:
        squares += (column - value) ** 2
    return np.argsort(-squares, kind="stable")
