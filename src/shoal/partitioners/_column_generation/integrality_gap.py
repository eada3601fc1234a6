"""Close the integrality gap by an integer programme over all groups of low reduced cost.

At the duals that prove the bound, a partition that contains a group with a reduced cost of at least
``cutoff`` costs at least the bound plus ``cutoff``. So only groups with a reduced cost below the
gap can be part of a better partition. They are enumerated [BCM08]_ record by record, in the order
of decreasing duals, and an integer programme selects the best among them.

The programme must cover the *leading* records, all of whose groups are enumerated. The other,
*remaining* records contribute their duals, so groups that consist of remaining records only need
not be enumerated. A lower bound of the integer programme bounds all partitions, up to the cutoff.
If there are too many groups, a smaller cutoff with which all records are leading still finds better
partitions.

References
----------
.. [BCM08] Baldacci, R., Christofides, N. and Mingozzi, A. (2008). An exact algorithm for the
   vehicle routing problem based on the set partitioning formulation with additional cuts.
   Mathematical Programming 115(2), 351-385.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.column_generation.group_search import SearchLimits, list_all_groups
from shoal.partitioners._base import Values
from shoal.partitioners._column_generation.column_pool import (
    improve_from_pool,
    labels_of,
    store_partition,
)
from shoal.partitioners._column_generation.columns import Columns, cluster_limits
from shoal.partitioners._column_generation.master_problem import Duals, MasterProblem
from shoal.partitioners._column_generation.proof import Proof

GROUP_LIMITS = (4_000, 16_000, 64_000)  # groups that are enumerated, in successive attempts
TOLERANCE = 2e-9  # share of the cost that rounding and tolerances of the solver may change
MAX_STEPS = 20_000_000  # search steps to list the groups of one record and size
CUTOFF_FACTOR = 0.7  # a cutoff with too many groups below it is multiplied by this
TIME_SHARE = 0.4  # share of the remaining time for an integer programme

Mask = NDArray[np.bool_]


def enumerate_groups(proof: Proof, cutoff: float, max_groups: int) -> tuple[Columns, Mask]:
    """Enumerate the groups of reduced cost below ``cutoff``; return them and the leading records.

    The columns of the best partition come first. The enumeration ends at the first record whose
    groups would bring their number above ``max_groups``.
    """
    columns = Columns(proof.columns.X, proof.k)
    columns.add_partition(proof.labels)
    n_partition_groups = len(columns)
    order = np.argsort(-proof.duals.record_dual, kind="stable").astype(np.int64)
    sizes, limits = range(proof.k, 2 * proof.k), SearchLimits(cutoff, len(order), MAX_STEPS)
    ranked_duals = [proof.pricing.ranked_duals(proof.duals, order, size) for size in sizes]
    buffers = [np.empty((max_groups, size), np.int64) for size in sizes]
    is_leading = np.zeros(len(order), bool)
    for anchor in order:
        for size_duals, buffer in zip(ranked_duals, buffers, strict=True):
            count = list_all_groups(proof.pricing.table, size_duals, anchor, limits, buffer)
            if count < 0 or len(columns) + count > max_groups + n_partition_groups:
                return columns, is_leading
            columns.add(buffer[:count])
        is_leading[anchor] = True
        proof.report_progress()
    return columns, is_leading


def cut_duals_of_groups(columns: Columns, duals: Duals, cuts: tuple[Mask, Mask]) -> Values:
    """Return the sum of the duals of the given cuts in the reduced cost of each group.

    ``cuts`` are masks of triples and of clusters.
    """
    has_triple, has_cluster = cuts
    dual_sums, triple_dual = np.zeros(len(columns)), duals.triple_dual[has_triple]
    triple, group = columns.groups_with_triples(duals.triples[has_triple]).T
    np.add.at(dual_sums, group, triple_dual[triple])
    clusters, divisors = duals.clusters[has_cluster], duals.divisors[has_cluster]
    cluster, group = columns.groups_with_clusters(clusters, divisors).T
    np.add.at(dual_sums, group, duals.cluster_dual[has_cluster][cluster])
    return dual_sums


def charge_remaining_duals(proof: Proof, columns: Columns, is_leading: Mask) -> float:
    """Subtract the duals of the remaining records from the costs; return what they contribute.

    Cuts in which only groups with leading records count become rows of the integer programme; the
    duals of the others are added to the costs of the groups.
    """
    duals = proof.duals
    is_remaining = np.append(~is_leading, False)  # the last entry stands for padding
    is_triple_row = is_leading[duals.triples].sum(axis=1) >= 2
    is_cluster_row = is_remaining[duals.clusters].sum(axis=1) < duals.divisors
    columns.triples = duals.triples[is_triple_row & (duals.triple_dual > 0)]
    is_used = is_cluster_row & (duals.cluster_dual > 0)
    columns.clusters, columns.divisors = duals.clusters[is_used], duals.divisors[is_used]
    if is_leading.all():
        return 0.0
    remaining_dual = np.append(np.where(is_leading, 0.0, duals.record_dual), 0.0)
    record_duals = remaining_dual[columns.members].sum(axis=1)
    charged_duals = cut_duals_of_groups(columns, duals, (~is_triple_row, ~is_cluster_row))
    columns.costs = columns.costs + charged_duals + duals.group_dual - record_duals
    cluster_duals = cluster_limits(duals.clusters, duals.divisors) * duals.cluster_dual
    group_duals = duals.group_dual * (len(columns.X) // proof.k)
    reduced_costs = proof.dual_bound - (
        duals.record_dual.sum() - duals.triple_dual.sum() - cluster_duals.sum() - group_duals
    )
    cut_duals = duals.triple_dual[~is_triple_row].sum() + cluster_duals[~is_cluster_row].sum()
    return float(remaining_dual.sum() - cut_duals - group_duals + reduced_costs)


def bound_by_listed_groups(proof: Proof, cutoff: float, columns: Columns, is_leading: Mask) -> None:
    """Raise the bound, and improve the partition, by an integer programme over listed groups."""
    start, max_groups = np.arange(int(proof.labels.max()) + 1), len(columns.X) // proof.k
    includes_all = is_leading.all() and cutoff > proof.sse - proof.dual_bound
    constant = charge_remaining_duals(proof, columns, is_leading)
    # A programme of all groups may take all the time that is left. Without heuristics, the solver
    # stops as soon as it is cancelled; with them, it is often much faster, so it first runs with
    # them.
    for share in (TIME_SHARE, 1.0) if includes_all else (TIME_SHARE,):
        seconds_left = proof.seconds_left
        solution = MasterProblem(columns, max_groups, is_leading).solve_integer(
            start, share * seconds_left, seconds_left, proof.report_progress
        )
        if solution.selected is not None:
            start = solution.selected
            store_partition(proof, labels_of(columns, start))
        bound = min(solution.bound + constant, proof.dual_bound + cutoff, proof.sse)
        proof.bound = max(proof.bound, bound - TOLERANCE * proof.sse)
        solution.raise_interruption()
        if is_closed(proof):
            break


def is_closed(proof: Proof) -> bool:
    """Return whether the best partition so far is proven to be optimal, to eight digits."""
    return proof.sse - proof.bound <= 4 * TOLERANCE * proof.sse


def close_gap(proof: Proof) -> None:
    """Improve the partition and the bound by integer programmes."""
    improve_from_pool(proof)
    for max_groups in GROUP_LIMITS:
        cutoff = proof.sse - proof.dual_bound + TOLERANCE * proof.sse
        columns, is_leading = enumerate_groups(proof, cutoff, max_groups)
        bound_by_listed_groups(proof, cutoff, columns, is_leading)
        if is_leading.all() or is_closed(proof):
            return
        while not is_leading.all() and cutoff > TOLERANCE * proof.sse:
            cutoff *= CUTOFF_FACTOR
            columns, is_leading = enumerate_groups(proof, cutoff, max_groups)
        bound_by_listed_groups(proof, cutoff, columns, is_leading)
