"""What pairs of records prove about every group, against all sets of partners and all groups."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import scaled_examples
from shoal._kernels.dual_bound import pair_costs as kernels
from shoal._kernels.dual_bound.pair_costs import (
    ListedRows,
    PossiblePartners,
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
    partners = [partner for partner in range(len(X)) if partner != row and excess[row, partner] < 0]
    return min(
        sum(excess[row, partner] / 2 for partner in members)
        + pair_weight * sum(max(0.0, excess[pair]) / (k - 2) for pair in combinations(members, 2))
        for size in range(k)
        for members in combinations(partners, size)
    )


def with_all_partners(X):
    """Return all rows as possible partners of all others."""
    n = len(X)
    others = [[other for other in range(n) if other != row] for row in range(n)]
    start = np.arange(0, n * (n - 1) + 1, n - 1)
    return PossiblePartners(X, start, np.array(others, np.int32).ravel())


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_costs_are_those_of_the_cheapest_partners(k):
    n_with_pair_costs = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = drawn(seed, 9) if seed % 2 else rng.normal(size=(9, 4))
        potential = rng.uniform(0.2, 0.5 + seed, 9)
        cost, gradient = np.empty(9), np.empty(9)
        write_pair_costs(with_all_partners(X), potential, k, cost, gradient)
        expected = [least_cost(X, potential, row, k) for row in range(9)]
        np.testing.assert_allclose(cost, expected, atol=1e-12)
        n_with_pair_costs += (
            np.array(expected) > [least_cost(X, potential, row, k, 0) for row in range(9)]
        ).sum()
        duals = ((k - 1) * potential + cost) / k
        for group in combinations(range(9), k):
            assert duals[list(group)].sum() <= sse(X, [group]) + 1e-9
    assert n_with_pair_costs > 5 or k == 2  # distances among partners matter


def test_the_gradient_is_that_of_the_sum():
    X, k, step = np.random.default_rng(1).normal(size=(40, 3)), 4, 1e-7
    partners = with_all_partners(X)
    potential = np.random.default_rng(2).uniform(0.2, 0.9, 40)

    def total(potential):
        cost, gradient = np.empty(40), np.empty(40)
        write_pair_costs(partners, potential, k, cost, gradient)
        return (k - 1) * potential.sum() + cost.sum(), gradient

    original, gradient = total(potential)
    for row in range(0, 40, 7):
        changed_potential = potential + step * (np.arange(40) == row)
        assert (total(changed_potential)[0] - original) / step == pytest.approx(
            gradient[row], abs=1e-4
        )


def test_a_search_that_ends_early_is_still_a_lower_bound():
    sets = [list(members) for size in range(7) for members in combinations(range(14), size)]
    inside = np.array([[i in members for i in range(14)] for members in sets], float)
    n_early = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        half, best = np.sort(rng.uniform(-1, -0.5, 14)), np.empty(6, np.int64)
        pair_weight = np.tril(rng.uniform(0, 0.05 * (1 + seed % 8), (14, 14)), -1)
        least = (inside @ half + np.einsum("si,ij,sj->s", inside, pair_weight, inside)).min()
        floor, size = cheapest_partners(half, pair_weight + pair_weight.T, 14, best)
        members = best[:size]
        cost = half[members].sum() + pair_weight[np.ix_(members, members)].sum()
        assert floor <= least + 1e-12
        assert least <= cost + 1e-12
        n_early += floor < least - 1e-12
    assert 0 < n_early < 20


def test_rows_with_very_many_partners_count_only_the_pairs_with_them():
    n, k = kernels.MAX_PAIRED + 6, 4
    X = np.random.default_rng(4).normal(size=(n, 2))
    potential, cost, gradient = np.full(n, 50.0), np.empty(n), np.empty(n)
    write_pair_costs(with_all_partners(X), potential, k, cost, gradient)
    np.testing.assert_allclose(
        cost, np.sort(excesses(X, potential) + 1e9 * np.eye(n))[:, : k - 1].sum(axis=1) / 2
    )
    write_pair_costs(with_all_partners(X), potential, n + 9, cost, gradient)  # fewer than k - 1


def test_potentials_are_balanced_in_turn():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    near = np.array([[1, 2, 3], [0, 2, 3], [1, 0, 3], [2, 1, 0]], np.int32)
    potential = np.zeros(4)
    balance_potentials(ListedRows(X, near, 3), potential, 2)
    np.testing.assert_array_equal(potential, [9.0, 4.0, 0.0, 32.0])


@pytest.mark.parametrize(("most", "wide"), [(2, 1.1), (30, 1.1), (30, 1.9)])
def test_all_possible_partners_are_listed_once(most, wide, monkeypatch):
    monkeypatch.setattr(module, "MAX_UNLISTED", most)
    monkeypatch.setattr(module, "WIDE_FACTOR", wide)
    n_unlisted = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        table = long_table(drawn(seed, 30), 3, 3 + seed % 5)
        potential = table.neighbour_dual * rng.uniform(0.5, 6, 30)
        limit, (_, start, partners) = possible_partners(table, potential, table.neighbour_dual)
        assert (limit <= potential + table.neighbour_dual).all()
        excess = excesses(table.X, limit)
        for row in range(30):
            listed = partners[start[row] : start[row + 1]].tolist()
            assert len(listed) == len({*listed})
            required = [
                other for other in range(30) if other != row and excess[row, other] < -1e-12
            ]
            assert {*required} <= {*listed} <= {other for other in range(30) if other != row}
            n_unlisted += sum(
                other not in table.near[row] and row not in table.near[other] for other in listed
            )
    assert n_unlisted > 20 or wide > 1.1


@pytest.mark.parametrize("near", [4, 29])
def test_isolated_records_have_high_potentials(near):
    X = np.random.default_rng(5).normal(size=(30, 2))
    X[7] = 100.0
    table = long_table(X, 3, near)
    isolated, potential = int(np.flatnonzero(table.order == 7)[0]), np.zeros(30)
    potential[isolated] = 0.9 * np.sort(excesses(table.X, potential)[isolated])[1]
    limit, (_, start, partners) = possible_partners(table, potential, np.zeros(30))
    np.testing.assert_array_equal(limit, potential)
    assert start[-1] == len(partners) == 0


@given(seed=st.integers(0, 10**6), k=st.integers(2, 4), near=st.integers(4, 12))
@settings(max_examples=scaled_examples(40))
def test_duals_of_pairs_are_feasible(seed, k, near):
    n = 13
    table = long_table(drawn(seed, n), k, near)
    duals = pair_duals(table)
    assert duals.sum() >= table.neighbour_dual.sum()
    for group in combinations(range(n), k):
        assert duals[list(group)].sum() <= sse(table.X, [group]) + 1e-12


@pytest.mark.parametrize("k", [2, 3])
def test_long_steps_do_not_exceed_the_limits_of_the_potentials(k, monkeypatch):
    monkeypatch.setattr(module, "FIRST_STEP", 2.0)
    monkeypatch.setattr(module, "MARGIN", 0.01)
    groups = np.array(list(combinations(range(16), k)))
    for seed in range(20):
        table = long_table(drawn(seed, 16), k, k + 1)
        duals = pair_duals(table)
        centred = table.X[groups] - table.X[groups].mean(axis=1, keepdims=True)
        assert (duals[groups].sum(axis=1) <= (centred**2).sum(axis=(1, 2)) + 1e-12).all()


@pytest.mark.parametrize("batch", [1, 7])
def test_batches_of_isolated_rows_find_the_same_partners(monkeypatch, batch):
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(150, 2)), 20 * rng.normal(size=(60, 2))])
    monkeypatch.setattr(module, "MAX_UNLISTED", 20)
    batch_sizes, list_unlisted = [], module.list_unlisted

    def recorded_listing(*arguments):
        batch_sizes.append(len(arguments[3]))
        list_unlisted(*arguments)

    monkeypatch.setattr(module, "list_unlisted", recorded_listing)
    table = long_table(X, 3, 4)
    in_one_batch = pair_duals(table)
    monkeypatch.setattr(module, "BATCH", batch)
    assert np.array_equal(pair_duals(table), in_one_batch)
    assert batch_sizes[0] > 2 * batch
    assert sum(batch_sizes[1:]) == batch_sizes[0]
