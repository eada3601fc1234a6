"""The gap that a bound leaves, closed by choosing among whole groups.

A partition that costs less than the best one known holds no group that is dear by
more than the gap, at the prices that prove the bound. If these groups can all be
listed, choosing among them leaves nothing out.
"""

import numpy as np

from shoal.kernels.pricing import all_groups
from shoal.partitioners._base import Labels
from shoal.partitioners._programme import choose
from shoal.partitioners._proof import Proof, within

MOST = 100_000  # groups that are chosen among
SURE = 1e-9  # of the cost: what rounding and the solver may hide


def enlarge(proof: Proof, gap: float) -> bool:
    """Add every group that is dear by less than ``gap``; say whether there were few enough."""
    k, triples = proof.k, proof.columns.triples[: len(proof.duals.toll)]
    order = np.argsort(-proof.duals.price, kind="stable").astype(np.int64)
    left = MOST
    for size in range(k, 2 * k):
        prices = proof.pricing.prices(triples, proof.duals, order, size)
        for first in order:
            found = np.empty((left, size), np.int64)
            count = all_groups(
                proof.pricing.field, prices, first, size, proof.duals.fee, gap, found
            )
            if count < 0:
                return False
            proof.columns.add(found[:count])
            left -= count
            proof.hear()
    return True


def labels_of(proof: Proof, chosen: Labels) -> Labels:
    """Return the group of each record."""
    labels = np.empty(len(proof.columns.X), np.int64)
    for label, row in enumerate(proof.columns.members[chosen]):
        labels[row[row >= 0]] = label
    return labels


def improve(proof: Proof, which: Labels, seconds: float) -> float:
    """Choose among some groups; keep a better partition, and return what none goes below."""
    n = len(proof.columns.X)
    choice = choose(proof.columns, which, n // proof.k, seconds, proof.hear)
    if choice.columns is not None:
        labels = labels_of(proof, choice.columns)
        known = within(proof.columns.X, labels)[1]
        if known < proof.known:
            proof.labels, proof.known = labels, known
    return choice.bound


def close(proof: Proof) -> bool:
    """Improve the partition by whole groups; say whether it is proven to be the best."""
    improve(proof, np.arange(len(proof.columns)), proof.left / 4)
    gap = proof.known - proof.bound + SURE * proof.known
    if gap > SURE * 2 * proof.known and not enlarge(proof, gap):
        return False
    bound = improve(proof, np.arange(len(proof.columns)), proof.left)
    proof.bound = max(proof.bound, min(bound, proof.known) * (1 - SURE))
    return proof.known - proof.bound <= 4 * SURE * proof.known
