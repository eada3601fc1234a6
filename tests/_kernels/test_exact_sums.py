"""Sums and means that are correctly rounded, against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal._kernels.exact_sums import group_means, group_sums, running_sums

NONE = np.empty(0)
# Few mantissas and near exponents: many cancellations, and quotients halfway between two floats.
awkward = st.builds(
    lambda mantissa, exponent, sign: sign * float(mantissa) * 2.0**exponent,
    st.sampled_from([0, 1, 3, 2**52 + 1, 2**53 - 1, 2**53 - 3, 0.1]),
    st.integers(-60, 60),
    st.sampled_from([-1, 1]),
)
# A mean below 2.2e-308, the least number of full precision, would be rounded twice.
numbers = st.one_of(
    awkward, st.floats(-1e6, 1e6), st.floats(-1e290, 1e290), st.integers(-3, 3)
).filter(lambda value: value == 0 or abs(value) > 1e-280)
columns = st.lists(numbers, min_size=1, max_size=12).map(lambda values: np.array(values, float))
weights = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([0.1, 0.2, 0.3, 1.0, 3.0]))


def nearest(fraction):
    """Return the float64 nearest to a fraction; Python rounds it correctly, halves to even."""
    return fraction.numerator / fraction.denominator


def mean_of(values, weights):
    total = sum(
        (Fraction(w) * Fraction(x) for w, x in zip(weights, values, strict=True)), Fraction()
    )
    return nearest(total / sum(map(Fraction, weights)))


@given(values=columns)
@example(values=np.array([2.0**53 - 1, 2.0**53, 0.0]))
@example(values=np.array([1.0, 1.0 + 2.0**-52]))  # halfway between two floats
@example(values=np.array([1.0 + 2.0**-52, 1.0 + 2.0**-51]))
@example(values=np.array([2.0**-30, 3.0 * 2.0**52, 1 - 3.0 * 2.0**52]))  # all but the last cancel
@settings(max_examples=500)
def test_a_mean_is_the_nearest_float(values):
    labels = np.zeros(len(values), np.int64)
    assert group_means(values, NONE, labels, 1)[0] == mean_of(values.tolist(), [1.0] * len(values))


@given(mantissa=st.integers(2**52, 2**53 - 2), size=st.integers(3, 9))
def test_a_mean_halfway_between_two_floats_goes_to_the_even_one(mantissa, size):
    q, half = float(mantissa), size * 0.5
    values = np.array([2 * q, *[q] * (size - 2), half])  # the sum is size * (q + 1/2)
    means = group_means(values, NONE, np.zeros(size, np.int64), 1)[0]
    assert means == mean_of(values.tolist(), [1.0] * size)
    assert means % 2 == 0


@given(values=columns, data=st.data())
def test_a_weighted_mean_is_the_nearest_float(values, data):
    record_weights = np.array(
        data.draw(st.lists(weights, min_size=len(values), max_size=len(values)))
    )
    means = group_means(values, record_weights, np.zeros(len(values), np.int64), 1)[0]
    assert means == mean_of(values.tolist(), record_weights.tolist())


@given(values=columns)
def test_sums_are_the_nearest_floats_and_run_from_group_to_group(values):
    labels = np.sort(np.arange(len(values)) % 3)
    for position in range(len(values)):
        group_so_far = [
            Fraction(x) for x in values[: position + 1][labels[: position + 1] == labels[position]]
        ]
        assert running_sums(values, labels)[position] == nearest(sum(group_so_far, Fraction()))
    for group in range(labels.max() + 1):
        total = sum(map(Fraction, values[labels == group]), Fraction())
        assert group_sums(values, labels, 3)[group] == nearest(total)


@given(
    value=st.floats(allow_nan=False, allow_infinity=False), size=st.integers(1, 9), data=st.data()
)
def test_equal_values_keep_their_value_in_any_unit(value, size, data):
    record_weights = np.array(data.draw(st.lists(weights, min_size=size, max_size=size)))
    values, labels = np.full(size, value), np.zeros(size, np.int64)
    assert group_means(values, NONE, labels, 1)[0] == value
    assert group_means(values, record_weights, labels, 1)[0] == value


@pytest.mark.parametrize("size", [1, 2, 5])
def test_the_greatest_floats_have_a_mean(size):
    values = np.array([np.finfo(float).max, -np.finfo(float).max / 2, 0.0])[:size]
    means = group_means(values, NONE, np.zeros(len(values), np.int64), 1)[0]
    assert means == mean_of(values.tolist(), [1.0] * len(values))


def test_a_group_without_records_is_0_and_units_of_groups_are_their_own():
    values = np.array([1e-310, 3e-310, 1e300, 1e-3])
    means = group_means(values, NONE, np.array([0, 0, 2, 3]), 4)
    assert means.tolist() == [2e-310, 0.0, 1e300, 1e-3]
