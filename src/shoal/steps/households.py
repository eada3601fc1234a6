"""Group whole households by the means of their members."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.partitioners import Partition, Partitioner

Codes = NDArray[np.int64]
Matrix = NDArray[np.float64]
Rows = NDArray[np.int64]


def refuse_split(strata: Sequence[Rows], households: Codes) -> None:
    """Refuse households with members in several strata: no group could hold all of them."""
    per_stratum = np.concatenate([np.unique(households[rows]) for rows in strata])
    split = int((np.bincount(per_stratum) > 1).sum())
    if split:
        raise InputError(
            f"{split} household{'s have' if split > 1 else ' has'} members in several strata, so no"
            " group within a stratum can hold them all. Choose strata that keep households whole.",
            code="household-in-several-strata",
            count=split,
        )


def group_households(Z: Matrix, households: Codes, partitioner: Partitioner) -> Partition:
    """Return groups of whole households, formed by the means of their members.

    Parameters
    ----------
    Z : ndarray of shape (n_records, n_axes)
        The records.
    households : ndarray of shape (n_records,)
        The household of each record.
    partitioner : Partitioner
        Method that groups the means; it is fitted.

    Returns
    -------
    Partition
        Groups of records with at least k households each, no household in two groups.
    """
    member = np.unique(households, return_inverse=True)[1]
    sizes = np.bincount(member)
    if len(sizes) < partitioner.k:
        raise InputError(
            f"A group needs k={partitioner.k} households but the data hold only {len(sizes):,}."
            " Lower k, or leave household out.",
            code="too-few-units",
            k=partitioner.k,
            units=len(sizes),
        )
    means = np.column_stack([np.bincount(member, axis) / sizes for axis in Z.T])
    labels = partitioner.fit(means).labels_[member]
    return Partition(labels, int(partitioner.k))
