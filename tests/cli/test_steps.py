"""Every step has a command, whose options are the parameters that the step declares."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from shell import shell
from shoal import _params as parameters
from shoal.audit import verify
from shoal.cli import app
from shoal.cli.commands.step_commands import SUMMARIES, step_command
from shoal.cli.options.step_options import OPTION_NAMES
from shoal.plan import Plan
from shoal.steps import STEPS, describe_step

OTHERS = [name for name in STEPS if name != "microaggregate"]  # has `shoal mask`
COLUMNS = ["-c", "age", "-c", "pay"]
WORDS = {  # for each step, options that suffice
    "generalise": ["-c", "age", "-c", "town", "-k", "3", "--hierarchy", "age=interval:5,20",
                   "--hierarchy", "town=towns.csv", "--suppression", "0.1", "--loss", "entropy"],
    "suppress": ["-c", "town", "-c", "sex", "-k", "3", "--importance", "town=2"],
    "recode": ["-c", "age", "--bands", "30,50", "--labels", "young,middle,old"],
    "pram": ["-c", "town", "-c", "sex", "--stay", "0.7", "--seed", "1", "--joint"],
    "swap": [*COLUMNS, "-k", "4", "-m", "mdav", "--seed", "1"],
    "hybridise": [*COLUMNS, "-k", "6", "-m", "mdav", "--seed", "1"],
    "rank-swap": [*COLUMNS, "--percent", "5", "--seed", "1"],
    "add-noise": [*COLUMNS, "--amount", "0.1", "--kind", "correlated", "--seed", "1"],
    "top-bottom-code": ["-c", "pay", "--top-share", "0.1", "--replacement", "mean"],
    "round": [*COLUMNS, "--base", "10"],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "age": rng.integers(18, 80, 90),
            "pay": rng.lognormal(7, 1, 90).round(2),
            "town": rng.choice(["Porto", "Braga", "Faro"], 90, p=[0.6, 0.3, 0.1]),
            "sex": rng.choice(["f", "m"], 90),
        }
    )
    data.to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "towns.csv").write_text("Porto;north;*\nBraga;north;*\nFaro;south;*\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_step_is_listed_with_its_summary():
    assert set(SUMMARIES) == set(OTHERS)
    assert {name: describe_step(STEPS[name])["summary"] for name in OTHERS} == SUMMARIES
    text = CliRunner().invoke(app, ["--help"], terminal_width=200).stdout
    assert all(name in text for name in OTHERS)


@pytest.mark.parametrize("name", OTHERS)
def test_every_parameter_has_an_option(name):
    options = {option.name for option in step_command(name).params}
    declared = parameters.signature_parameters(STEPS[name])
    own = {OPTION_NAMES.get(one, one) for one in declared if one != "partitioner"}
    assert own <= options
    if "partitioner" in declared:
        assert {"k", "method", "effort", "budget", "settings"} <= options


@pytest.mark.parametrize("name", OTHERS)
def test_a_command_writes_release_report_manifest_and_a_plan_that_repeats_it(folder, name):
    words = [name, "in.csv", "out.csv", *WORDS[name], "--save-plan", "plan.toml"]
    result = shell(*words, "--report", "report.html", "--manifest", "manifest.json")
    assert result.exit_code == 0, result.output
    assert (folder / "report.html").exists()
    checks = verify("out.csv", "manifest.json", original="in.csv")
    assert all(check.passed is not False for check in checks)
    (step,) = Plan.load("plan.toml").steps
    assert type(step) is STEPS[name]
    again = shell("run", "plan.toml", "in.csv", "again.csv")
    assert again.exit_code == 0, again.output
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()


def test_mask_takes_hierarchies_as_the_steps_do(folder):
    words = ["-c", "age", "-c", "town", "-k", "3", "--set", "aggregate=ancestor"]
    result = shell("mask", "in.csv", "out.csv", *words, "--hierarchy", "age=interval:5,20",
                   "--hierarchy", "town=towns.csv")  # fmt: skip
    assert result.exit_code == 0, result.output
    known = {"Porto", "Braga", "Faro", "north", "south", "*"}
    assert set(pd.read_csv(folder / "out.csv")["town"]) <= known
    assert shell("mask", "in.csv", "b.csv", *words, "--hierarchy", "age").exit_code == 2


def test_values_are_parsed_by_the_type_of_the_parameter(folder):
    (folder / "map.json").write_text('{"Faro": "south"}')
    words = ["recode", "in.csv", "out.csv", "-c", "town", "--mapping", "Porto=north,Braga=north"]
    result = shell(*words, "--mapping", "@map.json", "--save-plan", "plan.json", "-i", "sex",
                 "--unit", "record")  # fmt: skip
    assert result.exit_code == 0, result.output
    (entry,) = json.loads((folder / "plan.json").read_text())["steps"]
    assert entry["mapping"] == {"Porto": "north", "Braga": "north", "Faro": "south"}
    assert set(pd.read_csv("out.csv")["town"]) == {"north", "south"}
    assert "sex" not in pd.read_csv("out.csv")
    result = shell("pram", "in.csv", "pram.csv", "-c", "sex", "--stay", "0.9", "--no-invariant",
                 "--save-plan", "pram.toml")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert Plan.load("pram.toml").steps[0].invariant is False


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["generalise", "-c", "age"], "-k"),
        (["generalise", "-c", "age", "-k", "3", "--loss", "none"], "loss"),
        (["generalise", "-c", "age", "-k", "3", "--hierarchy", "age"], "--hierarchy"),
        (["add-noise", "-c", "age", "--amount", "much"], "amount"),
        (["recode", "-c", "age", "--mapping", "@none.json"], "none.json"),
        (["recode", "-c", "age"], "--min-count"),
        (["nonsense", "-c", "age"], "nonsense"),
    ],
)
def test_invalid_options_give_a_message_and_no_file(folder, words, shown):
    result = shell(words[0], "in.csv", "out.csv", *words[1:])
    assert result.exit_code in (1, 2)
    assert shown in result.output
    assert "Traceback" not in result.output
    assert not (folder / "out.csv").exists()


def test_the_list_of_commands_imports_no_steps():
    code = "import sys; from shoal.cli import app\ntry: app(['--help'])\nexcept SystemExit: pass\n"
    code += "sys.exit('shoal.steps' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
