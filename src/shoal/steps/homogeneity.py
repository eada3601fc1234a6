"""Groups in which all records share a confidential value: count, merge and describe them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
from shoal.errors import InputError
from shoal.metrics.diversity import tally
from shoal.partitioners import Partition
from shoal.partitioners.merge import merge_failing

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


def count_homogeneous(groups: Partition, codes: Codes, units: Codes | None = None) -> Codes:
    """Return for each column the number of groups in which it has a single value.

    Where units are counted, the number of groups in which all units hold the same value.
    """
    return np.asarray(homogeneous_groups(groups, codes, units).sum(axis=0))


def homogeneous_groups(
    groups: Partition, codes: Codes, units: Codes | None = None
) -> NDArray[np.bool_]:
    """Return for each group and column whether the group has a single value in it.

    Where units are counted, whether all units of the group hold the same value.
    """
    if units is not None:
        distinct = [tally(groups.labels, column, units).distinct for column in codes.T]
        return np.array([counts == 1 for counts in distinct]).T
    example = np.empty((groups.n_groups, codes.shape[1]), codes.dtype)
    example[groups.labels] = codes  # the values of one record of each group
    differs = codes != example[groups.labels]
    varied = [np.bincount(groups.labels, column) > 0 for column in differs.T]
    return ~np.array(varied).T


def merge_homogeneous(
    Z: Matrix,
    groups: Partition,
    codes: Codes,
    names: Sequence[str],
    where: str = "",
    units: Codes | None = None,
) -> Partition:
    """Join groups in which a confidential column has a single value with their nearest neighbours.

    Parameters
    ----------
    Z : ndarray of shape (n_records, n_columns)
        The columns that distances are computed on.
    groups : Partition
        The groups to start from.
    codes : ndarray of shape (n_records, n_confidential)
        The confidential values as integer codes.
    names : list of str
        Names of the confidential columns.
    where : str
        A phrase that names the records in a message; empty for the whole table.
    units : ndarray of shape (n_records,), optional
        The unit of each record, where units are counted.

    Returns
    -------
    Partition
        Groups in which every confidential column has at least two values.
    """
    for name, column in zip(names, codes.T, strict=True):
        if (column == column[0]).all():
            raise InputError(
                f"Column {name!r} has a single value in all {len(column):,} records{where}, so"
                ' merging groups cannot hide it. Use `homogeneity="warn"`, or give the column'
                " another role.",
                code="constant-confidential",
                column=name,
            )

    def is_varied(records: Codes) -> bool:
        if units is None:
            return bool((codes[records] != codes[records[0]]).any(axis=0).all())
        record_units, one_group = units[records], np.zeros(len(records), np.int64)
        return all(
            tally(one_group, column, record_units).distinct[0] > 1 for column in codes[records].T
        )

    return merge_failing(Z, groups, is_varied)


def describe_homogeneity(
    constant: Mapping[str, int],
    groups: int,
    *,
    classes_known: bool = True,
    missing: Mapping[str, int] | None = None,
) -> str:
    """Return a sentence on the classes with a single confidential value; empty if there are none.

    ``constant`` is the number of such classes by column, ``groups`` the number of all classes, and
    ``missing`` the number of those in which all cells of the column are missing. Without
    ``classes_known``, as after swapping, the class of a person need not be known.
    """
    without_value = {name: number for name, number in (missing or {}).items() if number}
    phrases = [
        f"{name!r} in {count(number, 'class', 'classes')}"
        + (f" ({without_value[name]:,} by missing cells)" if name in without_value else "")
        for name, number in constant.items()
        if number
    ]
    if not phrases:
        return ""
    consequence = " Anyone known to be in such a class is known to have the value"
    if not classes_known:
        consequence = " Anyone whose record is found in such a class has the value"
    consequence += ", or a missing cell." if without_value else "."
    return (
        f"Of {groups:,} classes of records with the same released values, some share a confidential"
        f" value: {', '.join(phrases)}.{consequence}"
    )
