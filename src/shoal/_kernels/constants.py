"""Numbers that kernels pass to one another.

They are NumPy numbers, since numba compiles an inner kernel again for every plain constant passed
to it.
"""

import numpy as np

NONE = np.int64(-1)  # no record, no group, no item, or the end of a list
ZERO, ONE = np.int64(0), np.int64(1)
