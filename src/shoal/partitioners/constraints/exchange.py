"""Exchange records between groups until they are close to the whole table, if possible."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal import _progress as progress
from shoal._kernels.t_closeness_exchange import (
    ConfidentialRanks,
    GroupMembers,
    exchange_with_candidates,
    group_distance,
)
from shoal.partitioners._base import Indices, Matrix, Partition, in_order, squared_distances


def exchange(
    Z: Matrix,
    partition: Partition,
    ranks: Indices,
    ordered: NDArray[np.bool_],
    totals: Sequence[Indices],
    t: float,
) -> Partition:
    """Let groups that are farther than t from the table exchange records with others [SDSM15]_.

    The groups farther than t are visited in the order of their first records. Records of other
    groups are tried in the order of their distance to the group's centroid; each replaces the
    member whose removal brings the group nearest to the table (the first of equals), if the
    distance falls, until the group is within t. Sizes do not change, so k is kept.

    The paper exchanges with records that have no group yet, while MDAV makes the groups. Here
    groups of any method exchange with each other, and the other group must stay within t or
    come no farther from the table. Groups that are still farther than t in the end must be
    merged. If there are several confidential columns, the greatest distance counts.

    Parameters
    ----------
    Z : ndarray of shape (n_records, n_columns)
        Records in comparable units: distances are taken as they are.
    partition : Partition
        The groups to start from.
    ranks : ndarray of shape (n_records, n_confidential)
        The confidential values, numbered from 0.
    ordered : ndarray of shape (n_confidential,)
        Whether the order of these numbers is meaningful.
    totals : list of ndarray
        How often each value occurs in the whole table, by column.
    t : float
        Maximum distance from the table to aim for.

    Returns
    -------
    Partition
        Groups of the same sizes, numbered by first records.

    References
    ----------
    .. [SDSM15] Soria-Comas, J., Domingo-Ferrer, J., Sánchez, D. and Martínez, S.
       (2015). t-Closeness through microaggregation: strict privacy with enhanced
       utility preservation. IEEE Transactions on Knowledge and Data Engineering
       27(11), 3098-3110.

    Examples
    --------
    >>> Z, ill = np.array([[0.0], [1], [2], [9]]), np.array([[0], [0], [1], [1]])
    >>> groups = Partition(np.array([0, 0, 1, 1]), k=2)
    >>> exchange(Z, groups, ill, np.array([True]), [np.array([2, 2])], 0.0).labels
    array([0, 1, 1, 0])
    """
    labels = partition.labels.copy()
    members = np.argsort(labels, kind="stable")
    start = np.concatenate([[0], np.cumsum(partition.sizes)])
    groups = GroupMembers(labels, members, start)
    cumulative_counts = [np.cumsum(total) for total in totals]
    cumulative_sums = [np.concatenate([[0], np.cumsum(counts)]) for counts in cumulative_counts]
    column_start = np.concatenate([[0], np.cumsum([len(total) for total in totals])])
    table = ConfidentialRanks(
        ranks,
        ordered,
        np.concatenate(cumulative_counts),
        np.concatenate(cumulative_sums),
        column_start,
    )
    for group in range(partition.n_groups):
        records = members[start[group] : start[group + 1]]
        if group_distance(table, records) > t:
            centroid = Z[records].mean(axis=0)
            candidates = np.argsort(squared_distances(Z, centroid), kind="stable")
            exchange_with_candidates(table, groups, group, candidates, t)
        progress.report("exchanging records", group + 1, partition.n_groups)
    return Partition(in_order(labels), partition.k)
