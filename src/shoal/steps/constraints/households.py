"""Households whose members stay in one group: they are grouped by the means of their members."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
from shoal.errors import InputError
from shoal.partitioners import Partition, Partitioner
from shoal.steps._step import too_few_error

Codes = NDArray[np.int64]
Matrix = NDArray[np.float64]
Rows = NDArray[np.int64]


def refuse_split_households(strata: Sequence[Rows], households: Codes) -> None:
    """Refuse households with members in several strata, since no group crosses a stratum."""
    households_of_strata = np.concatenate([np.unique(households[rows]) for rows in strata])
    n_split = int((np.bincount(households_of_strata) > 1).sum())
    if n_split:
        raise InputError(
            f"{count(n_split, 'household has', 'households have')} members in several strata, so no"
            " group within a stratum can contain all members. Choose strata that keep households"
            " whole.",
            code="household-in-several-strata",
            count=n_split,
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
        Method that groups the means of the households; it is fitted in place.

    Returns
    -------
    Partition
        Groups of records with at least k households each, no household in two groups.
    """
    household_of_record = np.unique(households, return_inverse=True)[1]
    sizes = np.bincount(household_of_record)
    if len(sizes) < partitioner.k:
        raise too_few_error(
            partitioner.k,
            len(sizes),
            "households",
            way_out="Lower k, or leave `household` out.",
        )
    means = np.column_stack([np.bincount(household_of_record, axis) / sizes for axis in Z.T])
    labels = partitioner.fit(means).labels_[household_of_record]
    return Partition(labels, int(partitioner.k))
