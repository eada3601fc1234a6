"""Noise on the confidential values of homogeneous groups: a remedy of [DSS08]_ (Example 2).

The values of such a group vary afterwards, so membership in the group no longer discloses the exact
value. It still discloses the value approximately, because more noise would make the column useless.

References
----------
.. [DSS08] Domingo-Ferrer, J., Sebé, F. and Solanas, A. (2008). A polynomial-time
   approximation to optimal multivariate microaggregation. Computers & Mathematics with
   Applications 55(4), 714-732.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.codes import value_codes
from shoal.frame.columns import read_column
from shoal.frame.notation.decimals import decimals_of_values
from shoal.frame.replacement import RowGather
from shoal.frame.tables import Frame
from shoal.frame.types import Type
from shoal.partitioners import Partition
from shoal.steps._step import as_integers_if_whole
from shoal.steps.constraints.homogeneity import homogeneous_groups

Codes = NDArray[np.int64]
Rng = np.random.Generator


def vary_homogeneous(
    frame: Frame,
    names: Sequence[str],
    types: Mapping[str, Type],
    partitions: Sequence[Partition],
    *,
    amount: float,
    rng: Rng,
    units: Codes | None = None,
) -> dict[str, Any]:
    """Return new values of the confidential columns that have a single value in some group.

    Numbers of such a group get normal noise with ``amount`` times the variance of the column, and
    stay within the range of the column. In categorical columns, and in numeric ones with missing
    values, each record of the group gets another value with probability ``amount``, drawn with its
    frequency in the table; at least one record gets another value, and in groups of two or more, at
    least one keeps its own. No group of two or more has a single value afterwards.

    Parameters
    ----------
    frame : Frame
        The table.
    names : list of str
        The confidential columns.
    types : mapping of str to Type
        Declared types.
    partitions : list of Partition
        The groups of each block of columns.
    amount : float
        Variance of the noise as a multiple of the variance of the column, and probability of
        another category; above 0 and at most 1.
    rng : Generator
        Random number generator.
    units : ndarray of shape (n_records,), optional
        The unit of each record, if units are counted.

    Returns
    -------
    dict
        New values of the columns with homogeneous groups, by column.
    """
    codes = value_codes(frame, names)
    values: dict[str, Any] = {}
    for i, name in enumerate(names):
        column = codes[:, i]
        groups = [
            members
            for partition in partitions
            for members in _homogeneous_members(partition, column, units)
        ]
        if not groups:
            continue
        if (column == column[0]).all():
            raise InputError(
                f"Column {name!r} has a single value in all {len(column):,} records, so noise from"
                ' its distribution cannot hide it. Use `homogeneity="warn"`, or give the column'
                " another role.",
                code="constant-confidential",
                column=name,
            )
        declared_type = types.get(name)
        is_number = tables.is_numeric(frame, name) and (
            declared_type is None or declared_type.kind == "numeric"
        )
        if is_number and not read_column(frame, name, declared_type).is_missing.any():
            numbers = _vary_numbers(tables.numbers(frame, name), groups, amount, rng)
            values[name] = as_integers_if_whole(numbers, frame, name)
        else:
            rows = _vary_categories(column, groups, amount, rng)
            values[name] = RowGather(rows, np.zeros(len(rows), bool))
    return values


def _homogeneous_members(partition: Partition, column: Codes, units: Codes | None) -> list[Codes]:
    """Return the records of each group with a single value, as one array for each group."""
    is_homogeneous = homogeneous_groups(partition, column[:, np.newaxis], units)[:, 0]
    order = np.argsort(partition.labels, kind="stable")
    ends = np.cumsum(np.bincount(partition.labels))
    members = np.split(order, ends[:-1])
    return [members[label] for label in np.flatnonzero(is_homogeneous)]


def _vary_numbers(
    numbers: NDArray[np.float64], groups: Sequence[Codes], amount: float, rng: Rng
) -> NDArray[np.float64]:
    """Return numbers with noise in the given groups, with the decimals and range of the column."""
    new_numbers = numbers.copy()
    decimals = decimals_of_values(numbers)
    last_digit = 10.0**-decimals if decimals is not None else 0.0
    low, high = numbers.min(), numbers.max()
    noise_std = np.sqrt(amount) * numbers.std()
    shift = max(last_digit, noise_std if decimals is None else round(noise_std, decimals))
    for members in groups:
        new_values = np.clip(
            numbers[members] + noise_std * rng.standard_normal(len(members)), low, high
        )
        if decimals is not None:
            new_values = np.round(new_values, decimals)
        # All values are equal if the noise was less than the last digit, or clipped.
        if (new_values == new_values[0]).all():
            new_values[rng.integers(len(members))] += (
                shift if new_values[0] + shift <= high else -shift
            )
        new_numbers[members] = (
            new_values if decimals is None else np.round(new_values, decimals) + 0.0
        )
    return new_numbers


def _vary_categories(codes: Codes, groups: Sequence[Codes], amount: float, rng: Rng) -> Codes:
    """Return for each record the record whose value it gets: itself, or one with another value."""
    rows = np.arange(len(codes))
    for members in groups:
        rows_with_other_values = np.flatnonzero(codes != codes[members[0]])
        # At least one record changes; in a group of two or more, at least one keeps its value.
        n_changed = min(int(rng.binomial(len(members), amount)), len(members) - 1)
        changed_records = rng.choice(members, size=max(1, n_changed), replace=False)
        rows[changed_records] = rng.choice(rows_with_other_values, size=len(changed_records))
    return rows
