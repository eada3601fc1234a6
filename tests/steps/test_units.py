"""The unit of protection: k counts persons, not records."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from example_counts import scaled_examples
from raising import raises, without_warnings
from shoal import Microaggregate, Plan
from shoal.errors import InputError, PlanError
from shoal.partitioners import MDAV
from shoal.steps import Hybridise, Suppress, Swap
from shoal.steps.microaggregation.missing_patterns import join_patterns
from shoal.steps.suppression.minimise import minimise
from shoal.steps.suppression.problem import SuppressionProblem
from twins.units import fewest

KNOWN = ["age", "pay"]


@st.composite
def panels(draw, with_missing=False):
    n = draw(st.integers(8, 30))
    number = st.integers(0, 3)
    draws = {
        "id": st.integers(0, 9),
        "age": st.one_of(st.none(), number) if with_missing else number,
        "pay": st.one_of(st.none(), number) if with_missing else number,
        "town": st.integers(0, 1),
        "ill": st.integers(0, 2),
    }
    return pd.DataFrame(
        {name: draw(st.lists(values, min_size=n, max_size=n)) for name, values in draws.items()}
    ).astype({"age": float, "pay": float})


def masked(data, k, **options):
    options = {"unit": "id", "method": "mdav", **options}
    return without_warnings(shoal.microaggregate, data, KNOWN, k=k, **options)


def units_per_class(release, data, columns):
    out = release.data.assign(id=data["id"].to_numpy())
    return int(out.groupby(columns, dropna=False)["id"].nunique().min())


OPTIONS = [
    {},
    {"within": "town", "small_strata": "merge"},
    {"missing": "own-groups"},
    {"missing": "impute"},
    {"weight": "weight", "identifiers": ["weight"]},
    {"homogeneity": "merge", "confidential": ["ill"]},
    {"diversity": 2, "confidential": ["ill"]},
    {"closeness": 0.6, "confidential": ["ill"]},
    {"closeness": 0.6, "closeness_by": "swap", "confidential": ["ill"]},
    {"closeness": 0.6, "closeness_by": "first", "confidential": ["ill"], "method": "auto"},
    {"decimals": 0},
    {"aggregate": "median"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "plain")
@settings(max_examples=scaled_examples(25), deadline=None)
@given(data=panels(), incomplete=panels(with_missing=True), k=st.integers(2, 4))
def test_every_class_of_released_values_holds_k_units(options, data, incomplete, k):
    data = (incomplete if "missing" in options else data).assign(weight=1.5)
    try:
        release = masked(data, k, **options)
    except InputError:  # too few units, or values that no grouping can hide
        return
    strata = ["town"] if "within" in options else []
    attained = units_per_class(release, data, [*KNOWN, *strata])
    assert attained >= k
    assert (release.verdict.unit, release.verdict.k) == ("id", attained)
    assert "id" not in release.data


@settings(max_examples=scaled_examples(25), deadline=None)
@given(data=panels(), k=st.integers(2, 4))
def test_every_block_holds_k_units(data, k):
    if data["id"].nunique() < k:
        return
    release = masked(data, k, blocks=1)
    assert min(units_per_class(release, data, [name]) for name in KNOWN) >= k
    joint = units_per_class(release, data, KNOWN)
    assert release.verdict.k == joint
    assert (release.verdict.status == "not kept") == (joint < k)


@settings(max_examples=scaled_examples(30), deadline=None)
@given(data=panels(), k=st.integers(2, 4))
def test_suppressed_cells_leave_k_units_in_every_class(data, k):
    if data["id"].nunique() < k:
        return
    plan = Plan({"id": "unit"}, [Suppress(KNOWN, k)], other_columns="release")
    release = without_warnings(plan.run, data)
    assert units_per_class(release, data, KNOWN) >= k
    assert release.verdict.k >= k


@settings(deadline=None)
@given(codes=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=20))
def test_as_few_cells_are_suppressed_where_each_record_is_a_unit(codes):
    codes = np.array(codes)
    none, units = np.zeros(codes.shape, bool), np.arange(len(codes))[::-1].copy()
    expected = minimise(SuppressionProblem(codes, none, 3), "own", "prove")
    actual = minimise(SuppressionProblem(codes, none, 3, units), "own", "prove")
    assert actual.weight == expected.weight


@settings(max_examples=60, deadline=None)
@given(data=panels(with_missing=True), k=st.integers(2, 4))
def test_patterns_of_missing_cells_hold_k_units(data, k):
    is_missing, units = data[KNOWN].isna().to_numpy(), data["id"].to_numpy()
    Z = data[KNOWN].fillna(0).to_numpy()
    if len(np.unique(units)) < k:
        return
    labels = join_patterns(is_missing, Z, np.arange(2), k, units)
    assert (labels >= is_missing).all()
    assert fewest(labels @ [1, 2], units) >= k
    alone = join_patterns(is_missing, Z, np.arange(2), k, np.arange(len(is_missing)))
    assert np.array_equal(alone, join_patterns(is_missing, Z, np.arange(2), k))


@pytest.mark.parametrize("step", [Swap, Hybridise])
def test_groups_of_other_steps_hold_k_units(step):
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(60, 2)), columns=KNOWN).assign(id=rng.integers(0, 12, 60))
    plan = Plan({"id": "unit"}, [step(KNOWN, MDAV(k=3), random_state=1)])
    release = without_warnings(plan.run, data)
    assert fewest(release.partitions[0].labels, data["id"]) >= 3


def test_an_identifier_that_repeats_is_refused_with_the_way_out():
    data = pd.DataFrame({"id": [1, 1, 1, 2, 3, 4], "age": np.arange(6.0)})
    with raises(InputError, "identifier-repeats", column="id", most=3, values=4) as caught:
        shoal.microaggregate(data, ["age"], k=2, identifiers=["id"])
    assert 'unit="id"' in str(caught.value)
    assert 'unit="record"' in str(caught.value)
    counted = without_warnings(
        shoal.microaggregate, data, ["age"], k=2, identifiers=["id"], unit="record"
    )
    assert (counted.verdict.unit, counted.verdict.k) == ("record", 2)
    assert counted.plan.to_dict()["unit"] == "record"
    plan = Plan.from_dict(counted.plan.to_dict())
    assert plan == counted.plan
    assert without_warnings(plan.run, data).data.equals(counted.data)
    person = without_warnings(
        shoal.microaggregate, data, ["age"], k=2, identifiers=["id"], unit="id"
    )
    assert person.plan.roles["id"] == "unit"
    assert "id" not in person.data
    assert Plan.from_dict(person.plan.to_dict()) == person.plan


def test_identifiers_that_do_not_name_persons_twice_are_taken():
    data = pd.DataFrame(
        {"id": [1, 2, 3, 4], "mail": ["a", None, None, "b"], "w": 1.0, "age": np.arange(4.0)}
    )
    without_warnings(
        shoal.microaggregate, data, ["age"], k=2, identifiers=["id", "mail", "w"], weight="w"
    )
    several = data.assign(mail="a")
    with raises(InputError, "identifier-repeats", columns=("mail",), most=4):
        shoal.microaggregate(several, ["age"], k=2, identifiers=["id", "mail"])
    without_warnings(shoal.microaggregate, several, ["age"], k=2, identifiers=["mail"], unit="id")


def test_contradictions_about_units_are_refused():
    step = Microaggregate(["age"], MDAV(k=2), unit="id")
    assert Plan({}, [step]).roles == {"id": "unit"}
    assert Plan({}, [Microaggregate(["age"], MDAV(k=2), unit="record")]).unit == "record"
    for roles, unit in (
        ({"id": "unit", "hh": "household"}, None),
        ({"id": "unit"}, "record"),
        ({"hh": "household"}, "id"),
    ):
        with raises(PlanError, "several-units"):
            Plan(roles, [Microaggregate(["age"], MDAV(k=2))], unit=unit)
    with raises(PlanError, "several-units"):
        Microaggregate(["age"], MDAV(k=2), unit="id", household="hh")
    with raises(PlanError, "two-roles", column="id"):
        Plan({"id": "confidential"}, [step])
    with raises(PlanError, "unit-called-record"):
        Plan({"record": "unit"}, [Microaggregate(["age"], MDAV(k=2))])
    with pytest.raises(PlanError):
        Plan({}, [Microaggregate(["age", "id"], MDAV(k=2), unit="id")])
    with raises(PlanError, "plan-unit"):
        Plan.from_dict({"version": 1, "unit": 3, "roles": {}, "steps": []})


def test_units_that_are_missing_are_refused():
    data = pd.DataFrame({"id": [1, None, 2, None], "age": np.arange(4.0)})
    with raises(InputError, "unit-missing", column="id", missing=2):
        shoal.microaggregate(data, ["age"], k=2, unit="id")


def test_a_stratum_of_too_few_units_is_too_small():
    data = pd.DataFrame({"id": [1, 1, 1, 2, 3, 4], "town": list("aaabbb"), "age": np.arange(6.0)})
    with raises(InputError, "strata-below-k", small=1, smallest=1):
        shoal.microaggregate(data, ["age"], k=2, unit="id", within="town")
