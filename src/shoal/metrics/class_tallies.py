"""Counts of the values of a column in each equivalence class, in records or in units."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.metrics._array_types import AnyValues, Codes, Counts, Labels, Values
from shoal.metrics._ranks import dense_ranks
from shoal.metrics.equivalence_classes import units_per_class


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of the distinct values of a column in each class.

    There is one entry for each value that occurs in a class, sorted by class and value. Counts are
    whole numbers unless units are divided among their records.

    Parameters
    ----------
    labels : ndarray of shape (n_entries,)
        The class of each entry.
    values : ndarray of shape (n_entries,)
        The value of each entry, as its rank in the column.
    counts : ndarray of shape (n_entries,)
        How often the value occurs in the class.
    class_sizes : ndarray of shape (n_classes,)
        Size of each class.
    table_counts : ndarray of shape (n_values,)
        How often each value occurs in the whole table.
    """

    labels: Labels
    values: Codes
    counts: Counts
    class_sizes: Counts
    table_counts: Counts

    @property
    def n_distinct(self) -> Counts:
        """Number of distinct values in each class."""
        return np.bincount(self.labels)

    @property
    def n_effective(self) -> Values:
        """Effective number of values in each class: the exponential of its entropy."""
        shares = self.counts / self.class_sizes[self.labels]
        return np.asarray(np.exp(np.bincount(self.labels, -shares * np.log(shares))))


def tally(
    labels: Labels,
    column: AnyValues,
    units: Labels | None = None,
    record_counts: Labels | None = None,
) -> Tally:
    """Count the values of ``column`` in each class.

    Each row stands for as many equal records as ``record_counts`` states, one by default. With
    ``units``, each unit counts once in a class, with its value by `most_frequent_values`.
    """
    values = dense_ranks(column)
    table_counts = np.bincount(values, record_counts).astype(np.int64)
    if units is not None:
        labels, values = most_frequent_values(labels, units, values)
        record_counts = None
    entry_labels, entry_values, counts = count_pairs(
        labels, values, len(table_counts), record_counts
    )
    class_sizes = np.bincount(labels, record_counts).astype(np.int64)
    return Tally(entry_labels, entry_values, counts.astype(np.int64), class_sizes, table_counts)


def divided_tally(
    labels: Labels,
    column: AnyValues,
    units: Labels | None = None,
    record_counts: Labels | None = None,
) -> Tally:
    """Count the values of ``column`` in each class.

    Each row stands for as many equal records as ``record_counts`` states, one by default. With
    ``units``, each unit counts once in a class, divided evenly among its records there.
    """
    if units is None:
        return tally(labels, column, record_counts=record_counts)
    values = dense_ranks(column)
    one_class = np.zeros(len(labels), np.int64)
    table_counts = np.bincount(values, weights_in_class(one_class, units, record_counts))
    weights = weights_in_class(labels, units, record_counts)
    entry_labels, entry_values, counts = count_pairs(labels, values, len(table_counts), weights)
    return Tally(entry_labels, entry_values, counts, units_per_class(labels, units), table_counts)


def count_pairs(
    labels: Labels, values: Codes, n_values: int, weights: Any = None
) -> tuple[Labels, Codes, Any]:
    """Return the class and value of each pair that occurs, and its number of records or weight.

    Values are integers below ``n_values``; pairs are sorted by class and value.
    """
    pairs = labels * n_values + values
    if weights is None:
        pairs, counts = np.unique(pairs, return_counts=True)
    else:
        pairs, pair_of_record = np.unique(pairs, return_inverse=True)
        counts = np.bincount(pair_of_record.ravel(), weights)
    return pairs // n_values, pairs % n_values, counts


def weights_in_class(labels: Labels, units: Labels, record_counts: Labels | None = None) -> Values:
    """Return weights of records such that each unit has weight 1 in every class it belongs to.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, numbered from 0.
    units : ndarray of shape (n_records,)
        The unit of each record, numbered from 0.
    record_counts : ndarray of shape (n_records,), optional
        Number of equal records that each record stands for; 1 by default.

    Returns
    -------
    ndarray of shape (n_records,)
        The number of records that the record stands for, divided by the number of records that the
        unit has in the class.

    Examples
    --------
    >>> labels, units = np.array([0, 0, 0, 1]), np.array([4, 4, 7, 4])
    >>> weights_in_class(labels, units).tolist()
    [0.5, 0.5, 1.0, 1.0]
    >>> weights_in_class(labels, units, record_counts=np.array([3, 1, 2, 2])).tolist()
    [0.75, 0.25, 1.0, 1.0]
    """
    counts = np.ones(len(labels), np.int64) if record_counts is None else record_counts
    members = dense_ranks(labels * (int(units.max()) + 1) + units)  # a member: a unit in a class
    return np.asarray(counts / np.bincount(members, counts)[members])


def most_frequent_values(labels: Labels, units: Labels, values: Codes) -> tuple[Labels, Codes]:
    """Return one value for each unit in each class.

    Among the values of the unit in the class, this is the value that most units of the class have;
    ties go to the lowest value. If all units of a class share a value, each of them therefore gets
    this value.

    Parameters
    ----------
    labels : ndarray of shape (n_records,)
        The class of each record, numbered from 0.
    units : ndarray of shape (n_records,)
        The unit of each record, numbered from 0.
    values : ndarray of shape (n_records,)
        The value of each record, numbered from 0.

    Returns
    -------
    labels : ndarray of shape (n_members,)
        The classes of the units: one entry for each class in which a unit has records.
    values : ndarray of shape (n_members,)
        The value of the unit in this class.

    Examples
    --------
    >>> units, values = np.array([0, 0, 1, 2]), np.array([5, 7, 7, 6])
    >>> most_frequent_values(np.zeros(4, np.int64), units, values)[1].tolist()
    [7, 7, 6]
    """
    n_units, n_values = int(units.max()) + 1, int(values.max()) + 1
    pairs = labels * n_units + units
    values_of_members = np.unique(dense_ranks(pairs) * n_values + values)
    members, member_values = np.divmod(values_of_members, n_values)  # a member: a unit in a class
    member_labels = np.unique(pairs)[members] // n_units
    class_values = dense_ranks(member_labels * n_values + member_values)
    n_holders = np.bincount(class_values)[class_values]  # units of the class that have the value
    order = np.lexsort((member_values, -n_holders, members))
    first = order[np.unique(members[order], return_index=True)[1]]
    return member_labels[first], member_values[first]
