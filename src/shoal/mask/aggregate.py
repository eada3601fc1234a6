"""The value that stands for a group."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Labels = NDArray[np.int64]


def group_mean(values: Column, labels: Labels) -> Column:
    """Return the mean of each record's group.

    Differences to the group's first record are averaged, so that a group of
    equal values keeps exactly that value.

    Examples
    --------
    >>> group_mean(np.array([1.0, 5.0, 3.0]), np.array([0, 1, 0]))
    array([2., 5., 2.])
    """
    sizes = np.bincount(labels)
    base = np.empty(len(sizes))
    base[labels[::-1]] = values[::-1]  # the first record is written last
    excess = np.bincount(labels, values - base[labels]) / sizes
    return np.asarray((base + excess)[labels])


def group_median(values: Column, labels: Labels) -> Column:
    """Return the median of each record's group; of an even number, the mean of the two middle ones.

    Examples
    --------
    >>> group_median(np.array([1.0, 5.0, 2.0, 9.0]), np.array([0, 1, 0, 0]))
    array([2., 5., 2., 2.])
    """
    order = np.lexsort((values, labels))
    sizes = np.bincount(labels)
    start = np.cumsum(sizes) - sizes
    low = values[order[start + (sizes - 1) // 2]]
    high = values[order[start + sizes // 2]]
    return np.asarray((low + (high - low) / 2)[labels])


AGGREGATES: dict[str, Callable[[Column, Labels], Column]] = {
    "mean": group_mean,
    "median": group_median,
}
