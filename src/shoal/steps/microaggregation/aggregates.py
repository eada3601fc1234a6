"""Aggregates of groups: means, medians and most frequent values.

All but the trimmed mean accept weights; equal weights give the same result as none.

Aggregates do not depend on the order of the records: sums are correctly rounded, to the last bit.
Otherwise an attacker who knows all values could search for the order of summation that yields the
released bits, and learn from it which row belongs to which person.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.exact_sums import group_means, group_sums, running_sums

Column = NDArray[np.float64]
Labels = NDArray[np.int64]
Mask = NDArray[np.bool_]
Weights = NDArray[np.float64]

TOLERANCE = 1e-12  # relative rounding error of a sum of weights


def group_mean(values: Column, labels: Labels, weights: Weights | None = None) -> Column:
    """Return the mean of each record's group, correctly rounded.

    A group of equal values keeps exactly that value.

    Examples
    --------
    >>> group_mean(np.array([1.0, 5.0, 3.0]), np.array([0, 1, 0]))
    array([2., 5., 2.])
    >>> group_mean(np.array([1.0, 5.0]), np.array([0, 0]), np.array([3.0, 1.0]))
    array([2., 2.])
    """
    return np.asarray(_group_means_by_label(values, labels, weights)[labels])


def exact_mean(values: Column) -> float:
    """Return the correctly rounded mean of values; their order does not matter.

    Examples
    --------
    >>> exact_mean(np.array([1e16, 1.0, -1e16]))
    0.3333333333333333
    """
    return float(_group_means_by_label(values, np.zeros(len(values), np.int64), None)[0])


def group_median(values: Column, labels: Labels, weights: Weights | None = None) -> Column:
    """Return the median of each record's group; if two values are in the middle, their mean.

    With weights, the median is the smallest value at which the cumulative weight reaches half of
    the total; if it is exactly half there, the mean of this value and the next.

    Examples
    --------
    >>> group_median(np.array([1.0, 5.0, 2.0, 9.0]), np.array([0, 1, 0, 0]))
    array([2., 5., 2., 2.])
    """
    order = np.lexsort((values, labels))
    low, high = (values[order[middle]] for middle in _middle_positions(order, labels, weights))
    return np.asarray((low + (high - low) / 2)[labels])


def group_trimmed_mean(values: Column, labels: Labels, trim: float) -> Column:
    """Return the mean of each record's group without its extremes.

    The ``floor(trim * m)`` smallest and largest values of a group of m are ignored, but never the
    one or two in the middle.

    Examples
    --------
    >>> group_trimmed_mean(np.array([1.0, 2.0, 3.0, 90.0]), np.zeros(4, np.int64), 0.25)
    array([2.5, 2.5, 2.5, 2.5])
    """
    order = np.lexsort((values, labels))
    sizes = np.bincount(labels)
    rank = np.arange(len(values)) - (np.cumsum(sizes) - sizes)[labels[order]]
    # A rounding error must not lower a product such as 0.3 * 10 below 3.
    n_trimmed = np.minimum(np.floor(trim * sizes * (1 + 1e-12)), (sizes - 1) // 2)[labels[order]]
    remaining = order[(rank >= n_trimmed) & (rank < sizes[labels[order]] - n_trimmed)]
    means = group_mean(values[remaining], labels[remaining])
    return np.asarray(_broadcast_to_records(means, labels[remaining], labels))


def group_geometric_mean(values: Column, labels: Labels, weights: Weights | None = None) -> Column:
    """Return the geometric mean of each record's group; all values must be above 0.

    It averages ratios to the smallest value of the group, so a group of equal values keeps exactly
    that value.

    Examples
    --------
    >>> group_geometric_mean(np.array([1.0, 100.0]), np.zeros(2, np.int64)).round(9)
    array([10., 10.])
    """
    distinct, index = np.unique(values, return_inverse=True)
    logarithm = np.log(distinct)[index]
    sizes = np.bincount(labels)
    smallest_records = np.lexsort((values, labels))[np.cumsum(sizes) - sizes]
    mean_log_ratios = _group_means_by_label(
        logarithm - logarithm[smallest_records][labels], labels, weights
    )
    return np.asarray((values[smallest_records] * np.exp(mean_log_ratios))[labels])


def group_low_median(codes: Labels, labels: Labels, weights: Weights | None = None) -> Labels:
    """Return the median code of each record's group; of two codes in the middle, the lower.

    Examples
    --------
    >>> group_low_median(np.array([3, 5, 1, 4]), np.zeros(4, np.int64))
    array([3, 3, 3, 3])
    """
    order = np.lexsort((codes, labels))
    return np.asarray(codes[order[_middle_positions(order, labels, weights)[0]]][labels])


def group_mode(codes: Labels, labels: Labels, weights: Weights | None = None) -> Labels:
    """Return the most frequent code of each record's group.

    Ties go to the code that is most frequent in all groups together, then to the smallest; the
    order of the records does not matter. With weights, the most frequent code is the code with the
    largest total weight.

    Examples
    --------
    >>> group_mode(np.array([0, 1, 1, 0, 2, 1]), np.array([0, 0, 0, 0, 1, 1]))
    array([1, 1, 1, 1, 1, 1])
    """
    n_codes = int(codes.max(initial=0)) + 1
    pairs, pair_of_record = np.unique(labels * n_codes + codes, return_inverse=True)
    groups, pair_codes = pairs // n_codes, pairs % n_codes
    counts = _weighted_counts(pair_of_record, weights)
    total_counts = _weighted_counts(codes, weights)
    order = np.lexsort((pair_codes, -total_counts[pair_codes], -counts, groups))
    _, first = np.unique(groups[order], return_index=True)
    return np.asarray(pair_codes[order][first][labels])


def aggregate_present(
    aggregate: Callable[..., Any],
    values: Any,
    labels: Labels,
    missing: Mask,
    fill: Any,
    weights: Weights | None = None,
) -> Any:
    """Aggregate the values that are not missing; a group without values gets ``fill``.

    Examples
    --------
    >>> values, missing = np.array([1.0, 9.0, 3.0]), np.array([False, True, False])
    >>> aggregate_present(group_mean, values, np.array([0, 0, 0]), missing, np.nan)
    array([2., 2., 2.])
    """
    if not missing.any():
        return aggregate(values, labels, **({} if weights is None else {"weights": weights}))
    if missing.all():
        return np.full(len(labels), fill, values.dtype)
    has_value = ~missing
    renumbered = np.unique(labels[has_value], return_inverse=True)[1]
    options = {} if weights is None else {"weights": weights[has_value]}
    aggregates = aggregate(values[has_value], renumbered, **options)
    return _broadcast_to_records(aggregates, labels[has_value], labels, fill)


def _group_means_by_label(values: Column, labels: Labels, weights: Weights | None) -> Column:
    """Return the mean of each group."""
    weights = np.empty(0) if weights is None else np.asarray(weights, np.float64)
    values = np.ascontiguousarray(values, np.float64)
    return np.asarray(group_means(values, weights, labels, int(labels.max()) + 1))


def _weighted_counts(numbers: Labels, weights: Weights | None) -> Column:
    """Return how often each number occurs, or the total weight of its records."""
    if weights is None:
        return np.bincount(numbers).astype(np.float64)
    weights = np.asarray(weights, np.float64)
    return np.asarray(group_sums(weights, numbers, int(numbers.max()) + 1))


def _middle_positions(
    order: Labels, labels: Labels, weights: Weights | None
) -> tuple[Labels, Labels]:
    """Return the positions in ``order`` of the lower and upper middle value of each group."""
    sizes = np.bincount(labels)
    starts = np.cumsum(sizes) - sizes
    if weights is None:
        return starts + (sizes - 1) // 2, starts + sizes // 2
    groups = labels[order]
    cumulative = running_sums(np.asarray(weights, np.float64)[order], groups)
    half_weights = cumulative[starts + sizes - 1] / 2
    low, high = (
        starts
        + np.bincount(groups[cumulative < (half_weights * factor)[groups]], minlength=len(sizes))
        for factor in (1 - TOLERANCE, 1 + TOLERANCE)
    )
    return low, high


def _broadcast_to_records(
    aggregates: Any, group_of_aggregate: Labels, labels: Labels, fill: Any = np.nan
) -> Any:
    """Return the aggregate of each record's group, given aggregates and their groups."""
    by_group = np.full(labels.max() + 1, fill, aggregates.dtype)
    by_group[group_of_aggregate] = aggregates
    return by_group[labels]


AGGREGATES: dict[str, Callable[..., Column]] = {
    "mean": group_mean,
    "median": group_median,
    "trimmed-mean": group_trimmed_mean,
    "geometric-mean": group_geometric_mean,
}
