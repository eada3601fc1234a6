"""Better partitions from the pool of groups that a proof has generated.

Solving the restricted master problem as an integer programme is a primal heuristic, known as the
restricted master heuristic.
"""

import numpy as np

from shoal.geometry import squared_errors
from shoal.partitioners._base import Indices, Labels, Matrix, in_order
from shoal.partitioners._column_generation.columns import Columns
from shoal.partitioners._column_generation.master_problem import MasterProblem
from shoal.partitioners._column_generation.proof import Proof
from shoal.partitioners._second_phase import divide_large
from shoal.partitioners.mdav import MDAV

TIME_SHARE = 0.2  # share of the remaining time for an integer programme


def divide_large_groups(X: Matrix, labels: Labels, k: int) -> Labels:
    """Return the groups, numbered by first records; groups of 2k records or more are divided."""
    labels = in_order(labels)
    divide_large(X, labels, k, lambda records, k: MDAV(k=k).fit_predict(records))
    return in_order(labels)


def labels_of(columns: Columns, selected: Indices) -> Labels:
    """Return the group of each record, or -1 for records in no selected group."""
    labels = np.full(len(columns.X), -1)
    for label, row in enumerate(columns.members[selected]):
        labels[row[row >= 0]] = label
    return labels


def store_partition(proof: Proof, labels: Labels) -> None:
    """Add the groups of a partition to the pool; keep the partition if it is the best so far."""
    if labels.min() < 0:
        return
    proof.columns.add_partition(labels)
    sse = float(squared_errors(proof.columns.X, labels).sum())
    if sse < proof.sse:
        proof.labels, proof.sse = labels, sse


def pool_columns(proof: Proof) -> Columns:
    """Return the columns of the best partition, followed by all other groups in the pool."""
    columns = Columns(proof.columns.X, proof.k)
    columns.add_partition(proof.labels)
    sizes = (proof.columns.members >= 0).sum(axis=1)
    for size in np.unique(sizes):
        columns.add(proof.columns.members[sizes == size, :size])
    return columns


def improve_from_pool(proof: Proof) -> None:
    """Find the best partition into groups of the pool, by an integer programme."""
    columns, n_groups = pool_columns(proof), int(proof.labels.max()) + 1
    master = MasterProblem(columns, len(columns.X) // proof.k)
    seconds_left = proof.seconds_left
    solution = master.solve_integer(
        np.arange(n_groups), TIME_SHARE * seconds_left, seconds_left, proof.report_progress
    )
    if solution.selected is not None:
        store_partition(proof, labels_of(columns, solution.selected))
    solution.raise_interruption()
