"""CV-MDAV: centroid-based MDAV with groups of variable size."""

from typing import Annotated

from shoal._kernels.cvmdav import form_groups
from shoal._kernels.leftovers import assign_leftovers
from shoal._params import AtLeast, K
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner, run_in_strides


class CVMDAV(Partitioner):
    """Group records by CV-MDAV, the variable-size heuristic of [CPD13]_.

    Groups are formed one at a time, around the outermost of the remaining records, and
    extended by neighbours that are closer to the group than to the records around them.

    Parameters
    ----------
    k : int
        Minimum number of records in a group.
    gamma : float
        How readily a group takes in a neighbour; 0 takes in none.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.

    Notes
    -----
    **Steps**

    1. While at least 3k records are left, the record farthest from their mean forms
       a group with its k - 1 nearest neighbours.
    2. Its k next neighbours are tested in turn, and each that passes is added, up
       to 2k - 1 records. A record passes if its distance to the centroid of the group
       is below `gamma` times its distance to the mean of itself and its k nearest
       neighbours outside the group.
    3. With 2k to 3k - 1 records left, one more group is formed and not extended.
    4. The other records form the last group.

    **Guarantee.** All groups have k to 2k - 1 records. Nothing is proven about the
    loss.

    **Cost.** Time grows as n², memory as n. Ties, which are equal float64
    distances, go to the record that comes first.

    References
    ----------
    .. [CPD13] Chettri, S. K., Paul, B. and Dutta, A. K. (2013). Statistical
       disclosure control for data privacy preservation. International Journal of
       Computer Applications.

    Examples
    --------
    >>> CVMDAV(k=2).fit_predict([[0], [1], [2], [7], [8], [9], [20], [21]])
    array([0, 0, 0, 1, 1, 1, 2, 2])
    """

    facts = Facts(groups="variable", cost="n²", paper="CPD13")

    def __init__(self, k: K, gamma: Annotated[float, AtLeast(0)] = 1.1):
        self.k = k
        self.gamma = gamma

    def _split(self, X: Matrix) -> Labels:
        labels = run_in_strides(X, form_groups, self.k, float(self.gamma))
        assign_leftovers(X, labels, self.k)
        return labels
