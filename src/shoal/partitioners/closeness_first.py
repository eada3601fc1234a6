"""Groups that are t-close to the whole table by construction."""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import numpy as np

from shoal import _progress as progress
from shoal._params import Between, K
from shoal.errors import ParameterError
from shoal.partitioners._base import (
    Facts,
    Indices,
    Labels,
    Matrix,
    Partitioner,
    Values,
    squared_distances,
)

ClosenessKind = Literal["ordered", "categories"]
ROUNDING = 1e-12  # rounding error of distances in [0, 1]


class Layers(NamedTuple):
    """Records sorted by the confidential value and cut into layers that every group draws from.

    ``rank`` contains the sorted values as numbers from 0 on, and ``sizes`` the number of records of
    each layer. All layers have ``n_groups`` records, except the middle one, which also has the
    records that are left over.
    """

    rank: Indices
    sizes: Indices
    n_groups: int

    @property
    def middle(self) -> int:
        """The layer with the records that are left over."""
        return len(self.sizes) // 2


class ClosenessFirst(Partitioner):
    """Group records so that each group is close to the whole table by construction [SDSM15]_.

    Every group takes a record from each of k' layers of the sorted confidential values, so
    a bound of its distance from the table is known beforehand.

    Parameters
    ----------
    k : int
        Minimum number of records in a group. It has no default: it is the
        guarantee.
    closeness : float
        The *t* of t-closeness, in [0, 1]: maximum distance between a group and the
        table.
    values : list of int
        The confidential value of each record, or a number that stands for it.
    kind : {"ordered", "categories"}, default="ordered"
        Whether the order of the values is meaningful.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    proven_ : float
        Proven upper bound of the distance of any group from the table.

    Notes
    -----
    **Steps**

    1. The records are sorted by the confidential column and cut into k' layers of equal
       size; leftover records join the middle layer. k' is the smallest number of layers,
       not below k, for which the bound is at most ``closeness``.
    2. Seeds are those of :class:`MDAV`: the record farthest from the mean of the
       remaining records, and the record farthest from that one.
    3. A group takes the record nearest to its seed from every layer, and a second record
       from the middle layer as long as leftover records remain there.

    **Guarantee.** All groups have at least k records, and none is farther from the table
    than ``proven_``. If all values differ and k' divides n, that is the distance of the
    paper, ``(n - k') / (2 (n - 1) k')``, so ``k' = max(k, ceil(n / (2 (n - 1) t + 1)))``.
    Equal values, categories and leftover records change the bound; `proven_distance`
    computes it for every table.

    **Cost.** Time grows as n²/k', memory as n. Ties go to the record that comes first.

    References
    ----------
    .. [SDSM15] Soria-Comas, J., Domingo-Ferrer, J., Sánchez, D. and Martínez, S.
       (2015). t-Closeness through microaggregation: strict privacy with enhanced
       utility preservation. IEEE Transactions on Knowledge and Data Engineering
       27(11), 3098-3110.

    Examples
    --------
    >>> X, ill = [[0], [1], [2], [7], [8], [9]], [10, 20, 30, 11, 21, 31]
    >>> fitted = ClosenessFirst(k=2, closeness=0.1, values=ill).fit(X)
    >>> fitted.labels_, fitted.proven_
    (array([0, 0, 0, 1, 1, 1]), 0.1)
    """

    facts = Facts(
        groups="variable",
        cost="n²/k",
        paper="SDSM15",
        guarantee="every group is within closeness of the table",
    )

    def __init__(
        self,
        k: K,
        closeness: Annotated[float, Between(0, 1)],
        values: Sequence[float],
        kind: ClosenessKind = "ordered",
    ):
        self.k = k
        self.closeness = closeness
        self.values = values
        self.kind = kind

    def _check(self, X: Matrix) -> None:
        super()._check(X)
        if len(self.values) != len(X):
            raise ParameterError(
                f"The 'values' of ClosenessFirst must be one for each of the {len(X):,} records."
                f" Got {len(self.values):,}.",
                code="parameter-not-accepted",
                parameter="values",
            )

    def _split(self, X: Matrix) -> Labels:
        rank = np.unique(np.asarray(self.values), return_inverse=True)[1].astype(np.int64)
        order = np.argsort(rank, kind="stable")
        layers, self.proven_ = fewest_layers(rank[order], self.k, self.closeness, self.kind)
        remaining = [np.sort(layer) for layer in np.split(order, np.cumsum(layers.sizes)[:-1])]
        return _form_groups(X, remaining, layers)


def fewest_layers(rank: Indices, k: int, t: float, kind: ClosenessKind) -> tuple[Layers, float]:
    """Return the fewest layers, at least k, with which every group is within t of the table.

    As many layers as records are always enough: the only group is the table.

    Parameters
    ----------
    rank : ndarray of shape (n_records,)
        The sorted values, numbered from 0.
    k : int
        Minimum number of layers.
    t : float
        Maximum distance of a group from the table.
    kind : {"ordered", "categories"}
        Whether the order of the values is meaningful.

    Returns
    -------
    tuple of Layers and float
        The layers, and the distance that they are proven not to exceed.
    """
    n, n_layers = len(rank), k
    while True:
        n_groups = n // n_layers
        n_layers = n // n_groups  # so that fewer records than groups are left over
        sizes = np.full(n_layers, n_groups)
        sizes[n_layers // 2] += n - n_groups * n_layers
        layers = Layers(rank, sizes, n_groups)
        distance_bound = proven_distance(layers, kind)
        if distance_bound <= t + ROUNDING or n_groups == 1:
            return layers, distance_bound
        n_layers += 1


def proven_distance(layers: Layers, kind: ClosenessKind) -> float:
    """Return a distance from the table that no group with a record of every layer exceeds.

    The distribution of a group is a mixture of its records, the distribution of the table is a
    mixture of its layers, and the earth mover's distance of two mixtures is at most the mixture of
    the distances. So the mean over layers of the distance of the farthest record is a bound, with
    the weights that the layers have in the group. Where layers differ in size, these weights differ
    from those in the table, and the distance between the two weightings is added.

    Parameters
    ----------
    layers : Layers
        The layers that groups draw from.
    kind : {"ordered", "categories"}
        Whether the order of the values is meaningful.

    Returns
    -------
    float
        The bound, in [0, 1] apart from the distance between the weightings.
    """
    n_leftover = int(layers.sizes[layers.middle]) - layers.n_groups
    # How many records a group has from each layer: one, or two from the middle layer.
    single_counts = np.ones(len(layers.sizes))
    double_counts = single_counts.copy()
    double_counts[layers.middle] = 2
    record_distances = _farthest_in_layers(layers, kind)
    count_variants = [single_counts] if n_leftover < layers.n_groups else []
    count_variants += [double_counts] if n_leftover else []
    return float(
        max(
            record_distances @ (counts / counts.sum())
            + _distance_of_weighting(layers, counts / counts.sum(), kind)
            for counts in count_variants
        )
    )


def _farthest_in_layers(layers: Layers, kind: ClosenessKind) -> Values:
    """Return for each layer the distance of its farthest record from the layer as a whole."""
    first = np.cumsum(layers.sizes) - layers.sizes
    if kind == "ordered":
        max_rank = max(int(layers.rank[-1]), 1)
        mean = np.add.reduceat(layers.rank, first) / layers.sizes
        below = mean - layers.rank[first]
        above = layers.rank[first + layers.sizes - 1] - mean
        return np.asarray(np.maximum(below, above) / max_rank)
    is_run_start = np.append(True, layers.rank[1:] != layers.rank[:-1])
    is_run_start[first] = True
    run_start = np.flatnonzero(is_run_start)  # of equal values inside a layer
    length = np.diff(run_start, append=len(layers.rank))
    rarest = np.minimum.reduceat(length, np.searchsorted(run_start, first))
    return np.asarray(1 - rarest / layers.sizes)


def _distance_of_weighting(layers: Layers, weights: Values, kind: ClosenessKind) -> float:
    """Return the distance between the table and its layers with other ``weights``."""
    excess_shares = np.repeat(weights / layers.sizes, layers.sizes) - 1 / len(layers.rank)
    by_value = np.bincount(layers.rank, excess_shares)
    if kind == "ordered":
        return float(np.abs(np.cumsum(by_value)[:-1]).sum() / max(len(by_value) - 1, 1))
    return float(np.abs(by_value).sum() / 2)


def _form_groups(X: Matrix, remaining: list[Indices], layers: Layers) -> Labels:
    """Return the groups: seeds as in MDAV, and the nearest record of every layer."""
    labels = np.full(len(X), -1)
    seed = 0
    for group in range(layers.n_groups):
        ungrouped = np.flatnonzero(labels < 0)
        # Every second seed is the record farthest from the previous seed.
        reference = X[ungrouped].mean(axis=0) if group % 2 == 0 else X[seed]
        seed = int(ungrouped[np.argmax(squared_distances(X[ungrouped], reference))])
        for layer_number, layer in enumerate(remaining):
            squares = squared_distances(X[layer], X[seed])
            nearest = [np.argmin(squares)]
            if len(layer) > layers.n_groups - group:  # the middle layer has additional records
                squares[nearest] = np.inf
                nearest.append(np.argmin(squares))
            labels[layer[nearest]] = group
            remaining[layer_number] = np.delete(layer, nearest)
        progress.report("grouping", group + 1, layers.n_groups)
    return labels
