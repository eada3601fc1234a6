"""Evidence in internal reports: every attack stands under its criterion, with what is untested."""

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import shoal
from raising import raises
from shoal.cli import app
from shoal.errors import ParameterError
from shoal.metrics.attacks import ATTACKS
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.report.attack_evidence import CRITERIA, ON_REQUEST, gather_evidence
from shoal.report.summary import summarise
from shoal.steps import Microaggregate

KNOWN = ["age", "height", "household_size"]
SURVEY = shoal.datasets.survey(60)[["person", *KNOWN, "income"]].assign(w=[20.0, 30.0] * 30)
ROLES = {"person": "identifier", "income": "confidential", "w": "weight"}

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def released(**options):
    return Plan(ROLES, [Microaggregate(KNOWN, MDAV(k=4))], **options).run(SURVEY)


@pytest.fixture(scope="module")
def release():
    return released()


@pytest.fixture(scope="module")
def evidence(release):
    return gather_evidence(release, SURVEY)


def test_every_attack_has_one_criterion():
    named = [name for criterion in CRITERIA for name in criterion.attacks]
    assert len(named) == len(set(named))
    assert set(ATTACKS) <= set(named)


def test_results_are_those_of_the_attacks(release, evidence):
    attacks = shoal.attack(
        SURVEY, release.data, quasi_identifiers=KNOWN, confidential=["income"], random_state=0
    )
    assert [criterion["name"] for criterion in evidence["criteria"]] == [
        criterion.name for criterion in CRITERIA
    ]
    tests = {
        test["attack"]: test for criterion in evidence["criteria"] for test in criterion["tests"]
    }
    assert set(tests) == set(attacks)
    for name, result in attacks.items():
        assert (tests[name]["rate"], tests[name]["ceiling"]) == (result.rate, result.ceiling)
        assert tests[name]["interval"] == list(result.interval)
    not_run = {
        name: why
        for criterion in evidence["criteria"]
        for name, why in criterion["not_run"].items()
    }
    on_request = not_run.pop("linkage-splink")
    assert on_request == ON_REQUEST
    assert not_run == attacks.not_run
    assert evidence["seed"] == 0
    assert evidence["k"] == 4


def test_the_survey_risk_is_that_of_the_release(release, evidence):
    masked = shoal.metrics.survey.survey_risk(
        pd.DataFrame(release.data), quasi_identifiers=KNOWN, weight="w"
    )
    figures = dict(evidence["survey"]["figures"])
    assert figures.pop("sampling_fraction") == masked.sampling_fraction
    assert figures == masked.figures()


def test_records_in_random_order_are_matched_with_their_originals(evidence):
    shuffled = gather_evidence(released(shuffle=True, random_state=1), SURVEY)
    rates = [
        {
            test["attack"]: test["rate"]
            for criterion in gathered["criteria"]
            for test in criterion["tests"]
        }
        for gathered in (evidence, shuffled)
    ]
    assert rates[1]["linkage-distance"] > 0.1  # 1/60 if records were mixed up
    assert abs(rates[0]["linkage-distance"] - rates[1]["linkage-distance"]) < 0.05


def test_public_reports_have_no_evidence(release, evidence, tmp_path):
    with raises(ParameterError, "evidence-is-internal"):
        summarise(release, "public", evidence=evidence)
    with raises(ParameterError, "evidence-is-internal"):
        release.report(tmp_path / "report.html", original=SURVEY)
    assert not (tmp_path / "report.html").exists()
    assert summarise(release)["evidence"] == {}


@pytest.mark.parametrize("suffix", ["html", "txt"])
def test_reports_name_each_criterion_and_what_is_untested(release, tmp_path, suffix):
    path = tmp_path / f"report.{suffix}"
    release.report(path, audience="internal", original=SURVEY)
    text = path.read_text()
    for criterion in CRITERIA:
        assert criterion.name in text
    assert text.count("Not tested: ") == len(CRITERIA)
    assert "membership" in text


def test_the_command_line_adds_evidence_to_the_internal_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SURVEY.to_csv("in.csv", index=False)
    mask = ("mask", "in.csv", "out.csv", "-c", "age", "-c", "height", "-k", "4", "-i", "person")
    for options in (("--evidence",), ("--evidence", "--report", "report.json")):
        result = CliRunner().invoke(app, [*mask, *options])
        assert result.exit_code == 2
    internal = ("--report", "report.json", "--audience", "internal", "--evidence", "-q")
    assert CliRunner().invoke(app, [*mask, *internal]).exit_code == 0
    content = json.loads(Path("report.json").read_text())["evidence"]
    assert [criterion["name"] for criterion in content["criteria"]] == [
        criterion.name for criterion in CRITERIA
    ]
    assert content["survey"] == {}
