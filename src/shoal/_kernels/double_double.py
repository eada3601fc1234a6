"""Double-double arithmetic: a number is the sum of a leading and a much smaller trailing part.

Differences of sums of squares lose digits; with 32 digits, enough are left for ordinary data.
"""

from shoal._kernels._compile import compiled

SPLITTER = 2.0**27 + 1  # leaves 26 of the 53 bits of a float64


@compiled
def two_sum(a, b):
    """Return ``a + b`` as leading and trailing part, without error (Knuth)."""
    leading = a + b
    b_virtual = leading - a
    return leading, (a - (leading - b_virtual)) + (b - b_virtual)


@compiled
def split_bits(a):
    """Return the upper and lower half of the digits of ``a`` (Veltkamp)."""
    shifted = a * SPLITTER
    upper = shifted - (shifted - a)
    return upper, a - upper


@compiled
def two_product(a, b):
    """Return ``a * b`` as leading and trailing part, without error (Dekker)."""
    leading = a * b
    upper, lower = split_bits(a)
    high, low = split_bits(b)
    return leading, ((upper * high - leading) + upper * low + lower * high) + lower * low


@compiled
def add(a, a_trailing, b, b_trailing):
    """Return the sum of two double-double numbers."""
    leading, trailing = two_sum(a, b)
    return two_sum(leading, trailing + (a_trailing + b_trailing))


@compiled
def square(a, a_trailing):
    """Return the square of a double-double number."""
    leading, trailing = two_product(a, a)
    return two_sum(leading, trailing + 2.0 * a * a_trailing)


@compiled
def divide(a, a_trailing, b):
    """Return a double-double number divided by a float."""
    quotient = a / b
    leading, trailing = two_product(quotient, b)
    return two_sum(quotient, ((a - leading) - trailing + a_trailing) / b)
