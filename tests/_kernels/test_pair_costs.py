"""What pairs of records prove about every group, against all sets of partners and all groups."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import scaled_examples
from shoal._kernels.dual_bound import pair_costs as kernels
from shoal._kernels.dual_bound.pair_costs import (
    balance_potentials,
    cheapest_partners,
    write_pair_costs,
)
from shoal.partitioners._dual_bound import pair_duals as module
from shoal.partitioners._dual_bound.long_table import long_table
from shoal.partitioners._dual_bound.pair_duals import pair_duals, possible_partners
from twins.optimal import sse


def drawn(seed, n):
    """Return a table, tied or not, with some outliers."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)) + (seed % 2) * rng.normal(size=(n, 2))
    X[: seed % 4] *= 10
    return X


def excesses(X, potential):
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    return squares - potential - potential[:, None]


def least_cost(X, potential, row, k, pair_weight=1):
    """Return the least cost of all sets of partners, as the formula says."""
    excess = excesses(X, potential)
    partners = [j for j in range(len(X)) if j != row and excess[row, j] < 0]
    return min(
        sum(excess[row, j] / 2 for j in some)
        + pair_weight * sum(max(0.0, excess[pair]) / (k - 2) for pair in combinations(some, 2))
        for size in range(k)
        for some in combinations(partners, size)
    )


def with_all_partners(n):
    """Return all rows as partners of all others."""
    others = [[j for j in range(n) if j != i] for i in range(n)]
    return np.arange(0, n * (n - 1) + 1, n - 1), np.array(others, np.int32).ravel()


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_costs_are_those_of_the_cheapest_partners(k):
    several = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = drawn(seed, 9) if seed % 2 else rng.normal(size=(9, 4))
        potential = rng.uniform(0.2, 0.5 + seed, 9)
        cost, gradient = np.empty(9), np.empty(9)
        write_pair_costs(X, *with_all_partners(9), potential, k, cost, gradient)
        right = [least_cost(X, potential, row, k) for row in range(9)]
        np.testing.assert_allclose(cost, right, atol=1e-12)
        several += (
            np.array(right) > [least_cost(X, potential, row, k, 0) for row in range(9)]
        ).sum()
        duals = ((k - 1) * potential + cost) / k
        for group in combinations(range(9), k):
            assert duals[list(group)].sum() <= sse(X, [group]) + 1e-9
    assert several > 5 or k == 2  # distances among partners matter


def test_the_gradient_is_that_of_the_sum():
    X, k, step = np.random.default_rng(1).normal(size=(40, 3)), 4, 1e-7
    start, partners = with_all_partners(40)
    potential = np.random.default_rng(2).uniform(0.2, 0.9, 40)

    def total(potential):
        cost, gradient = np.empty(40), np.empty(40)
        write_pair_costs(X, start, partners, potential, k, cost, gradient)
        return (k - 1) * potential.sum() + cost.sum(), gradient

    before, gradient = total(potential)
    for row in range(0, 40, 7):
        moved = potential + step * (np.arange(40) == row)
        assert (total(moved)[0] - before) / step == pytest.approx(gradient[row], abs=1e-4)


def test_a_search_that_ends_early_is_still_a_lower_bound():
    sets = [list(some) for size in range(7) for some in combinations(range(14), size)]
    inside = np.array([[i in some for i in range(14)] for some in sets], float)
    early = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        half, chosen = np.sort(rng.uniform(-1, -0.5, 14)), np.empty(6, np.int64)
        pair_weight = np.tril(rng.uniform(0, 0.05 * (1 + seed % 8), (14, 14)), -1)
        right = (inside @ half + np.einsum("si,ij,sj->s", inside, pair_weight, inside)).min()
        floor, size = cheapest_partners(half, pair_weight + pair_weight.T, 14, chosen)
        some = chosen[:size]
        reached = half[some].sum() + pair_weight[np.ix_(some, some)].sum()
        assert floor <= right + 1e-12
        assert right <= reached + 1e-12
        early += floor < right - 1e-12
    assert 0 < early < 20


def test_rows_with_very_many_partners_count_the_pairs_with_these_alone():
    n, k = kernels.MAX_PAIRED + 6, 4
    X = np.random.default_rng(4).normal(size=(n, 2))
    potential, cost, gradient = np.full(n, 50.0), np.empty(n), np.empty(n)
    write_pair_costs(X, *with_all_partners(n), potential, k, cost, gradient)
    np.testing.assert_allclose(
        cost, np.sort(excesses(X, potential) + 1e9 * np.eye(n))[:, : k - 1].sum(axis=1) / 2
    )
    write_pair_costs(X, *with_all_partners(n), potential, n + 9, cost, gradient)  # fewer than k - 1


def test_potentials_are_balanced_in_turn():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    near = np.array([[1, 2, 3], [0, 2, 3], [1, 0, 3], [2, 1, 0]], np.int32)
    potential = np.zeros(4)
    balance_potentials(X, near, 3, potential, 2)
    np.testing.assert_array_equal(potential, [9.0, 4.0, 0.0, 32.0])


@pytest.mark.parametrize(("most", "wide"), [(2, 1.1), (30, 1.1), (30, 1.9)])
def test_all_possible_partners_are_listed_once(most, wide, monkeypatch):
    monkeypatch.setattr(module, "MAX_UNLISTED", most)
    monkeypatch.setattr(module, "WIDE_FACTOR", wide)
    unlisted = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        long = long_table(drawn(seed, 30), 3, 3 + seed % 5)
        potential = long.neighbour_dual * rng.uniform(0.5, 6, 30)
        limit, start, partners = possible_partners(long, potential, long.neighbour_dual)
        assert (limit <= potential + long.neighbour_dual).all()
        excess = excesses(long.X, limit)
        for row in range(30):
            own = partners[start[row] : start[row + 1]].tolist()
            assert len(own) == len({*own})
            near = [j for j in range(30) if j != row and excess[row, j] < -1e-12]
            assert {*near} <= {*own} <= {j for j in range(30) if j != row}
            unlisted += sum(j not in long.near[row] and row not in long.near[j] for j in own)
    assert unlisted > 20 or wide > 1.1


@pytest.mark.parametrize("near", [4, 29])
def test_isolated_records_have_high_potentials(near):
    X = np.random.default_rng(5).normal(size=(30, 2))
    X[7] = 100.0
    long = long_table(X, 3, near)
    far, potential = int(np.flatnonzero(long.order == 7)[0]), np.zeros(30)
    potential[far] = 0.9 * np.sort(excesses(long.X, potential)[far])[1]
    limit, start, partners = possible_partners(long, potential, np.zeros(30))
    np.testing.assert_array_equal(limit, potential)
    assert start[-1] == len(partners) == 0


@given(seed=st.integers(0, 10**6), k=st.integers(2, 4), near=st.integers(4, 12))
@settings(max_examples=scaled_examples(40))
def test_duals_of_pairs_are_feasible(seed, k, near):
    n = 13
    long = long_table(drawn(seed, n), k, near)
    duals = pair_duals(long)
    assert duals.sum() >= long.neighbour_dual.sum()
    for group in combinations(range(n), k):
        assert duals[list(group)].sum() <= sse(long.X, [group]) + 1e-12


@pytest.mark.parametrize("k", [2, 3])
def test_long_steps_do_not_exceed_the_limits_of_the_potentials(k, monkeypatch):
    monkeypatch.setattr(module, "FIRST_STEP", 2.0)
    monkeypatch.setattr(module, "MARGIN", 0.01)
    groups = np.array(list(combinations(range(16), k)))
    for seed in range(20):
        long = long_table(drawn(seed, 16), k, k + 1)
        duals = pair_duals(long)
        centred = long.X[groups] - long.X[groups].mean(axis=1, keepdims=True)
        assert (duals[groups].sum(axis=1) <= (centred**2).sum(axis=(1, 2)) + 1e-12).all()


@pytest.mark.parametrize("batch", [1, 7])
def test_batches_of_isolated_rows_find_the_same_partners(monkeypatch, batch):
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(150, 2)), 20 * rng.normal(size=(60, 2))])
    monkeypatch.setattr(module, "MAX_UNLISTED", 20)
    searched, list_unlisted = [], module.list_unlisted

    def recorded_listing(*arguments):
        searched.append(len(arguments[6]))
        list_unlisted(*arguments)

    monkeypatch.setattr(module, "list_unlisted", recorded_listing)
    long = long_table(X, 3, 4)
    whole = pair_duals(long)
    monkeypatch.setattr(module, "BATCH", batch)
    assert np.array_equal(pair_duals(long), whole)
    assert searched[0] > 2 * batch
    assert sum(searched[1:]) == searched[0]
