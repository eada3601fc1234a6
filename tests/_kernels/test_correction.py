"""Corrections of duals in long tables, against all groups."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal._kernels.pricing.correction import correct_rows
from shoal._kernels.pricing.relaxation import nearest_sums, net_duals, relax_rows
from shoal._kernels.pricing.row_boxes import BOXES_PER_GROUP, make_boxes
from shoal._kernels.spatial.index import open_index
from shoal._kernels.spatial.neighbours import find_in_strides, neighbours_of_few, stream_neighbours
from tables import KINDS
from twins.pricing import groups_of_size, reduced_cost

MANY = 1_000_000


def drawn(seed, n):
    """Return a table, tied or not, with duals of about the right size and some outliers."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)) + (seed % 2) * rng.normal(size=(n, 2))
    X[: seed % 3] *= 10
    return X, rng.uniform(0, 1 + seed % 4, n) * rng.choice([1, 1, 8], n)


def corrected(X, duals, k, near, rows, most=MANY, work=MANY, rows_per_box=1):
    n, near = len(X), neighbours_of_few(X, near)[0].astype(np.int32)
    net = net_duals(X, near, k, duals)
    order = np.argsort(-duals, kind="stable")
    ceiling = np.array([net[order[at + 1 :]].max(initial=-np.inf) for at in range(n)])
    ceiling = ceiling[np.argsort(order)]
    sizes = (rows_per_box, rows_per_box * BOXES_PER_GROUP)
    inner, outer = (make_boxes(X, net, duals, size) for size in sizes)
    correction, counts = np.empty(len(rows)), np.empty(len(rows), np.int64)
    groups, costs = np.empty((len(rows), 2, k), np.int64), np.empty((len(rows), 2))
    correct_rows(
        X, near, k, duals, net, ceiling, inner, outer, rows, most, work,
        correction, groups, costs, counts,
    )  # fmt: skip
    relaxed = np.empty(n)
    relax_rows(X, near, k, duals, net, ceiling, relaxed)
    return correction, relaxed[rows], [g[:c] for g, c in zip(groups, counts, strict=True)]


def lowest(X, duals, k):
    """Return the lowest reduced cost of the groups of each row, 0 where none is negative."""
    rank = np.argsort(np.argsort(-duals, kind="stable"))
    return [
        min([0.0, *(reduced_cost(X, group, duals) for group in groups_of_size(X, k, rank, first))])
        for first in range(len(X))
    ]


@given(seed=st.integers(0, 10**6), k=st.integers(2, 4), near=st.integers(4, 9))
@settings(max_examples=25)
def test_corrections_are_the_lowest_reduced_costs(seed, k, near):
    X, duals = drawn(seed, 19 if k < 4 else 12)
    rows = np.random.default_rng(seed).permutation(len(X))
    correction, relaxed, groups = corrected(X, duals, k, near, rows)
    right = np.array(lowest(X, duals, k))[rows]
    np.testing.assert_allclose(correction, right, atol=1e-9)
    assert (relaxed <= right + 1e-9).all()
    for row, cost, some in zip(rows, right, groups, strict=True):
        assert (len(some) > 0) == (cost < -1e-9) or abs(cost) < 1e-9
        for group in some:
            assert group[0] == row
        if cost < -1e-9:
            assert min(reduced_cost(X, group, duals) for group in some) == pytest.approx(cost)


def lowest_of_all(X, duals, k):
    """Return the same as `lowest` for many rows: reduced costs of all groups at once."""
    groups = np.array(list(combinations(range(len(X)), k)))
    centred = X[groups] - X[groups].mean(axis=1, keepdims=True)
    reduced = (centred**2).sum(axis=(1, 2)) - duals[groups].sum(axis=1)
    rank = np.argsort(np.argsort(-duals, kind="stable"))
    first = groups[np.arange(len(groups)), rank[groups].argmin(axis=1)]
    result = np.zeros(len(X))
    np.minimum.at(result, first, reduced)
    return result


@pytest.mark.parametrize("rows_per_box", [1, 2])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_group_is_passed_over_where_duals_and_distances_are_tied(k, rows_per_box):
    n = 19 if k < 4 else 17  # more rows than a box of boxes holds
    for seed in range(16):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, (n, 2)) * rng.choice([1.0, 1.0, 3.0], (n, 1))
        duals = rng.integers(0, 4, n) * rng.choice([0.25, 0.5, 2.0])
        near = (k, n - 2, n - 1)[seed % 3]
        correction, relaxed, _ = corrected(
            X, duals, k, near, np.arange(n), rows_per_box=rows_per_box
        )
        right = lowest_of_all(X, duals, k)
        np.testing.assert_allclose(correction, right, atol=1e-9)
        assert (relaxed <= right + 1e-9).all()


@given(seed=st.integers(0, 10**6), most=st.integers(2, 9), work=st.integers(0, 40))
@settings(max_examples=25)
def test_a_search_that_ends_early_is_still_a_lower_bound(seed, most, work):
    X, duals = drawn(seed, 14)
    correction, _, _ = corrected(X, duals, 3, 4, np.arange(14), most, work)
    assert (correction <= np.array(lowest(X, duals, 3)) + 1e-9).all()


def test_many_candidates_are_searched_without_stored_pairs():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 3))
    duals = rng.uniform(0.2, 0.5, 240)
    duals[7] = 30.0
    rows = np.array([7])
    correction, _, groups = corrected(X, duals, 3, 8, rows)
    rank = np.argsort(np.argsort(-duals, kind="stable"))
    right = min(reduced_cost(X, group, duals) for group in groups_of_size(X, 3, rank, 7))
    assert correction[0] == pytest.approx(right)
    assert reduced_cost(X, groups[0][0], duals) <= 0


def test_sums_are_those_of_the_nearest():
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
    seen = 0
    for records, near, gaps in stream_neighbours(open_index(X), 5):
        np.testing.assert_array_equal(near, nearest[records])
        np.testing.assert_array_equal(gaps, squares[records])
        seen += len(records)
    assert seen == 700
