"""``shoal compare`` from the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import shoal
from shell import shell_line
from shoal._text import format_percentage

BASE = "compare sme.csv -c surface -c employees -k 2 -k 3 --method mdav --method sorted"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shoal.datasets.sme().to_csv("sme.csv", index=False)
    return tmp_path


def test_the_printed_command_releases_the_chosen_plan(folder):
    result = shell_line(BASE)
    assert result.exit_code == 0
    assert len(result.stdout.split("plans/")) == 4 + 2
    command = result.stdout.split("shoal ")[-1].strip().replace("TARGET", "out.csv")
    released = shell_line(command)
    assert released.exit_code == 0
    loss = json.loads(Path("comparison/table.json").read_text())
    chosen = next(row for row in loss if row["recommended"])
    assert f"information loss {format_percentage(chosen['information_loss'])}" in released.stdout


def test_lists_are_repeated_or_separated_by_commas(folder):
    first = shell_line(f"{BASE} --json")
    same = "compare sme.csv -c surface -c employees -k 2,3 -m mdav,sorted --to other --json"
    assert json.loads(first.stdout)["runs"] == json.loads(shell_line(same).stdout)["runs"]
    assert len(list((folder / "cache" / "shoal" / "compare").iterdir())) == 4


def test_the_cache_is_optional(folder):
    assert shell_line(f"{BASE} --no-cache --quiet").stdout == ""
    assert not (folder / "cache").exists()
    assert shell_line(f"{BASE} --cache mine --to second").exit_code == 0
    assert len(list((folder / "mine").iterdir())) == 4


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ("-k three", 2, "takes numbers"),
        ("-k 3 --risk luck", 2, "There is no risk"),
        ("-k 30", 1, "hold only 11"),
        ("-k 3 --dependence 0.5", 2, "needs confidential columns"),
        ("-k 3 --method madv", 2, "Did you mean 'mdav'"),
        ("-k 3 --set speed=9", 2, "no parameter 'speed'"),
        ("-k 3 -c surfaces", 1, "Did you mean 'surface'"),
    ],
)
def test_bad_comparisons_end_with_a_reason_and_write_nothing(folder, change, code, message):
    result = shell_line(f"compare sme.csv -c surface --no-cache {change}")
    assert (result.exit_code, message in result.stderr) == (code, True), result.stderr
    assert [path.name for path in folder.iterdir()] == ["sme.csv"]


def test_settings_reach_the_methods_that_take_them(folder):
    result = shell_line(
        "compare sme.csv -c surface -c employees -k 3 --method mdav,vmdav --set gamma=0.5"
        " --set aggregate=median"
    )
    assert result.exit_code == 0
    assert "gamma" not in Path("comparison/plans/01.toml").read_text()
    assert "gamma = 0.5" in Path("comparison/plans/02.toml").read_text()
    assert 'aggregate = "median"' in Path("comparison/plans/01.toml").read_text()


@pytest.mark.skipif(os.name == "nt", reason="it sends SIGINT to a process, which Windows lacks")
def test_an_interrupted_comparison_stops_and_resumes(folder):
    shoal.datasets.survey(6000).to_csv("people.csv", index=False)
    sizes = [str(k) for k in range(3, 43)]
    words = [
        "compare",
        "people.csv",
        "-c",
        "age",
        "-c",
        "height",
        "--method",
        "mdav",
        "--n-jobs",
        "2",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", *words, "-k", ",".join(sizes)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
    )
    kept = folder / "cache" / "shoal" / "compare"
    ends = time.monotonic() + 600
    while time.monotonic() < ends and not (kept.exists() and list(kept.glob("*.json"))):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert b"nothing was written" in errors
    assert not (folder / "comparison").exists()
    result = len(list(kept.glob("*.json")))
    assert 1 <= result < len(sizes)
