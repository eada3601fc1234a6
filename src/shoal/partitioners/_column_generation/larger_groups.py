"""Which groups of more than k records may have a negative reduced cost although none of k has.

Cover a group S of s records evenly by all groups of k of its records, each with the weight
1 / C(s-1, k-1), so that the weights of the groups that contain a record add up to 1. In the
weighted sum over these groups of k,

- their SSEs add up to s (k-1) / (k (s-1)) times the SSE of S;
- the dual of the number of groups counts s / k times;
- the dual of a triple counts less than once if S contains two of its records, and
  `triple_multiplicity` times if S contains all three;
- the dual of a cluster with divisor m counts at most h // m + h * `cluster_excess_share` times if
  S contains h of its records.

So if no group of k has a negative reduced cost, neither has S, unless these duals exceed the
difference between the SSE of S and the weighted sum of SSEs. The SSE of S is bounded from below by
the distances of its records to their nearest neighbours. So only groups in which a record has a
positive `larger_group_deficit` need to be searched.
"""

from functools import cache
from math import comb

import numpy as np

from shoal._kernels.column_generation.candidate_list import NeighbourTable
from shoal.partitioners._base import Values
from shoal.partitioners._column_generation.master_problem import Duals

ROUNDING = 1e-12  # share by which rounded sums may be too small or too large


def triple_multiplicity(size: int, k: int) -> float:
    """Return how often the weighted groups of ``k`` count the dual of a triple.

    The groups are subsets of a group of ``size`` records that contains the whole triple.
    """
    n_with_two, n_with_three = comb(size - 3, k - 2), comb(size - 3, k - 3) if k > 2 else 0
    return (3 * n_with_two + n_with_three) / comb(size - 1, k - 1)


@cache
def cluster_excess_share(size: int, k: int, divisor: int) -> float:
    """Return how much more often the weighted groups of ``k`` count the dual of a cluster.

    They are compared with the group of ``size`` records whose subsets they are. That group counts
    the dual h // divisor times if it contains h records of the cluster. The difference is divided
    by h; the result is the greatest quotient for any h, and at least 0.
    """

    def weighted_count(h: int) -> float:
        max_inside = min(h, k)
        terms = (comb(h, j) * comb(size - h, k - j) * (j // divisor) for j in range(max_inside + 1))
        return sum(terms) / comb(size - 1, k - 1)

    return max(0.0, max((weighted_count(h) - h // divisor) / h for h in range(1, size + 1)))


def larger_group_deficit(table: NeighbourTable, duals: Duals, k: int, size: int) -> Values:
    """Return by how much each record may lower the reduced cost of groups of ``size`` > k below 0.

    The deficits of the records of a group add up to at least minus its reduced cost if no group of
    ``k`` has a negative one, so a group of negative reduced cost has a record of positive deficit.
    """
    triple_dual_per_record = np.zeros(len(table.X))
    np.add.at(triple_dual_per_record, duals.triples, duals.triple_dual[:, None] / 3)
    cluster_dual_per_record = np.zeros(len(table.X) + 1)  # the last entry stands for padding
    excess_shares = np.array(
        [cluster_excess_share(size, k, int(divisor)) for divisor in duals.divisors]
    )
    np.add.at(
        cluster_dual_per_record, duals.clusters, (duals.cluster_dual * excess_shares)[:, None]
    )
    saved_cost = table.square_sums[:, size - 1] * (size - k) / (2 * size * k * (size - 1))
    added_cost = (triple_multiplicity(size, k) - 1) * triple_dual_per_record + duals.group_dual * (
        size - k
    ) / (k * size)
    cluster_dual = cluster_dual_per_record[:-1] * (1 + ROUNDING)
    return added_cost + cluster_dual - saved_cost * (1 - ROUNDING)


def greatest_deficit(table: NeighbourTable, duals: Duals, k: int) -> Values:
    """Return the greatest deficit of each record in groups of k + 1 to 2k - 1 records, or 0.

    If every dual falls by its deficit, no such group has a negative reduced cost unless a group of
    k records has.
    """
    greatest = np.zeros(len(duals.record_dual))
    for size in range(k + 1, 2 * k):
        np.maximum(greatest, larger_group_deficit(table, duals, k, size), out=greatest)
    return greatest
