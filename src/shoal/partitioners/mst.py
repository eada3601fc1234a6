"""Minimum spanning tree, cut into groups."""

from typing import Literal

import numpy as np

from shoal import _progress as progress
from shoal._kernels.mdav import NO_PAIRS
from shoal._kernels.mst import SpanningTree, cut_edges, grow_tree, open_tree
from shoal._kernels.spatial.pool import open_pool
from shoal._params import K
from shoal.partitioners._base import Facts, Indices, Labels, Matrix, Partitioner, run_in_strides
from shoal.partitioners.md import md_groups
from shoal.partitioners.mdav import mdav_groups


class MST(Partitioner):
    """Group records along their minimum spanning tree, M-d and M-c of [LM05]_.

    The longest edges are cut first, so the method suits records in well-separated
    clusters.

    Parameters
    ----------
    k : int
        Minimum number of records in a group.
    split : {"diameter", "centroid", "none"}, default="diameter"
        How trees of 2k records or more are split: ``"diameter"`` by :class:`MD` (M-d),
        ``"centroid"`` by :class:`CentroidMDAV` (M-c); ``"none"`` leaves them whole (M),
        and groups may be large.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. The minimum spanning tree of all records is found.
    2. It is cut at its longest edges first, wherever both sides keep at least k
       records.
    3. A tree that still has 2k records or more is split by the method `split`.

    **Guarantee.** All groups have k to 2k - 1 records, unless ``split="none"``.
    Nothing is proven about the loss.

    **Cost.** Time grows as n², memory as n. Edges of the same length are ordered by
    their lower and then by their higher record, when the tree is built and when it
    is cut, so the same table always gives the same groups.

    References
    ----------
    .. [LM05] Laszlo, M. and Mukherjee, S. (2005). Minimum spanning tree
       partitioning algorithm for microaggregation. IEEE Transactions on Knowledge
       and Data Engineering 17(7), 902-911.

    Examples
    --------
    >>> MST(k=2).fit_predict([[0], [9], [1], [8], [7]])
    array([0, 1, 0, 1, 1])
    """

    facts = Facts(groups="variable", cost="n²", paper="LM05")

    def __init__(self, k: K, split: Literal["diameter", "centroid", "none"] = "diameter"):
        self.k = k
        self.split = split

    def _split(self, X: Matrix) -> Labels:
        tree = open_tree(len(X))
        run_in_strides(X, grow_tree, tree, X, open_state=open_pool, stage="joining")
        labels: Labels = cut_edges(tree, _longest_first(tree), self.k)

        sizes = np.bincount(labels)
        trees = np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1])
        n_groups, n_done = len(sizes), 0
        for records in trees:
            if len(records) >= 2 * self.k and self.split != "none":
                labels[records] = n_groups + self._divide(X[records], n_done, len(X))
                n_groups = int(labels[records].max()) + 1
            n_done += len(records)
        progress.report("grouping", len(X), len(X))
        return labels

    def _divide(self, X: Matrix, n_done: int, n_total: int) -> Labels:
        """Return the groups of a tree that is too large; ``n_done`` records were grouped before."""
        if self.split == "diameter":
            return md_groups(X, self.k, n_done, n_total)
        return mdav_groups(X, self.k, NO_PAIRS, 2 * self.k)


def _longest_first(tree: SpanningTree) -> Indices:
    """Return the edges of the tree, longest first, each by the record that it added."""
    records = tree.order[1:]
    parents = tree.parent[records]
    low, high = np.minimum(records, parents), np.maximum(records, parents)
    return records[np.lexsort((high, low, -tree.length[records]))]
