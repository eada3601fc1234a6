"""Double-double arithmetic: a number is the sum of a leading part and a small rest.

Differences of sums of squares lose digits; with 32 of them, enough are left for ordinary data.
"""

from shoal._kernels._compile import compiled

SPLIT = 2.0**27 + 1  # leaves 26 of the 53 bits of a float64


@compiled
def two_sum(a, b):
    """Return ``a + b`` as leading part and rest, without error (Knuth)."""
    leading = a + b
    b_virtual = leading - a
    return leading, (a - (leading - b_virtual)) + (b - b_virtual)


@compiled
def split_bits(a):
    """Return the upper and lower half of the digits of ``a`` (Veltkamp)."""
    shifted = a * SPLIT
    upper = shifted - (shifted - a)
    return upper, a - upper


@compiled
def two_product(a, b):
    """Return ``a * b`` as leading part and rest, without error (Dekker)."""
    leading = a * b
    upper, lower = split_bits(a)
    high, low = split_bits(b)
    return leading, ((upper * high - leading) + upper * low + lower * high) + lower * low


@compiled
def add(a, a_rest, b, b_rest):
    """Return the sum of two double-double numbers."""
    leading, rest = two_sum(a, b)
    return two_sum(leading, rest + (a_rest + b_rest))


@compiled
def square(a, a_rest):
    """Return the square of a double-double number."""
    leading, rest = two_product(a, a)
    return two_sum(leading, rest + 2.0 * a * a_rest)


@compiled
def divide(a, a_rest, b):
    """Return a double-double number divided by a float."""
    quotient = a / b
    leading, rest = two_product(quotient, b)
    return two_sum(quotient, ((a - leading) - rest + a_rest) / b)
