"""Households: k counts them, and on request all members stay in one group."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from example_counts import scaled_examples
from raising import raises, warns
from shoal import Microaggregate, Plan
from shoal.errors import (
    GuaranteeBroken,
    InputError,
    PlanError,
    RevealingOrder,
    ShoalWarning,
    StrataMerged,
)
from shoal.frame import tables
from shoal.geometry import zscore
from shoal.partitioners import MDAV
from shoal.plan.guarantees import check_guarantees
from shoal.report.attacker import attacker_cannot


@st.composite
def people(draw):
    n = draw(st.integers(6, 30))
    draws = {"hh": st.integers(0, 8), "age": st.integers(0, 4), "pay": st.integers(0, 3)}
    return pd.DataFrame(
        {name: draw(st.lists(values, min_size=n, max_size=n)) for name, values in draws.items()}
    )


def whole(data, k, **options):
    return mask(data, k, whole_households=True, **options)


def mask(data, k, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return shoal.microaggregate(
            data, ["age", "pay"], k=k, method="mdav", household="hh", **options
        )


@settings(max_examples=scaled_examples(40), deadline=None)
@given(data=people(), k=st.integers(1, 4))
def test_every_class_holds_whole_households_and_at_least_k(data, k):
    if data["hh"].nunique() < k:
        with raises(InputError, "too-few-units", k=k):
            whole(data, k)
        return
    release = whole(data, k)
    out = release.data.assign(hh=data["hh"])
    assert out.groupby(["age", "pay"])["hh"].nunique().min() >= k
    assert (out.groupby("hh")[["age", "pay"]].nunique() == 1).all(axis=None)
    assert "hh" not in release.data


@settings(max_examples=scaled_examples(40), deadline=None)
@given(data=people(), k=st.integers(2, 4))
def test_every_class_holds_k_households_and_members_may_be_in_several_classes(data, k):
    if data["hh"].nunique() < k:
        with raises(InputError, "too-few-units", k=k):
            mask(data, k)
        return
    release = mask(data, k)
    out = release.data.assign(hh=data["hh"])
    assert out.groupby(["age", "pay"])["hh"].nunique().min() >= k
    assert release.verdict.unit == "hh"
    assert release.verdict.k == out.groupby(["age", "pay"])["hh"].nunique().min()


def test_members_in_different_groups_lose_far_less():
    rng = np.random.default_rng(1)
    homes = np.repeat(np.arange(60), 4)
    ages = np.tile([40.0, 38, 9, 6], 60) + rng.integers(-3, 4, 240)
    data = pd.DataFrame({"hh": homes, "age": ages, "pay": rng.normal(size=240) + ages})
    data = data.sample(frac=1, random_state=0).reset_index(drop=True)
    members_apart, members_together = mask(data, 5), whole(data, 5)
    loss = "information_loss"
    assert members_apart.measures[loss] < 5 < 50 < members_together.measures[loss]


def test_groups_are_those_of_the_means_of_households():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"hh": rng.integers(0, 15, 40), "age": rng.normal(size=40)})
    data["pay"] = rng.normal(size=40)
    Z = pd.DataFrame(zscore(data[["age", "pay"]].to_numpy())).groupby(data["hh"]).mean()
    labels = pd.Series(MDAV(k=3).fit_predict(Z.to_numpy()), Z.index)
    release = whole(data, 3)
    expected = data.groupby(data["hh"].map(labels))[["age", "pay"]].transform("mean")
    assert release.data.to_numpy() == pytest.approx(expected.to_numpy())
    assert "certified_gap" not in release.measures
    assert "at least 3 of them" in release.plan.steps[0].guarantee
    assert release.plan.to_dict()["steps"][0]["whole_households"] is True
    text = " ".join(attacker_cannot(release))
    assert "whole households, at least 3 of them" in text
    assert "Find hh in the release: this column was dropped" in text


def test_a_small_stratum_is_counted_in_households():
    data = pd.DataFrame(
        {
            "hh": [1, 1, 1, 2, 3, 4, 5, 6, 6],
            "town": ["a"] * 3 + ["b"] * 3 + ["c"] * 3,
            "age": np.arange(9.0),
            "pay": np.arange(9.0),
        }
    )
    with raises(InputError, "strata-below-k", small=1, strata=3, smallest=1):
        mask(data, 2, within="town")
    with (
        warns(StrataMerged),
        pytest.warns(RevealingOrder),
    ):
        shoal.microaggregate(
            data, ["age", "pay"], k=2, household="hh", within="town", small_strata="merge"
        )


def test_bad_households_are_refused():
    data = pd.DataFrame({"hh": [1, 1, None, 2], "age": [1.0, 2, 3, 4], "pay": [1.0, 2, 3, 4]})
    with raises(InputError, "unit-missing", column="hh", missing=1):
        mask(data, 2)
    data = data.assign(hh=[1, 1, 2, 2], town=["a", "b", "a", "b"])
    with raises(InputError, "household-in-several-strata", count=2):
        whole(data, 1, within="town")
    assert len(mask(data, 2, within="town").data) == 4
    for options, option in (
        ({"missing": "own-groups"}, "missing"),
        ({"closeness": 0.5, "closeness_by": "swap"}, "closeness_by"),
    ):
        with raises(PlanError, "splits-households", option=option):
            Microaggregate(["age"], MDAV(k=2), household="hh", whole_households=True, **options)
    with pytest.raises(PlanError):
        Microaggregate(["age"], MDAV(k=2), whole_households=True)
    with raises(PlanError, "role-not-masked", columns=("hh",), role="household"):
        Plan({"hh": "household"}, [Microaggregate(["age", "hh"], MDAV(k=2))])


def test_the_guarantee_counts_households_on_the_released_values():
    frame = tables.open_frame(pd.DataFrame({"hh": [1, 1, 2, 3], "age": [5.0, 5, 7, 7]}))
    step = Microaggregate(["age"], MDAV(k=2), household="hh")
    with pytest.raises(GuaranteeBroken):
        check_guarantees([step], frame, [], {}, np.array([0, 0, 1, 2]))
    check_guarantees([step], frame, [], {}, np.array([0, 3, 1, 2]))
    check_guarantees([step], frame, [], {})


def test_records_sorted_by_household_are_reported():
    data = pd.DataFrame({"hh": [1, 1, 2, 3], "age": [5.0, 6, 7, 8]})
    with warns(RevealingOrder, columns=("hh",)):
        shoal.microaggregate(data, ["age"], k=2, household="hh")
    with warnings.catch_warnings():
        warnings.simplefilter("error", RevealingOrder)
        shoal.microaggregate(data.iloc[[0, 2, 1, 3]].reset_index(), ["age"], k=2, household="hh",
                             identifiers=["index"])  # fmt: skip
        shoal.microaggregate(data[1:], ["age"], k=2, household="hh", identifiers=[])


def test_the_role_suffices_to_make_k_count_households():
    data = pd.DataFrame({"hh": [1, 2, 2, 1, 3], "age": [5.0, 7, 7, 5, 9]})
    release = Plan({"hh": "household"}, [Microaggregate(["age"], MDAV(k=2))]).run(data)
    assert list(release.data) == ["age"]
    assert release.data["age"].groupby(data["hh"]).first().notna().all()
    assert data["hh"].groupby(release.data["age"]).nunique().min() >= 2
    assert release.plan.steps[0].household == "hh"
