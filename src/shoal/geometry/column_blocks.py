"""Blocks of correlated columns, to be masked together."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def correlated_blocks(X: Matrix, size: int) -> list[list[int]]:
    """Group the most correlated columns into blocks of ``size``, one block after another.

    Columns of a block are masked together. If they are correlated, the loss is small and their
    dependence is kept well [DT01]_. A block starts with the two free columns of the largest
    absolute correlation. It grows by the free column with the largest mean absolute correlation to
    the columns of the block. The remaining columns are the last block. Ties go to the column that
    comes first.

    Parameters
    ----------
    X : ndarray of shape (n_records, n_columns)
        The columns, in any units. A constant column has the correlation 0 with all others.
    size : int
        Number of columns in a block.

    Returns
    -------
    list of list of int
        The columns of each block, in ascending order; blocks are sorted by their first column.

    References
    ----------
    .. [DT01] Domingo-Ferrer, J. and Torra, V. (2001). A quantitative comparison of
       disclosure control methods for microdata. Confidentiality, Disclosure and Data
       Access, 111-134. North-Holland.

    Examples
    --------
    >>> X = np.array([[1.0, 5, 2], [2.0, 1, 4], [3.0, 4, 6], [4.0, 2, 9]])
    >>> correlated_blocks(X, 2)
    [[0, 2], [1]]
    """
    centred = X - X.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    standardised = centred / np.where(norms > 0, norms, 1.0)
    correlation = np.abs(standardised.T @ standardised).round(12)
    remaining = list(range(X.shape[1]))
    blocks: list[list[int]] = []
    while len(remaining) > size:
        block = [remaining[0]]
        if size > 1:
            pairs = combinations(remaining, 2)
            block = [*max(pairs, key=lambda pair: (correlation[pair], -pair[0], -pair[1]))]
        while len(block) < size:
            mean = correlation[block].mean(axis=0)
            free_columns = [column for column in remaining if column not in block]
            block.append(max(free_columns, key=lambda column: (mean[column], -column)))
        remaining = [column for column in remaining if column not in block]
        blocks.append(sorted(block))
    return sorted([*blocks, remaining])
