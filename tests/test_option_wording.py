"""Options in messages, in the notation of the interface in use."""

import ast
import inspect
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import shoal
from raising import raises
from shoal import _params as parameters
from shoal import cli
from shoal.app import worker
from shoal.app.messages import page_wording
from shoal.cli.wording import (
    FILE_FLAGS,
    FLAGS,
    MEASURE_FLAGS,
    PLAN_FLAGS,
    command_wording,
    plan_wording,
)
from shoal.errors import InputError
from shoal.metrics import MEASURES
from shoal.partitioners import METHODS
from shoal.steps import STEPS

SOURCE = Path(shoal.__file__).parent
OPTION = re.compile(r"`([a-z_]+)(?:=[^`]*)?`")
TABLE = "age,wage\n1,2\n3,\n5,6\n7,8\n9,1\n"
PLAN = """version = 1
[roles]
age = "quasi-identifier"
wage = "quasi-identifier"
[[steps]]
method = "microaggregate"
columns = ["age", "wage"]
partition = { method = "mdav", k = 2 }
"""


def flags(name):
    """Return the options that a command takes."""
    command = typer.main.get_command(cli.app).commands[name]
    return {flag for parameter in command.params for flag in parameter.opts}


def options_in_messages():
    """Yield the options that exceptions and warnings name, each with its file."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise | ast.Call):
                for part in ast.walk(node):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        for name in OPTION.findall(part.value):
                            yield name, path.relative_to(SOURCE).as_posix()


def test_every_option_in_a_message_exists():
    known = {*FLAGS, *inspect.signature(shoal.microaggregate).parameters}
    for cls in (*STEPS.values(), *METHODS.values(), shoal.Plan):
        known |= set(parameters.signature_parameters(cls))
    for function in MEASURES.values():
        known |= set(inspect.signature(function).parameters)
    entries = dict(options_in_messages())
    assert {"missing", "force", "small_strata"} <= set(entries)
    assert {name: place for name, place in entries.items() if name not in known} == {}


def test_flags_of_the_wording_are_flags_of_the_command():
    assert set({**FILE_FLAGS, **PLAN_FLAGS}.values()) <= flags("mask")
    assert set(FILE_FLAGS.values()) <= flags("run")
    assert set(MEASURE_FLAGS.values()) <= flags("utility") | flags("advise") | flags("risk")


def test_the_library_names_python_parameters():
    import pandas as pd

    data = pd.DataFrame({"age": [1.0, None, 3.0, 4.0]})
    with raises(InputError) as caught:
        shoal.microaggregate(data, ["age"], k=2)
    assert 'missing="drop"' in str(caught.value)
    assert "`" not in str(caught.value)


@pytest.mark.parametrize(
    ("command", "way_out"),
    [
        (["mask", "in.csv", "out.csv", "-c", "age", "-c", "wage", "-k", "2"], "--missing drop"),
        (["run", "plan.toml", "in.csv", "out.csv"], 'missing = "drop"'),
    ],
)
def test_the_command_line_names_its_own_options(tmp_path, monkeypatch, command, way_out):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(TABLE)
    Path("plan.toml").write_text(PLAN)
    result = CliRunner().invoke(cli.app, command)
    assert result.exit_code == 1
    assert way_out in result.stderr
    assert "`" not in result.stderr


def test_options_recommended_by_the_command_line_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(TABLE)
    words = ["mask", "in.csv", "out.csv", "-c", "age", "-c", "wage", "-k", "2"]
    result = CliRunner().invoke(cli.app, [*words, *command_wording("missing", '"drop"').split()])
    assert result.exit_code == 0, result.stderr
    contradiction = [*words, "--force", "--missing", "drop", "--set", "missing=impute"]
    assert CliRunner().invoke(cli.app, contradiction).exit_code == 2


def test_the_page_names_its_fields(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(TABLE)
    arguments = {
        "task": "mask",
        "dialect": {},
        "folder": str(tmp_path),
        "name": "in.csv",
        "target": "out.csv",
        "number": 1,
        "plan": shoal.Plan.of(["age", "wage"], METHODS["mdav"](k=2)).to_dict(),
    }
    with raises(InputError) as caught:
        worker.mask(arguments)
    assert "“Missing values: leave such records out”" in caught.value.message_for(page_wording)


def test_wording_of_a_plan_keeps_the_options_of_files():
    assert plan_wording("force", "True") == command_wording("force", "True") == "--force"
    assert plan_wording("encoding", '"latin-1"') == "--encoding latin-1"
    assert plan_wording("random_state", "1") == "random_state = 1"
