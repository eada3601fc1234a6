"""Vectors of eight floats against NumPy, to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from shoal._kernels.lanes import (
    SINGLE_LANES,
    fill_lanes,
    lanes_not_above,
    lanes_within,
    load_lanes,
    lowest_bit,
    prefetch,
    store_lanes,
)

numbers = st.floats(allow_nan=True, allow_infinity=True, width=32)
vectors = st.lists(numbers, min_size=SINGLE_LANES, max_size=SINGLE_LANES).map(
    lambda values: np.array(values, np.float32)
)


@njit
def calculate(first, second, value, results):
    a, b = load_lanes(first, (0,)), load_lanes(second, (0,))
    store_lanes(results, (0, 0), a + b)
    store_lanes(results, (1, 0), a - b)
    store_lanes(results, (2, 0), a * b)
    store_lanes(results, (3, 0), a / b)
    store_lanes(results, (4, 0), fill_lanes(value))
    store_lanes(results, (5, 0), a + b * fill_lanes(value))


@njit
def bits_within(values, limits):
    return lanes_within(load_lanes(values, (0,)), load_lanes(limits, (0,)))


@njit
def bits_not_above(values, limits):
    return lanes_not_above(load_lanes(values, (0,)), load_lanes(limits, (0,)))


@njit
def position_of_lowest_bit(bits):
    return lowest_bit(bits)


@njit
def sum_after_prefetch(table, row, column):
    prefetch(table, (row, column))
    return table.sum()


@njit
def copy_lanes(source, source_index, target, target_index):
    store_lanes(target, target_index, load_lanes(source, source_index))


@given(first=vectors, second=vectors, value=numbers)
def test_each_lane_is_computed_as_a_single_float(first, second, value):
    results, value = np.zeros((6, SINGLE_LANES), np.float32), np.float32(value)
    calculate(first, second, value, results)
    with np.errstate(all="ignore"):
        product = second * value  # rounded: not fused with the sum
        expected = [first + second, first - second, first * second, first / second]
        expected += [np.full(SINGLE_LANES, value), first + product]
    expected = np.array(expected, np.float32)
    np.testing.assert_array_equal(results, expected)
    is_zero = results == 0
    assert np.array_equal(np.signbit(results[is_zero]), np.signbit(expected[is_zero]))


@given(values=vectors, limits=vectors)
def test_each_bit_tells_whether_its_lane_is_within_the_limit(values, limits):
    for bits, is_counted in (
        (bits_within(values, limits), values <= limits),
        (bits_not_above(values, limits), ~(values > limits)),  # also where one is not a number
    ):
        assert bits == sum(1 << lane for lane in np.flatnonzero(is_counted).tolist())


@given(low=st.integers(0, 63), others=st.integers(0, 2**64 - 1))
def test_the_lowest_bit_is_found_whatever_the_others_are(low, others):
    bits = (1 << low) | (others >> (low + 1) << (low + 1))
    assert position_of_lowest_bit(np.uint64(bits)) == low


def test_prefetching_changes_no_result_and_is_checked_like_any_index():
    table = np.arange(12.0).reshape(3, 4)
    assert sum_after_prefetch(table, 2, 3) == table.sum()
    with pytest.raises(IndexError):
        njit(boundscheck=True)(sum_after_prefetch.py_func)(table, 3, 0)


@pytest.mark.parametrize("lane", range(SINGLE_LANES))
def test_a_single_lane_is_found(lane):
    values = np.full(SINGLE_LANES, 2.0, np.float32)
    values[lane] = 1.0
    limits = np.full(SINGLE_LANES, 1.5, np.float32)
    assert bits_within(values, limits) == bits_not_above(values, limits) == 1 << lane


def test_vectors_are_loaded_from_and_stored_at_their_indices():
    source = np.arange(96.0, dtype=np.float32).reshape(2, 6, SINGLE_LANES)
    target = np.zeros((3, 2 * SINGLE_LANES), np.float32)
    copy_lanes(source, (1, 4, 0), target, (2, 3))
    expected = np.zeros_like(target)
    expected[2, 3 : 3 + SINGLE_LANES] = source[1, 4]
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("index", [(2, 0), (0, SINGLE_LANES + 1), (0, 2 * SINGLE_LANES)])
def test_a_vector_beyond_its_array_is_refused_where_indices_are_checked(index):
    checked = njit(boundscheck=True)(copy_lanes.py_func)
    array = np.zeros((2, 2 * SINGLE_LANES), np.float32)
    last = (1, SINGLE_LANES)  # where the last vector begins
    checked(array, last, array.copy(), last)
    with pytest.raises(IndexError):
        checked(array, index, array.copy(), (0, 0))
    with pytest.raises(IndexError):
        checked(array, (0, 0), array.copy(), index)
