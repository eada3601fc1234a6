"""Lower bounds of the reduced costs of groups of k in long tables, from nearest neighbours.

A group of k rows costs the squared distances of all its pairs, divided by k. Beside an *anchor*,
each other row adds at least its *floor*: its squared distance to the anchor divided by k, plus the
squared distances to its k - 2 nearest neighbours divided by 2k, minus its dual. The *net dual* of a
row is its dual minus the second term, so floor = squared distance / k - net dual.

In all kernels here, ``X`` has the shape (n_rows, n_columns), ``near[i]`` lists the rows nearest to
row i, nearest first, and ``dual[i]`` is the dual of row i.
"""

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import squared_row_distance


@compiled
def squared_distances_to_neighbours(X, near):
    """Return the squared distances of the first rows of ``X`` to the rows ``near`` them."""
    squares = np.empty(near.shape)
    for row in range(near.shape[0]):
        for position in range(near.shape[1]):
            squares[row, position] = squared_row_distance(X, row, X, near[row, position])
    return squares


@compiled
def group_costs(X, members):
    """Return the SSEs of groups of the same size: squared distances of all pairs by the size.

    A row of ``members`` contains the rows of ``X`` in one group.
    """
    costs = np.zeros(members.shape[0])
    for group in range(members.shape[0]):
        rows = members[group]
        for first in range(members.shape[1]):
            for second in range(first):
                costs[group] += squared_row_distance(X, rows[first], X, rows[second])
        costs[group] /= members.shape[1]
    return costs


@compiled
def nearest_sums(X, near, rows, width):
    """Return cumulative squared distances of ``rows``, in the shape (n_rows, ``width``).

    Column ``count`` is the sum of the squared distances to the ``count`` nearest rows.
    """
    sums = np.zeros((rows.shape[0], width))
    for i in range(rows.shape[0]):
        for count in range(1, width):
            square = squared_row_distance(X, rows[i], X, near[rows[i], count - 1])
            sums[i, count] = sums[i, count - 1] + square
    return sums


@compiled
def net_duals(X, near, k, dual):
    """Return the net dual of each row."""
    net_dual = np.empty(dual.shape[0])
    for row in range(net_dual.shape[0]):
        total = 0.0
        for position in range(k - 2):
            total += squared_row_distance(X, row, X, near[row, position])
        net_dual[row] = dual[row] - total / (2 * k)
    return net_dual
