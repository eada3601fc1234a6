"""Seeds of random numbers, given by the user or drawn for a run."""

import secrets

import numpy as np

from shoal._params import RandomState

GENERATORS = (np.random.Generator, np.random.RandomState)
SEED_BITS = 128  # bits of a drawn seed, too many for an exhaustive search


class DrawnSeed(int):
    """A seed drawn for a run; its repr is hidden because the seed may undo the masking."""

    def __repr__(self) -> str:
        return "<drawn seed>"

    __str__ = __repr__


def draw_seed(generator: np.random.Generator | np.random.RandomState | None = None) -> DrawnSeed:
    """Return a seed drawn from ``generator``, or from the operating system's secure source."""
    if generator is None:
        return DrawnSeed(secrets.randbits(SEED_BITS))
    return DrawnSeed(int.from_bytes(generator.bytes(SEED_BITS // 8)))


def as_seed(random_state: RandomState) -> int | None:
    """Return the seed that ``random_state`` stands for; None stays None.

    A generator draws the seed, so each call gives a different one.

    Examples
    --------
    >>> as_seed(7)
    7
    >>> as_seed(np.random.default_rng(0)) == as_seed(np.random.default_rng(0))
    True
    """
    if isinstance(random_state, GENERATORS):
        return draw_seed(random_state)
    return random_state


def seed_or_draw(random_state: RandomState) -> int:
    """Return the seed that ``random_state`` stands for; None draws one."""
    seed = as_seed(random_state)
    return int(draw_seed() if seed is None else seed)
