"""Similarity of the distributions of a column before and after masking: 1 for equal ones.

The measures are the complements of two distances between distributions: that of Kolmogorov and
Smirnov for numbers, and total variation for categories. Pairs of numeric columns are compared by
their correlations, pairs of categorical ones by their two-way tables. They say how well a release
serves, and nothing about its risk.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.metrics.category_tables import Codes, distances, levels, pair_codes

Values = NDArray[np.float64]
Counts = NDArray[np.int64]


def similarity_of_numbers(
    before: Values, after: Values, counts: tuple[Counts, Counts] | None = None
) -> float:
    """Return 1 less the greatest difference of the two distribution functions.

    Parameters
    ----------
    before : ndarray
        Original values, none of them missing.
    after : ndarray
        Released values, none of them missing.
    counts : tuple of ndarray, optional
        How often each of the values ``before`` and ``after`` occurs; once by default. Values that
        are counted must be the same in both, in ascending order.

    Returns
    -------
    float
        Between 0 and 1; 0 also where only one of the two has values.

    Examples
    --------
    >>> similarity_of_numbers(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.5, 1.5, 3.5, 3.5]))
    0.75
    """
    if counts is not None:
        first, second = (np.cumsum(part) / max(1, part.sum()) for part in counts)
        return 1.0 - float(np.abs(first - second).max())
    if not len(before) or not len(after):
        return float(len(before) == len(after))
    points = np.unique(np.concatenate([before, after]))
    first, second = (
        np.searchsorted(np.sort(part), points, side="right") / len(part) for part in (before, after)
    )
    return 1.0 - float(np.abs(first - second).max())


def similarity_of_counts(before: Mapping[str, int], after: Mapping[str, int]) -> float:
    """Return 1 less half the sum of the differences of the two relative frequencies.

    Parameters
    ----------
    before : mapping of str to int
        How often each original value occurs.
    after : mapping of str to int
        How often each released value occurs.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> similarity_of_counts({"a": 3, "b": 1}, {"a": 2, "c": 2})
    0.5
    >>> similarity_of_counts(dict.fromkeys("abcdefg", 1), {"h": 3, "i": 7})
    0.0
    """
    old, new = int(sum(before.values())), int(sum(after.values()))
    if not old or not new:
        return float(old == new)
    values = [*before, *(value for value in after if value not in before)]
    # In whole numbers, as rounding errors could give less than 0.
    gaps = sum(abs(int(before.get(v, 0)) * new - int(after.get(v, 0)) * old) for v in values)
    return float(1 - gaps / (2 * old * new))


def similarity_of_correlations(before: float, after: float) -> float:
    """Return 1 less half the difference of two correlations.

    Examples
    --------
    >>> similarity_of_correlations(0.5, -0.5)
    0.5
    """
    return 1.0 - abs(before - after) / 2


def similarity_of_tables(before: Codes, after: Codes) -> float:
    """Return 1 less the total variation distance of two two-way tables of categories.

    Parameters
    ----------
    before : ndarray of shape (n_records, 2)
        Original values as integers, -1 where one is missing.
    after : ndarray of shape (n_records, 2)
        Released values, with the same integers for the same values.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> before = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> similarity_of_tables(before, np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    0.5
    """
    width = levels(before[:, 1], after[:, 1])
    cells = (pair_codes(part[:, 0], part[:, 1], width).codes for part in (before, after))
    return 1.0 - distances(*cells)[0]
