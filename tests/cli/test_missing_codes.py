"""Missing codes in the commands that measure: the same meaning as in `shoal mask`."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from shoal.cli import app

CODES = ("--missing-codes", "floors=99")
ROWS = 40


@pytest.fixture(scope="module", params=["csv", "parquet"])
def files(request, tmp_path_factory):
    """Return a file with missing codes, the same with empty cells, and releases of both."""
    folder = tmp_path_factory.mktemp("codes")
    floors = [1 + row * 3 % 7 for row in range(ROWS)]
    coded = pd.DataFrame(
        {
            "age": [20 + row * 7 % 41 for row in range(ROWS)],
            "floors": [99 if row % 5 == 0 else floors[row] for row in range(ROWS)],
            "cost": [100 + row * 13 % 37 for row in range(ROWS)],
            "weight": [1 + row % 3 for row in range(ROWS)],
        }
    )
    empty = coded.assign(floors=coded["floors"].mask(coded["floors"] == 99).astype("Int64"))
    tables = {"coded": coded, "empty": empty}
    for name, table in {**tables}.items():
        tables[f"{name}_out"] = table.assign(age=table["age"] // 10 * 10)
    for name, table in tables.items():
        path = folder / f"{name}.{request.param}"
        getattr(table, f"to_{request.param}")(path, index=False)
        tables[name] = str(path)
    return tables


def printed(*arguments):
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


COMMANDS = {
    "assess": ("-c", "age", "-c", "floors", "--measure", "information_loss"),
    "utility": ("--measure", "estimates", "--seed", "1"),
    "attack": ("-c", "age", "-c", "floors", "--attack", "linkage-distance", "--seed", "1"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_codes_count_as_empty_cells_of_both_tables(files, command):
    options = COMMANDS[command]
    expected = printed(command, files["empty"], files["empty_out"], *options)
    assert printed(command, files["coded"], files["coded_out"], *options, *CODES) == expected
    assert printed(command, files["coded"], files["empty_out"], *options, *CODES) == expected
    assert printed(command, files["coded"], files["coded_out"], *options) != expected


def test_codes_in_a_sample_are_one_value(files):
    options = ("-c", "age", "-c", "floors", "--weight", "weight")
    expected = printed("risk", files["empty"], *options)
    assert printed("risk", files["coded"], *options, *CODES) == expected


@pytest.mark.parametrize("command", [*COMMANDS, "risk"])
def test_a_column_that_does_not_exist_is_refused(files, command):
    tables = [files["coded"], *([files["coded_out"]] * (command != "risk"))]
    line = [command, *tables, "-c", "age", "--missing-codes", "florrs=99"]
    refused = CliRunner().invoke(app, line)
    assert refused.exit_code == 1
    assert "florrs" in refused.stderr


def test_assess_measures_the_same_loss_as_the_run(files, tmp_path):
    target = str(tmp_path / "out.csv")
    options = ("-c", "age", "-c", "floors", "-k", "3", "--missing", "own-groups", *CODES)
    run = printed("mask", files["coded"], target, *options)
    measures = {one["name"]: one["value"] for one in run["measures"]}
    options = ("-c", "age", "-c", "floors", *CODES, "--measure", "information_loss")
    again = printed("assess", files["coded"], target, *options)["measures"]
    assert again["information_loss"] == pytest.approx(measures["information_loss"], rel=1e-3)
