"""Maximum Distance."""

from typing import Literal

from shoal._kernels.farthest_pair import open_pair_bounds
from shoal._kernels.leftovers import assign_leftovers
from shoal._kernels.md import form_groups
from shoal._kernels.spatial.pool import open_pool
from shoal._params import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner, run_in_strides

Growth = Literal["centroid", "extreme"]


class MD(Partitioner):
    """Group records by MD, the maximum-distance heuristic of [DM02]_.

    Two groups at a time are formed around the two records that are farthest apart.

    Parameters
    ----------
    k : int
        Minimum number of records in a group.
    grow : {"centroid", "extreme"}, default="centroid"
        How a group grows: ``"centroid"`` adds the record nearest to its centroid each
        time, which reproduces the published figures. ``"extreme"`` adds the k - 1 records
        nearest to the record from which the group started, as [CPD13]_ describe the method.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. While at least 2k records are left, the two that lie farthest apart start a
       group each.
    2. First one and then the other grows to k records: by the record nearest to its
       centroid, which moves with every record, or by the records nearest to its first
       record, depending on `grow`.
    3. If k to 2k - 1 records are left then, they form the last group; fewer join the
       groups with the nearest centroids, which stay fixed meanwhile.

    **Guarantee.** All groups have k to 2k - 1 records. Nothing is proven about the
    loss.

    **Cost.** Time usually grows as n²: bounds from earlier rounds make the search for
    the farthest pair short. Tables can be constructed on which time grows as n³/k.
    Memory grows as n. Ties, which are equal float64 distances, go to the record that
    comes first, and between pairs to the pair whose first record comes first.

    References
    ----------
    .. [CPD13] Chettri, S. K., Paul, B. and Dutta, A. K. (2013). Statistical
       disclosure control for data privacy preservation. International Journal of
       Computer Applications.
    .. [DM02] Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002). Practical
       data-oriented microaggregation for statistical disclosure control. IEEE
       Transactions on Knowledge and Data Engineering 14(1), 189-201.

    Examples
    --------
    >>> MD(k=2).fit_predict([[0], [9], [1], [8], [2]])
    array([0, 1, 0, 1, 0])
    """

    facts = Facts(groups="fixed", cost="n²", paper="DM02")

    def __init__(self, k: K, grow: Growth = "centroid"):
        self.k = k
        self.grow = grow

    def _split(self, X: Matrix) -> Labels:
        return md_groups(X, self.k, nearest_to_seed=self.grow == "extreme")


def md_groups(
    X: Matrix, k: int, n_done: int = 0, n_total: int | None = None, *, nearest_to_seed: bool = False
) -> Labels:
    """Return the groups of MD for a table, or for a part of a table of ``n_total`` records.

    ``n_done`` of these records were grouped before; reports of progress count them.
    """
    labels = run_in_strides(
        X,
        form_groups,
        open_pair_bounds(X),
        X,
        k,
        nearest_to_seed,
        open_state=open_pool,
        done=n_done,
        total=n_total,
    )
    assign_leftovers(X, labels, k)
    return labels
