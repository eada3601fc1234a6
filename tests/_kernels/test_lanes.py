"""Vectors of four doubles and of eight floats against NumPy, to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from shoal._kernels.lanes import (
    LANES,
    SINGLE_LANES,
    any_below,
    fill_lanes,
    lanes_within,
    load_lanes,
    lowest_bit,
    prefetch,
    store_lanes,
)

numbers = st.floats(allow_nan=True, allow_infinity=True)
vectors = st.lists(numbers, min_size=LANES, max_size=LANES).map(np.array)
singles = st.floats(allow_nan=True, allow_infinity=True, width=32)
single_vectors = st.lists(singles, min_size=SINGLE_LANES, max_size=SINGLE_LANES).map(
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
def is_any_below(values, limit):
    return any_below(load_lanes(values, (0,)), limit)


@njit
def bits_within(values, limits):
    return lanes_within(load_lanes(values, (0,)), load_lanes(limits, (0,)))


@njit
def bits_within_limit(values, limit):
    return lanes_within(load_lanes(values, (0,)), fill_lanes(limit))


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
    results = np.zeros((6, LANES))
    calculate(first, second, value, results)
    with np.errstate(all="ignore"):
        product = second * value  # rounded: not fused with the sum
        expected = [first + second, first - second, first * second, first / second]
        expected += [np.full(LANES, value), first + product]
    np.testing.assert_array_equal(results, expected)
    is_zero = results == 0
    assert np.array_equal(np.signbit(results[is_zero]), np.signbit(expected)[is_zero])


@given(values=vectors, limit=numbers)
def test_any_below_compares_every_lane(values, limit):
    assert is_any_below(values, limit) == bool((values < limit).any())


@given(first=single_vectors, second=single_vectors, value=singles)
def test_each_lane_in_single_precision_is_computed_as_a_single_float(first, second, value):
    results, value = np.zeros((6, SINGLE_LANES), np.float32), np.float32(value)
    calculate(first, second, value, results)
    with np.errstate(all="ignore"):
        product = second * value
        expected = [first + second, first - second, first * second, first / second]
        expected += [np.full(SINGLE_LANES, value), first + product]
    np.testing.assert_array_equal(results, np.array(expected, np.float32))


@given(values=single_vectors, limits=single_vectors, limit=singles)
def test_each_bit_tells_whether_its_lane_is_within_the_limit(values, limits, limit):
    bits = [bits_within(values, limits), bits_within_limit(values, np.float32(limit))]
    for number, bounds in zip(bits, (limits, np.float32(limit)), strict=True):
        assert number == sum(1 << lane for lane in np.flatnonzero(values <= bounds).tolist())


@given(low=st.integers(0, 63), others=st.integers(0, 2**64 - 1))
def test_the_lowest_bit_is_found_whatever_the_others_are(low, others):
    bits = (1 << low) | (others >> (low + 1) << (low + 1))
    assert position_of_lowest_bit(np.uint64(bits)) == low


def test_prefetching_changes_no_result_and_is_checked_like_any_index():
    table = np.arange(12.0).reshape(3, 4)
    assert sum_after_prefetch(table, 2, 3) == table.sum()
    with pytest.raises(IndexError):
        njit(boundscheck=True)(sum_after_prefetch.py_func)(table, 3, 0)


@pytest.mark.parametrize("lane", range(LANES))
def test_any_below_finds_a_single_lane(lane):
    values = np.full(LANES, 2.0)
    values[lane] = 1.0
    assert is_any_below(values, 2.0)
    assert not is_any_below(values, 1.0)


def test_vectors_are_loaded_from_and_stored_at_their_indices():
    source = np.arange(48.0).reshape(2, 6, LANES)
    target = np.zeros((3, 2 * LANES))
    copy_lanes(source, (1, 4, 0), target, (2, 3))
    expected = np.zeros_like(target)
    expected[2, 3 : 3 + LANES] = source[1, 4]
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("index", [(2, 0), (0, LANES + 1), (0, 2 * LANES)])
def test_a_vector_beyond_its_array_is_refused_where_indices_are_checked(index):
    checked = njit(boundscheck=True)(copy_lanes.py_func)
    array = np.zeros((2, 2 * LANES))
    checked(array, (1, LANES), np.zeros((2, 2 * LANES)), (1, LANES))  # the last vector
    with pytest.raises(IndexError):
        checked(array, index, np.zeros((2, 2 * LANES)), (0, 0))
    with pytest.raises(IndexError):
        checked(array, (0, 0), np.zeros((2, 2 * LANES)), index)
