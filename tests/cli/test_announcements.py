"""What the command line says it wrote, and what its figures count."""

import json

import pandas as pd
import pyreadstat
import pytest

import shoal
from shell import shell
from shoal._text import format_percentage, limit_table_width


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shoal.datasets.survey(60).to_csv("in.csv", index=False)
    return tmp_path


MASK = ["mask", "in.csv", "out.csv", "-c", "age,height", "-k", 5, "-i", "person"]


def test_every_file_that_a_run_writes_is_announced(folder):
    assert shell("keygen", "key.pem", "public.pem").exit_code == 0
    before = {path.name for path in folder.iterdir()}
    result = shell(*MASK, "--report", "report.html", "--manifest", "m.json", "--sign", "key.pem",
                   "--save-plan", "plan.toml")  # fmt: skip
    assert result.exit_code == 0, result.output
    written = {path.name for path in folder.iterdir()} - before
    assert written == {line.partition(":")[0] for line in result.stdout.splitlines()} - {"verdict"}
    assert "do not publish" in result.stdout
    again = shell(*MASK, "--manifest", "m.json", "--force", "--json")
    assert json.loads(again.stdout)["written"] == {"m.json": "the manifest"}  # the key stays


def test_assess_names_options_and_what_measures_count(folder):
    assert shell(*MASK, "-q").exit_code == 0
    result = shell("assess", "in.csv", "out.csv", "-c", "age,height")
    text = " ".join(result.stdout.split())
    for option in ("--unit", "--weight", "--confidential"):
        assert option in text
    for name in ("linkage", "il1s", "std_ratio"):
        assert f"{name}: " in text
    assert "whose nearest original record is their own" in text
    words = ["assess", "in.csv", "out.csv", "-c", "age,height", "--confidential", "income"]
    assert "--confidential" not in shell(*words).stdout


def test_attacks_fit_80_columns_and_say_what_linkage_counts(folder):
    table = pd.read_csv("in.csv")
    assert shell(*MASK, "-q").exit_code == 0
    results = shoal.attack(table, pd.read_csv("out.csv"), quasi_identifiers=["age", "height"],
                         confidential=["smoker"], n_attacks=100, random_state=0)  # fmt: skip
    with limit_table_width(80):
        lines = repr(results).split("\n")
    rows = [line for line in lines if line.split("  ")[0] in {*results, "attack"}]
    assert len(rows) == len(results) + 1
    assert max(map(len, rows)) <= 80
    assert "nearest original" in results["linkage-distance"].remark


@pytest.mark.parametrize(
    ("value", "text"),
    [(14.7777, "14.8 %"), (9.996, "10.0 %"), (0.00426, "0.00426 %"), (100.0, "100 %"),
     (1234.5, "1,230 %"), (0.0, "0 %"), (1e-12, "less than 0.001 %")],
)  # fmt: skip
def test_losses_have_three_significant_figures(value, text):
    assert format_percentage(value) == text


def test_comments_of_starter_plans_fit_100_columns():
    table = pd.DataFrame({f"a_rather_long_name_{i}": [1.0, None, 3.0, 4.0] * 5 for i in range(9)})
    table.columns = [f"age_{name}" for name in table.columns]
    plan = shoal.inspect(table).starter_plan()
    comments = [line for line in plan.split("\n") if line.startswith("#")]
    assert any("Values are missing" in line for line in comments)
    assert max(map(len, comments)) <= 100


def test_what_a_file_could_not_hold_is_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"age": range(20, 40), "dose": [0.5, 1.0] * 10})
    pyreadstat.write_sav(frame, "in.sav", variable_value_labels={"dose": {0.5: "half"}})
    done = shell("mask", "in.sav", "out.dta", "-c", "age", "-k", 4)
    assert done.exit_code == 0, done.stderr
    assert "labels whole numbers only; other labels of 'dose' are lost" in " ".join(
        done.stderr.split()
    )
