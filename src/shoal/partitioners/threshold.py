"""Groups whose farthest records are near: threshold clustering."""

import numpy as np

from shoal._kernels.spatial.index import open_index
from shoal._kernels.threshold import cluster_around_seeds, neighbour_graph
from shoal._params import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners._neighbours import nearest_others


class Threshold(Partitioner):
    """Group records by threshold clustering of [HSS16]_, within 4 times the least diameter.

    It is designed for the bottleneck, the greatest distance between two records of a group,
    rather than the sum of squares, so no record is far from its group.

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
    diameter_bound_ : float
        A lower bound of the bottleneck of any partition: the greatest distance of a
        record to its (k - 1)th neighbour. The bottleneck of the groups is at most
        4 times as large.

    Notes
    -----
    **Steps**

    1. Each record is joined to its k - 1 nearest neighbours.
    2. In the order of the records, each record that is more than two steps from every
       seed becomes a seed, and forms a group with all records joined to it.
    3. Each other record is two steps from a seed, and joins the nearest such seed.

    **Guarantee.** All groups have at least k records, and may have many more. The greatest
    distance between two records of a group is at most 4 times the least possible.

    **Cost.** Time grows as n² at worst, for the neighbours, and far less on tables of
    few or related columns; memory grows as n k. Ties, which are equal float64
    distances, go to the record that comes first.

    References
    ----------
    .. [HSS16] Higgins, M. J., Sävje, F. and Sekhon, J. S. (2016). Improving massive
       experiments with threshold blocking. Proceedings of the National Academy of
       Sciences 113(27), 7369-7376.

    Examples
    --------
    >>> Threshold(k=2).fit_predict([[0], [9], [1], [8]])
    array([0, 1, 0, 1])
    """

    facts = Facts(
        groups="variable",
        cost="n²",
        paper="HSS16",
        guarantee="the greatest distance within a group is at most 4 times the least possible",
    )

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        near, squares = nearest_others(open_index(X), int(self.k) - 1)
        self.diameter_bound_ = float(np.sqrt(squares.max(initial=0.0)))
        start, neighbours = neighbour_graph(near)
        return np.asarray(cluster_around_seeds(X, start, neighbours))
