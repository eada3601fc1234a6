"""Nearest records by blocks agree with all distances."""

import numpy as np
import pytest

from shoal._kernels.mixed_search import MixedTable, build_index, list_within, tighten_bounds


def all_squares(numbers, codes, points, point_codes):
    """Return the squared distance of each target from each record."""
    total = (codes[None] != point_codes[:, None]).sum(axis=2).astype(float)
    for column in range(numbers.shape[1]):
        value, target = numbers[None, :, column], points[:, None, column]
        is_one_missing = np.isnan(value) != np.isnan(target)
        are_both_missing = np.isnan(value) & np.isnan(target)
        total += np.where(
            is_one_missing, 1.0, np.where(are_both_missing, 0.0, (value - target) ** 2)
        )
    return total


@pytest.mark.parametrize("n", [1, 63, 64, 65, 700])
@pytest.mark.parametrize("shape", [(2, 2), (3, 0), (0, 3)])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_nearest_records_and_ties_are_those_of_all_distances(n, shape, missing):
    rng = np.random.default_rng(n)
    numbers = rng.integers(0, 9, (n, shape[0])) / 2.0
    points = rng.integers(0, 9, (40, shape[0])) / 2.0
    for table in (numbers, points):
        table[rng.random(table.shape) < missing] = np.nan
    codes = rng.integers(-1, 4, (n, shape[1]))
    point_codes = rng.integers(-1, 4, (40, shape[1]))
    index = build_index(MixedTable(numbers, codes))
    targets, squares = MixedTable(points, point_codes), np.full(40, np.inf)
    tighten_bounds(index, targets, squares)
    expected = all_squares(numbers, codes, points, point_codes)
    assert np.array_equal(squares, expected.min(axis=1))
    counts = np.zeros(40, np.int64)
    list_within(index, targets, squares, counts, np.empty(0, np.int64))
    starts = np.concatenate([[0], np.cumsum(counts)])
    records = np.empty(starts[-1], np.int64)
    list_within(index, targets, squares, starts[:-1].copy(), records)
    for i in range(40):
        near = np.flatnonzero(expected[i] == expected[i].min())
        assert sorted(records[starts[i] : starts[i + 1]]) == near.tolist()
