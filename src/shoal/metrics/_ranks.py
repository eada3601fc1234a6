"""Ranks of values, and rank correlation."""

import numpy as np

from shoal.metrics._array_types import AnyValues, Labels, Values


def dense_ranks(values: AnyValues) -> Labels:
    """Return the rank of each value among the distinct values, numbered from 0.

    Examples
    --------
    >>> dense_ranks(np.array([7, 3, 3, 9])).tolist()
    [1, 0, 0, 2]
    """
    if values.dtype.kind in "iu":
        lowest, highest = int(values.min()), int(values.max())
        # Counting is faster than sorting.
        if highest - lowest < 4 * len(values) and highest < 2**63:
            offsets = values.astype(np.int64) - lowest
            occurs = np.bincount(offsets) > 0
            return np.asarray((np.cumsum(occurs) - 1)[offsets])
    return np.asarray(np.unique(values, return_inverse=True)[1], np.int64)


def mean_ranks(values: Values) -> Values:
    """Return the rank of each value, numbered from 1; equal values share the mean of their ranks.

    Examples
    --------
    >>> mean_ranks(np.array([7.0, 3.0, 3.0, 9.0])).tolist()
    [3.0, 1.5, 1.5, 4.0]
    """
    codes, counts = np.unique(values, return_inverse=True, return_counts=True)[1:]
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[codes.ravel()])


def rank_correlation(first: Values, second: Values) -> float | None:
    """Return Spearman's correlation in [-1, 1], with mean ranks for ties, or None if undefined.

    It is undefined if either sequence is constant, and for fewer than two values.

    Examples
    --------
    >>> rank_correlation(np.array([1.0, 2.0, 9.0]), np.array([0.3, 0.2, 0.1]))
    -1.0
    """
    if len(first) < 2:
        return None
    centred_first, centred_second = (mean_ranks(x) - (len(x) + 1) / 2 for x in (first, second))
    norm_product = np.sqrt((centred_first**2).sum() * (centred_second**2).sum())
    if norm_product == 0:
        return None
    return float(np.clip((centred_first * centred_second).sum() / norm_product, -1, 1))
