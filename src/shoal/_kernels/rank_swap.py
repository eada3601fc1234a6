"""Rank swapping (Moore, 1996): each rank is swapped with one within a window."""

import numpy as np

from shoal._kernels._compile import compiled


@compiled
def swap_partners(window, chance):
    """Return the rank that each rank is swapped with, at most ``window`` away.

    From the lowest rank on, each rank without a partner is paired with a higher one inside the
    window that has none either, selected by ``chance``, in [0, 1). A rank without a candidate
    is not swapped.
    """
    n = chance.shape[0]
    partner = np.full(n, -1)
    for rank in range(n):
        if partner[rank] >= 0:
            continue
        partner[rank] = rank
        last = min(n - 1, rank + window)
        n_free = 0
        for other in range(rank + 1, last + 1):
            n_free += partner[other] < 0
        if n_free == 0:
            continue
        skip = int(chance[rank] * n_free)
        for other in range(rank + 1, last + 1):
            if partner[other] < 0:
                if skip == 0:
                    partner[rank], partner[other] = other, rank
                    break
                skip -= 1
    return partner
