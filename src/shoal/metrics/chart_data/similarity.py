"""Similarity of original and masked columns, and of pairs of columns: 1 for equal distributions.

Numbers are compared by the Kolmogorov-Smirnov distance, categories by the total variation distance;
the similarity is 1 minus the distance. Pairs of numeric columns are compared by their correlations,
pairs of categorical columns by their two-way tables. Similarities measure the utility of a release,
not its risk.
"""

from collections.abc import Mapping

import numpy as np

from shoal.metrics._array_types import Codes, Counts, Values
from shoal.metrics.utility.frequency_tables import (
    count_levels,
    distribution_distances,
    pair_codes,
)


def similarity_of_numbers(
    original: Values, masked: Values, counts: tuple[Counts, Counts] | None = None
) -> float:
    """Return 1 minus the largest difference between the two distribution functions.

    Parameters
    ----------
    original : ndarray
        Original values, none of them missing.
    masked : ndarray
        Released values, none of them missing.
    counts : tuple of ndarray, optional
        How often each of the values ``original`` and ``masked`` occurs; once by default. Values
        that are counted must be the same in both, in ascending order.

    Returns
    -------
    float
        In [0, 1]. 1 means that the distributions are equal, 0 that the ranges do not overlap, or
        that only one of the two columns has values.

    Examples
    --------
    >>> similarity_of_numbers(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.5, 1.5, 3.5, 3.5]))
    0.75
    """
    if counts is not None:
        original_cumulative, masked_cumulative = (
            np.cumsum(values) / max(1, values.sum()) for values in counts
        )
        return 1.0 - float(np.abs(original_cumulative - masked_cumulative).max())
    if not len(original) or not len(masked):
        return float(len(original) == len(masked))
    points = np.unique(np.concatenate([original, masked]))
    original_cumulative, masked_cumulative = (
        np.searchsorted(np.sort(values), points, side="right") / len(values)
        for values in (original, masked)
    )
    return 1.0 - float(np.abs(original_cumulative - masked_cumulative).max())


def similarity_of_counts(original: Mapping[str, int], masked: Mapping[str, int]) -> float:
    """Return 1 minus half the sum of the absolute differences of the relative frequencies.

    Parameters
    ----------
    original : mapping of str to int
        How often each original value occurs.
    masked : mapping of str to int
        How often each released value occurs.

    Returns
    -------
    float
        In [0, 1]. 1 means that the distributions are equal, 0 that they have no value in common.

    Examples
    --------
    >>> similarity_of_counts({"a": 3, "b": 1}, {"a": 2, "c": 2})
    0.5
    >>> similarity_of_counts(dict.fromkeys("abcdefg", 1), {"h": 3, "i": 7})
    0.0
    """
    n_original, n_masked = int(sum(original.values())), int(sum(masked.values()))
    if not n_original or not n_masked:
        return float(n_original == n_masked)
    values = [*original, *(value for value in masked if value not in original)]
    # Computed in whole numbers, since rounding errors could make the similarity negative.
    differences = sum(
        abs(int(original.get(value, 0)) * n_masked - int(masked.get(value, 0)) * n_original)
        for value in values
    )
    return float(1 - differences / (2 * n_original * n_masked))


def similarity_of_correlations(original: float, masked: float) -> float:
    """Return 1 minus half the absolute difference of two correlations.

    Examples
    --------
    >>> similarity_of_correlations(0.5, -0.5)
    0.5
    """
    return 1.0 - abs(original - masked) / 2


def similarity_of_tables(original: Codes, masked: Codes) -> float:
    """Return 1 minus the total variation distance of two two-way tables of categories.

    Parameters
    ----------
    original : ndarray of shape (n_records, 2)
        Original values as integers, or -1 for a missing value.
    masked : ndarray of shape (n_records, 2)
        Released values, with the same integers for the same values.

    Returns
    -------
    float
        In [0, 1]. 1 means that the tables are equal, 0 that they have no cell in common.

    Examples
    --------
    >>> original = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> similarity_of_tables(original, np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    0.5
    """
    n_levels = count_levels(original[:, 1], masked[:, 1])
    cells = (pair_codes(table[:, 0], table[:, 1], n_levels).codes for table in (original, masked))
    return 1.0 - distribution_distances(*cells)[0]
