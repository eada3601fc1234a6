"""Maximum Distance to Average Vector."""

from shoal._kernels.leftovers import assign_leftovers
from shoal._kernels.mdav import form_groups, form_groups_flat
from shoal._params import K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner, run_in_strides

# a, b, c: full passes are faster than an index up to a + b k records, and with p columns up to
# c k p records, since an index rotates each of them.
FLAT = 8000, 300, 1.5


class MDAV(Partitioner):
    """Group records by MDAV, the fixed-size heuristic of [DT05]_.

    Groups are formed in pairs: around the record farthest from the mean of the remaining
    records, and around the record farthest from that one. So outlying records are grouped
    first.

    Parameters
    ----------
    k : int
        Least number of records in a group. It has no default: it is the
        guarantee.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. While at least 3k records are left, the record farthest from their mean and
       the record farthest from that one each form a group with their k - 1 nearest
       neighbours.
    2. With 2k to 3k - 1 records left, the record farthest from their mean forms one
       more group with its k - 1 nearest neighbours.
    3. The rest is the last group.

    **Guarantee.** All groups have k records, the last one k to 2k - 1. Nothing is
    proven about the loss.

    **Cost.** Time grows as n²/k at worst. Long tables are searched by an index that
    skips most records, and time then grows more slowly, the more so the more the
    records lie in clumps or along few directions. Memory grows as n. Ties, which
    are equal float64 distances, go to the record that comes first, so the same
    table always gives the same groups.

    References
    ----------
    .. [DT05] Domingo-Ferrer, J. and Torra, V. (2005). Ordinal, continuous and
       heterogeneous k-anonymity through microaggregation. Data Mining and
       Knowledge Discovery 11(2), 195-212.

    Examples
    --------
    >>> MDAV(k=2).fit_predict([[0], [9], [1], [8]])
    array([0, 1, 0, 1])
    """

    facts = Facts(groups="fixed", cost="n²/k", paper="DT05")

    def __init__(self, k: K):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        return split_from_the_ends(X, self.k, pairs_from=3 * self.k, singles_from=2 * self.k)


def split_from_the_ends(X: Matrix, k: int, pairs_from: int, singles_from: int) -> Labels:
    """Return the groups of MDAV or a similar method; see `shoal._kernels.mdav` for both numbers."""
    labels = groups_from_the_ends(X, k, pairs_from, singles_from)
    assign_leftovers(X, labels, k)
    return labels


def groups_from_the_ends(X: Matrix, k: int, pairs_from: int, singles_from: int) -> Labels:
    """Return the same groups without the left-overs, whose label is -1."""
    short = max(FLAT[0] + FLAT[1] * k, int(FLAT[2] * k * X.shape[1]))
    return run_in_strides(
        X, form_groups, k, pairs_from, singles_from, flat=form_groups_flat, short=short
    )
