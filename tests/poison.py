"""Arrays without initial values hold something that no kernel can take for a value.

NumPy hands out memory that it used before, so that a value which was never written often looks
right by chance. `fill_empty_arrays` makes every array of ``np.empty`` that Python makes start
with the bytes 0x5A: numbers near 6.5e18 as integers, near 1.8e127 as floats. Arrays made inside
kernels come from malloc: there the tunable ``glibc.malloc.perturb=165`` does the same.
"""

from functools import wraps

import numpy as np
from numba import njit
from numba.extending import overload

BYTE = 0x5A

_empty = np.empty


@wraps(np.empty)
def empty(shape, dtype=np.float64, *args, **options):
    array = _empty(shape, dtype, *args, **options)
    if array.size and not array.dtype.hasobject:
        np.frombuffer(array.data if array.flags.c_contiguous else array.T.data, np.uint8)[:] = BYTE
    return array


@overload(empty)
def _empty_in_a_kernel(shape, dtype=np.float64):
    """Compile to what `numpy.empty` compiles to: numba asks which function a name stands for."""
    return lambda shape, dtype=np.float64: _empty(shape, dtype)


def fill_empty_arrays():
    """Let ``np.empty`` fill its arrays with poison from now on."""
    njit(lambda: _empty(1))()  # numba learns at its first use which function np.empty is
    np.empty = empty
