"""Warnings of a microaggregation about single columns: constant values and missing cells."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._text import count
from shoal.errors import ConstantColumn, MissingValues, ShoalWarning
from shoal.frame.columns import Column
from shoal.frame.replacement import RowGather, TextColumn
from shoal.frame.roles import name_columns
from shoal.metrics.findings.contributors import count_contributors
from shoal.partitioners import Partition

Mask = NDArray[np.bool_]


def constant_column_warnings(names: list[str]) -> list[ShoalWarning]:
    """Return a warning about columns with a single value, if there are any."""
    if not names:
        return []
    verb = "is constant and does" if len(names) == 1 else "are constant and do"
    return [
        ConstantColumn(
            f"{name_columns(names)} {verb} not affect the grouping.",
            code="constant-column",
            columns=tuple(names),
        )
    ]


def missing_value_warnings(
    columns: Sequence[Column],
    values: Mapping[str, Any],
    groups: Mapping[str, Partition],
    *,
    is_imputed: bool,
) -> list[ShoalWarning]:
    """Return warnings about suppressed cells, imputed cells, and values known from few records.

    Parameters
    ----------
    columns : sequence of Column
        The original columns.
    values : mapping of str to array, RowGather or TextColumn
        The released values of each column.
    groups : mapping of str to Partition
        The groups of each column.
    is_imputed : bool
        Whether missing values were imputed; otherwise patterns of missing cells were joined.

    Returns
    -------
    list of MissingValues
        At most one warning each about suppressed cells, imputed cells, and groups whose released
        value is computed from fewer than k values.
    """
    original = {column.name: column.is_missing for column in columns}
    released = {name: _is_missing(new_values) for name, new_values in values.items()}
    n_suppressed = {
        name: int((released[name] & ~was_missing).sum()) for name, was_missing in original.items()
    }
    n_imputed = {
        name: int((~released[name] & was_missing).sum()) for name, was_missing in original.items()
    }
    n_groups_below_k = {
        name: _count_groups_below_k(groups[name], was_missing)
        for name, was_missing in original.items()
        if n_imputed[name]
    }
    sentences = []
    if any(n_suppressed.values()):
        reason = (
            ": the other records of the group have no value, and the value of a single record is"
            " not released for all."
            if is_imputed
            else ", so that every pattern of missing cells is shared by at least k records."
        )
        sentences.append(f"{_cells_clause(n_suppressed)} suppressed{reason}")
    if any(n_imputed.values()):
        verb = "has" if sum(n_imputed.values()) == 1 else "have"
        sentences.append(
            f"{_cells_clause(n_imputed)} missing and now {verb} the value of the group."
        )
    if any(n_groups_below_k.values()):
        sentences.append(
            f"In some groups ({list_counts(n_groups_below_k)}) the released value is computed from"
            " fewer than k known values, although all records of the group show it."
        )
    return [MissingValues(sentence) for sentence in sentences]


def list_counts(counts: Mapping[str, int]) -> str:
    """Return the counts above 0 by column, for a sentence."""
    return ", ".join(f"{name!r} {number:,}" for name, number in counts.items() if number)


def _is_missing(values: Any) -> Mask:
    """Return which released values are missing."""
    if isinstance(values, RowGather | TextColumn):
        return values.is_missing
    return np.asarray(np.isnan(values))


def _count_groups_below_k(groups: Partition, missing: Mask) -> int:
    """Return the number of groups with at least two values, but fewer than k."""
    n_contributing = count_contributors(groups.labels, ~missing)
    return int(((n_contributing > 1) & (n_contributing < groups.k)).sum())


def _cells_clause(counts: Mapping[str, int]) -> str:
    """Return the beginning of a sentence, such as "2 cells ('age' 2) were"."""
    total = sum(counts.values())
    return f"{count(total, 'cell')} ({list_counts(counts)}) {'was' if total == 1 else 'were'}"
