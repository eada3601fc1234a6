"""The integrality gap that a bound leaves, closed by choosing among whole groups.

A partition with a group whose reduced cost is a step or more, at the duals that prove the bound,
costs at least the bound and that step. So the groups below a step as long as the gap are listed,
record by record, the greatest dual first, and the best choice among them is sought. The choice
covers the *leading* records, those whose groups are all listed; the others still contribute their
duals, so that the groups which hold these alone need not be listed. A lower bound of all such
choices bounds all partitions, up to the step; where all records lead, nothing is left out. A
shorter step, with which they do, finds better partitions where the gap lies everywhere.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.pricing.group_search import all_groups
from shoal.partitioners._column_generation.column_pool import choose, keep, labels_of
from shoal.partitioners._column_generation.columns import Columns
from shoal.partitioners._column_generation.master_problem import MasterProblem
from shoal.partitioners._column_generation.proof import Proof

MANY = (4_000, 16_000, 64_000)  # groups that are chosen among, in turn
SURE = 2e-9  # of the cost: what rounding and the solver may hide
SHORTEN = 0.7  # a step with too many groups
SHARE = 0.4  # of the time that is left, for a choice that leaves something out

Leading = NDArray[np.bool_]


def list_groups(proof: Proof, step: float, most: int) -> tuple[Columns, Leading]:
    """Return the known partition with all groups of reduced cost below ``step``, and the leading.

    The list ends at the first record with which there would be too many.
    """
    columns = Columns(proof.columns.X, proof.k)
    columns.add_partition(proof.labels)
    known = len(columns)
    triples = proof.columns.triples[: len(proof.duals.triple_dual)]
    order = np.argsort(-proof.duals.record_dual, kind="stable").astype(np.int64)
    sizes = range(proof.k, 2 * proof.k)
    prices = [proof.pricing.prices(triples, proof.duals, order, size) for size in sizes]
    buffers = [np.empty((most, size), np.int64) for size in sizes]
    leading = np.zeros(len(order), bool)
    for first in order:
        for size, record_dual, rows in zip(sizes, prices, buffers, strict=True):
            count = all_groups(
                proof.pricing.table, record_dual, first, size, proof.duals.group_dual, step, rows
            )
            if count < 0 or len(columns) + count > most + known:
                return columns, leading
            columns.add(rows[:count])
        leading[first] = True
        proof.check_interrupt()
    return columns, leading


def charge_others(proof: Proof, columns: Columns, leading: Leading) -> float:
    """Charge the duals of the others to their groups; return a lower bound of their sum.

    Duals of triples that only groups of leading records can hold become inequalities
    again. The groups of the others alone cost no less than the bound of these duals.
    """
    record_dual, triple_dual, group_dual = proof.duals
    group_duals = group_dual * (len(columns.X) // proof.k)
    triples = proof.columns.triples[: len(triple_dual)]
    own = leading[triples].sum(axis=1) >= 2
    columns.triples = triples[own & (triple_dual > 0)]
    if leading.all():
        return 0.0
    paid = np.append(np.where(leading, 0.0, record_dual), 0.0)
    due = np.zeros(len(columns))
    held = columns.holding(triples[~own])
    np.add.at(due, held[:, 1], triple_dual[~own][held[:, 0]])
    columns.costs = columns.costs + due + group_dual - paid[columns.members].sum(axis=1)
    allowed = proof.base - (record_dual.sum() - triple_dual.sum() - group_duals)
    return float(paid.sum() - triple_dual[~own].sum() - group_duals + allowed)


def bound_by(proof: Proof, step: float, columns: Columns, leading: Leading) -> None:
    """Bound all partitions by the best choice among listed groups."""
    groups, limit = int(proof.labels.max()) + 1, len(columns.X) // proof.k
    whole = leading.all() and step > proof.known - proof.base
    seconds = proof.left * (1.0 if whole else SHARE)
    paid = charge_others(proof, columns, leading)
    for choice in MasterProblem(columns, limit, leading).choose(
        groups, seconds, proof.check_interrupt
    ):
        if choice.columns is not None:
            keep(proof, labels_of(columns, choice.columns))
        bound = min(choice.bound + paid, proof.base + step, proof.known)
        proof.bound = max(proof.bound, bound - SURE * proof.known)


def is_closed(proof: Proof) -> bool:
    """Say whether the best partition known is proven to be the best, to eight digits."""
    return proof.known - proof.bound <= 4 * SURE * proof.known


def close(proof: Proof) -> None:
    """Improve the partition and the bound by whole groups."""
    choose(proof)
    for most in MANY:
        step = proof.known - proof.base + SURE * proof.known
        columns, leading = list_groups(proof, step, most)
        bound_by(proof, step, columns, leading)
        if leading.all() or is_closed(proof):
            return
        while not leading.all() and step > SURE * proof.known:  # groups may be many at no step
            step *= SHORTEN
            columns, leading = list_groups(proof, step, most)
        bound_by(proof, step, columns, leading)
