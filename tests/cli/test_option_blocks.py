"""Option blocks: declared once, expanded into the options of each command."""

import re
from dataclasses import dataclass, fields
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from shoal import cli
from shoal.cli.commands.step_commands import SUMMARIES, step_command
from shoal.cli.options import ReadOptions
from shoal.cli.options.blocks import expand_blocks
from shoal.cli.parsing.settings import parse_numbers, split_commas
from shoal.errors import ParameterError
from shoal.partitioners import MDAV
from shoal.plan import Plan


@dataclass(frozen=True)
class Block:
    """A block of a required and an optional option."""

    size: Annotated[int, typer.Option("--size")]
    name: Annotated[str, typer.Option("--name")] = "a"


def run_command(words):
    calls = []
    app = typer.Typer()

    @app.command()
    @expand_blocks
    def command(
        source: Annotated[str, typer.Argument()],
        block: Block,
        force: Annotated[bool, typer.Option("--force")] = False,
    ) -> None:
        calls.append((source, block, force))

    result = CliRunner().invoke(app, words)
    return result, calls


def test_a_block_is_built_from_its_options():
    result, calls = run_command(["in.csv", "--size", "3", "--force"])
    assert result.exit_code == 0, result.output
    assert calls == [("in.csv", Block(3, "a"), True)]
    assert run_command(["--name", "b", "in.csv", "--size", "4"])[1][0][1] == Block(4, "b")


def test_an_option_of_a_block_without_default_is_required():
    result, calls = run_command(["in.csv"])
    assert result.exit_code == 2
    assert not calls


def flags(command):
    parameters = typer.main.get_command(cli.app).commands[command].params
    return {flag for parameter in parameters for flag in parameter.opts}


@pytest.mark.parametrize(
    "command",
    ["mask", "run", "assess", "attack", "utility", "risk", "inspect", "compare", "tradeoff"],
)
def test_every_command_that_reads_a_table_takes_all_options_for_reading(command):
    names = {f"--{field.name.replace('_', '-')}" for field in fields(ReadOptions)}
    assert names <= flags(command)


@pytest.mark.parametrize(
    "command", ["mask", "run", "attack", "utility", "compare", "advise", "tradeoff"]
)
def test_every_command_that_draws_or_runs_jobs_takes_seed_and_n_jobs(command):
    assert {"--seed", "--n-jobs"} <= flags(command)


@pytest.mark.parametrize("step", SUMMARIES)
def test_every_command_of_a_step_takes_a_seed_and_n_jobs_where_it_groups(step):
    names = {flag for parameter in step_command(step).params for flag in parameter.opts}
    assert "--seed" in names
    assert ("--n-jobs" in names) == ("--method" in names)


@pytest.mark.parametrize("command", sorted(typer.main.get_command(cli.app).commands))
def test_help_shows_no_python_types(command):
    text = CliRunner().invoke(cli.app, [command, "--help"], terminal_width=200).stdout
    options_only = text.partition("Options")[2].replace("--help", "").splitlines()
    own = [line for line in options_only if "Show this message" not in line]
    assert not [line for line in own if re.search(r"<[a-z]", line)]


def test_lists_are_repeated_or_separated_by_commas():
    assert parse_numbers(["3", "5,10"], int, "-k") == [3, 5, 10]
    assert split_commas(["mdav,auto", "vmdav"]) == ["mdav", "auto", "vmdav"]
    with pytest.raises(ParameterError) as caught:
        parse_numbers(["3,x"], int, "-k")
    assert (caught.value.code, caught.value.option) == ("numbers-expected", "-k")


@pytest.mark.parametrize("command", ["compare", "tradeoff", "mask", "swap", "run"])
def test_zero_jobs_are_refused(command, tmp_path):
    source, plan = tmp_path / "in.csv", tmp_path / "plan.toml"
    Plan.of(["a", "b", "c"], MDAV(k=3)).save(plan)
    source.write_text("a,b,c\n" + "".join(f"{i},{i * 7 % 11},{i % 3}\n" for i in range(20)))
    words = {
        "compare": [source, "--to", tmp_path / "out", "-c", "a", "-k", 3],
        "tradeoff": [source, "-c", "a", "-c", "b", "--confidential", "c", "-k", 3],
        "mask": [source, tmp_path / "out.csv", "-c", "a", "-c", "b", "-c", "c", "-k", 3],
        "swap": [source, tmp_path / "out.csv", "-c", "a", "-c", "b", "-k", 3],
        "run": [plan, source, tmp_path / "out.csv"],
    }[command]
    result = CliRunner().invoke(cli.app, [command, *map(str, words), "--n-jobs", "0"])
    assert result.exit_code == 2, result.output  # the command line was wrong
    assert "--n-jobs" in result.stderr
