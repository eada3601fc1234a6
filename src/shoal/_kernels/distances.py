"""Distances between records, and the sum of squared errors (SSE) of a group."""

import numpy as np

from shoal._kernels._compile import compiled


@compiled
def same_values(X, record, other):
    """Return whether two records have the same values."""
    for column in range(X.shape[1]):
        if X[record, column] != X[other, column]:
            return False
    return True


@compiled
def squared_distance(X, record, point):
    """Return the squared distance of a record to a point, summed column by column."""
    total = 0.0
    for column in range(point.shape[0]):
        difference = X[record, column] - point[column]
        total += difference * difference
    return total


@compiled
def squared_row_distance(A, row, B, other_row):
    """Return the squared distance of a row of ``A`` to a row of ``B``.

    Whole arrays are passed, since making a view of a row takes as long as the distance itself.
    """
    total = 0.0
    for column in range(A.shape[1]):
        difference = A[row, column] - B[other_row, column]
        total += difference * difference
    return total


@compiled
def write_squared_distances(columns, start, stop, point, squares):
    """Write the squared distances of rows ``start`` to ``stop`` of a table to ``point``.

    The table is given column by column, so that the inner loop is a run of vector instructions.
    Each distance is summed in the order of the columns.
    """
    size = stop - start
    squares[:size] = 0.0
    for column in range(point.shape[0]):
        values = columns[column, start:stop]
        coordinate = point[column]
        for i in range(size):
            difference = values[i] - coordinate
            squares[i] += difference * difference


@compiled
def squared_distances(X):
    """Return the squared distances of all pairs of rows.

    Memory grows with the square of the number of rows.
    """
    n = X.shape[0]
    squares = np.zeros((n, n))
    for row in range(n):
        for other in range(row):
            squares[row, other] = squared_row_distance(X, row, X, other)
            squares[other, row] = squares[row, other]
    return squares


@compiled
def scaled_sse(X, record, others):
    """Return the SSE of a group, a record and ``others``, multiplied by the size of the group.

    It is summed from the differences to the record: small whole numbers give an exact result, so
    equal SSEs compare as equal. Where the two terms cancel, the relative error grows at most
    by a factor of the size of the group.
    """
    squares, offset = 0.0, 0.0
    for column in range(X.shape[1]):
        total = 0.0
        for other in others:
            difference = X[other, column] - X[record, column]
            squares += difference * difference
            total += difference
        offset += total * total
    return (others.shape[0] + 1) * squares - offset
