"""V-MDAV: MDAV with groups of variable size."""

from typing import Annotated, Literal

import numpy as np

from shoal._kernels.group_formation import squared_distances_to_mean
from shoal._kernels.leftovers import assign_leftovers
from shoal._kernels.vmdav import form_groups
from shoal._params import AtLeast, K
from shoal.partitioners._base import (
    Facts,
    Labels,
    Matrix,
    Partitioner,
    centroids_and_sse,
    run_in_strides,
)

GAMMAS = (0.0, 0.2, 0.5, 0.8, 1.1)  # tried by gamma="auto"


class VMDAV(Partitioner):
    """Group records by V-MDAV, the variable-size heuristic of [SM06]_.

    Groups are formed from the outside in, one at a time, and take in further
    records that lie nearer to the group than to the others.

    Parameters
    ----------
    k : int
        Minimum number of records in a group.
    gamma : float or "auto"
        How readily a group takes in a neighbour; 0 takes in none. About 0.2
        suits scattered records, about 1.1 records in clusters. ``"auto"`` tries 0,
        0.2, 0.5, 0.8 and 1.1, five times the work, and keeps the gamma with the
        smallest sum of squares within groups; ties go to the lowest gamma.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    gamma_ : float
        The value of `gamma` that was used.

    Notes
    -----
    **Steps**

    1. While at least 2k records are left, the record farthest from the mean of the
       whole table forms a group with its k - 1 nearest neighbours.
    2. The group takes in the record nearest to any of its members while that
       record's distance to the group is below `gamma` times its distance to the
       nearest other record left, up to 2k - 1 records.
    3. If k to 2k - 1 records are left at the end, they form the last group; fewer
       join the groups with the nearest centroids, which stay fixed meanwhile.

    **Guarantee.** All groups have k to 3k - 2 records: leftovers may join a group
    that was extended. Nothing is proven about the loss.

    **Cost.** Time grows as n², memory as n. Ties, which are equal float64
    distances, go to the record that comes first.

    References
    ----------
    .. [SM06] Solanas, A. and Martinez-Balleste, A. (2006). V-MDAV: a multivariate
       microaggregation with variable group size. Seventh COMPSTAT Symposium of
       the IASC, Rome.

    Examples
    --------
    >>> VMDAV(k=2, gamma=1.1).fit_predict([[0], [1], [2], [7], [9]])
    array([0, 0, 0, 1, 1])
    """

    facts = Facts(groups="variable", cost="n²", paper="SM06")

    def __init__(self, k: K, gamma: Annotated[float, AtLeast(0)] | Literal["auto"] = 0.2):
        self.k = k
        self.gamma = gamma

    def _split(self, X: Matrix) -> Labels:
        order = np.argsort(-squared_distances_to_mean(X), kind="stable")
        gammas = GAMMAS if self.gamma == "auto" else (float(self.gamma),)
        best_sse = np.inf
        for trial, gamma in enumerate(gammas):
            labels = run_in_strides(
                X,
                form_groups,
                order,
                self.k,
                gamma,
                done=trial * len(X),
                total=len(gammas) * len(X),
            )
            assign_leftovers(X, labels, self.k)
            sse = centroids_and_sse(X, labels)[1]
            if sse < best_sse:
                best_sse, best, self.gamma_ = sse, labels, gamma
        return best
