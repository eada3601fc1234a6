"""Density-based microaggregation, the first phase."""

from shoal._kernels.dba1 import form_groups, open_linked_neighbours
from shoal._kernels.leftovers import join_nearest_centroid
from shoal._kernels.spatial.index import open_index
from shoal._params import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner, run_in_strides
from shoal.partitioners._neighbours import nearest_others

MAX_SPARE = 64  # listed neighbours beyond the k - 1 in use: fewer searches, but more memory


class DBA1(Partitioner):
    """Group records by DBA-1, the first phase of density-based microaggregation [LWHC10]_.

    The density of a record is the reciprocal of the SSE of the record and its k - 1
    nearest neighbours among the remaining records. Dense regions are grouped first and outliers
    last, so the loss is high; :class:`DBA2` corrects that.

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

    Notes
    -----
    **Steps**

    1. While at least k records are left, the densest record and its k - 1 nearest
       neighbours form a group.
    2. Each leftover joins the group with the nearest centroid; the centroids stay
       as they were while they join.

    **Guarantee.** All groups have k to 2k - 1 records. Nothing is proven about the
    loss.

    **Cost.** An index finds the neighbours, and densities are updated only where a
    neighbour was removed: time grows as n² at worst, and far less on tables of few or
    related columns. Memory grows as n k. Ties, which are equal float64 distances,
    go to the record that comes first, and between groups to the one formed first.

    References
    ----------
    .. [LWHC10] Lin, J.-L., Wen, T.-H., Hsieh, J.-C. and Chang, P.-C. (2010).
       Density-based microaggregation for statistical disclosure control. Expert
       Systems with Applications 37(4), 3256-3263.

    Examples
    --------
    >>> DBA1(k=2).fit_predict([[0], [9], [1], [8], [4]])
    array([0, 1, 0, 1, 0])
    """

    facts = Facts(groups="fixed", cost="n²", paper="LWHC10")

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        k, index = int(self.k), open_index(X)
        n_neighbours = min(len(X) - 1, k - 1 + min(4 * (k - 1), MAX_SPARE))
        lists = open_linked_neighbours(index, k, nearest_others(index, n_neighbours)[0])
        labels = run_in_strides(X, form_groups, k, lists, open_state=lambda _: index)
        join_nearest_centroid(X, labels)
        return labels
