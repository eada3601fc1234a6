"""The gap that a bound leaves, closed by choosing among whole groups.

A partition that holds a group which is dear by more than some step, at the prices
that prove the bound, costs at least the bound and that step. So all groups below a
step are listed, as large a step as there are not too many, and the best partition
among them is sought. What no such partition goes below bounds all partitions, up to
the step; and a step as long as the gap leaves nothing out.
"""

import numpy as np

from shoal.kernels.pricing import all_groups
from shoal.partitioners._base import Labels
from shoal.partitioners._columns import Columns
from shoal.partitioners._programme import Programme
from shoal.partitioners._proof import Proof, within

MANY = (4_000, 16_000, 64_000)  # groups that are chosen among, in turn
SURE = 2e-9  # of the cost: what rounding and the solver may hide
SHORTEN = 0.7  # a step with too many groups
SHARE = 0.4  # of the time that is left, for a choice that leaves something out


def listed(proof: Proof, step: float, most: int) -> Columns | None:
    """Return the known partition and all groups dear by less than ``step``, unless too many."""
    columns = Columns(proof.columns.X, proof.k)
    columns.add_partition(proof.labels)
    columns.triples = proof.columns.triples[: len(proof.duals.toll)]
    order = np.argsort(-proof.duals.price, kind="stable").astype(np.int64)
    field, fee = proof.pricing.field, proof.duals.fee
    for size in range(proof.k, 2 * proof.k):
        prices = proof.pricing.prices(columns.triples, proof.duals, order, size)
        found = np.empty((most, size), np.int64)
        for first in order:
            count = all_groups(field, prices, first, size, fee, step, found)
            if count < 0 or len(columns) + count > most:
                return None
            columns.add(found[:count])
            proof.hear()
    columns.triples = columns.triples[proof.duals.toll > 0]
    return columns


def labels_of(columns: Columns, chosen: Labels) -> Labels:
    """Return the group of each record."""
    labels = np.full(len(columns.X), -1)
    for label, row in enumerate(columns.members[chosen]):
        labels[row[row >= 0]] = label
    return labels


def choose(proof: Proof, columns: Columns, step: float, seconds: float) -> None:
    """Keep the best partition among some groups, and what none goes below."""
    groups, limit = int(proof.labels.max()) + 1, len(columns.X) // proof.k
    for choice in Programme(columns, limit).choose(groups, seconds, proof.hear):
        if choice.columns is not None:
            labels = labels_of(columns, choice.columns)
            known = within(columns.X, labels)[1]
            if labels.min() >= 0 and known < proof.known:
                proof.labels, proof.known = labels, known
        bound = min(choice.bound, proof.bound + step, proof.known)
        proof.bound = max(proof.bound, bound * (1 - SURE))


def is_closed(proof: Proof) -> bool:
    """Say whether the best partition known is proven to be the best, to eight digits."""
    return proof.known - proof.bound <= 4 * SURE * proof.known


def close(proof: Proof) -> None:
    """Improve the partition and the bound by whole groups."""
    base = proof.bound
    for most in MANY:
        step = proof.known - base + SURE * proof.known
        columns = listed(proof, step, most)
        while columns is None:
            step *= SHORTEN
            columns = listed(proof, step, most)
        share = 1.0 if most == MANY[-1] or step > proof.known - base else SHARE
        choose(proof, columns, step + base - proof.bound, share * proof.left)
        if is_closed(proof):
            return
