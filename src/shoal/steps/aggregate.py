"""The value that stands for a group.

Where records have weights, each counts as its weight says; equal weights give what none give.

Every value is a function of the group's records as a set: sums are correctly rounded, so their last
bits do not depend on the order of the records. If they did, anyone who knows all values could find
the order that gives these bits, and with it the row of each person.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._kernels.exact_sums import group_means, group_sums, running_sums

Column = NDArray[np.float64]
Labels = NDArray[np.int64]
Holes = NDArray[np.bool_]
Weights = NDArray[np.float64]

ROUNDING = 1e-12  # what a sum of weights may lose; a share of the sum


def group_mean(values: Column, labels: Labels, weights: Weights | None = None) -> Column:
    """Return the mean of each record's group: the float64 nearest to it.

    A group of equal values keeps exactly that value.

    Examples
    --------
    >>> group_mean(np.array([1.0, 5.0, 3.0]), np.array([0, 1, 0]))
    array([2., 5., 2.])
    >>> group_mean(np.array([1.0, 5.0]), np.array([0, 0]), np.array([3.0, 1.0]))
    array([2., 2.])
    """
    return np.asarray(_mean(values, labels, weights)[labels])


def exact_mean(values: Column) -> float:
    """Return the float64 nearest to the mean of some values, whatever their order.

    Examples
    --------
    >>> exact_mean(np.array([1e16, 1.0, -1e16]))
    0.3333333333333333
    """
    return float(_mean(values, np.zeros(len(values), np.int64), None)[0])


def group_median(values: Column, labels: Labels, weights: Weights | None = None) -> Column:
    """Return the median of each record's group; of an even number, the mean of the two middle ones.

    With weights it is the least value up to which half of the weight lies; where
    that is exactly half, the mean of it and the next.

    Examples
    --------
    >>> group_median(np.array([1.0, 5.0, 2.0, 9.0]), np.array([0, 1, 0, 0]))
    array([2., 5., 2., 2.])
    """
    order = np.lexsort((values, labels))
    low, high = (values[order[middle]] for middle in _middles(order, labels, weights))
    return np.asarray((low + (high - low) / 2)[labels])


def group_trimmed_mean(values: Column, labels: Labels, trim: float) -> Column:
    """Return the mean of each record's group without its extremes.

    Of a group of m values the ``floor(trim * m)`` least and as many greatest are left
    out, though never the one or two in the middle.

    Examples
    --------
    >>> group_trimmed_mean(np.array([1.0, 2.0, 3.0, 90.0]), np.zeros(4, np.int64), 0.25)
    array([2.5, 2.5, 2.5, 2.5])
    """
    order = np.lexsort((values, labels))
    sizes = np.bincount(labels)
    place = np.arange(len(values)) - (np.cumsum(sizes) - sizes)[labels[order]]
    # A share such as 0.3 of 10 must not fall below 3 because of its last bit.
    cut = np.minimum(np.floor(trim * sizes * (1 + 1e-12)), (sizes - 1) // 2)[labels[order]]
    inner = order[(place >= cut) & (place < sizes[labels[order]] - cut)]
    kept = group_mean(values[inner], labels[inner])
    return np.asarray(_spread_out(kept, labels[inner], labels))


def group_geometric_mean(values: Column, labels: Labels, weights: Weights | None = None) -> Column:
    """Return the geometric mean of each record's group; all values must be above 0.

    Ratios to the least value of the group are averaged, so that a group of equal values
    keeps exactly that value.

    Examples
    --------
    >>> group_geometric_mean(np.array([1.0, 100.0]), np.zeros(2, np.int64)).round(9)
    array([10., 10.])
    """
    distinct, index = np.unique(values, return_inverse=True)
    logarithm = np.log(distinct)[index]
    least = np.lexsort((values, labels))[np.cumsum(np.bincount(labels)) - np.bincount(labels)]
    excess = _mean(logarithm - logarithm[least][labels], labels, weights)
    return np.asarray((values[least] * np.exp(excess))[labels])


def group_low_median(codes: Labels, labels: Labels, weights: Weights | None = None) -> Labels:
    """Return the median code of each record's group; of an even number, the lower middle one.

    Examples
    --------
    >>> group_low_median(np.array([3, 5, 1, 4]), np.zeros(4, np.int64))
    array([3, 3, 3, 3])
    """
    order = np.lexsort((codes, labels))
    return np.asarray(codes[order[_middles(order, labels, weights)[0]]][labels])


def group_mode(codes: Labels, labels: Labels, weights: Weights | None = None) -> Labels:
    """Return the code that is most frequent in each record's group.

    Of equally frequent ones it is the code that is most frequent in all groups
    together, then the least: the order of the records does not matter. With weights
    the most frequent code is the one with the greatest weight.

    Examples
    --------
    >>> group_mode(np.array([0, 1, 1, 0, 2, 1]), np.array([0, 0, 0, 0, 1, 1]))
    array([1, 1, 1, 1, 1, 1])
    """
    width = int(codes.max(initial=0)) + 1
    pairs, pair = np.unique(labels * width + codes, return_inverse=True)
    group, code = pairs // width, pairs % width
    count, everywhere = _counts(pair, weights), _counts(codes, weights)
    order = np.lexsort((code, -everywhere[code], -count, group))
    _, first = np.unique(group[order], return_index=True)
    return np.asarray(code[order][first][labels])


def over_known(
    function: Callable[..., Any],
    values: Any,
    labels: Labels,
    hole: Holes,
    nothing: Any,
    weights: Weights | None = None,
) -> Any:
    """Aggregate the values that are there; a group without any gets ``nothing``.

    Examples
    --------
    >>> values, hole = np.array([1.0, 9.0, 3.0]), np.array([False, True, False])
    >>> over_known(group_mean, values, np.array([0, 0, 0]), hole, np.nan)
    array([2., 2., 2.])
    """
    if not hole.any():
        return function(values, labels, **({} if weights is None else {"weights": weights}))
    if hole.all():
        return np.full(len(labels), nothing, values.dtype)
    known = np.unique(labels[~hole], return_inverse=True)[1]
    options = {} if weights is None else {"weights": weights[~hole]}
    return _spread_out(function(values[~hole], known, **options), labels[~hole], labels, nothing)


def _mean(values: Column, labels: Labels, weights: Weights | None) -> Column:
    """Return the mean of each group."""
    weights = np.empty(0) if weights is None else np.asarray(weights, np.float64)
    values = np.ascontiguousarray(values, np.float64)
    return np.asarray(group_means(values, weights, labels, int(labels.max()) + 1))


def _counts(numbers: Labels, weights: Weights | None) -> Column:
    """Return how often each number occurs, or the weight of its records."""
    if weights is None:
        return np.bincount(numbers).astype(np.float64)
    weights = np.asarray(weights, np.float64)
    return np.asarray(group_sums(weights, numbers, int(numbers.max()) + 1))


def _middles(order: Labels, labels: Labels, weights: Weights | None) -> tuple[Labels, Labels]:
    """Return the places in ``order`` of the lower and the upper middle value of each group."""
    sizes = np.bincount(labels)
    start = np.cumsum(sizes) - sizes
    if weights is None:
        return start + (sizes - 1) // 2, start + sizes // 2
    group = labels[order]
    below = running_sums(np.asarray(weights, np.float64)[order], group)
    half = below[start + sizes - 1] / 2
    low, high = (
        start + np.bincount(group[below < (half * share)[group]], minlength=len(sizes))
        for share in (1 - ROUNDING, 1 + ROUNDING)
    )
    return low, high


def _spread_out(found: Any, of: Labels, labels: Labels, nothing: Any = np.nan) -> Any:
    """Give each record what was found for the group of some."""
    by_group = np.full(labels.max() + 1, nothing, found.dtype)
    by_group[of] = found
    return by_group[labels]


AGGREGATES: dict[str, Callable[..., Column]] = {
    "mean": group_mean,
    "median": group_median,
    "trimmed-mean": group_trimmed_mean,
    "geometric-mean": group_geometric_mean,
}
