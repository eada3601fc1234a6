"""The README is correct: its output, and every row of its table."""

import inspect
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import markdown_pages
import shoal
from shoal.cli import app
from shoal.partitioners import METHODS
from shoal.steps import STEPS

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
TABLE = README.split("|---|---|---|\n")[1].split("\n\n")[0].splitlines()
ROWS = {row.split("|")[1].strip(): row.split("|")[2:4] for row in TABLE}
MAKEFILE = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")
SCREEN = 50  # lines before the table


def test_make_demo_shows_what_the_readme_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, ["demo"]).stdout
    assert shown in re.sub(r"(?m)^    ", "", README)
    assert {"release.csv", "report.html", "plan.toml"} <= {p.name for p in Path("demo").iterdir()}


def test_the_readme_is_one_screen_and_a_table():
    before, _, after = README.partition("## What Shoal does")
    assert before.count("\n") <= SCREEN
    assert len(after.splitlines()) - len(ROWS) <= 10


def exists(name):
    """Return whether a command, option, parameter, method, step or public name exists."""
    if name.startswith("shoal "):
        return CliRunner().invoke(app, [name.removeprefix("shoal "), "--help"]).exit_code == 0
    if name.startswith("make "):
        return f"\n{name.removeprefix('make ')}: " in MAKEFILE
    if name.startswith("--"):
        return name in CliRunner().invoke(app, ["mask", "--help"], terminal_width=200).stdout
    if name.endswith("="):
        return name[:-1] in inspect.signature(shoal.microaggregate).parameters
    if name.startswith("shoal."):
        return name.removeprefix("shoal.") in shoal.__all__
    return name in METHODS or name in STEPS


@pytest.mark.parametrize("row", ROWS)
def test_what_a_row_of_the_table_names_is_there(row):
    names = re.findall(r"`([^`]+)`", ROWS[row][0])
    assert names
    assert [name for name in names if not exists(name)] == []
    assert re.search(r"\]\(docs/[^)]+\)", ROWS[row][1])


@pytest.mark.parametrize(
    "name", ["shoal no", "make no", "--no-such", "no=", "shoal.no", "no-method"]
)
def test_names_that_do_not_exist_are_detected(name):
    assert not exists(name)


def test_the_table_names_every_method_step_and_command():
    named = set(re.findall(r"`([^`]+)`", "".join(take for take, _ in ROWS.values())))
    assert set(METHODS) | set(STEPS) - {"microaggregate"} <= named
    commands = {f"shoal {c.name or c.callback.__name__}" for c in app.registered_commands}
    assert commands - {"shoal demo", "shoal methods"} <= named


def test_the_readme_has_code_that_is_run():
    assert {block.language for block in markdown_pages.blocks(README)} == {"pycon", "console"}
