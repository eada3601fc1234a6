"""The least SSE over all partitions of a few records, by dynamic programming over subsets.

A subset is a number whose bits are its records, so memory doubles with every record.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_distances


@compiled
def lowest_record(subset):
    """Return the lowest record of a subset that is not empty."""
    record = 0
    while subset >> record & 1 == 0:
        record += 1
    return record


@compiled
def sizes_and_sses(squares):
    """Return the number of records and the SSE of every subset.

    The SSE is the sum of the squared distances of all pairs, divided by the size. Nothing is
    subtracted, so no digits cancel.
    """
    n = squares.shape[0]
    size = np.zeros(1 << n, np.int64)
    sse = np.zeros(1 << n)
    for subset in range(1, 1 << n):
        first = lowest_record(subset)
        without_first = subset & (subset - 1)
        size[subset] = size[without_first] + 1
        sse[subset] = sse[without_first]
        for record in range(first + 1, n):
            if without_first >> record & 1:
                sse[subset] += squares[first, record]
    for subset in range(1, 1 << n):
        sse[subset] /= size[subset]
    return size, sse


@compiled
def optimal_labels(X, k):
    """Return the labels of the partition with the least SSE into groups of ``k`` to ``2k - 1``.

    All possible groups of the lowest record are tried; the remaining records are a smaller subset,
    which was solved before. Ties go to the partition that is tried first.
    """
    n = X.shape[0]
    size, sse = sizes_and_sses(squared_distances(X))
    best_group = best_first_groups(size, sse, k)
    labels = np.full(n, -1)
    remaining = (1 << n) - 1
    for label in range(n // k):
        for record in range(n):
            if best_group[remaining] >> record & 1:
                labels[record] = label
        remaining ^= best_group[remaining]  # 0 once no record is left
    return labels


@compiled
def best_first_groups(size, sse, k):
    """Return for every subset the group of its lowest record in the best partition.

    It is 0 for subsets that cannot be divided into groups.
    """
    n_subsets = size.shape[0]
    least = np.full(n_subsets, np.inf)
    best_group = np.zeros(n_subsets, np.int64)
    least[0] = 0.0
    for subset in range(1, n_subsets):
        first_bit = 1 << lowest_record(subset)
        others = subset ^ first_bit
        subset_of_others = others
        while True:
            group = subset_of_others | first_bit
            if k <= size[group] < 2 * k and sse[group] + least[subset ^ group] < least[subset]:
                least[subset] = sse[group] + least[subset ^ group]
                best_group[subset] = group
            if subset_of_others == 0:
                break
            subset_of_others = (subset_of_others - 1) & others
    return best_group
