"""Univariate: the slow exact twin, every partition of short tables, and numbers that are hard."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal._params import non_default_parameters
from shoal.errors import ParameterError
from shoal.partitioners import Sorted, Univariate
from shoal.partitioners._base import in_order
from shoal.partitioners._scores import order_by_score, score
from tables import loss, tables_and_k
from twins.univariate import exactly, least_loss, shortest_path, sum_of_squares


def exact_loss(X, labels):
    rows = exactly(X)
    return sum(
        sum_of_squares([rows[i] for i in np.flatnonzero(labels == group)])
        for group in range(labels.max() + 1)
    )


@pytest.mark.parametrize("n", range(1, 9))
def test_no_partition_of_a_short_column_loses_less(n):
    rng = np.random.default_rng(n)
    for k in range(1, n + 1):
        for X in (rng.normal(size=(n, 1)), rng.integers(0, 5, (n, 1)).astype(float)):
            labels = Univariate(k=k).fit_predict(X)
            assert float(exact_loss(X, labels)) == pytest.approx(float(least_loss(X, k)), abs=1e-12)


@given(case=tables_and_k(columns=1, values=9))
def test_a_column_is_cut_as_the_slow_version_cuts_it(case):
    X, k = case
    assert np.array_equal(Univariate(k=k).fit_predict(X), in_order(shortest_path(X, k)))


@given(case=tables_and_k(most=24), seed=st.integers(0, 99))
def test_any_order_is_cut_as_the_slow_version_cuts_it(case, seed):
    X, k = case
    rows = np.random.default_rng(seed).permutation(len(X))
    labels = Univariate(k=k, order=rows).fit_predict(X)
    assert np.array_equal(labels, in_order(shortest_path(X, k, list(rows))))


@pytest.mark.parametrize("seed", range(20))
def test_rounding_breaks_no_tie(seed):
    """Losses that are equal as fractions are equal here too, whichever way they came about."""
    rng = np.random.default_rng(seed)
    for k in range(2, 8):
        X = rng.integers(0, rng.integers(2, 12), (40, 1)).astype(float)
        expected = in_order(shortest_path(X, k))
        rows = np.argsort(X[:, 0], kind="stable")
        two_columns = np.column_stack([X, np.zeros(len(X))])
        assert np.array_equal(Univariate(k=k).fit_predict(X), expected)
        assert np.array_equal(Univariate(k=k, order=rows).fit_predict(two_columns), expected)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("n", [40, 41, 42, 59])
def test_the_slow_version_agrees_without_ties(n, k):
    X = np.random.default_rng(n).standard_cauchy(size=(n, 1))
    assert np.array_equal(Univariate(k=k).fit_predict(X), in_order(shortest_path(X, k)))


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_the_slow_version_agrees_on_far_clumps_of_close_values(k):
    """A sum of squares about anything but the clump itself has too few digits here."""
    rng = np.random.default_rng(k)
    X = rng.integers(0, 5, (160, 1)) * 1e6 + rng.normal(size=(160, 1)) * 1e-5
    assert np.array_equal(Univariate(k=k).fit_predict(X), in_order(shortest_path(X, k)))


@pytest.mark.parametrize("k", [1, 2, 3, 16, 17, 100, 700])
@pytest.mark.parametrize("draw", ["normal", "standard_cauchy", "whole"])
def test_sorted_values_and_an_explicit_order_give_the_same_groups(draw, k):
    rng = np.random.default_rng(k)
    if draw == "whole":
        X = rng.integers(0, 300, (2000, 1)).astype(float)
    else:
        X = getattr(rng, draw)(size=(2000, 1))
    rows = np.argsort(X[:, 0], kind="stable")
    # A second, constant column keeps the loss and takes the way of several columns.
    two_columns = np.column_stack([X, np.zeros(len(X))])
    fast, slow = (
        Univariate(k=k).fit_predict(X),
        Univariate(k=k, order=rows).fit_predict(two_columns),
    )
    assert np.array_equal(fast, slow)


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("offset", [1e6, 1e9, -1e12])
def test_a_large_offset_changes_nothing(offset, k):
    X = np.random.default_rng(k).integers(0, 10**5, (300, 1)).astype(float)
    assert np.array_equal(Univariate(k=k).fit_predict(X + offset), Univariate(k=k).fit_predict(X))


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e130])
def test_very_small_and_very_large_units_change_nothing(scale):
    X = np.random.default_rng(0).normal(size=(100, 1))
    assert np.array_equal(Univariate(k=3).fit_predict(X * scale), Univariate(k=3).fit_predict(X))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_outliers_do_not_change_the_groups_of_the_others(k):
    """The groups between two far values are those that they have by themselves."""
    bulk = np.random.default_rng(k).normal(size=60)
    far = np.arange(k) * 1e9
    X = np.concatenate([-1e15 - far, bulk, 1e15 + far])[:, None]
    labels = Univariate(k=k).fit_predict(X)[k:-k]
    assert np.array_equal(in_order(labels), Univariate(k=k).fit_predict(bulk[:, None]))


def test_k_of_one_loses_nothing():
    X = np.random.default_rng(0).integers(0, 3, (30, 1)).astype(float)
    assert np.array_equal(Univariate(k=1).fit_predict(X), np.arange(30))


def test_equal_values_are_taken_in_the_order_of_the_records():
    assert np.array_equal(Univariate(k=2).fit_predict(np.zeros((7, 1))), [0, 0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("by", ["first-component", "sum-of-z", 3])
@pytest.mark.parametrize("k", [3, 5])
def test_the_best_cuts_of_an_order_lose_less_than_blocks(reference, by, k):
    Z = reference("tarragona")
    best = Univariate(k=k, order=by).fit_predict(Z)
    given = Univariate(k=k, order=order_by_score(score(Z, by))).fit_predict(Z)
    assert np.array_equal(best, given)
    assert loss(Z, best) < loss(Z, Sorted(k=k, by=by).fit_predict(Z))


@pytest.mark.parametrize(("k", "figure"), [(3, 2.2071), (4, 3.1932), (5, 4.2554)])
def test_individual_ranking_by_the_best_cuts_keeps_its_loss(reference, k, figure):
    Z = reference("tarragona")
    losses = [
        loss(Z[:, [column]], Univariate(k=k).fit_predict(Z[:, [column]]))
        for column in range(Z.shape[1])
    ]
    assert round(np.mean(losses), 4) == figure


def test_several_columns_need_an_order():
    with raises(ParameterError, "several-columns", count=2):
        Univariate(k=2).fit(np.zeros((9, 2)))


@pytest.mark.parametrize(
    "rows", [[0, 1, 2], [0, 1, 2, 3, 3], [0, 1, 2, 3, 5], [-1, 0, 1, 2, 3], np.arange(6)]
)
def test_an_order_that_is_no_permutation_is_refused(rows):
    with raises(ParameterError, "order-not-a-permutation"):
        Univariate(k=2, order=rows).fit(np.zeros((5, 2)))


@pytest.mark.parametrize("rows", ["size", 1.5, [0.0, 1.0], np.zeros((2, 2), int), np.zeros(5)])
def test_an_order_of_the_wrong_kind_is_refused(rows):
    with raises(ParameterError, "parameter-not-accepted", parameter="order", of="Univariate"):
        Univariate(k=2, order=rows).fit(np.zeros((5, 2)))


def test_an_order_by_a_column_that_does_not_exist_is_refused():
    with raises(ParameterError, "no-such-column", parameter="order", column=2):
        Univariate(k=2, order=2).fit(np.zeros((5, 2)))


def test_an_order_may_be_an_array_wherever_parameters_are_read():
    rows = np.array([2, 0, 1])
    assert non_default_parameters(Univariate(k=1, order=rows))["order"] is rows
    assert np.array_equal(Univariate(k=1, order=rows).fit_predict(np.zeros((3, 2))), [0, 1, 2])


def test_the_exact_loss_of_the_twin_is_a_fraction():
    assert exact_loss(np.array([[0.0], [1.0], [1.0]]), np.array([0, 0, 0])) == Fraction(2, 3)
