"""MHM: the best cuts of a path through the records into groups."""

from typing import Literal

import numpy as np

from shoal._kernels.group_formation import squared_distances_to_mean
from shoal._kernels.leftovers import group_centroids
from shoal._kernels.mdav import NO_PAIRS
from shoal._kernels.nearest_neighbour_paths import extend_path_to_nearest, path_through_groups
from shoal._kernels.shortest_path.ordered_records import extend_path
from shoal._kernels.spatial.pool import assign, open_pool
from shoal._params import K
from shoal.partitioners._base import Facts, Indices, Labels, Matrix, Partitioner, run_in_strides
from shoal.partitioners.mdav import mdav_groups
from shoal.partitioners.univariate import cheapest_cuts, scale_by_power_of_two


class MHM(Partitioner):
    """Group records by the best cuts of a path through them, MHM of [DMMS06]_.

    This is the multivariate version of the shortest-path algorithm of Hansen and Mukherjee:
    records are ordered so that consecutive records are near each other, and this order is cut
    into groups with the least loss; see :class:`Univariate` for the cuts.

    Parameters
    ----------
    k : int
        Minimum number of records in a group.
    path : {"nearest-point", "mdav", "centroid-mdav"}, default="mdav"
        The order: ``"nearest-point"`` starts at the record farthest from the mean and
        always continues to the nearest record not yet visited (NPN-MHM); ``"mdav"`` and
        ``"centroid-mdav"`` visit the groups of :class:`MDAV` (MDAV-MHM) or
        :class:`CentroidMDAV` (CBFS-MHM) one after the other.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. With a path over groups, the groups are formed first. The path starts with the
       group of the record farthest from the mean and always continues to the group with
       the nearest centroid; within a group, the path enters at the record nearest to its
       current end and always continues to the nearest record not yet visited.
    2. The order is cut into runs of k to 2k - 1 records with the least SSE.

    **Guarantee.** All groups have k to 2k - 1 records. No other cuts of the path lose
    less; with a path over groups, the loss is at most that of these groups.

    **Cost.** Time grows as n² for ``"nearest-point"``, otherwise as n²/k plus the time to form the
    groups; memory grows as n. Ties, which are equal float64 distances, go to the record that comes
    first.

    **Interpretation.** The paper does not say in which order groups, and records
    within groups, are visited.

    References
    ----------
    .. [DMMS06] Domingo-Ferrer, J., Martínez-Ballesté, A., Mateo-Sanz, J. M. and Sebé,
       F. (2006). Efficient multivariate data-oriented microaggregation. The VLDB
       Journal 15(4), 355-369.

    Examples
    --------
    >>> MHM(k=2).fit_predict([[0], [9], [1], [8], [2]])
    array([0, 1, 0, 1, 0])
    """

    facts = Facts(groups="variable", cost="n²", paper="DMMS06")

    def __init__(self, k: K, path: Literal["nearest-point", "mdav", "centroid-mdav"] = "mdav"):
        self.k = k
        self.path = path

    def _split(self, X: Matrix) -> Labels:
        outermost = int(np.argmax(squared_distances_to_mean(X)))
        if self.path == "nearest-point":
            order = nearest_neighbour_path(X, outermost)
        else:
            order = self._path_through_groups(X, outermost)
        labels, scaled = np.full(len(X), -1), scale_by_power_of_two(X)
        labels[order] = cheapest_cuts(extend_path, np.ascontiguousarray(scaled[order].T), self.k)
        return labels

    def _path_through_groups(self, X: Matrix, first: int) -> Indices:
        """Return the path over the groups of MDAV or of its centroid-based variant."""
        k = int(self.k)
        min_for_pair = 3 * k if self.path == "mdav" else NO_PAIRS
        labels = mdav_groups(X, k, min_for_pair, 2 * k)
        sizes = np.bincount(labels)
        centroids, _ = group_centroids(X, labels, len(sizes))
        order = nearest_neighbour_path(centroids, int(labels[first]))
        start = np.concatenate([[0], np.cumsum(sizes)])
        members = np.argsort(labels, kind="stable")
        return np.asarray(path_through_groups(X, members, start, order, first))


def nearest_neighbour_path(X: Matrix, first: int) -> Indices:
    """Return a path through the rows of ``X`` from ``first``, always to the nearest one left."""
    path = np.full(len(X), first)

    def open_path_pool(X: Matrix) -> object:
        pool = open_pool(X)
        assign(pool, first, 0)
        return pool

    run_in_strides(X, extend_path_to_nearest, path, X, open_state=open_path_pool, stage="ordering")
    return path
