"""The contract of every step."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import shoal
from raising import raises, warns
from shoal import Microaggregate, Plan
from shoal import _params as parameters
from shoal.cli import app
from shoal.errors import (
    CellsSuppressed,
    ColumnError,
    NoGuarantee,
    ParameterError,
    PlanError,
    ShoalWarning,
    UnderProtection,
)
from shoal.partitioners import MDAV, MuApprox
from shoal.report.html import render
from shoal.report.summary import summarise
from shoal.steps import (
    STEPS,
    AddNoise,
    Generalise,
    Hybridise,
    Pram,
    RankSwap,
    Recode,
    Round,
    Suppress,
    Swap,
    TopBottomCode,
)

KNOWN = ["surface", "employees"]
ROLES = {"company": "identifier", "turnover": "confidential", "net_profit": "confidential"}
EXAMPLES = {
    "microaggregate": lambda columns: Microaggregate(columns, MDAV(k=3)),
    "swap": lambda columns: Swap(columns, MDAV(k=3)),
    "hybridise": lambda columns: Hybridise(columns, MDAV(k=3)),
    "rank-swap": lambda columns: RankSwap(columns, 30),
    "add-noise": lambda columns: AddNoise(columns, 0.2),
    "top-bottom-code": lambda columns: TopBottomCode(columns, top_share=0.3),
    "round": lambda columns: Round(columns, 100, mode="random"),
    "suppress": lambda columns: Suppress(columns, k=3),
    "generalise": lambda columns: Generalise(columns, k=3),
    "pram": lambda columns: Pram(columns, stay=0.3),
    "recode": lambda columns: Recode(columns, bands=[20, 400]),
}
KEEP_K = {"microaggregate", "suppress", "generalise"}
DRAW = {"swap", "hybridise", "rank-swap", "add-noise", "round", "pram"}

every_step = pytest.mark.parametrize("name", STEPS)


def run(plan, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return plan.run(data)


def plan_of(name, columns=KNOWN):
    return Plan(ROLES, [EXAMPLES[name](columns)])


def test_every_step_has_an_example():
    assert set(EXAMPLES) == set(STEPS)
    assert all(cls.name == name for name, cls in STEPS.items())


@every_step
def test_a_step_names_its_paper_and_explains_its_parameters(name):
    cls = STEPS[name]
    assert f".. [{cls.paper}]" in cls.__doc__ or name == "microaggregate"
    assert all(parameter.description for parameter in parameters.signature_parameters(cls).values())


@every_step
def test_the_page_on_steps_agrees_with_the_classes(name):
    page = (Path(__file__).parents[2] / "docs" / "beyond-k.md").read_text()
    (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` ")]
    cls = STEPS[name]
    assert cls.short_guarantee.split(";")[0] in row
    assert f"[{cls.paper}]" in row
    if name != "microaggregate":  # it has many options, and the page names only those of l and t
        for parameter in set(parameters.signature_parameters(cls)) - {"columns"}:
            assert f"`{parameter}`" in row


@every_step
def test_a_step_survives_its_document(tmp_path, name):
    plan = plan_of(name)
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    plan.save(tmp_path / "plan.toml")
    assert Plan.load(tmp_path / "plan.toml") == plan
    assert repr(plan).startswith(f"Plan({name} 2 columns")
    assert repr(plan.steps[0]).startswith(type(plan.steps[0]).__name__)


@every_step
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_release_has_the_kind_and_the_other_columns_of_its_table(name, kind):
    data = shoal.datasets.sme(kind=kind)
    step = EXAMPLES[name](KNOWN)
    release = run(Plan(ROLES, [step.replace(random_state=1) if step.is_random else step]), data)
    assert type(release.data) is type(data)
    original, released = pa.table(data).to_pydict(), pa.table(release.data).to_pydict()
    assert list(released) == ["surface", "employees", "turnover", "net_profit"]
    assert released["turnover"] == original["turnover"]
    assert released["surface"] != original["surface"]
    assert pa.table(data).to_pydict() == original


@every_step
def test_kinds_of_tables_agree(name):
    plan = run(plan_of(name), shoal.datasets.sme()).plan
    actual = run(plan, shoal.datasets.sme()).data
    from_polars = run(plan, shoal.datasets.sme(kind="polars")).data
    for column in KNOWN:
        assert (
            pa.array(actual[column], from_pandas=True).to_pylist() == from_polars[column].to_list()
        )


@every_step
def test_an_index_stays_beside_its_records(name):
    data = shoal.datasets.sme().drop(columns="company")
    roles = {n: role for n, role in ROLES.items() if n != "company"}
    plan = run(Plan(roles, [EXAMPLES[name](KNOWN)]), data).plan
    plain = run(plan, data).data
    shuffled = data.set_axis(np.arange(len(data))[::-1] + 5)
    pd.testing.assert_frame_equal(run(plan, shuffled).data, plain.set_axis(shuffled.index))


@every_step
def test_only_steps_that_draw_have_a_seed_and_it_repeats_the_release(name):
    plan, data = plan_of(name), shoal.datasets.sme()
    release = run(plan, data)
    assert len(release.drawn_seeds) == (name in DRAW)
    assert "random_state" not in str(plan.to_dict())
    repeated_release = run(release.plan, data)
    assert repeated_release.drawn_seeds == ()
    pd.testing.assert_frame_equal(repeated_release.data, release.data)
    summary = json.dumps(summarise(release)) + render(summarise(release))
    assert "random_state" not in summary
    assert not any(str(seed) in summary for seed in release.drawn_seeds)


def test_a_step_and_its_partitioner_draw_with_seeds_of_their_own():
    plan = Plan(ROLES, [Swap(KNOWN, MuApprox(k=3))])
    release = run(plan, shoal.datasets.sme())
    step = release.plan.steps[0]
    assert release.drawn_seeds == (step.random_state, step.partitioner.random_state)
    with_one_seed = Plan(ROLES, [Swap(KNOWN, MuApprox(k=3), random_state=5)])
    assert len(run(with_one_seed, shoal.datasets.sme()).drawn_seeds) == 1
    assert "random_state" not in summarise(release)["plan"]


@every_step
def test_a_step_without_k_says_so_everywhere(name):
    plan, data = plan_of(name), shoal.datasets.sme()
    release = run(plan, data)
    summary = summarise(release)
    guarantee = plan.steps[0].guarantee
    assert summary["guarantees"] == [{"step": name, "columns": KNOWN, "guarantee": guarantee}]
    if name in KEEP_K:
        assert plan.k == summary["promise"]["k"] == 3
        assert release.measures["smallest_class"] >= 3
        assert summary["verdict"]["sentence"].startswith("k = 3 is kept")
        return
    assert plan.k is None
    assert summary["promise"]["kept"] is False
    assert summary["verdict"]["status"] == "qualified"
    assert summary["verdict"]["findings"][0]["code"] == "no-k-guarantee"
    assert 'verdict qualified"><strong>No k-anonymity is guaranteed' in render(summary)
    with warns(NoGuarantee, columns=tuple(KNOWN)) as caught:
        plan.run(data)
    assert any(guarantee in str(warning.message) for warning in caught)


def test_one_step_without_k_takes_it_from_the_plan():
    steps = [Microaggregate(["surface"], MDAV(k=3)), Round(["employees"], 10)]
    plan = Plan(ROLES, steps)
    assert plan.k is None
    with warns(NoGuarantee, columns=("employees",)):
        release = plan.run(shoal.datasets.sme())
    assert "linkage" in release.measures
    data = pd.DataFrame({"x": [1, 2, 3, 4, 8, 9], "town": list("aabbca")})
    plan = Plan({}, [Microaggregate(["x"], MDAV(k=3)), Suppress(["town"], 2)])
    assert plan.k == 2
    with warns(UnderProtection, columns=("x", "town")):  # noqa: SIM117
        with warns(CellsSuppressed):
            plan.run(data)


def test_confidential_columns_may_be_masked_and_attackers_still_do_not_know_them():
    plan = Plan(ROLES, [Microaggregate(KNOWN, MDAV(k=3)), AddNoise(["turnover"], 0.1)])
    assert plan.k == 3
    assert plan.quasi_identifiers == KNOWN
    release = plan.run(shoal.datasets.sme())
    assert release.warnings == ()
    assert release.measures["smallest_class"] >= 3
    assert release.unchanged == ("net_profit",)
    assert not release.data["turnover"].equals(shoal.datasets.sme()["turnover"])
    with raises(PlanError, "only-confidential-masked"):
        Plan(ROLES, [AddNoise(["turnover"], 0.1)])


def test_a_stratum_of_one_step_is_not_masked_by_another():
    with raises(PlanError, "masked-and-stratum", columns=("city",)):
        Plan({}, [Microaggregate(["age"], MDAV(k=3), within="city"), Suppress(["city"], 3)])


@every_step
def test_columns_that_are_not_there_are_refused_by_name(name):
    with raises(ColumnError, "no-such-column", column="surfaces"):
        run(plan_of(name, ["surfaces"]), shoal.datasets.sme())


@pytest.mark.parametrize(
    ("make", "error", "code"),
    [
        (lambda: Swap([], MDAV(k=3)), PlanError, "nothing-masked"),
        (lambda: RankSwap(["a", "a"], 5), PlanError, "masked-twice"),
        (lambda: RankSwap(["a"], 0), ParameterError, "parameter-not-accepted"),
        (lambda: RankSwap(3, 5), ParameterError, "names-not-text"),
        (lambda: Hybridise(["a"], MDAV(k=2)), PlanError, "k-too-small"),
        (lambda: Swap(["a"], MDAV(k=2), within="a"), PlanError, "masked-and-stratum"),
        (lambda: AddNoise(["a"], 0), ParameterError, "parameter-not-accepted"),
        (lambda: Round(["a"], -1), ParameterError, "parameter-not-accepted"),
        (lambda: TopBottomCode(["a"]), PlanError, "nothing-coded"),
        (lambda: TopBottomCode(["a"], top=1, top_share=0.1), PlanError, "two-thresholds"),
        (lambda: TopBottomCode(["a"], top=1, bottom=1), PlanError, "bottom-above-top"),
        (lambda: Suppress(["a"], 0), ParameterError, "parameter-not-accepted"),
    ],
)
def test_what_does_not_fit_is_refused(make, error, code):
    with raises(error, code):
        make()


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ({"method": "swop", "columns": ["a"]}, "unknown-step"),
        ({"method": "swap", "columns": ["a"]}, "partition-missing"),
        ({"method": "round", "columns": ["a"]}, "parameter-missing"),
        ({"method": "round", "columns": ["a"], "base": "x"}, "parameter-not-accepted"),
        ({"method": "round", "columns": ["a"], "partition": {}}, "unknown-key"),
        ({"method": "suppress", "columns": ["a"], "k": 2.5}, "parameter-not-accepted"),
    ],
)
def test_a_document_that_cannot_be_understood_is_refused(entry, code):
    with raises(PlanError, code):
        Plan.from_dict({"version": 1, "roles": {}, "steps": [entry]})


def test_a_plan_file_runs_every_step_from_the_command_line(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.integers(10, 99, (30, 10)), columns=list("abcdefghij"))
    codes = ["007", "08", "9"] * 9 + ["10", "11", "12"]
    data.assign(town=codes).to_csv(tmp_path / "in.csv", index=False)
    names = [name for name in STEPS if name != "suppress"]
    steps = [EXAMPLES[name]([column]) for name, column in zip(names, "abcdefghij", strict=True)]
    Plan({}, [*steps, Suppress(["town"], 5)]).save(tmp_path / "plan.toml")
    monkeypatch.chdir(tmp_path)
    words = ["run", "plan.toml", "in.csv", "out.csv", "--report", "r.html"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    assert "; no k-anonymity is guaranteed" in result.stdout
    assert "seed" not in result.stderr
    assert result.stderr.count("no k-anonymity is guaranteed.") == 8
    out = pd.read_csv(tmp_path / "out.csv", dtype={"town": str})
    assert set(out["town"].dropna()) <= {"007", "08", "9"}  # unchanged values keep their notation
    assert out["town"].isna().sum() >= 3
    assert out["town"].value_counts(dropna=False).min() >= 5
    assert sorted(out["b"]) == sorted(data["b"])
    assert "random_state" not in (tmp_path / "r.html").read_text()
