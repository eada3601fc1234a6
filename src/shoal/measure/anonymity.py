"""How many records look alike in what is released."""

import numpy as np
from numpy.typing import NDArray

from shoal.measure._base import measure

Labels = NDArray[np.int64]


def classes(released: NDArray[np.generic]) -> Labels:
    """Number the sets of records that look alike in all columns of ``released``.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        Released values, or numbers that stand for them.

    Returns
    -------
    ndarray of shape (n_records,)
        The class of each record, counted from 0.
    """
    found = np.zeros(len(released), np.int64)
    for column in released.T:
        values, code = np.unique(column, return_inverse=True)
        found = np.unique(found * len(values) + code, return_inverse=True)[1]
    return found


@measure(kind="risk", better="higher", unit="records")
def smallest_class(released: NDArray[np.generic]) -> int:
    """Size of the smallest set of records that look alike.

    It is counted on the released values, not on the groups the algorithm says
    it made, so it also holds for data masked elsewhere.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or numbers that stand for their values.

    Returns
    -------
    int
        The *k* that the release attains, at least 1; 1 says that some record is
        unique.

    Examples
    --------
    >>> smallest_class(np.array([[1, 2], [1, 2], [3, 4], [3, 4], [3, 4]]))
    2
    """
    return int(np.bincount(classes(released)).min())


@measure(kind="risk", better="neither", unit="classes")
def class_sizes(released: NDArray[np.generic]) -> dict[int, int]:
    """Count the sets of records that look alike, by their size.

    Parameters
    ----------
    released : ndarray of shape (n_records, n_columns)
        The released quasi-identifiers, or numbers that stand for their values.

    Returns
    -------
    dict
        Size of a class to the number of classes of that size, smallest first.

    Examples
    --------
    >>> class_sizes(np.array([[1, 2], [1, 2], [3, 4], [3, 4], [3, 4]]))
    {2: 1, 3: 1}
    """
    sizes, counts = np.unique(np.bincount(classes(released)), return_counts=True)
    return {int(size): int(count) for size, count in zip(sizes, counts, strict=True)}
