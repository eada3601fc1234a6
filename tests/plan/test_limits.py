"""Limits of a plan: a release that does not meet them is not published, and reports say so."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from raising import raises
from shoal.cli import app
from shoal.errors import NotKept, PlanError
from shoal.io.files import read
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.deliver import deliver
from shoal.plan.findings.limits import limits_of
from shoal.steps import Microaggregate

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.UnprotectedColumn")  # the weights

CSV = "name,age,size,ill,w\n" + "".join(
    f"p{i},{20 + i * 7 % 30},{i * 13 % 17},{i % 3},{20 + i % 4}\n" for i in range(24)
)
PLAN = """version = 1
[roles]
name = "identifier"
ill = "confidential"
w = "weight"
[limits]
{limits}
[[steps]]
method = "microaggregate"
columns = ["age", "size"]
partition = {{ method = "mdav", k = 4 }}
"""
MET = {"min_smallest_class": 4, "max_linkage": 0.5, "max_linkage_distance": 0.5, "max_k_map": 1e6}
RUN = ("run", "plan.toml", "in.csv", "out.csv", "--manifest", "out.json")
VERIFY = ("verify", "out.csv", "--manifest", "out.json")


def shell(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def write_plan(limits):
    text = "\n".join(f'"{name}" = {value}' for name, value in limits.items())
    Path("plan.toml").write_text(PLAN.format(limits=text))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(CSV)
    write_plan(MET)
    return tmp_path


def test_a_plan_keeps_its_limits_in_its_document():
    plan = Plan({}, [Microaggregate(["age"], MDAV(k=3))], limits={"max_linkage": 0.1})
    assert plan.to_dict()["limits"] == {"max_linkage": 0.1}
    assert Plan.from_dict(plan.to_dict()) == plan
    assert plan != plan.replace(limits=None)
    assert "limits" not in plan.replace(limits=None).to_dict()


@pytest.mark.parametrize(
    ("limits", "code"), [({"max_linkag": 1}, "unknown-limit"), (3, "limits-no-mapping")]
)
def test_malformed_limits_are_refused(limits, code):
    entries = {"version": 1, "limits": limits, "steps": []}
    with raises(PlanError, code):
        Plan.from_dict(entries)


def test_limits_that_are_met_are_named_in_the_verdict(folder):
    release = deliver(Plan.load("plan.toml"), "in.csv", "out.csv").release
    assert "limit-broken" not in release.verdict.codes()
    checked = limits_of(release.verdict)
    assert [entry["limit"] for entry in checked] == list(MET)
    assert all(entry["passed"] for entry in checked)
    in_memory = Plan.load("plan.toml").run(read("in.csv"))
    assert limits_of(in_memory.verdict) == checked


@pytest.mark.parametrize(
    ("limits", "value"),
    [
        ({"min_smallest_class": 5}, 4),
        ({"max_linkage": 0.01}, ...),
        ({"max_linkage_distance_excess": 0.01}, ...),
        ({"max_expected_reidentifications": 0.1}, ...),
        ({"max_membership": 1}, None),
        ({"max_levels_lost": 1}, None),
        ({"max_quantile_error": 0.001}, ...),
        ({"min_ci_overlap": 0.1}, None),
        ({"max_linkage_worst_group": 1}, None),
        ({"max_linkage_rank_worst_group": 1}, None),
        ({"max_mean_error_worst_group": 1}, None),
    ],
)
def test_a_limit_that_is_not_met_publishes_nothing(folder, limits, value):
    write_plan({**MET, **limits})
    with raises(NotKept) as caught:
        deliver(Plan.load("plan.toml"), "in.csv", "out.csv")
    verdict = caught.value.verdict
    assert verdict.status == "not kept"
    broken = [finding for finding in verdict.findings if finding.code == "limit-broken"]
    assert [finding.figures["limit"] for finding in broken] == list(limits)
    if value is not ...:
        assert broken[0].figures["value"] == value
    assert not Path("out.csv").exists()
    allowed = deliver(Plan.load("plan.toml"), "in.csv", "out.csv", allow_not_kept=True).release
    assert allowed.verdict == verdict


@pytest.mark.parametrize(
    ("limit", "advice"),
    [
        ({"max_linkage": 0.0}, "Raise k, mask more"),
        ({"max_linkage_distance": 0.0}, "Raise k, mask more"),
        ({"max_expected_reidentifications": 0.0}, "Raise k, mask more"),
        ({"max_information_loss": 0.0}, "Lower k, mask fewer"),
        ({"max_quantile_error": 0.0}, "Lower k, mask fewer"),
    ],
)
def test_limits_on_losses_and_on_risks_have_opposite_advice(folder, limit, advice):
    write_plan(limit)
    with raises(NotKept) as caught:
        deliver(Plan.load("plan.toml"), "in.csv", "out.csv")
    (broken,) = [f for f in caught.value.verdict.findings if f.code == "limit-broken"]
    assert broken.way_out.startswith(advice)


def test_a_release_is_the_same_with_limits_as_without(folder):
    deliver(Plan.load("plan.toml"), "in.csv", "with.csv")
    deliver(Plan.load("plan.toml").replace(limits=None), "in.csv", "without.csv")
    assert Path("with.csv").read_bytes() == Path("without.csv").read_bytes()


def test_run_exits_with_1_and_says_which_limit_fails(folder):
    result = shell(*RUN)
    assert result.exit_code == 0
    assert result.stdout.count("\npass ") == len(MET)
    write_plan({"max_linkage": 0.01})
    failed = shell(*RUN, "--force")
    assert failed.exit_code == 1
    assert "max_linkage" in failed.stderr
    allowed = shell(*RUN, "--force", "--allow-not-kept", "--json")
    assert allowed.exit_code == 1
    assert [one["passed"] for one in json.loads(allowed.stdout)["limits"]] == [False]


def test_mask_and_run_take_a_file_of_limits(folder):
    Path("limits.toml").write_text("max_linkage = 0.01\nmin_smallest_class = 2")
    result = shell(*RUN, "--limits", "limits.toml")
    assert result.exit_code == 1
    assert not Path("out.csv").exists()
    mask = ("mask", "in.csv", "out.csv", "-c", "age", "-c", "size", "-k", "4", "-i", "name")
    assert shell(*mask, "--limits", "limits.toml").exit_code == 1
    Path("limits.toml").write_text("max_linkage = 0.6")
    result = shell(*mask, "--limits", "limits.toml", "--save-plan", "saved.toml")
    assert result.exit_code == 0
    assert Plan.load("saved.toml").limits.to_dict() == {"max_linkage": 0.6}


def checks(*arguments):
    result = shell(*VERIFY, *arguments, "--json")
    passed = {one["name"]: one["passed"] for one in json.loads(result.stdout)["checks"]}
    return {n: v for n, v in passed.items() if n.startswith("limit ")}, result.exit_code


def test_verify_checks_the_limits_of_the_plan(folder):
    assert shell(*RUN).exit_code == 0
    with_original, code = checks("--original", "in.csv")
    assert list(with_original.values()) == [True] * len(MET)
    assert code == 0
    without, code = checks()
    assert list(without.values()) == [True, None, None, None]
    assert code == 0


def test_verify_checks_further_limits(folder):
    assert shell(*RUN).exit_code == 0
    Path("limits.toml").write_text("max_linkage = 0.01\nmin_smallest_class = 3")
    with_original, code = checks("--original", "in.csv", "--limits", "limits.toml")
    assert with_original["limit max_linkage = 0.01"] is False
    assert with_original["limit min_smallest_class = 4"] is True
    assert code == 1
    Path("limits.toml").write_text("max_linkage = 0.99")
    without, code = checks("--limits", "limits.toml")
    assert without["limit max_linkage = 0.5"] is False  # demanded, and cannot be computed
    assert code == 1


def test_verify_fails_where_the_manifest_states_a_broken_limit(folder):
    write_plan({"max_linkage": 0.01})
    assert shell(*RUN, "--allow-not-kept").exit_code == 1
    assert shell(*VERIFY).exit_code == 1
    with_original = shell(*VERIFY, "--original", "in.csv", "--json")
    failed = [c["name"] for c in json.loads(with_original.stdout)["checks"] if c["passed"] is False]
    assert failed == ["verdict", "limit max_linkage = 0.01"]


@pytest.mark.parametrize(
    ("command", "met", "broken"),
    [
        ("assess", "max_information_loss = 99", "max_information_loss = 0.01"),
        ("attack", "max_linkage_distance = 0.9", "max_membership = 1"),
        ("utility", "max_total_error = 0.9", "min_ci_overlap = 0.5"),
        ("risk", "max_greatest_risk = 0.9", "max_greatest_risk = 0.0001"),
    ],
)
def test_commands_check_the_limits_on_their_figures(folder, command, met, broken):
    assert shell(*RUN).exit_code == 0
    files = ("in.csv", "--weight", "w") if command == "risk" else ("in.csv", "out.csv")
    arguments = (command, *files, "-c", "age", "-c", "size", "--limits", "limits.toml")
    Path("limits.toml").write_text(f"{met}\n")
    assert shell(*arguments).exit_code == 0
    other_limits = "max_suda_dis = 0\nmax_t_closeness = 0\nmax_inference = 0\n"
    Path("limits.toml").write_text(f"{met}\n{other_limits}")
    result = shell(*arguments, "--json")
    content = json.loads(result.stdout)
    assert {entry["limit"] for entry in content["limits"]}.isdisjoint(content["limits_not_checked"])
    assert len(content["limits_not_checked"]) == (3 if command == "utility" else 2)
    Path("limits.toml").write_text(f"{broken}\n")
    failed = shell(*arguments)
    assert failed.exit_code == 1
    assert "\nFAIL " in failed.stdout


def test_a_file_without_a_limit_of_the_command_is_refused(folder):
    Path("limits.toml").write_text("max_membership = 1")
    result = shell("risk", "in.csv", "--weight", "w", "-c", "age", "--limits", "limits.toml")
    assert result.exit_code == 2


@pytest.mark.parametrize("suffix", ["html", "txt", "json"])
def test_reports_say_whether_each_limit_is_met(folder, suffix):
    write_plan({"max_linkage": 0.01, "min_smallest_class": 4})
    plan = Plan.load("plan.toml")
    release = plan.run(read("in.csv"))
    release.report(f"report.{suffix}")
    text = Path(f"report.{suffix}").read_text()
    if suffix == "json":
        assert [entry["passed"] for entry in json.loads(text)["limits"]] == [False, True]
    else:
        assert "max_" in text
        marks = ("<td>no</td>", "<td>yes</td>") if suffix == "html" else ("FAIL ", "pass ")
        assert all(text.count(mark) == 1 for mark in marks)


def test_limits_on_analyses_name_their_formula(folder):
    write_plan({"formula": '"ill ~ age"', "min_ci_overlap": 0, "max_prediction_loss": 1})
    plan = Plan.load("plan.toml")
    assert Plan.from_dict(plan.to_dict()) == plan
    overlap, prediction = limits_of(plan.run(read("in.csv")).verdict)
    assert overlap["passed"]
    assert 0 <= overlap["value"] <= 1
    assert prediction["reason"]  # there is no target
    with raises(PlanError, "parameter-not-accepted", parameter="formula"):
        plan.replace(limits={"formula": 3})
