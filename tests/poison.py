"""Uninitialised arrays filled with absurd values, so that tests fail where a kernel reads them.

NumPy reuses memory, so an element that was never written often has the right value by chance.
`fill_empty_arrays` fills every array of ``np.empty`` in Python with the bytes 0x5A: numbers near
6.5e18 as integers and near 1.8e127 as floats. Memory that kernels allocate comes from malloc, which
the tunable ``glibc.malloc.perturb=165`` fills in the same way.
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
    """Return what Numba compiles in a kernel: ``np.empty`` as it was."""
    return lambda shape, dtype=np.float64: _empty(shape, dtype)


def fill_empty_arrays():
    """Let ``np.empty`` fill its arrays from now on."""
    njit(lambda: _empty(1))()  # Numba looks up np.empty at its first use
    np.empty = empty
