"""Survey weights below 1 cannot be numbers of units."""

import json
import warnings

import pandas as pd
import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.errors import ShoalWarning
from shoal.metrics.survey import survey_risk

SAMPLE = pd.DataFrame(
    {"sex": list("ffmmfm"), "job": list("aabbab"), "w": [0.5, 9.0, 8.0, 0.25, 1.0, 3.0]}
)
KEYS = ["sex", "job"]


def test_weights_below_one_are_warned_about():
    with pytest.warns(ShoalWarning) as caught:
        risks = survey_risk(SAMPLE, quasi_identifiers=KEYS, weight="w")
    [warning] = [one.message for one in caught]
    assert (warning.code, warning.column, warning.records) == ("weights-below-one", "w", 2)
    assert risks.remarks == (str(warning),)


def test_weights_of_at_least_one_are_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        risks = survey_risk(
            SAMPLE.assign(w=SAMPLE["w"].clip(lower=1)), quasi_identifiers=KEYS, weight="w"
        )
    assert risks.remarks == ()


def test_the_command_line_prints_the_warning(tmp_path):
    SAMPLE.to_csv(tmp_path / "sample.csv", index=False)
    line = ["risk", str(tmp_path / "sample.csv"), "-c", "sex", "-c", "job", "--weight", "w"]
    result = CliRunner().invoke(app, [*line, "--json"])
    assert result.exit_code == 0, result.stderr
    [remark] = json.loads(result.stdout)["remarks"]
    assert f"warning: {remark}" in result.stderr
