"""Advice: the plan of least loss within limits, or the limits that bind."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import shoal
from raising import raises
from shoal.cli import app
from shoal.comparison.advice import Advice, AdvisedTrial
from shoal.errors import ParameterError
from shoal.metrics.assessment import Assessment
from shoal.plan import Plan

COLUMNS = ["age", "height", "weight"]
SURVEY = shoal.datasets.survey(60)[["person", *COLUMNS, "income"]]
ROLES = {"identifiers": ["person"], "confidential": ["income"]}

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def advised(limits, **options):
    return shoal.advise(SURVEY, COLUMNS, limits=limits, **{**ROLES, "method": "mdav"} | options)


def test_no_k_below_the_advised_one_meets_the_limits():
    limits = {"max_linkage": 0.2}
    advice = advised(limits)
    linkage_by_k = {
        k: advised(limits, k=k).trials[0].results[0].value for k in range(3, advice.plan.k + 1)
    }
    assert [k for k, linkage in linkage_by_k.items() if linkage <= 0.2] == [advice.plan.k]
    assert advice.best.results[0].value == linkage_by_k[advice.plan.k]
    assert [result.limit.name for result in advice.binding] == ["max_linkage"]
    assert advice.binding[0].value == linkage_by_k[advice.plan.k - 1]
    assert 1 < len(advice.trials) <= 30


def test_of_the_plans_within_the_limits_the_one_of_least_loss_is_advised():
    limits = {"min_smallest_class": 4, "max_linkage_distance": 0.25}
    advice = advised(limits, method=None)
    passed = [trial for trial in advice.trials if trial.passed]
    assert {trial.family for trial in advice.trials} == {"auto", "mdav", "vmdav"}
    assert advice.best.loss == min(trial.loss for trial in passed)
    assert min(trial.strength for trial in advice.trials) == 4
    release = advice.plan.run(SURVEY)
    assert release.verdict.status != "not kept"
    assert release.measures["information_loss"] == advice.best.loss
    assert advice.plan.limits.to_dict() == limits


def test_the_advice_does_not_depend_on_threads():
    limits = {"max_linkage": 0.15, "max_inference_excess": 0.5}
    runs = [advised(limits, method=None, n_plans=8, n_jobs=n_jobs) for n_jobs in (1, 2)]
    assert runs[0].to_dict() == runs[1].to_dict()
    assert runs[0].plan == runs[1].plan
    assert len(runs[0].trials) == 8


def test_every_plan_of_less_loss_fails_a_limit_that_binds():
    limits = shoal.Limits({"max_linkage": 0.2, "min_ci_overlap": 0.8, "max_linkage_top2": 0.3})
    losses = {9.0: (0.1, 0.9, 0.2), 8.0: (0.15, 0.7, 0.3), 7.0: (0.3, 0.9, 0.4), 6.0: (0.4, 0.9, 1)}

    def trial(loss, figures):
        names = ("linkage", "ci_overlap", "linkage_top2")
        measures = Assessment(dict(zip(names, figures, strict=True)), {})
        return AdvisedTrial("mdav", loss, None, loss, limits.check(measures), kept=True)

    advice = Advice(tuple(trial(loss, figures) for loss, figures in losses.items()))
    assert advice.best.loss == 9
    binding = {result.limit.name: result.value for result in advice.binding}
    assert binding == {"min_ci_overlap": 0.7, "max_linkage": 0.3, "max_linkage_top2": 0.4}
    without_the_second = Advice((advice.trials[0], *advice.trials[2:]))
    assert "min_ci_overlap" not in str(without_the_second).splitlines()[-1]


def test_without_a_plan_within_the_limits_those_that_bind_are_named():
    advice = advised({"max_linkage": 0.02, "max_information_loss": 20})
    assert advice.plan is None
    assert advice.best is None
    names = {result.limit.name for result in advice.binding}
    assert names
    assert {*names, *advice.conflict} == {"max_linkage", "max_information_loss"}
    distances = [trial.distance for trial in advice.trials]
    assert advice.closest.distance == min(distances)


def test_a_plan_that_could_not_be_run_is_not_the_closest_if_another_one_ran():
    limits = shoal.Limits({"max_linkage": 0.2})
    results = limits.check(Assessment({"linkage": 0.5}, {}))
    not_kept = AdvisedTrial("mdav", 5, None, 30.0, results, kept=False)
    not_run = AdvisedTrial("mdav", 9, None, error=ParameterError("No.", code="unknown-method"))
    for trials in ((not_run, not_kept), (not_kept, not_run)):
        advice = Advice(trials)
        assert advice.closest is not_kept
        assert [result.limit.name for result in advice.binding] == ["max_linkage"]
        assert str(advice)


def test_advice_on_a_table_for_which_some_plans_cannot_be_run_can_be_shown():
    advice = advised({"max_linkage": 0.0}, k=[3, 61])
    assert [trial.error is None for trial in advice.trials] == [True, False]
    assert advice.closest.strength == 3
    assert str(advice)
    assert "inf" not in str(advice.trials[1])
    assert advice.trials[1].to_dict()["information_loss"] is None


def test_a_limit_that_cannot_be_computed_binds():
    advice = advised({"max_membership": 1, "max_linkage": 0.5}, k=[5, 9])
    assert advice.plan is None
    assert [result.limit.name for result in advice.binding] == ["max_membership"]
    assert advice.binding[0].reason
    assert [trial.strength for trial in advice.trials] == [5, 9]


def test_steps_without_k_are_tried_on_request():
    advice = advised({"max_linkage": 0.3}, steps=["rank-swap", "add-noise"])
    assert {trial.family for trial in advice.trials} == {"rank-swap", "add-noise"}
    assert advice.plan.k is None
    assert advice.plan.steps[0].random_state is None  # it could undo the masking
    assert advice.best.loss == min(trial.loss for trial in advice.trials if trial.passed)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"limits": {}}, "limits-empty"),
        ({"limits": {"max_linkag": 1}}, "unknown-limit"),
        ({"steps": "suppress"}, "unknown-step"),
        ({"method": "mdva"}, "unknown-method"),
        ({"n_plans": 0}, "parameter-not-accepted"),
        ({"dependenc": 0.5}, "unknown-parameter"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_run(options, code):
    with raises(ParameterError, code):
        advised(**{"limits": {"max_linkage": 0.1}, **options})


def shell(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SURVEY.to_csv("survey.csv", index=False)
    Path("limits.toml").write_text("max_linkage = 0.2\n")
    return tmp_path


ADVISE = (
    *("advise", "survey.csv", "-c", "age", "-c", "height", "-c", "weight", "-i", "person"),
    *("--confidential", "income", "-m", "mdav", "--limits", "limits.toml", "--plan", "plan.toml"),
)


def test_the_advised_plan_runs_unedited(folder):
    result = shell(*ADVISE, "--json")
    assert result.exit_code == 0
    content = json.loads(result.stdout)
    assert content["plan"] == "plan.toml"
    run = shell("run", "plan.toml", "survey.csv", "out.csv", "--json", "--audience", "internal")
    assert run.exit_code == 0
    released = json.loads(run.stdout)
    assert released["limits"] == content["best"]["limits"]
    measures = {entry["name"]: entry["value"] for entry in released["measures"]}
    loss = content["best"]["information_loss"]
    assert measures["information_loss"] == pytest.approx(loss, rel=1e-3)
    assert Plan.load("plan.toml").k == content["best"]["strength"]
    assert shell(*ADVISE).exit_code == 1  # the plan exists


def test_nothing_is_written_if_no_plan_is_within_the_limits(folder):
    Path("limits.toml").write_text("max_linkage = 0\n")
    result = shell(*ADVISE, "--plans", "4")
    assert result.exit_code == 1
    assert "max_linkage" in result.stdout
    assert not Path("plan.toml").exists()
