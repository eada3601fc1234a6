"""Several steps on one column, in order; the verdict is counted on the result."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from raising import raises
from shoal.audit import verify
from shoal.cli import app
from shoal.errors import PlanError
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.report.summary import summarise
from shoal.steps import (
    AddNoise,
    Generalise,
    Microaggregate,
    RankSwap,
    Recode,
    Round,
    Suppress,
    TopBottomCode,
)

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
TYPES = {"age": {"kind": "numeric", "intervals": [5, 20]}, "town": "nominal"}
LATER = "a later step masks its columns again"


def people(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "town": rng.choice(["Porto", "Braga", "Faro"], n, p=[0.6, 0.3, 0.1]),
            "pay": rng.lognormal(7, 1, n).round(2),
        }
    )


def smallest(data, columns):
    return int(data.groupby(columns, dropna=False).size().min())


def test_each_step_sees_the_values_of_the_steps_before():
    data = people()
    coded = TopBottomCode(["pay"], top=1500.0)
    groups = Microaggregate(["pay"], MDAV(k=3))
    first = Plan({}, [coded], other_columns="release").run(data).data
    expected = Plan({}, [groups], other_columns="release").run(first).data
    chained = Plan({}, [coded, groups], other_columns="release").run(data)
    assert chained.data["pay"].tolist() == expected["pay"].tolist()
    assert chained.data["pay"].max() <= 1500.0
    assert chained.plan.k == 3
    assert chained.verdict.k >= 3


def test_other_columns_are_those_of_the_original():
    data = people()
    groups = Microaggregate(["age"], MDAV(k=3), dependence=0.9)
    roles = {"pay": "confidential"}
    noise = AddNoise(["pay"], 5.0, random_state=1)
    expected = Plan(roles, [groups], other_columns="release").run(data).data["age"]
    for steps in ([groups, noise], [noise, groups]):
        assert Plan(roles, steps, other_columns="release").run(data).data["age"].equals(expected)


def test_types_flow_from_step_to_step():
    steps = [Generalise(["age"], 20), Microaggregate(["age", "town"], MDAV(k=4))]
    release = Plan({}, steps, TYPES, other_columns="release").run(people())
    ages = set(release.data["age"])
    assert all(isinstance(age, str) for age in ages)  # modes of intervals
    assert smallest(release.data, ["age", "town"]) == release.verdict.k >= 4
    assert release.plan.k == 4


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 50), library=st.sampled_from(["pandas", "polars"]))
def test_generalise_then_suppress_keeps_the_k_of_the_last_step(seed, library):
    data = people(40, seed)
    given_data = pl.from_pandas(data) if library == "polars" else data
    steps = [Generalise(["age", "town"], 2), Suppress(["age", "town"], 4)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = Plan({}, steps, TYPES, other_columns="release").run(given_data)
    released = release.data.to_pandas() if library == "polars" else release.data
    assert smallest(released, ["age", "town"]) == release.verdict.k >= 4 == release.plan.k


@pytest.mark.parametrize(
    ("later", "k"),
    [
        (Round(["age"], 10), 5),
        (TopBottomCode(["age"], top=50.0), 5),
        (Recode(["age"], bands=[30, 50]), 5),
        (Round(["age"], 10, mode="random", random_state=1), None),
        (AddNoise(["age"], 0.5, random_state=1), None),
        (RankSwap(["age"], 5.0, random_state=1), None),
        (Suppress(["age"], 3), None),
    ],
)
def test_a_guarantee_that_a_later_step_may_undo_is_not_stated(later, k):
    steps = [Microaggregate(["age", "pay"], MDAV(k=5)), later]
    release = Plan({}, steps, other_columns="release").run(people())
    assert release.plan.k == release.verdict.promised == k
    assert release.verdict.k == smallest(release.data, ["age", "pay"])
    first = release.plan.guarantees[0]
    assert (LATER in first) == (k is None)
    assert (first == steps[0].guarantee) == (k is not None)
    if k is None:
        assert "no-k-guarantee" in release.verdict.codes()
    stated = [entry["guarantee"] for entry in summarise(release)["guarantees"]]
    assert stated == release.plan.guarantees


def test_a_step_whose_columns_are_masked_again_does_not_remove_k():
    steps = [AddNoise(["age"], 0.1, random_state=1), Microaggregate(["age"], MDAV(k=5))]
    release = Plan({}, steps, other_columns="release").run(people())
    assert release.plan.k == 5 <= release.verdict.k
    assert "no-k-guarantee" not in release.verdict.codes()
    assert LATER in release.plan.guarantees[0]


def test_wildcards_of_an_earlier_step_are_not_counted():
    steps = [Suppress(["age", "town"], 3, missing_means="any"), Suppress(["age", "town"], 3)]
    release = Plan({}, steps, other_columns="release").run(people())
    assert release.verdict.k == smallest(release.data, ["age", "town"]) >= 3
    assert "missing-cells-match-any" not in release.verdict.codes()


def test_what_cannot_be_chained_is_refused():
    step = Microaggregate(["age"], MDAV(k=5))
    with raises(PlanError, "masked-twice", columns=("age",)):
        Plan({}, [step, Microaggregate(["age"], MDAV(k=5))])
    with raises(PlanError, "step-needs-numbers", columns=("age",)):
        Plan({}, [Recode(["age"], bands=[30, 50]), Round(["age"], 10)])


def test_a_chained_plan_is_saved_run_and_verified(tmp_path):
    people(80).to_csv(tmp_path / "in.csv", index=False)
    steps = [
        TopBottomCode(["age"], top=60.0),
        Generalise(["age", "town"], 2),
        Suppress(["age", "town"], 5),
        Round(["pay"], 100),
    ]
    plan = Plan({"pay": "confidential"}, steps, TYPES)
    for name in ("plan.toml", "plan.json"):
        plan.save(tmp_path / name)
        assert Plan.load(tmp_path / name) == plan
    paths = [str(tmp_path / name) for name in ("plan.toml", "in.csv", "out.csv")]
    reports = ["--report", str(tmp_path / "r.html"), "--manifest", str(tmp_path / "m.json")]
    result = CliRunner().invoke(app, ["run", *paths, *reports])
    assert result.exit_code == 0, result.output
    released = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert smallest(released, ["age", "town"]) >= 5
    checks = verify(tmp_path / "out.csv", tmp_path / "m.json", original=tmp_path / "in.csv")
    assert all(check.passed is not False for check in checks), [c for c in checks if not c.passed]
    assert checks.verdict.promised == 5
