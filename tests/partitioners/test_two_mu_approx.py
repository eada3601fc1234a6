"""2-mu-Approx: published figures, all factors tried, and the proof checked by hand."""

import numpy as np
import pytest
from hypothesis import given, settings

from raising import raises
from shoal.errors import ParameterError
from shoal.partitioners import Optimal, TwoMuApprox
from shoal.partitioners._factor import remove_redundant
from tables import loss, tables
from twins.optimal import groups_of, optimal_sse, sse
from twins.two_mu_approx import best_factor, check_certificate


def sse_of(fitted, X):
    return sse(X, groups_of(fitted.labels_))


@pytest.fixture(scope="session")
def eia_600(reference):
    """Return the first 600 records of EIA without UTILITYID; the z-scores are of all records."""
    return reference("eia")[:600, 1:]


def test_tarragona_has_the_published_figures(reference):
    Z = reference("tarragona")
    fitted = TwoMuApprox(k=2).fit(Z)
    assert round(fitted.weight_, 5) == 1910.13316
    assert round(sse_of(fitted, Z), 4) == 958.4875
    assert round(loss(Z, fitted.labels_), 4) == 8.8405
    assert np.bincount(fitted.partition_.sizes).tolist() == [0, 0, 402, 10]


def test_eia_600_has_the_published_figures(eia_600):
    fitted = TwoMuApprox(k=2).fit(eia_600)
    assert round(((eia_600 - eia_600.mean(axis=0)) ** 2).sum(), 4) == 5541.4688
    assert round(fitted.weight_, 6) == 99.380699
    assert round(sse_of(fitted, eia_600), 4) == 65.8852
    assert np.bincount(fitted.partition_.sizes).tolist() == [0, 0, 252, 32]


@pytest.mark.parametrize("table", ["tarragona", "census", "eia"])
def test_the_weight_is_proven_on_every_reference_table(reference, table):
    fitted = TwoMuApprox(k=2).fit(reference(table))
    assert fitted.certificate_.bound <= fitted.weight_
    assert fitted.weight_ - fitted.certificate_.bound <= 1e-9 * fitted.weight_


@pytest.mark.parametrize("start", [0, 130, 260])
def test_the_proof_holds_when_every_edge_is_tried_by_hand(reference, start):
    Z = reference("tarragona")[start : start + 130]
    fitted = TwoMuApprox(k=2).fit(Z)
    assert (fitted.certificate_.value[2 * len(Z) :] > 0).any()  # it takes odd sets to prove it
    bound = check_certificate(Z, fitted.certificate_)
    assert bound == pytest.approx(fitted.certificate_.bound, rel=1e-12)
    assert bound == pytest.approx(fitted.weight_, rel=1e-9)


@given(X=tables(least=2, most=9, values=6))
def test_no_factor_at_all_is_lighter(X):
    fitted = TwoMuApprox(k=2).fit(X)
    assert fitted.weight_ == pytest.approx(best_factor(X)[0], abs=1e-12)
    assert fitted.partition_.sizes.max() <= 3
    assert fitted.weight_ / 2 * (1 - 1e-12) <= sse_of(fitted, X) <= fitted.weight_ * (1 + 1e-12)
    assert check_certificate(X, fitted.certificate_) == pytest.approx(fitted.weight_, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_the_lightest_factor_is_found_if_it_is_the_only_one(seed):
    X = np.random.default_rng(seed).normal(size=(2 + seed % 8, 2)) ** 3
    actual = [tuple(group) for group in groups_of(TwoMuApprox(k=2).fit_predict(X))]
    assert sorted(actual) == sorted(best_factor(X)[1])


@given(X=tables(least=2, most=10, values=6))
@settings(max_examples=50)
def test_the_sse_is_at_most_twice_the_least(X):
    assert sse_of(TwoMuApprox(k=2).fit(X), X) <= 2 * optimal_sse(X, 2) + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_the_sse_is_at_most_twice_the_least_on_longer_tables(seed):
    X = np.random.default_rng(seed).standard_t(2, size=(60, 3))
    fitted = TwoMuApprox(k=2).fit(X)
    least = sse(X, groups_of(Optimal(k=2).fit_predict(X)))
    assert least * (1 - 1e-8) <= sse_of(fitted, X) <= 2 * least
    assert fitted.certificate_.bound / 2 <= least


def test_the_sse_is_close_to_the_least_as_in_the_paper_s_table_2(reference):
    Z, rng = reference("census"), np.random.default_rng(0)
    ratios = []
    for _ in range(40):
        sample = Z[rng.choice(len(Z), 15, replace=False)]
        least = sse(sample, groups_of(Optimal(k=2).fit_predict(sample)))
        ratios.append(least / sse_of(TwoMuApprox(k=2).fit(sample), sample))
    assert np.mean(ratios) > 0.95
    assert np.mean(np.array(ratios) > 1 - 1e-9) > 0.5


@pytest.mark.parametrize("k", [1, 3, 10])
def test_k_is_always_2(k):
    with raises(ParameterError, "parameter-not-accepted", parameter="k"):
        TwoMuApprox(k=k).fit(np.zeros((20, 2)))


def test_groups_of_three_that_lie_far_apart_are_found():
    """The factor to start from outweighs the least one beyond the digits of a float."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(40, 2)) * 1e9, 3, axis=0) + rng.normal(size=(120, 2))
    fitted = TwoMuApprox(k=2).fit(X)
    assert np.array_equal(fitted.labels_, np.repeat(np.arange(40), 3))


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_the_groups_do_not_depend_on_the_unit(scale):
    X = np.random.default_rng(0).normal(size=(50, 3))
    expected = TwoMuApprox(k=2).fit_predict(X)
    assert np.array_equal(TwoMuApprox(k=2).fit_predict(X * scale), expected)


@pytest.mark.parametrize(
    ("pairs", "kept"),
    [
        ([(1, 0), (2, 1), (3, 2)], [(1, 0), (3, 2)]),  # a path of four falls into two pairs
        ([(1, 0), (2, 0), (2, 1)], [(2, 0), (2, 1)]),  # a triangle into a path of three
        ([(1, 0), (2, 0)], [(1, 0), (2, 0)]),
    ],
)
def test_an_edge_between_records_that_have_others_is_left_out(pairs, kept):
    assert remove_redundant(4, np.array(pairs)).tolist() == [list(pair) for pair in kept]
