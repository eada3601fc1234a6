"""Homogeneous groups, in which all records share a confidential value: count, merge, describe."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
from shoal.errors import InputError
from shoal.frame.roles import RECORD_UNIT
from shoal.metrics.class_tallies import tally
from shoal.metrics.findings.shared_values import SharedCounts, count_shared, shares_value
from shoal.partitioners import Partition
from shoal.partitioners.constraints.merge import merge_failing

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


def count_homogeneous(
    groups: Partition, codes: Codes, names: Sequence[str], units: Codes | None = None
) -> dict[str, SharedCounts]:
    """Return the number of groups with a single value, including groups of one, by column.

    If units are counted, return the number of groups in which one value occurs in all units.
    Missing cells have codes below 0.
    """
    return {
        name: count_shared(groups.labels, codes_of_column, units, min_size=1)
        for name, codes_of_column in zip(names, codes.T, strict=True)
    }


def homogeneous_groups(
    groups: Partition, codes: Codes, units: Codes | None = None
) -> NDArray[np.bool_]:
    """Return whether each group has a single value in each column.

    If units are counted, return whether one value occurs in all units of the group.

    Parameters
    ----------
    groups : Partition
        The groups.
    codes : ndarray of shape (n_records, n_columns)
        The values as integers.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if units are counted.

    Returns
    -------
    ndarray of shape (n_groups, n_columns)
        True where a group is homogeneous.
    """
    if units is not None:
        distinct = [tally(groups.labels, column, units).n_distinct for column in codes.T]
        return np.array([counts == 1 for counts in distinct]).T
    representatives = np.empty((groups.n_groups, codes.shape[1]), codes.dtype)
    representatives[groups.labels] = codes  # the values of one record of each group
    differs = codes != representatives[groups.labels]
    has_several_values = [np.bincount(groups.labels, column) > 0 for column in differs.T]
    return ~np.array(has_several_values).T


def refuse_homogeneous_groups(
    shared_counts: Mapping[str, SharedCounts], n_groups: int, unit: str
) -> None:
    """Raise an error if the records of any group share a confidential value.

    Parameters
    ----------
    shared_counts : mapping of str to SharedCounts
        The number of groups with a single value, by confidential column.
    n_groups : int
        Total number of groups.
    unit : str
        What k counts: ``"record"`` or the column of units.
    """
    reason = describe_homogeneity(shared_counts, n_groups, unit)
    if reason:
        raise InputError(
            f'{reason} Set `homogeneity="merge"` to join such groups with their neighbours, or'
            " raise k.",
            code="homogeneous-groups",
        )


def merge_homogeneous(
    Z: Matrix,
    groups: Partition,
    codes: Codes,
    names: Sequence[str],
    location: str = "",
    units: Codes | None = None,
) -> Partition:
    """Join groups with a single value of a confidential column with their nearest neighbours.

    Parameters
    ----------
    Z : ndarray of shape (n_records, n_columns)
        The columns that distances are computed on.
    groups : Partition
        The groups to start from.
    codes : ndarray of shape (n_records, n_confidential)
        The confidential values as integer codes, below 0 for missing cells.
    names : list of str
        Names of the confidential columns.
    location : str
        A phrase that names the records in a message, or an empty string for the whole table.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if units are counted.

    Returns
    -------
    Partition
        Groups in which every confidential column has at least two values, counting missing as
        one, or only missing cells, which disclose no value.
    """
    for name, column in zip(names, codes.T, strict=True):
        if column[0] >= 0 and (column == column[0]).all():
            raise InputError(
                f"Column {name!r} has a single value in all {len(column):,} records{location}, so"
                ' merging groups cannot hide it. Use `homogeneity="warn"`, or give the column'
                " another role.",
                code="constant-confidential",
                column=name,
            )

    def is_varied(members: Codes) -> bool:
        values = codes[members]
        if units is None:
            return bool(((values != values[0]).any(axis=0) | (values[0] < 0)).all())
        member_units, one_group = units[members], np.zeros(len(members), np.int64)
        return not any(shares_value(one_group, column, member_units)[0] for column in values.T)

    return merge_failing(Z, groups, is_varied)


def describe_homogeneity(
    shared_counts: Mapping[str, SharedCounts],
    n_groups: int,
    unit: str = RECORD_UNIT,
    *,
    classes_known: bool = True,
) -> str:
    """Return a sentence on the classes with a single confidential value, if there are any.

    Columns whose classes share only missing cells are left out.

    Parameters
    ----------
    shared_counts : mapping of str to SharedCounts
        The number of such classes by column.
    n_groups : int
        Total number of classes.
    unit : str
        The column of the units that share values, or ``"record"``.
    classes_known : bool
        Whether an attacker may know the class of a person; False after swapping, for example.

    Returns
    -------
    str
        The sentence, or an empty string if there are no such classes.
    """
    counts_with_value = {
        name: counts for name, counts in shared_counts.items() if counts.with_value
    }
    if not counts_with_value:
        return ""
    phrases = [f"{name!r} {_describe_counts(counts)}" for name, counts in counts_with_value.items()]
    is_in_every_record = all(
        counts.every_record == counts.with_value for counts in counts_with_value.values()
    )
    subject = "Anyone known to be in such a class is known to have"
    if not classes_known:
        subject = "Anyone whose record is found in such a class has"
    known_value = "the value" if is_in_every_record else "the value in at least one record"
    if any(counts.missing for counts in counts_with_value.values()):
        known_value += ", or a missing cell"
    members = "records" if unit == RECORD_UNIT else f"units of {unit!r}"
    return (
        f"In some of {n_groups:,} classes of records with the same released values, all {members}"
        f" share a value of a confidential column: {', '.join(phrases)}. {subject} {known_value}."
    )


def _describe_counts(counts: SharedCounts) -> str:
    """Return the number of homogeneous classes of a column, with remarks in brackets.

    The remarks count the classes that share missing cells, and the classes in which a value occurs
    in every unit although some records have other values.
    """
    remarks = [f"{counts.missing:,} by missing cells"] if counts.missing else []
    n_in_some_records = counts.with_value - counts.every_record
    if n_in_some_records:
        remarks.append(f"in {n_in_some_records:,} some records have other values")
    suffix = f" ({'; '.join(remarks)})" if remarks else ""
    return f"in {count(counts.homogeneous, 'class', 'classes')}{suffix}"


def describe_only_missing(shared_counts: Mapping[str, SharedCounts], n_groups: int) -> str:
    """Return a sentence on classes that share only missing cells, or "" if there are none.

    Columns whose classes also share values are left out: see `describe_homogeneity`.
    """
    missing_only = {
        name: counts.missing
        for name, counts in shared_counts.items()
        if counts.missing and not counts.with_value
    }
    if not missing_only:
        return ""
    phrases = [
        f"{name!r} in {count(n_classes, 'class', 'classes')}"
        for name, n_classes in missing_only.items()
    ]
    return (
        f"Of {n_groups:,} classes of records with the same released values, some have no value of a"
        f" confidential column: {', '.join(phrases)}. Of anyone in such a class it is known that"
        " the value is missing, and no more."
    )
