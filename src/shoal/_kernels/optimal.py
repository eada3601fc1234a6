"""The least SSE over all partitions of a few records, by dynamic programming over subsets.

A subset is a number whose bits are its records, so memory doubles with every
record.
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
def sizes_and_sses(distance):
    """Return the number of records and the SSE of every subset.

    The SSE is the sum of the squared distances of all pairs over the size:
    nothing is subtracted, so nothing is cancelled.
    """
    n = distance.shape[0]
    size = np.zeros(1 << n, np.int64)
    sse = np.zeros(1 << n)
    for subset in range(1, 1 << n):
        first = lowest_record(subset)
        rest = subset & (subset - 1)
        size[subset] = size[rest] + 1
        sse[subset] = sse[rest]
        for record in range(first + 1, n):
            if rest >> record & 1:
                sse[subset] += distance[first, record]
    for subset in range(1, 1 << n):
        sse[subset] /= size[subset]
    return size, sse


@compiled
def best_groups(X, k):
    """Return the labels of the partition with the least SSE into groups of ``k`` to ``2k - 1``.

    All possible groups of the lowest record are tried; the remaining records are a
    smaller subset, which was solved before. Ties go to the partition found first.
    """
    n = X.shape[0]
    size, sse = sizes_and_sses(squared_distances(X))
    least = np.full(1 << n, np.inf)
    choice = np.zeros(1 << n, np.int64)
    least[0] = 0.0
    for subset in range(1, 1 << n):
        first = 1 << lowest_record(subset)
        others = subset ^ first
        part = others
        while True:
            group = part | first
            if k <= size[group] < 2 * k and sse[group] + least[subset ^ group] < least[subset]:
                least[subset] = sse[group] + least[subset ^ group]
                choice[subset] = group
            if part == 0:
                break
            part = (part - 1) & others

    labels = np.full(n, -1)
    remaining = (1 << n) - 1
    for label in range(n // k):
        for record in range(n):
            if choice[remaining] >> record & 1:
                labels[record] = label
        remaining ^= choice[remaining]  # 0 as soon as no record is left
    return labels
