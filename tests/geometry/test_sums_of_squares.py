"""Sums of squares of columns, in total and within groups."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from shoal.geometry import (
    squared_errors,
    total_sums_of_squares,
    within_group_sums_of_squares,
)

tables = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, (n, 2), elements=st.integers(-4, 4)),
        arrays(np.int64, n, elements=st.integers(0, 5)),
    )
)


def exact_sum_of_squares(values):
    """Return the sum of squared differences from the mean, in rational arithmetic."""
    fractions = [Fraction(value) for value in values]
    mean = sum(fractions) / len(fractions)
    return sum((value - mean) ** 2 for value in fractions)


@given(tables)
def test_sums_of_squares_agree_with_rational_arithmetic(table):
    X, groups = table[0], np.unique(table[1], return_inverse=True)[1]
    total = [float(exact_sum_of_squares(column)) for column in X.T]
    within = [
        float(sum(exact_sum_of_squares(column[groups == group]) for group in set(groups)))
        for column in X.T
    ]
    assert total_sums_of_squares(X) == pytest.approx(total, abs=1e-9)
    assert within_group_sums_of_squares(X, groups) == pytest.approx(within, abs=1e-9)
    assert squared_errors(X, groups).sum() == pytest.approx(sum(within), abs=1e-9)
