"""Limits on analyses: every command reads the columns of a text table in the same way."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from shoal.cli import app

MASK = "-c age -c height -k 4 -m mdav"
READ = ("--separator", ";", "--decimal", ",")
LIMIT = "min_ci_overlap = 0.01\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a text table whose unmasked columns hold decimals and categories."""
    folder = tmp_path_factory.mktemp("analysed")
    rng = np.random.default_rng(3)
    age = rng.integers(20, 70, 60)
    table = pd.DataFrame(
        {
            "age": age,
            "height": rng.integers(150, 200, 60),
            "score": np.round(age / 3 + rng.normal(0, 4, 60), 2),
            "ward": np.array(["a", "b"])[rng.integers(0, 2, 60)],
        }
    )
    table.to_csv(folder / "people.csv", index=False, sep=";", decimal=",")
    return folder


def shell(line, *more):
    return CliRunner().invoke(app, [*line.split(), *READ, *more])


def figure(done):
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)["limits"][0]["value"]


@pytest.mark.parametrize("formula", ["age ~ score + ward", "score ~ age"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_all_commands_compute_the_same_figure(folder, monkeypatch, tmp_path, formula, ending):
    monkeypatch.chdir(tmp_path)
    Path("limits.toml").write_text(f'formula = "{formula}"\n{LIMIT}')
    source, out = folder / "people.csv", f"out.{ending}"
    masked = shell(
        f"mask {source} {out} {MASK} --limits limits.toml --json --manifest out.json"
        " --audience internal"
    )
    utility = shell(f"utility {source} {out} --measure regression --limits limits.toml --json")
    assert figure(masked) == pytest.approx(figure(utility), rel=1e-9)
    advised = shell(f"advise {source} {MASK} --limits limits.toml --json")
    assert advised.exit_code == 0, advised.stderr
    best = json.loads(advised.stdout)["best"]["limits"][0]["value"]
    assert best == pytest.approx(figure(utility), rel=1e-9)


def test_a_verification_with_other_limits_reads_them_too(folder, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("limits.toml").write_text(f'formula = "score ~ age"\n{LIMIT}')
    source = folder / "people.csv"
    assert shell(f"mask {source} out.csv {MASK} --manifest out.json").exit_code == 0
    line = f"verify out.csv --manifest out.json --original {source} --limits limits.toml --json"
    checked = CliRunner().invoke(app, line.split())
    entries = {one["name"]: one for one in json.loads(checked.stdout)["checks"]}
    expected = figure(shell(f"utility {source} out.csv --limits limits.toml --json"))
    entry = entries["limit min_ci_overlap = 0.01"]
    assert entry["passed"], entry
    assert float(entry["message"].split()[-1]) == pytest.approx(expected, rel=1e-3)
