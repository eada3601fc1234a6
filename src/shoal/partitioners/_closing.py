"""The gap that a bound leaves, closed by choosing among whole groups.

A partition that holds a group which is dear by a step or more, at the prices that
prove the bound, costs at least the bound and that step. So the groups below a step as
long as the gap are listed, record by record, the dearest record first, and the best
choice among them is sought. The choice covers the *leading* records, those whose
groups are all listed; the others still pay their prices, so that the groups which
hold these alone need not be listed. What no such choice goes below bounds all
partitions, up to the step; where all records lead, nothing is left out. A shorter step,
with which they do, finds better partitions where the gap lies everywhere.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.pricing import all_groups
from shoal.partitioners._columns import Columns
from shoal.partitioners._pool import choose, keep, labels_of
from shoal.partitioners._programme import Programme
from shoal.partitioners._proof import Proof

MANY = (4_000, 16_000, 64_000)  # groups that are chosen among, in turn
SURE = 2e-9  # of the cost: what rounding and the solver may hide
SHORTEN = 0.7  # a step with too many groups
SHARE = 0.4  # of the time that is left, for a choice that leaves something out

Leading = NDArray[np.bool_]


def listed(proof: Proof, step: float, most: int) -> tuple[Columns, Leading]:
    """Return the known partition, all groups dear by less than ``step``, and who leads.

    The list ends at the first record with which there would be too many.
    """
    columns = Columns(proof.columns.X, proof.k)
    columns.add_partition(proof.labels)
    known = len(columns)
    triples = proof.columns.triples[: len(proof.duals.toll)]
    order = np.argsort(-proof.duals.price, kind="stable").astype(np.int64)
    sizes = range(proof.k, 2 * proof.k)
    prices = [proof.pricing.prices(triples, proof.duals, order, size) for size in sizes]
    found = [np.empty((most, size), np.int64) for size in sizes]
    leading = np.zeros(len(order), bool)
    for first in order:
        for size, price, rows in zip(sizes, prices, found, strict=True):
            count = all_groups(proof.pricing.field, price, first, size, proof.duals.fee, step, rows)
            if count < 0 or len(columns) + count > most + known:
                return columns, leading
            columns.add(rows[:count])
        leading[first] = True
        proof.hear()
    return columns, leading


def settle(proof: Proof, columns: Columns, leading: Leading) -> float:
    """Let the others pay for themselves; return what they pay in all, at least.

    Tolls that only groups of leading records can owe become inequalities again. The
    groups of the others alone cost no less than the bound of these prices allows for.
    """
    price, toll, fee = proof.duals
    fees = fee * (len(columns.X) // proof.k)
    triples = proof.columns.triples[: len(toll)]
    own = leading[triples].sum(axis=1) >= 2
    columns.triples = triples[own & (toll > 0)]
    if leading.all():
        return 0.0
    paid = np.append(np.where(leading, 0.0, price), 0.0)
    due = np.zeros(len(columns))
    held = columns.holding(triples[~own])
    np.add.at(due, held[:, 1], toll[~own][held[:, 0]])
    columns.costs = columns.costs + due + fee - paid[columns.members].sum(axis=1)
    allowed = proof.base - (price.sum() - toll.sum() - fees)
    return float(paid.sum() - toll[~own].sum() - fees + allowed)


def bound_by(proof: Proof, step: float, columns: Columns, leading: Leading) -> None:
    """Bound all partitions by the best choice among listed groups."""
    groups, limit = int(proof.labels.max()) + 1, len(columns.X) // proof.k
    whole = leading.all() and step > proof.known - proof.base
    seconds = proof.left * (1.0 if whole else SHARE)
    paid = settle(proof, columns, leading)
    for choice in Programme(columns, limit, leading).choose(groups, seconds, proof.hear):
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
        columns, leading = listed(proof, step, most)
        bound_by(proof, step, columns, leading)
        if leading.all() or is_closed(proof):
            return
        while not leading.all() and step > SURE * proof.known:  # groups may be many at no step
            step *= SHORTEN
            columns, leading = listed(proof, step, most)
        bound_by(proof, step, columns, leading)
