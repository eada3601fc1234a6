"""The centroid of a group: the value that replaces its values, by the kind of the column."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.frame.columns import Column
from shoal.frame.replacement import RowGather
from shoal.metrics.findings.contributors import count_contributors
from shoal.partitioners import Partition
from shoal.steps.microaggregation.aggregates import (
    AGGREGATES,
    aggregate_present,
    group_low_median,
    group_mode,
)

Mask = NDArray[np.bool_]


def centroid(
    column: Column,
    groups: Partition,
    missing: Mask,
    *,
    aggregate: str,
    trim: float | None,
    decimals: int | None,
    is_whole: bool,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[Any] | RowGather:
    """Return the released values of a column.

    Numeric columns are aggregated by ``aggregate``, ordinal columns and dates by their lower
    median, all others by the most frequent value; missing cells are ignored. A group in which no
    record has a value stays missing. So does a group in which only one record has a value, because
    this value must not be released.

    Parameters
    ----------
    column : Column
        The column.
    groups : Partition
        The groups.
    missing : ndarray of shape (n_records,)
        True for cells that are ignored.
    aggregate : str
        The aggregate of numbers; a name in `AGGREGATES`.
    trim : float, optional
        Share of the values that a trimmed mean ignores at each end.
    decimals : int, optional
        Number of decimals to round numbers to.
    is_whole : bool
        Whether the column has an integer type.
    weights : ndarray of shape (n_records,), optional
        The weight of each record.

    Returns
    -------
    ndarray or RowGather
        For a numeric column, its new values, or NaN if missing; otherwise the records whose values
        are released, so that the values keep their type.
    """
    missing = suppress_single_values(groups, missing)
    if column.kind != "numeric":
        function = group_low_median if column.kind in ("ordinal", "date") else group_mode
        codes = aggregate_present(function, column.codes, groups.labels, missing, -1, weights)
        return RowGather(column.record_of(codes), codes < 0)
    options = {"trim": trim} if aggregate == "trimmed-mean" else {}
    average = partial(AGGREGATES[aggregate], **options)
    masked = aggregate_present(average, column.values, groups.labels, missing, np.nan, weights)
    if decimals is None:
        return np.asarray(masked)
    masked = np.round(masked, decimals) + 0.0  # no negative zero
    is_whole = is_whole and decimals <= 0 and not np.isnan(masked).any()
    return masked.astype(np.int64) if is_whole else np.asarray(masked)


def suppress_single_values(groups: Partition, missing: Mask) -> Mask:
    """Return ``missing``, extended to the groups in which only one record has a value.

    Examples
    --------
    >>> groups = Partition(np.array([0, 0, 0, 1, 1, 1]), k=3)
    >>> missing = np.array([True, False, True, False, False, True])
    >>> suppress_single_values(groups, missing)
    array([ True,  True,  True, False, False,  True])
    """
    if not missing.any():
        return missing
    has_single_value = (count_contributors(groups.labels, ~missing) == 1) & (groups.sizes > 1)
    return np.asarray(missing | has_single_value[groups.labels])


def check_positive(column: Column) -> None:
    """Refuse a column with numbers of 0 or less, which have no geometric mean."""
    count = int((column.values <= 0).sum()) if column.kind == "numeric" else 0
    if count:
        raise InputError(
            f"Column {column.name!r} has {count:,} value{'s' if count > 1 else ''} that"
            f" {'is' if count == 1 else 'are'} not above 0, which have no geometric mean. Use"
            " another aggregate, or mask the column in a separate step.",
            code="not-above-zero",
            column=column.name,
            count=count,
        )
