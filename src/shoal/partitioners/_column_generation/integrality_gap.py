"""Close the integrality gap of the linear programme by an integer programme over few groups.

At the duals that prove the bound, a partition that contains a group with a reduced cost of at least
``cutoff`` costs at least the bound plus ``cutoff``. So only groups with a reduced cost below the
gap can be part of a better partition. They are enumerated record by record, in the order of
decreasing duals, and an integer programme selects the best among them. It must cover the *leading*
records, those whose groups are all enumerated. The remaining records contribute their duals, so
that groups of remaining records alone need not be enumerated. A lower bound of the integer
programme bounds all partitions, up to the cutoff. Where there are too many groups, a smaller cutoff
with which all records are leading still finds better partitions.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.pricing.group_search import list_all_groups
from shoal.partitioners._column_generation.column_pool import (
    improve_from_pool,
    labels_of,
    record_partition,
)
from shoal.partitioners._column_generation.columns import Columns, cluster_limits
from shoal.partitioners._column_generation.master_problem import MasterProblem
from shoal.partitioners._column_generation.proof import Proof

GROUP_LIMITS = (4_000, 16_000, 64_000)  # groups that are enumerated, in successive attempts
TOLERANCE = 2e-9  # of the cost: rounding and tolerances of the solver
MAX_STEPS = 20_000_000  # to list the groups of one record and size
CUTOFF_FACTOR = 0.7  # reduces a cutoff with too many groups below it
SHARE = 0.4  # of the remaining time, for an integer programme that does not include all groups

Leading = NDArray[np.bool_]


def list_groups(proof: Proof, cutoff: float, max_groups: int) -> tuple[Columns, Leading]:
    """Enumerate the groups of reduced cost below ``cutoff``; return them and the leading records.

    The columns of the best partition come first. The enumeration ends at the first record with
    which there would be more than ``max_groups``.
    """
    columns = Columns(proof.columns.X, proof.k)
    columns.add_partition(proof.labels)
    n_partition = len(columns)
    order = np.argsort(-proof.duals.record_dual, kind="stable").astype(np.int64)
    sizes = range(proof.k, 2 * proof.k)
    ranked_duals = [proof.pricing.ranked_duals(proof.duals, order, size) for size in sizes]
    buffers = [np.empty((max_groups, size), np.int64) for size in sizes]
    leading = np.zeros(len(order), bool)
    for first in order:
        for size, ranked, rows in zip(sizes, ranked_duals, buffers, strict=True):
            count = list_all_groups(proof.pricing.table, ranked, first, size, cutoff, MAX_STEPS, rows)
            if count < 0 or len(columns) + count > max_groups + n_partition:
                return columns, leading
            columns.add(rows[:count])
        leading[first] = True
        proof.check_interrupt()
    return columns, leading


def charge_others(proof: Proof, columns: Columns, leading: Leading) -> float:
    """Subtract the duals of the remaining records from the costs; return what they contribute.

    Triples and clusters that only groups of leading records can contain become inequalities of the
    integer programme again; the duals of the others are added to the costs of the groups.
    """
    duals = proof.duals
    group_duals = duals.group_dual * (len(columns.X) // proof.k)
    in_programme = leading[duals.triples].sum(axis=1) >= 2
    columns.triples = duals.triples[in_programme & (duals.triple_dual > 0)]
    others = np.append(~leading, False)[duals.clusters].sum(axis=1)  # the last stands for padding
    kept = others < duals.divisors
    used = kept & (duals.cluster_dual > 0)
    columns.clusters, columns.divisors = duals.clusters[used], duals.divisors[used]
    if leading.all():
        return 0.0
    remaining = np.append(np.where(leading, 0.0, duals.record_dual), 0.0)
    cut_costs, triple_dual = np.zeros(len(columns)), duals.triple_dual[~in_programme]
    triple_group = columns.groups_with_triples(duals.triples[~in_programme])
    np.add.at(cut_costs, triple_group[:, 1], triple_dual[triple_group[:, 0]])
    cluster_group = columns.groups_with_clusters(duals.clusters[~kept], duals.divisors[~kept])
    np.add.at(cut_costs, cluster_group[:, 1], duals.cluster_dual[~kept][cluster_group[:, 0]])
    record_costs = remaining[columns.members].sum(axis=1)
    columns.costs = columns.costs + cut_costs + duals.group_dual - record_costs
    cluster_duals = cluster_limits(duals.clusters, duals.divisors) * duals.cluster_dual
    reduced_costs = proof.base - (
        duals.record_dual.sum() - duals.triple_dual.sum() - cluster_duals.sum() - group_duals
    )
    cut_duals = triple_dual.sum() + cluster_duals[~kept].sum()
    return float(remaining.sum() - cut_duals - group_duals + reduced_costs)


def bound_by_listed_groups(proof: Proof, cutoff: float, columns: Columns, leading: Leading) -> None:
    """Raise the bound by an integer programme over the listed groups."""
    groups, limit = int(proof.labels.max()) + 1, len(columns.X) // proof.k
    includes_all = leading.all() and cutoff > proof.sse - proof.base
    seconds = proof.seconds_left * (1.0 if includes_all else SHARE)
    constant = charge_others(proof, columns, leading)
    for choice in MasterProblem(columns, limit, leading).solve_integer(
        groups, seconds, proof.check_interrupt
    ):
        if choice.columns is not None:
            record_partition(proof, labels_of(columns, choice.columns))
        bound = min(choice.bound + constant, proof.base + cutoff, proof.sse)
        proof.bound = max(proof.bound, bound - TOLERANCE * proof.sse)


def is_closed(proof: Proof) -> bool:
    """Return whether the best partition so far is proven to be optimal, to eight digits."""
    return proof.sse - proof.bound <= 4 * TOLERANCE * proof.sse


def close_gap(proof: Proof) -> None:
    """Improve the partition and the bound by integer programmes."""
    improve_from_pool(proof)
    for max_groups in GROUP_LIMITS:
        cutoff = proof.sse - proof.base + TOLERANCE * proof.sse
        columns, leading = list_groups(proof, cutoff, max_groups)
        bound_by_listed_groups(proof, cutoff, columns, leading)
        if leading.all() or is_closed(proof):
            return
        while not leading.all() and cutoff > TOLERANCE * proof.sse:
            cutoff *= CUTOFF_FACTOR
            columns, leading = list_groups(proof, cutoff, max_groups)
        bound_by_listed_groups(proof, cutoff, columns, leading)
