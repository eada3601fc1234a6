"""The cost of joining two groups, rounded so that equal costs compare as equal."""

from shoal._kernels._compile import compiled

NEGLIGIBLE = 2.0**-90  # lower costs are rounding errors, if the extent of the table is about 1
SPLITTER = 2.0**13 + 1  # leaves 40 of the 53 bits of a float64 (Veltkamp)


@compiled
def ward_cost(square, size, other_size):
    """Return the increase of the SSE when groups of ``size`` and ``other_size`` records join.

    ``square`` is the squared distance of their centroids.
    """
    return square * (size * other_size / (size + other_size))


@compiled
def rounded(increase):
    """Return ``increase`` rounded to twelve digits, so that rounding errors break no tie."""
    if increase < NEGLIGIBLE:
        return 0.0
    shifted = increase * SPLITTER
    return shifted - (shifted - increase)
