"""How many examples hypothesis tries in a test."""

import os

DEFAULT_EXAMPLES = 40
EXAMPLES = int(os.environ.get("SHOAL_EXAMPLES", DEFAULT_EXAMPLES))
LEAST = 6


def tries(number: int) -> int:
    """Return how many examples a costly test tries, of ``number`` where nothing else is asked for.

    As many times fewer as ``SHOAL_EXAMPLES`` asks for of all tests, and at least a few.
    """
    return max(min(LEAST, number), number * EXAMPLES // DEFAULT_EXAMPLES)
