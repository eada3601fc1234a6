"""Linkage: published figures, the slow twin, ties and order."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import reference_matrix
from shoal import _progress as progress
from shoal.geometry import zscore
from shoal.metrics import distortion_x, linkage, linkage_top2
from shoal.partitioners import MDAV
from shoal.steps.microaggregation.aggregates import group_mean
from tables import tables
from twins.linkage import linkage as slow


def masked_by(X, labels):
    return np.column_stack([group_mean(column, labels) for column in X.T])


# Census, the first six columns in contiguous blocks of b, k=10: D_X and DLD.
PUBLISHED = {2: (0.0176, 0.945), 3: (0.0450, 0.618), 4: (0.0473, 0.523), 6: (0.0999, 0.091)}


@pytest.mark.parametrize(("size", "published"), PUBLISHED.items())
def test_blocks_cost_the_published_linkage(size, published):
    X = reference_matrix("census")[:, :6]
    blocks = [X[:, at : at + size] for at in range(0, 6, size)]
    masked = np.hstack([masked_by(b, MDAV(k=10).fit_predict(zscore(b))) for b in blocks])
    assert round(distortion_x(X, masked), 4) == published[0]
    assert round(linkage(X, masked), 3) == published[1]


@st.composite
def pairs(draw):
    """Draw a table and a mask of it: group means, other values of a grid, or the table itself."""
    X = draw(tables(most=12))
    kind = draw(st.sampled_from(["groups", "grid", "none"]))
    if kind == "none":
        return X, X
    if kind == "grid":
        shape = st.lists(st.integers(0, 3), min_size=X.size, max_size=X.size)
        return X, np.array(draw(shape), float).reshape(X.shape)
    labels = draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)))
    return X, masked_by(X, np.unique(labels, return_inverse=True)[1])


@given(case=pairs())
def test_linkage_agrees_with_all_distances_sorted(case):
    X, masked = case
    assert linkage(X, masked) == pytest.approx(slow(X, masked, 1))
    assert linkage_top2(X, masked) == pytest.approx(slow(X, masked, 2))


@given(case=pairs())
def test_an_index_links_as_all_distances_do(case):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[linkage.__module__], "SHORT_TABLE", 0)
        indexed = [measure(*case) for measure in (linkage, linkage_top2)]
    assert indexed == [measure(*case) for measure in (linkage, linkage_top2)]


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("n", [1, 2, 33, 200])
def test_linkage_agrees_with_all_distances_sorted_without_ties(n, noise):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 4)) * [1, 10, 0.1, 1e6]
    masked = X + noise * rng.normal(size=X.shape) * [1, 10, 0.1, 1e6]
    assert linkage(X, masked) == pytest.approx(slow(X, masked, 1))
    assert linkage_top2(X, masked) == pytest.approx(slow(X, masked, 2))


def test_an_attacker_draws_among_equals():
    # All masked values are the mean: 4 and 6 are equally near to it, 0 and 10 are more distant.
    # Records 4 and 6 are drawn with chance 1/2 each: (1/2 + 1/2) / 4. Two guesses include both.
    X = np.array([[0.0], [4.0], [6.0], [10.0]])
    masked = np.full((4, 1), 5.0)
    assert linkage(X, masked) == 0.25
    assert linkage_top2(X, masked) == 0.5


def test_duplicates_share_their_credit():
    # Nothing is masked: the two equal records draw each other as often as themselves.
    X = np.array([[1.0, 5.0], [1.0, 5.0], [2.0, 7.0], [4.0, 1.0]])
    assert linkage(X, X) == (1 / 2 + 1 / 2 + 1 + 1) / 4
    assert linkage_top2(X, X) == 1


def test_the_second_guess_is_drawn_among_the_second_nearest():
    # 1 and -1 became 0: the first record is nearest to them, then both of them, equally near. The
    # other records did not change, so they are their own nearest records.
    X = np.array([[0.0], [1.0], [-1.0], [9.0], [-9.0]])
    masked = np.array([[0.0], [0.0], [0.0], [9.0], [-9.0]])
    assert linkage(X, masked) == (1 + 0 + 0 + 1 + 1) / 5
    assert linkage_top2(X, masked) == (1 + 1 / 2 + 1 / 2 + 1 + 1) / 5


def test_equal_records_are_linked_at_random():
    X = np.zeros((50, 2))
    assert linkage(X, X) == pytest.approx(1 / 50)
    assert linkage_top2(X, X) == pytest.approx(2 / 50)


@given(case=pairs(), seed=st.integers(0, 99))
def test_the_order_of_records_never_matters(case, seed):
    X, masked = case
    order = np.random.default_rng(seed).permutation(len(X))
    assert linkage(X[order], masked[order]) == linkage(X, masked)
    assert linkage_top2(X[order], masked[order]) == linkage_top2(X, masked)


def test_shuffled_census_links_to_the_same_bits():
    X = reference_matrix("census")[:, :6]
    masked = masked_by(X, MDAV(k=3).fit_predict(zscore(X)))
    order = np.random.default_rng(0).permutation(len(X))
    assert linkage(X[order], masked[order]) == linkage(X, masked) <= 1 / 3
    assert linkage_top2(X[order], masked[order]) == linkage_top2(X, masked) <= 2 / 3


@given(case=pairs())
def test_rescaling_columns_changes_no_link(case):
    X, masked = case
    unit = np.array([1e-200, 3.0, 1e200])[: X.shape[1]]
    assert linkage(X * unit, masked * unit) == pytest.approx(linkage(X, masked))


@given(X=tables(least=4), k=st.integers(1, 4))
def test_one_block_links_at_most_one_record_of_a_group(X, k):
    labels = MDAV(k=k).fit_predict(X)
    assert linkage(X, masked_by(X, labels)) <= (labels.max() + 1) / len(X) + 1e-12


@pytest.mark.slow
def test_linking_a_hundred_thousand_records_reports_progress():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 3)) @ rng.normal(size=(3, 13)) + rng.normal(size=(100_000, 13))
    order = np.argsort(X.sum(axis=1), kind="stable")
    labels = np.empty(len(X), np.int64)
    labels[order] = np.arange(len(X)) // 5
    heard = []
    with progress.reporting_to(lambda stage, done, total: heard.append((done, total))):
        rate = linkage(X, masked_by(X, labels))
    assert 0 < rate < 0.2
    assert len(heard) > 10
    assert heard[-1] == (100_000, 100_000)
