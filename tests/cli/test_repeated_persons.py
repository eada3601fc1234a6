"""Tables with several records of a person, in the commands that try many plans."""

import json
from pathlib import Path

import pandas as pd
import pytest

import shoal
from shell import shell_line
from shoal.plan import Plan

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
ROLES = "visits.csv -c age -c height -i name --confidential cost"


@pytest.fixture
def visits(tmp_path, monkeypatch):
    """Return twelve persons with two visits each, in households of two persons."""
    monkeypatch.chdir(tmp_path)
    persons = [number // 2 for number in range(24)]
    table = pd.DataFrame(
        {
            "name": [f"p{person}" for person in persons],
            "home": [f"h{person // 2}" for person in persons],
            "age": [20 + 3 * person for person in persons],
            "height": [150 + 7 * (row % 9) for row in range(24)],
            "cost": [float(row * 37 % 23) for row in range(24)],
        }
    )
    table.to_csv("visits.csv", index=False)
    Path("limits.toml").write_text("min_smallest_class = 3\n")
    return table


@pytest.mark.parametrize(
    ("option", "role"),
    [("--unit name", "unit"), ("--household home --unit home", "household")],
)
def test_k_counts_persons_or_households(visits, option, role):
    column = option.split()[-1]
    compared = shell_line(f"compare {ROLES} -k 3 -m mdav --no-cache {option}")
    assert compared.exit_code == 0, compared.stderr
    plans = [Plan.load("comparison/plans/01.toml")]
    line = f"advise {ROLES} -k 3 -m mdav --limits limits.toml --plan plan.toml {option} --json"
    advised = shell_line(line)
    assert advised.exit_code == 0, advised.stderr
    plans.append(Plan.load("plan.toml"))
    for plan in plans:
        assert (plan.unit_column, plan.roles[column]) == (column, role)
        release = plan.run(visits)
        groups = visits[column].groupby(release.partitions[0].labels)
        assert groups.nunique().min() == release.verdict.k >= 3


@pytest.mark.parametrize("command", ["compare --no-cache", "advise --limits limits.toml"])
def test_records_may_be_counted_on_request(visits, command):
    line = f"{command} {ROLES} -k 3 -m mdav --json"
    assert shell_line(line).exit_code == 1
    counted = shell_line(f"{line} --unit record")
    assert counted.exit_code == 0, counted.stderr


def test_steps_without_k_keep_the_unit(visits):
    advice = shoal.advise(
        visits,
        ["age", "height"],
        limits={"max_linkage": 1},
        steps=["add-noise"],
        identifiers=["name"],
        confidential=["cost"],
        unit="name",
        n_plans=1,
    )
    assert advice.plan.unit_column == "name"


@pytest.mark.parametrize("command", ["compare --no-cache", "advise --limits limits.toml"])
def test_options_of_other_commands_are_not_recommended(visits, command):
    refused = shell_line(f"{command} {ROLES} -k 3 -m mdav --unit name --set shuffle=true")
    assert refused.exit_code == 2
    assert "--shuffle" not in refused.stderr


def test_a_tradeoff_takes_identifiers_and_units(visits):
    line = f"tradeoff {ROLES} -k 3 --dependence 0.5 --json"
    assert shell_line(line).exit_code == 1  # names repeat
    result = shell_line(f"{line} --unit name")
    assert result.exit_code == 0, result.stderr
    assert {point["k"] for point in json.loads(result.stdout)["points"]} == {3}


def test_weights_are_named_in_a_comparison(visits):
    visits.assign(weight=2.0).to_csv("visits.csv", index=False)
    result = shell_line(
        f"compare {ROLES} -k 3 -m mdav --no-cache --unit name --weight weight --json"
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["runs"]
    assert Plan.load("comparison/plans/01.toml").weight == "weight"
