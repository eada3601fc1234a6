"""Compiled loops over arrays; numpy and numba only, no option and no frame."""
