"""Groups of k records that follow each other when sorted by a score."""

import numpy as np

from shoal._params import K
from shoal.errors import ParameterError
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners._scores import Loadings, Score, check_column, order_by_score, score


class Sorted(Partitioner):
    """Group records that are neighbours along one score, as in [DN93]_.

    One score represents the whole record. The loss is large if the score does not
    distinguish the records; see :class:`Univariate` for the best cuts along an order.

    Parameters
    ----------
    k : int
        Minimum number of records in a group. It has no default: it is the
        guarantee.
    by : {"first-component", "sum-of-z"} or int, default="first-component"
        The score: the first principal component of the correlation matrix, the sum of
        the z-scores, or the number of a column, counted from 0. The first two standardise
        the columns themselves, whatever their units.
    descending : bool
        Sort from the largest score to the smallest. It matters if n is no multiple of k,
        because the last block is the larger one.
    loadings : {"exact", "rounded"}, default="exact"
        Weights of the columns in the first component: exact, or rounded to three
        decimals, which reproduces the figures of [MD99]_. The first column whose weight is
        at least half the largest weight counts positively.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. Records are sorted by the score. Equal scores stay in the order of the
       records.
    2. They are cut into blocks of k; the last block takes the leftovers.

    **Guarantee.** All groups have k records, the last one k to 2k - 1. Nothing is
    proven about the loss.

    **Cost.** Time grows as n log n, and memory linearly with the table: a million
    records take about a second.

    References
    ----------
    .. [DN93] Defays, D. and Nanopoulos, P. (1993). Panels of enterprises and
       confidentiality: the small aggregates method. Proceedings of the 1992
       Symposium on Design and Analysis of Longitudinal Surveys, 195-204.
       Statistics Canada.
    .. [MD99] Mateo-Sanz, J. M. and Domingo-Ferrer, J. (1999). A method for
       data-oriented multivariate microaggregation. Statistical Data Protection,
       89-99. Office for Official Publications of the European Communities.

    Examples
    --------
    >>> Sorted(k=2).fit_predict([[0, 1], [9, 7], [1, 0], [8, 8]])
    array([0, 1, 0, 1])
    >>> Sorted(k=2, by=1, descending=True).fit_predict([[5, 3], [5, 9], [5, 2], [5, 4], [5, 1]])
    array([0, 1, 0, 1, 0])
    """

    facts = Facts(groups="fixed", cost="n log n", paper="DN93")

    def __init__(
        self,
        k: K,
        by: Score = "first-component",
        descending: bool = False,
        loadings: Loadings = "exact",
    ):
        self.k = k
        self.by = by
        self.descending = descending
        self.loadings = loadings

    @property
    def needs_one_axis_per_column(self) -> bool:
        """Whether each column must be one axis."""
        return self.by != "first-component"

    def _check(self, X: Matrix) -> None:
        super()._check(X)
        check_column(self, "by", X)
        if self.loadings == "rounded" and self.by != "first-component":
            raise ParameterError(
                f"loadings='rounded' belongs to by='first-component', but by is {self.by!r}."
                " Leave loadings out.",
                code="loadings-without-component",
            )

    def _split(self, X: Matrix) -> Labels:
        labels = np.full(len(X), -1)
        last = len(X) // self.k - 1
        labels[order_by_score(score(X, self.by, self.loadings), self.descending)] = np.minimum(
            np.arange(len(X)) // self.k, last
        )
        return labels
