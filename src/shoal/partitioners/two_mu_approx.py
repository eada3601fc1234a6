"""Pairs and triples from a graph of minimum weight, for k = 2."""

from typing import Annotated

import numpy as np

from shoal._params import Exactly
from shoal.errors import InputError
from shoal.partitioners._base import Facts, Labels, Matrix, Partitioner
from shoal.partitioners._factor import minimum_factor

TOLERANCE = 1e-9  # maximum relative gap between the weight and its proven lower bound


class TwoMuApprox(Partitioner):
    """Group records in pairs and triples by 2-mu-Approx of [DS06]_, at most twice the least SSE.

    Every two records are joined by an edge whose weight is their squared distance.
    Pairs and triples follow from the lightest set of edges that covers every
    record. Each member of a pair can compute the values of the other from their
    mean, so the paper recommends k = 2 only if no respondent is an attacker.

    Parameters
    ----------
    k : int
        Minimum number of records in a group: always 2, the number for which the
        method is made. It has no default: it is the guarantee.

    Attributes
    ----------
    labels_ : ndarray of shape (n_records,)
        Group of each record.
    partition_ : Partition
        The same, with its sizes.
    weight_ : float
        Sum of the squared distances along the chosen edges. The SSE is at most this sum,
        and at least half of it.
    certificate_ : FactorCertificate
        Dual values that prove the weight to be minimal: its ``bound`` is a lower bound
        of the weight of all such sets; half of it is a lower bound of the SSE.

    Notes
    -----
    **Steps**

    1. A set of minimum weight is chosen among the sets that give each record one or two
       edges.
    2. It consists of pairs and paths of three records, which are the groups.

    **Guarantee.** The SSE is at most twice the least possible.

    **Cost.** A minimum-weight matching on the edges to near records gives a first
    set. Then all n(n - 1)/2 edges are compared with its dual values, and edges of
    negative reduced cost are added until there are none. So the minimum weight is
    proven for each table, to nine digits. Time grows as n² or a little faster,
    memory as n.

    References
    ----------
    .. [DS06] Domingo-Ferrer, J. and Sebé, F. (2006). Optimal multivariate
       2-microaggregation for microdata protection: a 2-approximation. Privacy in
       Statistical Databases, LNCS 4302, 129-138.

    Examples
    --------
    >>> TwoMuApprox(k=2).fit_predict([[0], [9], [1], [8], [5]])
    array([0, 1, 0, 1, 1])
    """

    facts = Facts(
        groups="variable",
        cost="n²",
        paper="DS06",
        guarantee="the SSE is at most 2 times the least possible",
    )

    def __init__(self, k: Annotated[int, Exactly(2)]):
        self.k = k

    def _split(self, X: Matrix) -> Labels:
        factor = minimum_factor(X)
        gap = factor.weight - factor.certificate.bound
        if gap > TOLERANCE * factor.weight:
            raise InputError(
                "The minimum weight could not be proven: the relative gap is"
                f" {gap / factor.weight:.1g}, above {TOLERANCE:g}. Standardise the columns.",
                code="not-proven",
            )
        self.weight_ = factor.weight
        self.certificate_ = factor.certificate
        # Each edge ends in a record that has no other; the other end names the group.
        degree = np.bincount(factor.pairs.ravel())
        first, second = factor.pairs.T
        is_first_single = degree[first] == 1
        labels = np.arange(len(X))
        labels[np.where(is_first_single, first, second)] = np.where(is_first_single, second, first)
        return labels
