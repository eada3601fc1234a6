"""Hints name only what the command, the step or the plan has."""

import re
from pathlib import Path

import pandas as pd
import pytest

import shoal
from shell import shell_line
from shoal.cli.commands.step_commands import SUMMARIES

FLAG = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)\b")
COMMANDS = {
    "generalise": "-c age -c floor --type age=interval:10,50 --type floor=interval:4,40 -k 3",
    "suppress": "-c age -c floor --type age=nominal -k 3",
    "rank-swap": "-c age -c floor --percent 10",
    "mask": "-c age -c floor -k 3",
}


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a table whose classes share a confidential value."""
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(
        {
            "age": [20 + 10 * (row // 6) for row in range(36)],
            "floor": [row // 6 for row in range(36)],
            "illness": ["abc"[row // 12] for row in range(36)],
        }
    )
    table.to_csv("in.csv", index=False)
    return table


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_name_only_their_own_options(table, command):
    result = shell_line(f"{command} in.csv out.csv {COMMANDS[command]} --confidential illness")
    assert result.exit_code == 0, result.stderr
    assert "illness" in result.stderr
    options = FLAG.findall(shell_line(f"{command} --help").stdout)
    assert set(FLAG.findall(result.stderr)) <= set(options)
    assert "homogeneity=" not in result.stderr.replace("--set homogeneity=", "")
    assert ("--set homogeneity=merge" in result.stderr) == (command == "mask")
    has_k = command != "rank-swap"
    assert ("aise k" in result.stderr) == has_k


def test_the_steps_of_the_test_are_commands():
    assert set(COMMANDS) <= {"mask", *SUMMARIES}


@pytest.mark.parametrize("command", ["compare --no-cache", "advise --limits limits.toml"])
def test_parameters_without_an_option_are_set(table, command):
    table.assign(age=table["age"].where(table["age"] > 20)).to_csv("in.csv", index=False)
    Path("limits.toml").write_text("max_linkage = 1\n")
    result = shell_line(f"{command} in.csv -c age -c floor -k 3")
    assert result.exit_code == 1
    assert "--set missing=drop" in result.stderr
    assert shell_line(f"{command} in.csv -c age -c floor -k 3 --set missing=drop").exit_code == 0


def test_a_plan_is_advised_in_its_own_notation(table):
    plan = shoal.Plan.of(["age", "floor"], shoal.partitioners.MDAV(k=3), other_columns="release")
    plan.save("plan.toml")
    result = shell_line("run plan.toml in.csv out.csv")
    assert result.exit_code == 0, result.stderr
    assert "shuffle = true" in result.stderr
    text = Path("plan.toml").read_text()
    Path("plan.toml").write_text(f"shuffle = true\n{text}")
    assert shell_line("run plan.toml in.csv shuffled.csv").exit_code == 0
