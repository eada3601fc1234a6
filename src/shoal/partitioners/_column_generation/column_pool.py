"""Better partitions from the pool of groups that a proof has met."""

import numpy as np

from shoal.partitioners._base import Labels, Matrix, in_order
from shoal.partitioners._column_generation.columns import Columns
from shoal.partitioners._column_generation.master_problem import MasterProblem
from shoal.partitioners._column_generation.proof import Proof, within
from shoal.partitioners._second_phase import divide_large
from shoal.partitioners.mdav import MDAV

SHARE = 0.2  # of the time that is left, for one choice


def divided(X: Matrix, labels: Labels, k: int) -> Labels:
    """Return the groups, counted by first records, with those of 2k records or more divided."""
    labels = in_order(labels)
    divide_large(X, labels, k, lambda part, k: MDAV(k=k).fit_predict(part))
    return in_order(labels)


def labels_of(columns: Columns, chosen: Labels) -> Labels:
    """Return the group of each record, -1 where it is in none."""
    labels = np.full(len(columns.X), -1)
    for label, row in enumerate(columns.members[chosen]):
        labels[row[row >= 0]] = label
    return labels


def keep(proof: Proof, labels: Labels) -> None:
    """Remember the groups of a partition, and the partition where it is better."""
    if labels.min() < 0:
        return
    proof.columns.add_partition(labels)
    known = within(proof.columns.X, labels)[1]
    if known < proof.known:
        proof.labels, proof.known = labels, known


def pooled(proof: Proof) -> Columns:
    """Return the known partition and all groups that the proof met."""
    columns = Columns(proof.columns.X, proof.k)
    columns.add_partition(proof.labels)
    sizes = (proof.columns.members >= 0).sum(axis=1)
    for size in np.unique(sizes):
        columns.add(proof.columns.members[sizes == size, :size])
    return columns


def choose(proof: Proof) -> None:
    """Keep the best partition among the groups that the proof met."""
    columns, groups = pooled(proof), int(proof.labels.max()) + 1
    master = MasterProblem(columns, len(columns.X) // proof.k)
    for choice in master.choose(groups, SHARE * proof.left, proof.check_interrupt):
        if choice.columns is not None:
            keep(proof, labels_of(columns, choice.columns))
