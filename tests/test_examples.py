"""Every example runs and prints its result."""

import ast
import re
import runpy
import warnings
from pathlib import Path

import pytest

from shoal.errors import ShoalWarning

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py"))
# A pattern of the output of each example.
OUTPUT = {
    "attack_a_release": r"each column separately:\s+(9\d\.\d|100\.0)%",
    "certified_gap": r"proven optimal: True",
    "compare_methods": r"mdav \+ refine\s+10.*on the Pareto front",
    "hide_a_survey": r"looks like 4 others or more.\nWritten: plan.toml release.csv report.html",
    "keep_dependence": r"dependence +0.05: R² = 0\.48",
    "mixed_types": r"'town': '\d+% unchanged'",
    "parquet_in_blocks": r"release.parquet: \d\.\d MB, 20000 records",
    "plan_in_version_control": r"-k = 3\n\+k = 10\n(.*\n)*.*Did you mean 'within'",
    "read_spss_write_stata": r"Labels of smoker: .*'no'.*\n.*Stata, too: 5 of 5",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_and_prints_its_result(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parent / "src"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert re.search(OUTPUT[name], capsys.readouterr().out)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_short_and_says_what_it_shows(name):
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 50
    assert ast.get_docstring(ast.parse(text)).endswith(".")


def test_every_example_is_tested():
    assert sorted(OUTPUT) == EXAMPLES
