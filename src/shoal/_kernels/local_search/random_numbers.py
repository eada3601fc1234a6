"""Seeded random numbers inside compiled loops, by the generator splitmix64.

The state of the generator is an array that is passed to them, so every run has its own.
"""

import numpy as np

from shoal._kernels._compile import compiled


@compiled
def draw_bits(rng_state):
    """Return the next 64 random bits, and advance ``rng_state``, an array of one uint64."""
    rng_state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng_state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def draw_fraction(rng_state):
    """Draw a number from [0, 1)."""
    return (draw_bits(rng_state) >> np.uint64(11)) * 2.0**-53


@compiled
def draw_index(rng_state, n):
    """Draw a whole number from 0 to ``n - 1``."""
    return np.int64(draw_bits(rng_state) % np.uint64(n))
