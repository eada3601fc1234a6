"""Correlations and components: published figures and hand-made tables."""

import numpy as np
import pytest

from conftest import reference_matrix
from raising import raises
from shoal.errors import InputError
from shoal.geometry import zscore
from shoal.metrics import (
    correlation_change,
    eigenvalue_change,
    explained_change,
    first_principal_component,
    loadings_change,
)
from shoal.metrics.utility.correlation import correlations
from shoal.partitioners import MWard
from shoal.steps.microaggregation.aggregates import group_mean


def cut(score, k):
    """Return groups of k along a score; the last group takes the remaining records."""
    labels = np.empty(len(score), np.int64)
    labels[np.argsort(score, kind="stable")] = np.minimum(
        np.arange(len(score)) // k, len(score) // k - 1
    )
    return labels


def test_correlations_of_a_long_table_are_those_of_all_its_parts():
    X = np.random.default_rng(0).normal(size=(10_000, 3)) @ np.array(
        [[1, 1, 0], [0, 1, 0], [0, 1, 1]]
    )
    assert correlations(X) == pytest.approx(np.corrcoef(X.T))


@pytest.fixture(scope="module")
def tarragona():
    """Return the table, sorted by sum of z-scores, and ranked column by column; k=3."""
    X = reference_matrix("tarragona")
    along = cut(zscore(X).sum(axis=1), 3)
    by_sum = np.column_stack([group_mean(column, along) for column in X.T])
    ranked = np.column_stack([group_mean(column, cut(column, 3)) for column in X.T])
    return X, by_sum, ranked


def test_correlations_change_as_published(tarragona):
    X, by_sum, ranked = tarragona
    for masked, mean, sd in [(by_sum, 0.2382, 0.1031), (ranked, 0.0251, 0.0210)]:
        change = correlation_change(X, masked)
        assert (round(change["mean"], 4), round(change["sd"], 4)) == (mean, sd)


def test_the_first_component_explains_as_published(tarragona):
    shares = [first_principal_component(X)[1] for X in tarragona]
    assert [round(100 * share, 1) for share in shares] == [63.4, 84.3, 64.3]
    X, by_sum, ranked = tarragona
    assert explained_change(X, by_sum) == pytest.approx(100 * (shares[1] - shares[0]))
    assert explained_change(X, ranked) == pytest.approx(100 * (shares[2] - shares[0]))


@pytest.mark.parametrize(
    ("start", "mean", "sd", "share"),
    [("first-component", 0.1020, 0.0582, 72.6), ("sum-of-z", 0.1269, 0.0584, 74.7)],
)
def test_the_modified_ward_method_changes_them_as_published(tarragona, start, mean, sd, share):
    X = tarragona[0]
    labels = MWard(k=3, start=start).fit_predict(zscore(X))
    masked = np.column_stack([group_mean(column, labels) for column in X.T])
    change = correlation_change(X, masked)
    assert (round(change["mean"], 4), round(change["sd"], 4)) == (mean, sd)
    assert round(100 * first_principal_component(masked)[1], 1) == share


def test_the_weights_of_the_columns_are_the_published_ones(tarragona):
    """Columns 1 to 6, 12 and 13; the names of the others are misprinted."""
    actual = [0, 1, 2, 3, 4, 5, 11, 12]
    X, by_sum, ranked = tarragona
    loadings = [first_principal_component(table)[0] for table in tarragona]
    before, summed, single = [np.round(w * np.sign(w[0]), 2)[actual].tolist() for w in loadings]
    assert before == [0.81, 0.85, 0.61, 0.94, 0.64, 0.82, 0.87, 0.85]
    assert summed == [0.92, 0.96, 0.84, 0.98, 0.81, 0.94, 0.95, 0.94]
    assert single == [0.82, 0.86, 0.61, 0.93, 0.66, 0.84, 0.86, 0.84]
    change = np.abs(loadings[1] * np.sign(loadings[1][0]) - loadings[0] * np.sign(loadings[0][0]))
    assert loadings_change(X, by_sum) == pytest.approx(change)


SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])  # r = 0
LINE = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]])  # r = 1
BACK = LINE * [1, -1]  # r = -1
TILTED = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])  # r = 1 / sqrt(3)


def test_correlations_of_hand_made_tables():
    assert correlation_change(SQUARE, LINE) == pytest.approx({"mean": 1, "sd": 0})
    assert correlation_change(BACK, LINE) == pytest.approx({"mean": 2, "sd": 0})
    assert correlation_change(LINE, TILTED)["mean"] == pytest.approx(1 - 3**-0.5)
    # The three pairs change by 0, 1 and 1: mean 2/3, variance (4 + 1 + 1) / 9 / 2.
    three = np.column_stack([LINE, LINE[:, 0]])
    masked = np.column_stack([LINE, [0.0, 1, 0, 1]])
    assert correlation_change(three, masked) == pytest.approx({"mean": 2 / 3, "sd": 3**-0.5})


def test_a_column_that_became_constant_is_correlated_with_nothing():
    masked = np.column_stack([LINE[:, 0], np.full(4, 0.5)])
    assert correlation_change(LINE, masked)["mean"] == pytest.approx(1)
    assert eigenvalue_change(LINE, masked) == pytest.approx(1)  # from (2, 0) to (1, 1)


def test_components_of_hand_made_tables():
    # Two columns with correlation r have eigenvalues 1 + |r| and 1 - |r|.
    assert explained_change(SQUARE, TILTED) == pytest.approx(100 * 3**-0.5 / 2)
    assert eigenvalue_change(SQUARE, TILTED) == pytest.approx(3**-0.5)
    assert eigenvalue_change(SQUARE, LINE) == pytest.approx(1)
    assert eigenvalue_change(BACK, LINE) == pytest.approx(0, abs=1e-12)
    # The weights of both columns are sqrt((1 + r) / 2).
    weight = ((1 + 3**-0.5) / 2) ** 0.5
    assert loadings_change(LINE, TILTED) == pytest.approx([1 - weight] * 2)
    assert loadings_change(TILTED, TILTED).tolist() == [0, 0]


def test_components_at_a_right_angle_are_turned_by_their_first_column():
    # (1, 1) against (1, -1): the first column keeps its weight, the second changes its sign.
    assert loadings_change(LINE, BACK) == pytest.approx([0, 2])


@pytest.mark.parametrize("case", [(SQUARE, LINE), (LINE, SQUARE)], ids=["before", "after"])
def test_a_component_that_is_not_determined_is_refused(case):
    with raises(InputError, "component-undetermined"):
        loadings_change(*case)


def test_one_column_or_none_has_no_correlation_to_lose():
    one, flat = LINE[:, :1], np.full((4, 1), 0.1)
    assert correlation_change(one, one * 2) == {"mean": 0, "sd": 0}
    assert loadings_change(one, one * 2).tolist() == [0]
    assert explained_change(one, one * 2) == eigenvalue_change(one, one * 2) == 0
    assert correlation_change(flat, flat) == {"mean": 0, "sd": 0}
    assert loadings_change(flat, flat).tolist() == [0]
    assert explained_change(flat, flat) == eigenvalue_change(flat, flat) == 0


def test_constant_columns_are_left_out():
    flat = np.full((4, 1), 0.1)
    wide = [np.hstack([table, flat]) for table in (LINE, TILTED)]
    assert correlation_change(*wide) == correlation_change(LINE, TILTED)
    assert explained_change(*wide) == explained_change(LINE, TILTED)
    assert eigenvalue_change(*wide) == eigenvalue_change(LINE, TILTED)
    assert loadings_change(*wide)[:2] == pytest.approx(loadings_change(LINE, TILTED))
    with raises(InputError, "no-unit"):
        correlation_change(wide[0], np.hstack([TILTED, LINE[:, :1]]))
