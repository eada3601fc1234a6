"""What to do when all records of a group share a confidential value."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.metrics.diversity import tally
from shoal.partitioners import Partition
from shoal.partitioners.merge import merge_unsound

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


def constant_inside(groups: Partition, codes: Codes, units: Codes | None = None) -> Codes:
    """Return for each column the number of groups in which it has one value.

    Where units are counted, the number of groups in which all units hold one same value.
    """
    if units is not None:
        found = [tally(groups.labels, column, units).distinct for column in codes.T]
        return np.array([int((entry == 1).sum()) for entry in found])
    some = np.empty((groups.n_groups, codes.shape[1]), codes.dtype)
    some[groups.labels] = codes  # the values of some record of each group
    other = codes != some[groups.labels]
    varied = [np.bincount(groups.labels, column) > 0 for column in other.T]
    return np.array([groups.n_groups - int(found.sum()) for found in varied])


def merge_constant(
    Z: Matrix,
    groups: Partition,
    codes: Codes,
    names: Sequence[str],
    where: str = "",
    units: Codes | None = None,
) -> Partition:
    """Join groups in which a column has one value with their nearest neighbours.

    Parameters
    ----------
    Z : ndarray of shape (n_records, n_columns)
        The columns that distances are taken on.
    groups : Partition
        The groups to start from.
    codes : ndarray of shape (n_records, n_confidential)
        Numbers that stand for the confidential values.
    names : list of str
        Names of the confidential columns.
    where : str
        What the records are part of, for a message; empty for the whole table.
    units : ndarray of shape (n_records,), optional
        The unit of each record, where units are counted.

    Returns
    -------
    Partition
        Groups in which every confidential column has two values or more.
    """
    for name, column in zip(names, codes.T, strict=True):
        if (column == column[0]).all():
            raise InputError(
                f"Column {name!r} has one value in all {len(column)} records{where}, so no merging"
                ' of groups can hide it. Use `homogeneity="warn"`, or give the column another'
                " role.",
                code="constant-confidential",
                column=name,
            )

    def varied(records: Codes) -> bool:
        if units is None:
            return bool((codes[records] != codes[records[0]]).any(axis=0).all())
        own, one_group = units[records], np.zeros(len(records), np.int64)
        return all(tally(one_group, column, own).distinct[0] > 1 for column in codes[records].T)

    return merge_unsound(Z, groups, varied)


def told(constant: Mapping[str, int], groups: int) -> str:
    """Say in how many groups which columns have one value; empty where none has."""
    found = [
        f"{name!r} in {number} group{'s' if number > 1 else ''}"
        for name, number in constant.items()
        if number
    ]
    if not found:
        return ""
    return (
        f"Of {groups} groups of records that look alike, some share a confidential value:"
        f" {', '.join(found)}. Who is known to be in such a group is known to have the value."
    )
