"""A random order of the released records."""

import hashlib

import numpy as np
from numpy.typing import NDArray

PURPOSE = b"shoal: order of the released records"


def random_order(n: int, seed: int) -> NDArray[np.int64]:
    """Return the numbers 0 to n - 1 in an order that the seed determines and that hides the seed.

    Records are sorted by the output of SHAKE-256 on the seed. NumPy's generators are not safe
    here: anyone who knows the rows of a few persons could compute the state of the generator, and
    with it all other rows.

    Parameters
    ----------
    n : int
        Number of records.
    seed : int
        The seed, at least 0.

    Returns
    -------
    ndarray of shape (n,)
        The record at each position.

    Examples
    --------
    >>> random_order(5, seed=7)
    array([3, 4, 2, 0, 1])
    """
    key = int(seed).to_bytes(int(seed).bit_length() // 8 + 1, "little")
    digest = hashlib.shake_256(PURPOSE + key).digest(8 * n)
    return np.argsort(np.frombuffer(digest, "<u8"), kind="stable")
