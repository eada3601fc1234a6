"""Strata that are too small, refused or merged."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from raising import raises, warns
from shoal import Microaggregate, Plan
from shoal.errors import InputError, PlanError, ShoalWarning, StrataMerged
from shoal.frame import tables
from shoal.partitioners import MDAV
from shoal.steps.constraints import strata

TOWNS = pd.DataFrame(
    {
        "town": ["a"] * 4 + ["b"] * 5 + ["c"] * 2,
        "age": [20.0, 22, 21, 23, 50, 51, 52, 53, 54, 60, 61],
    }
)


def merged(data=TOWNS, **options):
    options = {"k": 3, "method": "mdav", "within": "town", "small_strata": "merge", **options}
    return shoal.microaggregate(data, ["age"], **options)


def test_a_small_stratum_is_refused_by_number_and_size():
    with raises(InputError, "strata-below-k", small=1, strata=3, smallest=2, columns=("town",)):
        merged(small_strata="refuse")


SECRET = "Hidden Hamlet"
CONSTRAINTS = {
    "k": {"k": 3},
    "diversity": {"k": 2, "diversity": 2},
    "entropy": {"k": 2, "diversity": 2, "diversity_kind": "entropy"},
    "closeness": {"k": 2, "closeness": 0.05},
    "homogeneity": {"k": 2, "homogeneity": "merge"},
    "too much": {"k": 50},
}


@pytest.mark.parametrize("kind", ["text", "category", "number", "two columns"])
@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_no_refusal_names_a_stratum(constraint, kind):
    secret = {"number": 987654}.get(kind, SECRET)
    towns = [secret] * 2 + [{"number": 1}.get(kind, "a")] * 6 + [{"number": 2}.get(kind, "b")] * 6
    data = pd.DataFrame({"town": towns, "age": range(14), "ill": [1, 1, *[1, 2, 3] * 4]})
    within = ["town"]
    if kind == "category":
        data["town"] = data["town"].astype("category")
    if kind == "two columns":
        data["street"], within = [f"{SECRET} Street"] * 2 + ["x"] * 12, ["town", "street"]
    options = {"within": within, "confidential": ["ill"], **CONSTRAINTS[constraint]}
    with pytest.raises(InputError) as caught:
        shoal.microaggregate(data, ["age"], method="mdav", **options)
    assert str(secret) not in str(caught.value)
    assert "'town'" in str(caught.value)
    number = "stratum 1 of 3" if constraint not in ("k", "too much") else "of 3 strata"
    assert number in str(caught.value)


def test_a_small_stratum_joins_the_nearest_and_shows_the_larger_name():
    with warns(StrataMerged) as caught:
        release = merged()
    assert "nearest stratum. 2 records of merged strata now show" in str(caught[0].message)
    assert release.data["town"].tolist() == ["a"] * 4 + ["b"] * 7
    assert release.unchanged == ()
    assert release.measures["smallest_class"] >= 3
    assert release.data[["town", "age"]].value_counts().min() >= 3


def test_the_names_of_small_strata_are_not_released(tmp_path):
    data = TOWNS.replace({"town": {"c": "Hidden Hamlet"}})
    with pytest.warns(StrataMerged):
        release = merged(data)
    release.report(tmp_path / "report.html")
    assert "Hidden Hamlet" not in (tmp_path / "report.html").read_text()
    assert "Hidden Hamlet" not in str(release.warnings)


def test_strata_that_are_large_enough_stay_as_they_are():
    with warnings.catch_warnings():
        warnings.simplefilter("error", StrataMerged)
        release = merged(TOWNS[:9])
    assert release.unchanged == ("town",)


@st.composite
def split_tables(draw):
    n = draw(st.integers(3, 30))
    town = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    age = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return pl.DataFrame({"town": town, "age": [float(a) for a in age]})


@settings(max_examples=40, deadline=None)
@given(data=split_tables(), k=st.integers(2, 3))
def test_what_is_released_of_merged_strata_keeps_k(data, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        release = merged(data, k=k)
    out = release.data
    assert out.group_by(["town", "age"]).len()["len"].min() >= k
    assert out["town"].dtype == data["town"].dtype
    sizes = data["town"].value_counts()
    assert set(out["town"]) <= set(data["town"])
    # No record leaves a stratum that is larger than all others.
    biggest = sizes.filter(pl.col("count") == sizes["count"].max())["town"]
    if len(biggest) == 1:
        assert (out.filter(data["town"] == biggest[0])["town"] == biggest[0]).all()


@settings(max_examples=40)
@given(data=split_tables(), k=st.integers(1, 4))
def test_merging_agrees_with_the_slow_version(data, k):
    frame = tables.open_frame(data)
    Z = data[["age"]].to_numpy()
    actual = strata.merge_small_strata(strata.split_strata(frame, ["town"]), k, Z)
    groups = [list(rows) for rows in strata.split_strata(frame, ["town"]).rows]
    while len(groups) > 1 and min(map(len, groups)) < k:
        smallest = min(groups, key=len)
        other_groups = [group for group in groups if group is not smallest]
        centre = Z[np.sort(smallest)].mean()
        nearest = min(other_groups, key=lambda group: (Z[np.sort(group)].mean() - centre) ** 2)
        position = min(groups.index(smallest), groups.index(nearest))
        groups = [group for group in groups if group is not smallest and group is not nearest]
        groups.insert(position, sorted(smallest + nearest))
    assert [rows.tolist() for rows in actual.rows] == [sorted(group) for group in groups]


def test_several_columns_of_strata_are_recoded_together():
    data = TOWNS.assign(sex=[1, 1, 1, 1, 2, 2, 2, 2, 2, 1, 1])
    with warns(StrataMerged):
        release = merged(data, within=["town", "sex"])
    assert release.data["sex"].tolist() == [1] * 4 + [2] * 7


def test_strata_can_be_merged_by_only_one_step():
    data = {"columns": ["age"], "partitioner": MDAV(k=3), "within": "town"}
    steps = [Microaggregate(**data, small_strata="merge")]
    steps.append(Microaggregate(["pay"], MDAV(k=3), within="town"))
    with raises(PlanError, "merged-strata-split-again"):
        Plan({}, steps)
    with raises(PlanError, "strata-missing", option="small_strata"):
        Microaggregate(["age"], MDAV(k=3), small_strata="merge")
