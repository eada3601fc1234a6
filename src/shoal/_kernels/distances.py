"""Distances between records, and the sum of squared errors (SSE) of a group."""

import numpy as np

from shoal._kernels._compile import compiled


@compiled
def same_values(X, a, b):
    """Return whether two records have the same values."""
    for c in range(X.shape[1]):
        if X[a, c] != X[b, c]:
            return False
    return True


@compiled
def squared_distance(X, record, point):
    """Return the squared distance of a record to a point, summed column by column."""
    total = 0.0
    for c in range(point.shape[0]):
        difference = X[record, c] - point[c]
        total += difference * difference
    return total


@compiled
def squared_row_distance(A, a, B, b):
    """Return the squared distance of row ``a`` of ``A`` to row ``b`` of ``B``.

    It takes whole arrays, since making a view of a row takes as long as its distance.
    """
    total = 0.0
    for c in range(A.shape[1]):
        difference = A[a, c] - B[b, c]
        total += difference * difference
    return total


@compiled
def write_squared_distances(columns, start, stop, point, squares):
    """Write the squared distances of rows ``start`` to ``stop`` of a table to ``point``.

    The table is given column by column, with shape (p, n), so that the inner loop is a run of
    vector instructions. Each distance is summed in the order of the columns.
    """
    size = stop - start
    squares[:size] = 0.0
    for c in range(point.shape[0]):
        column = columns[c, start:stop]
        value = point[c]
        for i in range(size):
            difference = column[i] - value
            squares[i] += difference * difference


@compiled
def squared_distances(X):
    """Return the squared distances of all pairs of rows.

    It is for tables of a few hundred records, as memory is n by n.
    """
    n = X.shape[0]
    distance = np.zeros((n, n))
    for a in range(n):
        for b in range(a):
            distance[a, b] = squared_row_distance(X, a, X, b)
            distance[b, a] = distance[a, b]
    return distance


@compiled
def scaled_sse(X, record, others):
    """Return the SSE of a record and ``others``, times their number.

    It is summed from the differences to the record: small whole numbers give an exact result, so
    that equal SSEs compare as equal. Where the two terms cancel, the relative error grows at most
    by a factor of the size of the group.
    """
    squares, offset = 0.0, 0.0
    for c in range(X.shape[1]):
        total = 0.0
        for other in others:
            difference = X[other, c] - X[record, c]
            squares += difference * difference
            total += difference
        offset += total * total
    return (others.shape[0] + 1) * squares - offset
