"""The number of examples that Hypothesis generates in a test."""

import os

DEFAULT_EXAMPLES = 40
EXAMPLES = int(os.environ.get("SHOAL_EXAMPLES", DEFAULT_EXAMPLES))
LEAST = 6


def scaled_examples(number: int) -> int:
    """Return the number of examples of a costly test, ``number`` by default.

    It is scaled as ``SHOAL_EXAMPLES`` scales that of other tests, but not below ``LEAST``.
    """
    return max(min(LEAST, number), number * EXAMPLES // DEFAULT_EXAMPLES)
