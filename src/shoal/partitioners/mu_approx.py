"""Groups from trees of near records, and a lower bound of the loss of all partitions."""

from typing import Annotated, Literal

import numpy as np

from shoal import _progress as progress
from shoal._kernels.leftovers import assign_leftovers, group_centroids
from shoal._kernels.mdav import NO_PAIRS, form_groups_on_pool
from shoal._kernels.mu_approx.decompose import divide_trees
from shoal._kernels.mu_approx.forest import N_PENDING, build_forest, grow_forest
from shoal._kernels.spatial.index import open_index
from shoal._kernels.spatial.pool import open_pool
from shoal._params import AtLeast, K, RandomState
from shoal._seeds import as_seed
from shoal.partitioners._base import (
    STRIDE,
    Facts,
    Indices,
    Labels,
    Matrix,
    Partitioner,
    run_in_strides,
)
from shoal.partitioners._neighbours import nearest_others

Criterion = Literal["sse", "euclidean"]


class MuApprox(Partitioner):
    """Group records by mu-Approx of [DSS08]_, from trees of near records, and bound the least loss.

    Near records are joined into trees of at least k records, and trees that are too large
    are divided. The loss that the method bounds is the sum of squared distances, or the
    sum of distances, to the centroids.

    Parameters
    ----------
    k : int
        Minimum number of records in a group. It has no default: it is the
        guarantee.
    random_state : int, Generator, RandomState or None
        Seed of the random number generator. The same number always gives the same groups; with None
        they differ from call to call.
    criterion : {"sse", "euclidean"}, default="sse"
        The loss that the method bounds: ``"sse"``, the sum of the squared distances to the
        centroids (Theorem 2 of the paper), or ``"euclidean"``, the sum of the distances
        (Theorem 1).
    restarts : int
        Number of random draws; the groups that are best by ``criterion`` are kept.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    factor_ : int
        The factor that the paper states for ``criterion``: 2 (2k - 1)
        max(2k - 1, 3k - 5)² times the least SSE, or (2k - 1) max(2k - 1, 3k - 5)
        times the least sum of distances.
    bound_ : float
        A lower bound of the SSE of any partition of this table: the sum of the squared
        distances of all records to their k - 1 nearest, divided by 2k.
    distance_bound_ : float
        A lower bound of the sum of distances to the centroids: the sum of the distances
        of all records to their k - 1 nearest, divided by 2k.

    Notes
    -----
    **Steps**

    1. While a tree has fewer than k records, the one record in it that has not been
       joined to another yet is joined to the nearest of its k - 1 nearest neighbours
       that is outside the tree.
    2. Trees of more than max(2k - 1, 3k - 5) records are divided, each at a record
       chosen so that both parts keep k records.
    3. Groups of 2k records or more are divided once more: the record farthest from
       the centroid with its k - 1 nearest, and the rest. With
       ``criterion="euclidean"`` they are divided only if that shortens the distances.

    **Guarantee.** All groups have k to 2k - 1 records; with
    ``criterion="euclidean"`` a group may have up to 3k - 5. For the given table, the loss
    of the groups divided by ``bound_`` (or ``distance_bound_``) is a proven approximation
    factor: no partition has a loss below the bound. The factor of the paper is *not*
    proven for these groups in general, since its proof needs the trees of the paper, see
    below. It holds for a table if the loss is at most ``factor_`` times the bound, which
    was true, by a wide margin, of every table tried.

    **Cost.** Time grows as n² at worst, for the neighbours, and far less on tables
    of few or related columns; memory grows as n k. Each restart adds the time of
    the trees, not of the neighbours. Which tree is joined first, and where dividing
    starts, is drawn at random. Ties, which are equal float64 distances, go to the
    record that comes first.

    **Interpretation.** The paper keeps a divided tree together by a copy of the
    record at which it was divided, which does not count as a record; that can leave
    groups of k - 1 records. Here the records that lose their neighbour are joined in a
    chain instead, in the order of their distances to that neighbour. An edge of the chain may be
    longer than the distance to the (k - 1)th neighbour, on which the proof rests.

    References
    ----------
    .. [DSS08] Domingo-Ferrer, J., Sebé, F. and Solanas, A. (2008). A
       polynomial-time approximation to optimal multivariate microaggregation.
       Computers & Mathematics with Applications 55(4), 714-732.

    Examples
    --------
    >>> MuApprox(k=2, random_state=0).fit_predict([[0], [9], [1], [8]])
    array([0, 1, 0, 1])
    """

    facts = Facts(
        groups="variable",
        cost="n²",
        paper="DSS08",
        guarantee="a lower bound of the SSE for the given table",
    )

    def __init__(
        self,
        k: K,
        random_state: RandomState = None,
        criterion: Criterion = "sse",
        restarts: Annotated[int, AtLeast(1)] = 1,
    ):
        self.k = k
        self.random_state = random_state
        self.criterion = criterion
        self.restarts = restarts

    def _split(self, X: Matrix) -> Labels:
        k, rng = int(self.k), np.random.default_rng(as_seed(self.random_state))
        near, squares = nearest_others(open_index(X), k - 1)
        self.bound_ = float(squares.sum()) / (2 * k)
        self.distance_bound_ = float(np.sqrt(squares).sum()) / (2 * k)
        self.factor_ = (2 * k - 1) * max(2 * k - 1, 3 * k - 5)
        if self.criterion == "sse":
            self.factor_ *= 2 * max(2 * k - 1, 3 * k - 5)
        least_loss = np.inf
        for _ in range(int(self.restarts)):
            labels = self._draw_groups(X, near, rng)
            current_loss = loss(X, labels, self.criterion) if self.restarts > 1 else 0.0
            if current_loss < least_loss:
                best_labels, least_loss = labels, current_loss
        return best_labels

    def _draw_groups(self, X: Matrix, near: Indices, rng: np.random.Generator) -> Labels:
        """Return the groups of one draw."""
        k, n = int(self.k), len(X)
        forest = build_forest(grow_forest(near, rng.permutation(n), k))
        rank = rng.permutation(n)
        while divide_trees(forest, X, rank, k, STRIDE):
            progress.report("dividing trees", n - int(forest.counts[N_PENDING]), n)
        return halve_large_groups(X, forest.labels, k, self.criterion)


def loss(X: Matrix, labels: Labels, criterion: Criterion) -> float:
    """Return the sum of the distances to the centroids, squared or not, by ``criterion``."""
    centroids, _ = group_centroids(X, labels, int(labels.max()) + 1)
    squares = np.square(X - centroids[labels]).sum(axis=1)
    return float(squares.sum() if criterion == "sse" else np.sqrt(squares).sum())


def halve_large_groups(X: Matrix, labels: Labels, k: int, criterion: Criterion = "sse") -> Labels:
    """Divide each group of 2k records or more in two, unless that raises the loss.

    The sum of squared distances always falls; the sum of distances may rise, since the mean does
    not minimise it.
    """
    sizes = np.bincount(labels)
    n_groups, n_done = len(sizes), 0
    for records in np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1]):
        if len(records) >= 2 * k:
            part_labels = run_in_strides(
                X[records],
                form_groups_on_pool,
                k,
                NO_PAIRS,
                2 * k,
                open_state=open_pool,
                done=n_done,
                total=len(X),
            )
            assign_leftovers(X[records], part_labels, k)
            if criterion == "sse" or _shortens_distances(X[records], part_labels):
                labels[records] = n_groups + part_labels
                n_groups += int(part_labels.max()) + 1
        n_done += len(records)
    progress.report("grouping", len(X), len(X))
    return labels


def _shortens_distances(X: Matrix, labels: Indices) -> bool:
    """Return whether the groups have a lower sum of distances than all records in one group."""
    one_group = np.zeros(len(X), np.int64)
    return loss(X, labels, "euclidean") < loss(X, one_group, "euclidean")
