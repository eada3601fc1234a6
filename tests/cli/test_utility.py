"""Commands that compare two files: analyses, and figures by subgroup."""

import json

import pandas as pd
import pytest

import shoal
from shell import shell

ROWS = 60


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    before = pd.DataFrame(
        {
            "age": [20 + row * 7 % 40 for row in range(ROWS)],
            "wage": [1000 + row * 131 % 900 for row in range(ROWS)],
            "sex": ["f", "f", "m"] * (ROWS // 3),
            "weight": [1 + row % 3 for row in range(ROWS)],
        }
    )
    after = before.assign(age=(before["age"] // 10) * 10 + 5)
    before.to_csv(folder / "before.csv", index=False)
    after.to_csv(folder / "after.csv", index=False)
    return before, after, str(folder / "before.csv"), str(folder / "after.csv")


def test_command_line_and_python_agree(files):
    before, after, *paths = files
    options = ("--formula", "wage ~ age + sex", "--weight", "weight", "--by", "sex")
    result = shell("utility", *paths, *options, "--measure", "regression", "--seed", "1", "--json")
    assert result.exit_code == 0, result.stderr
    expected = shoal.utility(
        before, after, formula="wage ~ age + sex", weight="weight", by="sex",
        measures=["regression"], random_state=1,
    )  # fmt: skip
    assert json.loads(result.stdout)["figures"] == pytest.approx(expected.figures())


def test_text_names_figures_groups_and_analyses(files):
    result = shell("utility", *files[2:], "--measure", "estimates", "--by", "sex")
    assert result.exit_code == 0, result.stderr
    for words in ("quantile_error", "by sex", "worst-off group", "estimates by group"):
        assert words in result.stdout


@pytest.mark.parametrize("command", ["assess", "attack"])
def test_measures_and_attacks_by_subgroup(files, command):
    options = ("-c", "age", "--by", "sex", "--json")
    result = shell(command, *files[2:], *options)
    assert result.exit_code == 0, result.stderr
    groups = json.loads(result.stdout)["groups"]
    assert groups["sizes"] == {"sex=f": 40, "sex=m": 20}
    assert "by sex" in shell(command, *files[2:], *options[:-1]).stdout
    small = shell(command, *files[2:], *options, "--min-group", "21")
    assert small.exit_code == 1
    assert "sex" in small.stderr


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("--formula", "wage ~ open(age)"), 2),
        (("--formula", "wage ~ nobody"), 1),
        (("--measure", "everything"), 2),
        (("--min-group", "1"), 2),
        (("--by", "nobody"), 1),
    ],
)
def test_wrong_options_exit_with_their_status(files, options, status):
    result = shell("utility", *files[2:], "--measure", "estimates", *options)
    assert result.exit_code == status
    assert "Traceback" not in result.stderr
