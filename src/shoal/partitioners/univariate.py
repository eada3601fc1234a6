"""The best groups of one column, or of records in a given order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal._kernels.shortest_path.ordered_records import extend_path, label_groups, open_path
from shoal._kernels.shortest_path.sorted_values import extend_sorted_path
from shoal._params import K
from shoal._text import count
from shoal.errors import ParameterError
from shoal.partitioners._base import (
    BOUND_SAFETY_FACTOR,
    STRIDE,
    Facts,
    Labels,
    Matrix,
    Partitioner,
    sse,
)
from shoal.partitioners._scores import Score, check_column, order_by_score, score


class Univariate(Partitioner):
    """Group one column with minimum loss, by the shortest path of [HM03]_.

    There are best groups of one column that are runs of neighbours in sorted order, so the
    best cuts of the sorted records give best groups.

    Parameters
    ----------
    k : int
        Minimum number of records in a group. It has no default: it is the
        guarantee.
    order : str, int or list of int, optional
        The order to cut: a score of :class:`Sorted` (``"first-component"``,
        ``"sum-of-z"`` or the number of a column), or the record numbers, from 0,
        one after the other. Without it the records are sorted by their only
        column; several columns need an order.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    bound_ : float or None
        For one column, a lower bound of the SSE of any partition: the SSE of these groups,
        to eight digits.

    Notes
    -----
    **Steps**

    1. The records are sorted by their only column, or by ``order``. Equal values
       are sorted by record number.
    2. From the first record to the last, the minimum loss of the first j records is
       found: the minimum over all sizes k to 2k - 1 of the last group of its loss plus
       the minimum loss of the records before it.
    3. Ties go to the shortest last group, then to the shortest group before it, and so
       on; losses are equal if they agree to twelve digits.

    **Guarantee.** For one column the SSE is the least possible. For an ``order`` of
    several columns, no other runs of that order have a lower SSE, but other groups may.

    **Cost.** Time grows as n log k for one column, apart from sorting, and as nkp
    for a given order of p columns. Memory grows as n.

    References
    ----------
    .. [HM03] Hansen, S. L. and Mukherjee, S. (2003). A polynomial algorithm for
       optimal univariate microaggregation. IEEE Transactions on Knowledge and
       Data Engineering 15(4), 1043-1044.

    Examples
    --------
    >>> Univariate(k=2).fit_predict([[9], [0], [10], [1], [2]])
    array([0, 1, 0, 1, 1])
    >>> Univariate(k=2, order=[3, 1, 0, 2]).fit_predict([[0, 1], [9, 7], [1, 0], [8, 8]])
    array([0, 1, 0, 1])
    """

    facts = Facts(
        groups="variable",
        cost="n log n",
        paper="HM03",
        guarantee="the SSE is the least possible for one column",
    )

    def __init__(self, k: K, order: Score | Sequence[int] | None = None):
        self.k = k
        self.order = order

    @property
    def needs_one_axis_per_column(self) -> bool:
        """Whether each column must be one axis."""
        return isinstance(self.order, int | np.integer | None) or self.order == "sum-of-z"

    def _check(self, X: Matrix) -> None:
        super()._check(X)
        n, p = X.shape
        if self.order is None and p > 1:
            raise ParameterError(
                f"Univariate sorts by one column, but the data have {p}. State the order to cut,"
                " such as order='first-component', or mask each column as a block of its own.",
                code="several-columns",
                count=p,
            )
        if isinstance(self.order, int | np.integer):
            check_column(self, "order", X)
        elif not isinstance(self.order, str | None) and not is_permutation(self.order, n):
            raise ParameterError(
                f"The 'order' parameter of Univariate must contain each record number from 0 to"
                f" {n - 1:,} exactly once. It contains {count(len(self.order), 'number')}.",
                code="order-not-a-permutation",
            )

    def _split(self, X: Matrix) -> Labels:
        labels = np.full(len(X), -1)
        rows = self._order(X)
        scaled = scale_by_power_of_two(X)
        if X.shape[1] == 1 and (np.diff(scaled[rows, 0]) >= 0).all():
            labels[rows] = cheapest_cuts(extend_sorted_path, scaled[rows, 0], self.k)
            self.bound_ = BOUND_SAFETY_FACTOR * sse(X, labels)
        else:
            labels[rows] = cheapest_cuts(extend_path, np.ascontiguousarray(scaled[rows].T), self.k)
        return labels

    def _order(self, X: Matrix) -> NDArray[np.int64]:
        """Return the records in the order to cut."""
        if self.order is None:
            return order_by_score(X[:, 0])
        if isinstance(self.order, str | int | np.integer):
            return order_by_score(score(X, self.order))
        return np.asarray(self.order, np.int64)


def is_permutation(order: Sequence[int], n: int) -> bool:
    """Return whether ``order`` contains each number below ``n`` once."""
    return np.array_equal(np.sort(order), np.arange(n))


def scale_by_power_of_two(X: Matrix) -> Matrix:
    """Return ``X`` with an extent of about 1, without rounding errors.

    Squares of the result neither underflow nor overflow.
    """
    scaled: Matrix = np.ldexp(X, -np.frexp(np.abs(X).max())[1])
    return scaled


def cheapest_cuts(extend: Any, records: Matrix, k: int) -> Labels:
    """Return the group of each position in an order, by the shortest path that ``extend`` finds."""
    n = records.shape[-1]
    path: Any = open_path(n)
    while extend(path, records, k, STRIDE):
        progress.report("grouping", int(path.n_reached[0]), n)
    progress.report("grouping", n, n)
    return np.asarray(label_groups(path))
