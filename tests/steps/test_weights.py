"""Survey weights: a record counts as often as its weight states."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from raising import raises, warns
from shoal import Microaggregate, Plan
from shoal.errors import InputError, PlanError, UnprotectedColumn
from shoal.geometry import zscore
from shoal.partitioners import MDAV
from shoal.steps.microaggregation.aggregates import (
    AGGREGATES,
    aggregate_present,
    group_low_median,
    group_mean,
    group_mode,
)
from tables import tables


@st.composite
def weighted(draw):
    """Draw values, groups without gaps and whole weights, with many ties."""
    n = draw(st.integers(1, 25))
    values, labels, weights = (
        np.array(draw(st.lists(st.integers(low, high), min_size=n, max_size=n)))
        for low, high in ((1, 4), (0, 3), (1, 3))
    )
    return values, np.unique(labels, return_inverse=True)[1], weights


def repeated(function, values, labels, weights):
    """Aggregate a table in which each record is repeated as often as its weight states."""
    actual = function(np.repeat(values, weights), np.repeat(labels, weights))
    return actual[np.cumsum(weights) - 1]


@pytest.mark.parametrize("name", ["mean", "median", "geometric-mean"])
@given(table=weighted(), unit=st.sampled_from([1, 0.1, 1e-9]))
def test_a_weight_counts_as_so_many_records(name, table, unit):
    values, labels, weights = table
    actual = AGGREGATES[name](values * 1.0, labels, weights * unit)
    assert actual == pytest.approx(repeated(AGGREGATES[name], values * 1.0, labels, weights))


@pytest.mark.parametrize("function", [group_low_median, group_mode])
@given(table=weighted(), unit=st.sampled_from([1, 0.25]))
def test_categories_are_weighted_too(function, table, unit):
    values, labels, weights = table
    actual = function(values, labels, weights * unit)
    assert actual.tolist() == repeated(function, values, labels, weights).tolist()


@given(table=weighted(), weight=st.sampled_from([1.0, 0.1, 7.3]))
def test_equal_weights_give_what_none_give(table, weight):
    values, labels, _ = table
    same = np.full(len(values), weight)
    for function in (*AGGREGATES.values(), group_low_median, group_mode):
        if function is not AGGREGATES["trimmed-mean"]:
            plain = function(values * (1.0 if function in AGGREGATES.values() else 1), labels)
            actual = function(
                values * (1.0 if function in AGGREGATES.values() else 1), labels, same
            )
            assert actual == pytest.approx(plain)


def test_a_missing_value_has_no_weight():
    values, is_missing = np.array([1.0, 9.0, 4.0]), np.array([False, True, False])
    result = aggregate_present(
        group_mean, values, np.zeros(3, int), is_missing, np.nan, np.array([1.0, 50, 2])
    )
    assert result.tolist() == [3.0] * 3


@given(X=tables(least=2), seed=st.integers(0, 99))
def test_weighted_scores_have_weighted_mean_0_and_deviation_1(X, seed):
    w = np.random.default_rng(seed).integers(1, 5, len(X)).astype(float)
    Z = zscore(X, None, w)
    varied = (X[0] != X).any(axis=0)
    assert np.average(Z, axis=0, weights=w) == pytest.approx(0, abs=1e-9)
    assert np.average(Z**2, axis=0, weights=w) == pytest.approx(varied * 1.0)
    assert zscore(X, None, np.full(len(X), 0.3)) == pytest.approx(zscore(X))


def survey(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "pay": rng.lognormal(3, 1, n),
            "w": rng.uniform(0.5, 20, n),
        }
    )


def run(data, **options):
    with warns(UnprotectedColumn, columns=("w",)):
        return shoal.microaggregate(data, ["age", "pay"], k=3, method="mdav", weight="w", **options)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 999), distances=st.booleans())
def test_weighted_means_keep_weighted_totals(seed, distances):
    data = survey(seed=seed)
    release = run(data, weighted_distances=distances)
    for name in ("age", "pay"):
        original_total, released_total = (
            (table[name] * data["w"]).sum() for table in (data, release.data)
        )
        assert released_total == pytest.approx(original_total, rel=1e-12)
        assert release.measures["weighted_total_change"][name] < 1e-10
    assert release.data["w"].tolist() == data["w"].tolist()
    assert release.measures["smallest_class"] >= 3


def test_totals_of_both_tables_are_reported():
    data = survey()
    release = run(data, aggregate="median")
    change = release.measures["weighted_total_change"]["pay"]
    original, masked = ((t["pay"] * data["w"]).sum() for t in (data, release.data))
    assert change == pytest.approx(100 * abs(masked - original) / original)
    actual = release.remarks["weighted_total_change"]
    assert f"'pay' {original:.10g} in the original and {masked:.10g} in the masked table" in actual


def test_weights_set_the_units_of_distances_on_request():
    data = pd.DataFrame({"a": [0.0, 0, 10, 10], "b": [0.0, 4, 0, 4]})
    # The heavy records differ only in b, then only in a: the other column is in small units.
    for weights, labels in (([99.0, 99, 1, 1], [0, 0, 1, 1]), ([99.0, 1, 99, 1], [0, 1, 0, 1])):
        step = Microaggregate(["a", "b"], MDAV(k=2), weight="w", weighted_distances=True)
        with pytest.warns(UnprotectedColumn):
            (groups,) = Plan({}, [step]).run(data.assign(w=weights)).partitions
        assert groups.labels.tolist() == labels


def test_the_role_suffices_to_make_the_means_weighted():
    data = survey()
    plan = Plan({"w": "weight"}, [Microaggregate(["age", "pay"], MDAV(k=3))])
    with warns(UnprotectedColumn, columns=("w",)):
        release = plan.run(data)
    assert release.data.equals(run(data).data)
    assert plan.to_dict()["steps"][0]["weight"] == "w"
    assert Plan.from_dict(plan.to_dict()) == plan


def test_weights_of_one_step_count_in_all_and_a_saved_plan_says_so():
    steps = [Microaggregate(["age"], MDAV(k=3)), Microaggregate(["pay"], MDAV(k=3), weight="w")]
    plan = Plan({}, steps)
    assert [step.weight for step in plan.steps] == ["w", "w"]
    assert Plan.from_dict(plan.to_dict()) == plan


def test_weights_are_dropped_on_request():
    data = survey()
    release = shoal.microaggregate(
        data, ["age", "pay"], k=3, method="mdav", weight="w", identifiers=["w"]
    )
    assert list(release.data) == ["age", "pay"]
    assert release.data.equals(run(data).data[["age", "pay"]])
    assert not release.warnings


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ({0: -1.0}, "weights-unusable"),
        ({0: 0.0, 1: 0.0}, "weights-unusable"),
        ({0: np.nan, 1: -2.0, 2: 0.0}, "weights-unusable"),
        ({0: 1e-20}, "weights-too-different"),
    ],
)
def test_bad_weights_are_refused_with_their_number(bad, code):
    data = survey()
    for row, value in bad.items():
        data.loc[row, "w"] = value
    with raises(InputError, code):
        shoal.microaggregate(data, ["age", "pay"], k=3, weight="w")


@pytest.mark.parametrize(
    ("roles", "options", "code"),
    [
        ({}, {"columns": ["age", "w"], "weight": "w"}, "role-not-masked"),
        ({"w": "weight"}, {"columns": ["w"]}, "role-not-masked"),
        ({"w": "identifier"}, {"columns": ["age", "w"], "weight": "w"}, "role-not-masked"),
        ({"w": "confidential"}, {"weight": "w"}, "two-roles"),
        ({"w": "weight", "pay": "weight"}, {}, "several-weights"),
        ({"w": "weight"}, {"weight": "pay"}, "several-weights"),
        ({}, {"weight": "w", "within": "w"}, "role-not-stratum"),
        ({"w": "weight"}, {"aggregate": "trimmed-mean", "trim": 0.1}, "trimmed-mean-with-weights"),
        ({}, {"weighted_distances": True}, "weight-missing"),
    ],
)
def test_weights_that_do_not_fit_are_refused(roles, options, code):
    with raises(PlanError, code):
        Plan(roles, [Microaggregate(**{"columns": ["age"], "partitioner": MDAV(k=3), **options})])
