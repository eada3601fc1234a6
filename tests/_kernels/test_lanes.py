"""Vectors of four floats against NumPy, to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from shoal._kernels.lanes import LANES, any_below, fill_lanes, load_lanes, store_lanes

numbers = st.floats(allow_nan=True, allow_infinity=True)
vectors = st.lists(numbers, min_size=LANES, max_size=LANES).map(np.array)


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
