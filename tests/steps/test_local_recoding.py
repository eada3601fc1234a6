"""Local recoding: every group shows its lowest common ancestor or its range."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from raising import raises
from shoal.errors import PlanError
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.deliver import deliver
from shoal.scale.validation import check_plan
from shoal.steps import Generalise, Microaggregate

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
TOWNS = [("Porto", "north"), ("Braga", "north"), ("Faro", "south"), ("Olhao", "south")]
PATH = {row[0]: [*row, "*"] for row in TOWNS}
TYPES = {
    "town": {"kind": "nominal", "hierarchy": TOWNS},
    "age": {"kind": "numeric", "intervals": [5, 20]},
    "zip": {"kind": "nominal", "prefixes": [3, 1]},
}


def people(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "town": rng.choice(list(PATH), n),
            "age": rng.integers(0, 90, n),
            "zip": [f"{code:04d}" for code in rng.integers(0, 3000, n)],
            "height": rng.normal(170, 9, n).round(1),
        }
    )


def lowest(paths):
    """Return the first entry that all paths have in common."""
    return next(step[0] for step in zip(*paths, strict=True) if len(set(step)) == 1)


def path_of(name, value):
    if name == "town":
        return PATH[value]
    if name == "zip":
        return [value, value[:3], value[:1], "*"]
    low, lower = value // 5 * 5, value // 20 * 20
    return [str(value), f"{low}-{low + 4}", f"{lower}-{lower + 19}", "*"]


@given(seed=st.integers(0, 999), k=st.integers(2, 8))
def test_groups_show_the_lowest_common_ancestor_and_the_range(seed, k):
    data = people(40, seed)
    release = shoal.microaggregate(
        data, list(data), k=k, method="mdav", types=TYPES,
        aggregate={"town": "ancestor", "age": "ancestor", "zip": "ancestor", "height": "range"},
    )  # fmt: skip
    labels = release.partitions[0].labels
    for group in range(labels.max() + 1):
        members, released = data[labels == group], release.data[labels == group]
        for name in ("town", "age", "zip"):
            expected = lowest([path_of(name, value) for value in members[name].tolist()])
            assert set(released[name]) == {expected}
        low, high = members["height"].min(), members["height"].max()
        assert set(released["height"]) == {f"{low}-{high}" if low < high else f"{low}"}
    assert release.verdict.k >= k
    assert release.data.groupby(list(data)).size().min() >= k


def test_the_loss_is_that_of_full_domain_recoding_at_the_same_levels():
    data = pd.DataFrame({"town": ["Porto", "Braga", "Porto", "Faro", "Faro", "Faro"]})
    types = {"town": TYPES["town"]}
    release = shoal.microaggregate(data, ["town"], k=3, types=types, aggregate="ancestor")
    assert release.data["town"].tolist() == ["north"] * 3 + ["Faro"] * 3
    (finding,) = [f for f in release.verdict.findings if f.code == "values-generalised"]
    assert "16.7 %" in finding.sentence  # half of the cells lose one of three distinctions
    full_domain_release = Plan({}, [Generalise(["town"], 3)], types).run(data)
    (finding,) = [f for f in full_domain_release.verdict.findings if f.code == "values-generalised"]
    assert "33.3 %" in finding.sentence


@pytest.mark.parametrize("missing", ["own-groups", "impute"])
def test_missing_values_are_ignored_or_stay(missing):
    data = people()
    data.loc[::7, "town"] = None
    release = shoal.microaggregate(
        data[["town", "age"]], ["town", "age"], k=4, method="mdav", missing=missing,
        types={name: TYPES[name] for name in ("town", "age")}, aggregate="ancestor",
    )  # fmt: skip
    assert release.data.groupby(["town", "age"], dropna=False).size().min() >= 4
    filled = release.data["town"][::7].notna()
    assert filled.any() if missing == "impute" else not filled.any()
    for _, released in release.data.groupby(release.partitions[0].labels):
        present_towns = data["town"][released.index].dropna()
        if len(present_towns) > 1:
            expected = lowest([PATH[town] for town in present_towns])
            assert set(released["town"].dropna()) == {expected}  # a missing value is not a town


def test_a_file_of_ranges_is_judged_as_it_reads_back(tmp_path):
    people().to_csv(tmp_path / "in.csv", index=False)
    aggregate = {"town": "ancestor", "age": "range", "height": "range"}
    step = Microaggregate(["town", "age", "height"], MDAV(k=5), aggregate=aggregate)
    plan = Plan({"zip": "confidential"}, [step], TYPES)
    plan.save(tmp_path / "plan.toml")
    assert Plan.load(tmp_path / "plan.toml") == plan
    for target in ("out.csv", "out.parquet"):
        verdict = deliver(plan, tmp_path / "in.csv", tmp_path / target).release.verdict
        assert verdict.k >= 5
    released = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert released.groupby(["town", "age", "height"]).size().min() >= 5


def test_large_tables_refuse_ancestors():
    step = Microaggregate(["town"], MDAV(k=5), aggregate="ancestor")
    with raises(PlanError, "not-for-large-tables", what="aggregate"):
        check_plan(Plan({}, [step], TYPES))


@pytest.mark.parametrize("aggregate", ["range", "ancestor"])
def test_the_value_of_a_single_record_is_not_released_for_its_group(aggregate):
    data = pd.DataFrame({"age": [20.0, 25, 30, 77, np.nan, np.nan], "s": [0, 0, 0, 1, 1, 1]})
    release = shoal.microaggregate(
        data, ["age"], k=3, within="s", missing="impute", aggregate=aggregate
    )
    assert release.data["age"].tolist()[:3] == ["20-30" if aggregate == "range" else "*"] * 3
    assert release.data["age"][3:].isna().all()
