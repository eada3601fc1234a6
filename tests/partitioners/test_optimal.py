"""Optimal: all partitions tried, a worked example, and tables whose optimum is proven."""

import time
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import scaled_examples
from raising import raises
from shoal._params import signature_parameters
from shoal.errors import InputError
from shoal.partitioners import MDAV, METHODS, Optimal, optimal, partition
from shoal.partitioners._column_generation.prove import prove
from shoal.partitioners.optimal import MAX_RECORDS
from tables import tables_and_k
from twins.optimal import best_partition, groups_of, optimal_sse, sse

SME = np.array(
    [[790, 55], [710, 44], [730, 32], [810, 17], [950, 3], [510, 25]]
    + [[400, 45], [330, 50], [510, 5], [760, 52], [50, 12]]
)
SME = (SME - SME.mean(axis=0)) / SME.std(axis=0)


def least_sse(X, k):
    return sse(X, groups_of(Optimal(k=k).fit_predict(X)))


def test_the_paper_s_example_has_the_groups_of_its_table_3():
    labels = Optimal(k=3).fit_predict(SME)
    assert [(group + 1).tolist() for group in groups_of(labels)] == [
        [1, 2, 3, 10],
        [4, 5, 9],
        [6, 7, 8, 11],
    ]
    assert round(sse(SME, groups_of(labels)), 4) == 7.4848


@given(case=tables_and_k(most=7, greatest=4))
@settings(max_examples=scaled_examples(50))
def test_no_partition_at_all_is_better(case):
    X, k = case
    assert least_sse(X, k) == pytest.approx(sse(X, best_partition(X, k)), abs=1e-12)


@pytest.mark.parametrize(("n", "k"), [(9, 2), (9, 3), (9, 4), (8, 2), (8, 4)])
def test_the_best_partition_is_found_if_it_is_the_only_one(n, k):
    X = np.random.default_rng(n + k).normal(size=(n, 2))
    actual = [tuple(group) for group in groups_of(Optimal(k=k).fit_predict(X))]
    assert sorted(actual) == sorted(map(tuple, best_partition(X, k)))


@given(case=tables_and_k(least=8, most=12, greatest=5))
@settings(max_examples=20)
def test_memoisation_does_not_change_the_least_sse(case):
    X, k = case
    assert least_sse(X, k) == pytest.approx(optimal_sse(X, k), abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_sse_is_the_least_without_ties(seed):
    n, k = 7 + seed % 5, 2 + seed % 3
    X = np.random.default_rng(seed).normal(size=(n, 2))
    assert least_sse(X, k) == pytest.approx(optimal_sse(X, k), rel=1e-12)


@given(case=tables_and_k(least=4, most=16, greatest=5), noise=st.integers(0, 3))
@settings(max_examples=scaled_examples(50))
def test_column_generation_and_subsets_find_the_same_optimum(case, noise):
    X, k = case
    k = max(2, min(k, len(X) // 2))
    X = X + np.random.default_rng(noise).normal(size=X.shape) * (noise % 2)
    labels = prove(X, MDAV(k=k).fit_predict(X), k).labels
    assert np.bincount(labels).min() >= k
    assert sse(X, groups_of(labels)) == pytest.approx(least_sse(X, k), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(
    ("table", "n", "k", "expected"),
    [
        ("tarragona", 200, 3, 66.823453),
        ("census", 200, 3, 196.415937),
        ("census", 60, 5, 97.892005),
    ],
)
def test_parts_of_reference_tables_have_the_optimum_found_before(reference, table, n, k, expected):
    Z = reference(table)[:n]
    assert least_sse(Z, k) == pytest.approx(expected, rel=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(("table", "expected"), [("tarragona", 955.773749), ("census", 387.260676)])
def test_whole_reference_tables_have_a_proven_optimum_for_pairs(reference, table, expected):
    assert least_sse(reference(table), 2) == pytest.approx(expected, rel=1e-8)


CASES = [
    (method, k)
    for method, cls in METHODS.items()
    for k in (2, 3, 4)
    if signature_parameters(cls)["k"].accepts(k)
]


@pytest.mark.parametrize("n", [17, 30])
@pytest.mark.parametrize(("method", "k"), CASES)
def test_no_method_is_better_than_the_optimum(method, k, n):
    X, least = table_with_its_optimum(n, k)
    options = {"order": "first-component"} if method == "univariate" else {}
    groups = groups_of(partition(X, k, method, **options).labels)
    assert sse(X, groups) >= least * (1 - 1e-8)


@cache
def table_with_its_optimum(n, k):
    X = np.random.default_rng(n * k).normal(size=(n, 4))
    return X, least_sse(X, k)


def test_duplicates_cost_nothing():
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 3)), 4, axis=0)
    assert least_sse(X, 4) == 0
    assert least_sse(X, 3) == 0


class IrregularClock:
    """The clock of a machine of another speed that is held up now and then."""

    def __init__(self, speed, max_delay, seed):
        self.speed, self.delay, self.max_delay = speed, 0.0, max_delay
        self.random = np.random.default_rng(seed)

    def thread_time(self):
        if self.delay < self.max_delay and self.random.random() < 0.1:
            self.delay += 1
        return time.thread_time() / self.speed + self.delay


# With lengths and decisions from measured times, the last of these tables had other groups.
@pytest.mark.parametrize(("seed", "n", "k"), [(1, 110, 2), (4, 90, 3), (6, 130, 3), (21, 96, 4)])
def test_the_speed_of_the_machine_does_not_choose_among_ties(monkeypatch, seed, n, k):
    X = np.random.default_rng(seed).integers(0, 6, size=(n, 3)).astype(float)
    labels = Optimal(k=k).fit_predict(X).tolist()  # compiles, which the other clocks do not count
    for clock in (IrregularClock(0.5, 20, seed), IrregularClock(1, 60, seed + 99)):
        monkeypatch.setattr(optimal, "time", clock)
        assert Optimal(k=k).fit_predict(X).tolist() == labels


def test_trivial_tables_of_any_length_are_accepted():
    X = np.random.default_rng(0).normal(size=(MAX_RECORDS + 1, 2))
    assert Optimal(k=1).fit(X).partition_.n_groups == len(X)
    assert Optimal(k=len(X) // 2 + 1).fit(X).partition_.n_groups == 1


def test_a_table_that_is_too_long_is_refused_with_the_limit():
    with raises(InputError, "too-many-records", records=MAX_RECORDS + 1, most=MAX_RECORDS):
        Optimal(k=2).fit(np.zeros((MAX_RECORDS + 1, 2)))


def test_an_unproven_result_is_refused(monkeypatch):
    monkeypatch.setattr(optimal, "MAX_SECONDS", 0)
    X = np.random.default_rng(0).normal(size=(40, 2))
    with raises(InputError, "not-proven", records=40, k=3):
        Optimal(k=3).fit(X)
