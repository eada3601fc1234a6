"""Households: their members stay in one group, and k counts them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.tables import Frame
from shoal.partitioners import Partition, Partitioner

Codes = NDArray[np.int64]
Matrix = NDArray[np.float64]
Rows = NDArray[np.int64]


def read_households(frame: Frame, name: str) -> Codes:
    """Return the household of each record as a number; refuse records without one."""
    tables.check_columns(frame, [name])
    holes = tables.holes(frame, [name]).get(name, 0)
    if holes:
        raise InputError(
            f"Column {name!r} has {holes} missing value{'s' if holes > 1 else ''}, and k counts its"
            " households. Give every record a household: one of its own if it lives alone."
        )
    return np.unique(tables.codes(frame, [name]), return_inverse=True)[1].ravel()


def refuse_split(strata: Sequence[Rows], households: Codes) -> None:
    """Refuse households with members in several strata: no group could hold them."""
    seen = np.concatenate([np.unique(households[rows]) for rows in strata])
    split = int((np.bincount(seen) > 1).sum())
    if split:
        raise InputError(
            f"{split} household{'s have' if split > 1 else ' has'} members in several strata, so no"
            " group within a stratum can hold them all. Choose strata that keep households whole."
        )


def group_households(Z: Matrix, households: Codes, partition: Partitioner) -> Partition:
    """Group whole households by the means of their members.

    Parameters
    ----------
    Z : ndarray of shape (n_records, n_axes)
        The records.
    households : ndarray of shape (n_records,)
        Their households.
    partition : Partitioner
        What groups the means; it is fitted.

    Returns
    -------
    Partition
        Groups of records with at least k households, and no household in two.
    """
    member = np.unique(households, return_inverse=True)[1]
    sizes = np.bincount(member)
    if len(sizes) < partition.k:
        raise InputError(
            f"A group needs k={partition.k} households but the data hold only {len(sizes)}. Lower"
            " k, or leave household out."
        )
    means = np.column_stack([np.bincount(member, axis) / sizes for axis in Z.T])
    labels = partition.fit(means).labels_[member]
    return Partition(labels, int(partition.k))


def fewest(classes: Codes, households: Codes) -> int:
    """Return the least number of households in a class."""
    pairs = np.unique(np.column_stack([classes, households]), axis=0)
    return int(np.bincount(pairs[:, 0]).min())
