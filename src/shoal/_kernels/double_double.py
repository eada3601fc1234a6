"""Double-double arithmetic: a number is the sum of a leading part and a small rest.

Differences of sums of squares lose digits; with 32 of them, enough are left for ordinary data.
"""

from shoal._kernels._compile import compiled


@compiled
def sum_of(a, b):
    """Return ``a + b`` as leading part and rest, without error (Knuth)."""
    leading = a + b
    b_virtual = leading - a
    return leading, (a - (leading - b_virtual)) + (b - b_virtual)


@compiled
def halves(a):
    """Return the upper and lower half of the digits of ``a`` (Veltkamp)."""
    shifted = a * 134217729.0
    upper = shifted - (shifted - a)
    return upper, a - upper


@compiled
def product_of(a, b):
    """Return ``a * b`` as leading part and rest, without error (Dekker)."""
    leading = a * b
    upper, lower = halves(a)
    high, low = halves(b)
    return leading, ((upper * high - leading) + upper * low + lower * high) + lower * low


@compiled
def add(a, a_rest, b, b_rest):
    """Return the sum of two double-double numbers."""
    leading, rest = sum_of(a, b)
    return sum_of(leading, rest + (a_rest + b_rest))


@compiled
def square(a, a_rest):
    """Return the square of a double-double number."""
    leading, rest = product_of(a, a)
    return sum_of(leading, rest + 2.0 * a * a_rest)


@compiled
def divide(a, a_rest, b):
    """Return a double-double number divided by a float."""
    quotient = a / b
    leading, rest = product_of(quotient, b)
    return sum_of(quotient, ((a - leading) - rest + a_rest) / b)
