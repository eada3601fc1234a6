"""Bounds: below the true optimum always, however early the work stops."""

from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from example_counts import scaled_examples
from raising import raises
from reproduction.records.verifier import check_duals, check_partition
from shoal._kernels.subset_enumeration import optimal_labels
from shoal.errors import InputError, ParameterError
from shoal.partitioners import lower_bound
from shoal.partitioners._dual_bound.certificate import certify_quickly
from shoal.partitioners._local_search.refine import refine
from tables import KINDS, tables_and_k
from twins.optimal import groups_of, sse

UNLIMITED = 1e9  # seconds of a clock that counts its calls


def least_sse(X, k):
    return sse(X, groups_of(optimal_labels(X, k)))


def clock_by_calls():
    """Return a clock that is one second later at every call."""
    ticks = count()
    return lambda: float(next(ticks))


@st.composite
def cases(draw):
    """Draw a small table, tied or not, and a k that leaves a choice."""
    X, k = draw(tables_and_k(least=4, most=13, greatest=5))
    k = max(2, min(k, len(X) // 2))
    noise = draw(st.integers(0, 3))
    return X + np.random.default_rng(noise).normal(size=X.shape) * (noise % 2), k


@given(case=cases())
@settings(max_examples=scaled_examples(60))
def test_no_partition_is_below_a_bound(case):
    X, k = case
    least = least_sse(X, k)
    quick, strong = (
        lower_bound(X, k),
        lower_bound(X, k, "prove", budget=UNLIMITED, clock=clock_by_calls()),
    )
    assert 0 <= quick <= strong * (1 + 1e-8)
    assert max(quick, strong) <= least * (1 + 1e-14)
    assert strong == pytest.approx(least, rel=1e-8)


@given(case=cases(), budget=st.integers(0, 60))
@settings(max_examples=40)
def test_a_bound_holds_whenever_the_budget_ends(case, budget):
    X, k = case
    bound = lower_bound(X, k, "prove", budget=budget, clock=clock_by_calls())
    assert lower_bound(X, k) * (1 - 1e-9) <= bound <= least_sse(X, k) * (1 + 1e-14)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("k", [2, 3])
def test_bounds_hold_on_degenerate_tables(kind, k):
    X = KINDS[kind](np.random.default_rng(7), (12, 3))
    least = least_sse(X, k)
    quick, strong = (
        lower_bound(X, k),
        lower_bound(X, k, "prove", budget=UNLIMITED, clock=clock_by_calls()),
    )
    assert 0 <= quick <= strong * (1 + 1e-8)
    assert max(quick, strong) <= least * (1 + 1e-9) + 1e-320  # below it, float64 has few digits


def test_the_quick_bound_is_above_that_of_the_nearest_neighbours(reference):
    for k in (2, 3, 10):
        for X in (reference("eia")[:400], np.random.default_rng(k).normal(size=(300, 5))):
            assert lower_bound(X, k) > 1.05 * shoal.METHODS["mu-approx"](k=k).fit(X).bound_


@pytest.mark.parametrize("spread", [0.0, 0.4])
def test_the_quick_bound_is_near_the_loss_of_refined_groups(spread):
    X = np.random.default_rng(6).normal(size=(1000, 13))
    X *= np.exp(spread * X[:, :1])  # a few records far from all others
    labels = refine(X, shoal.METHODS["mdav"](k=5).fit_predict(X), 5)
    assert check_partition(X, 5, labels) < 1.18 * lower_bound(X, 5)


def test_the_independent_verifier_accepts_the_quick_bound():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(200, 3)) * rng.choice([0.3, 1, 8], (200, 1))
    certificate = certify_quickly(X, 4)
    assert check_duals(X, 4, certificate.duals) == 0
    assert certificate.bound == pytest.approx(certificate.duals.sum())
    assert certificate.bound == lower_bound(X, 4)


def test_a_short_proof_is_far_above_the_quick_bound(reference):
    Z = reference("census")[:150]
    quick, strong = lower_bound(Z, 4), lower_bound(Z, 4, "prove", budget=1.0)
    assert strong > 1.05 * quick


def test_trivial_tables_have_trivial_bounds():
    X = np.array([[0.0], [1.0], [3.0]])
    assert lower_bound(X, 1, "prove") == 0
    assert lower_bound(X, 2, "prove") == pytest.approx(14 / 3)
    assert lower_bound(np.ones((9, 2)), 2, "prove") == 0


@pytest.mark.parametrize(
    ("options", "parameter"),
    [({"k": 0}, "k"), ({"k": 2, "effort": "hard"}, "effort"), ({"k": 2, "budget": -1.0}, "budget")],
)
def test_a_wrong_option_is_refused(options, parameter):
    with raises(ParameterError, "parameter-not-accepted", parameter=parameter):
        shoal.lower_bound([[0.0], [1.0]], **options)


def test_a_table_shorter_than_k_is_refused():
    with raises(InputError, "too-few-records", k=5, records=2):
        shoal.lower_bound([[0.0], [1.0]], 5)
