"""Corrections of duals in long tables, against all groups."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal._kernels.column_generation.cheapest_groups import open_cheapest_groups
from shoal._kernels.dual_bound.correction import (
    CorrectionEffort,
    PricedTable,
    correct_rows,
    lower_greatest_duals,
)
from shoal._kernels.dual_bound.net_duals import nearest_sums, net_duals
from shoal._kernels.dual_bound.row_boxes import box_levels
from shoal._kernels.dual_bound.search_radius import empty_lists, fill_row_lists
from shoal._kernels.spatial.index import open_index
from shoal._kernels.spatial.neighbours import find_in_strides, neighbours_of_few, stream_neighbours
from tables import KINDS
from twins.pricing import reduced_cost

MANY = 1_000_000
BY_SPREAD, BY_FLOORS = (
    CorrectionEffort(MANY, 0, MANY, 1e-12, 8),
    CorrectionEffort(-1, MANY, MANY, 1e-12, 8),
)


def drawn(seed, n):
    """Return a table, tied or not, with duals of about the right size and some outliers."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)) + (seed % 2) * rng.normal(size=(n, 2))
    X[: seed % 3] *= 10
    return X, rng.uniform(0, 1 + seed % 4, n) * rng.choice([1, 1, 8], n)


def tied(seed, n):
    """Return a table with many ties, and tied duals."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)) * rng.choice([1.0, 1.0, 3.0], (n, 1))
    return X, rng.integers(0, 4, n) * rng.choice([0.25, 0.5, 2.0])


def corrected(X, duals, k, near, rows, effort=BY_SPREAD, rows_per_box=1):
    near = neighbours_of_few(X, near)[0].astype(np.int32)
    net_dual = net_duals(X, near, k, duals)
    results = open_cheapest_groups(len(rows), 2, k)
    table = PricedTable(X, near, k, duals, net_dual, box_levels(X, rows_per_box))
    correct_rows(table, rows, effort, results)
    return results.bounds, [g[:c] for g, c in zip(results.groups, results.counts, strict=True)]


def lowest(X, duals, k):
    """Return the lowest reduced cost of the groups of each row, and of those of low spread.

    The spread of a row in such a group is below 2k times its dual. Results are at most 0.
    """
    groups = np.array(list(combinations(range(len(X)), k)))
    members = X[groups]
    centred = members - members.mean(axis=1, keepdims=True)
    reduced_costs = (centred**2).sum(axis=(1, 2)) - duals[groups].sum(axis=1)
    spreads = ((members[:, :, None] - members[:, None]) ** 2).sum(axis=(2, 3))
    lowest_of_all, lowest_of_low_spread = np.zeros(len(X)), np.zeros(len(X))
    for position in range(k):
        rows, is_low = (
            groups[:, position],
            spreads[:, position] < 2 * k * duals[groups[:, position]],
        )
        np.minimum.at(lowest_of_all, rows, reduced_costs)
        np.minimum.at(lowest_of_low_spread, rows[is_low], reduced_costs[is_low])
    return lowest_of_all, lowest_of_low_spread


@given(seed=st.integers(0, 10**6), k=st.integers(2, 5))
@settings(max_examples=25)
def test_every_violated_group_has_a_low_spread_at_one_of_its_rows(seed, k):
    X, duals = tied(seed, 11) if seed % 2 else drawn(seed, 11)
    for group in combinations(range(11), k):
        if reduced_cost(X, group, duals) < -1e-9:
            spread = ((X[list(group)][:, None] - X[list(group)]) ** 2).sum(axis=(1, 2))
            assert (spread < 2 * k * duals[list(group)]).any()


@pytest.mark.parametrize("effort", [BY_SPREAD, BY_FLOORS])
@pytest.mark.parametrize("rows_per_box", [1, 2])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_corrections_are_the_lowest_reduced_costs(k, rows_per_box, effort):
    n = 19 if k < 4 else 17 if k == 4 else 13  # mostly more rows than a box of boxes holds
    for seed in range(16):
        X, duals = tied(seed, n) if seed % 2 else drawn(seed, n)
        near = (k, n - 2, n - 1, 2 * k)[seed % 4]
        rows = np.random.default_rng(seed).permutation(n)
        correction, groups = corrected(X, duals, k, near, rows, effort, rows_per_box)
        of_all, of_low = lowest(X, duals, k)
        assert (correction >= of_all[rows] - 1e-9).all()
        assert (correction <= of_low[rows] + 1e-9).all()
        for row, cost, row_groups in zip(rows, correction, groups, strict=True):
            assert (len(row_groups) > 0) == (cost < 0)
            assert (row_groups[:, 0] == row).all()
            if cost < 0:
                best = min(reduced_cost(X, group, duals) for group in row_groups)
                assert best == pytest.approx(cost, abs=1e-9)


@given(
    seed=st.integers(0, 10**6),
    steps=st.integers(-1, 40),
    more=st.integers(0, 40),
    most=st.integers(2, 14),
)
@settings(max_examples=40)
def test_a_search_that_ends_early_is_still_a_lower_bound(seed, steps, more, most):
    X, duals = drawn(seed, 14)
    effort = CorrectionEffort(steps, more, most, 1e-12, 8)
    correction, _ = corrected(X, duals, 3, 6, np.arange(14), effort)
    assert (correction <= lowest(X, duals, 3)[1] + 1e-9).all()


@pytest.mark.parametrize("effort", [BY_SPREAD, BY_FLOORS])
def test_many_candidates_are_searched(effort):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 3))
    duals = rng.uniform(0.2, 0.5, 240)
    duals[7] = 30.0
    correction, groups = corrected(X, duals, 3, 8, np.array([7]), effort)
    others = combinations([i for i in range(240) if i != 7], 2)
    assert correction[0] == pytest.approx(
        min(reduced_cost(X, (7, *pair), duals) for pair in others)
    )
    assert reduced_cost(X, groups[0][0], duals) <= 0


@pytest.mark.parametrize("space", [400, 1_100, 100_000])
def test_all_rows_within_reach_are_listed_or_there_is_no_space(space):
    rng = np.random.default_rng(8)
    X = np.sort(rng.integers(0, 30, (300, 1)), axis=0) + rng.integers(0, 3, (300, 2)) * 1.0
    near = neighbours_of_few(X, 6)[0].astype(np.int32)
    rows, squared_radius = np.arange(40, 80), rng.choice([-np.inf, 1.0, 5.0, 40.0], 40)
    lists = empty_lists(space)
    has_space = fill_row_lists(X, near, box_levels(X, 4), rows, squared_radius, lists)
    squares = ((X[rows][:, None] - X) ** 2).sum(axis=2)
    within = (squares < squared_radius[:, None]) & (np.arange(300) != rows[:, None])
    assert has_space == (space == 100_000)
    assert not has_space or lists.size[0] == within.sum()
    for i in range(40 if has_space else 0):
        listed, entry = [], lists.last[i]
        while entry >= 0:
            listed.append((lists.row[entry], lists.square[entry]))
            entry = lists.previous[entry]
        assert sorted(listed) == [(row, squares[i, row]) for row in np.flatnonzero(within[i])]


def test_a_batch_without_space_for_all_its_lists_is_divided():
    rng = np.random.default_rng(9)
    X, duals = rng.normal(size=(200, 2)), rng.uniform(0.1, 0.3, 200)
    divided, whole = (
        corrected(X, duals, 4, 8, np.arange(200), CorrectionEffort(MANY, 0, MANY, 1e-12, space))
        for space in (8, 100_000)
    )
    assert (divided[0] < 0).any()
    np.testing.assert_array_equal(divided[0], whole[0])


def test_the_greatest_dual_of_a_violated_group_is_lowered():
    X, duals = np.array([[0.0], [2.0], [5.0], [9.0]]), np.array([1.0, 3.0, 2.0, 0.0])
    lower_greatest_duals(X, np.array([[0, 1], [2, 1], [2, 3]], np.int32), duals)
    np.testing.assert_array_equal(duals, [1.0, 1.0, 2.0, 0.0])


def test_sums_are_those_of_the_nearest_rows():
    X, rows = np.random.default_rng(6).integers(0, 9, (40, 3)) * 1.0, np.arange(4, 40, 3)
    near, squares = neighbours_of_few(X, 10)
    sums = nearest_sums(X, near.astype(np.int32), rows, 5)
    np.testing.assert_array_equal(sums[:, 0], 0)
    np.testing.assert_array_equal(sums[:, 1:], np.cumsum(squares[rows, :4], axis=1))


@pytest.mark.parametrize("kind", ["ordinary", "duplicated"])
def test_streamed_neighbours_are_those_of_all_records(kind):
    X = KINDS[kind](np.random.default_rng(1), (700, 3))
    nearest, squares = np.empty((700, 5), np.int64), np.empty((700, 5))
    for _ in find_in_strides(open_index(X), nearest, squares):
        pass
    n_records = 0
    for records, near, near_squares in stream_neighbours(open_index(X), 5):
        np.testing.assert_array_equal(near, nearest[records])
        np.testing.assert_array_equal(near_squares, squares[records])
        n_records += len(records)
    assert n_records == 700
