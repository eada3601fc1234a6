"""A release in Python has the findings of a release in a file."""

import pandas as pd
import pytest

import shoal
from shoal.plan.deliver import deliver

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def test_the_verdicts_agree(tmp_path):
    table = pd.DataFrame(
        {
            "row": range(40),
            "age": [20 + at * 7 % 40 for at in range(40)],
            "born": [2000 - at * 7 % 40 for at in range(40)],
            "score": [at * 0.37 for at in range(40)],
            "ill": ["yes" if at % 40 < 30 else "no" for at in range(40)],
        }
    )
    options = {"identifiers": ["row"], "confidential": ["ill"]}
    release = shoal.microaggregate(table, ["age"], k=5, **options)
    table.to_parquet(tmp_path / "in.parquet", index=False)
    plan = release.plan.replace(other_columns="release")
    of_file = deliver(plan, tmp_path / "in.parquet", tmp_path / "out.parquet").release.verdict
    reservations = [finding.code for finding in release.verdict.of("qualifies")]
    assert {"unprotected-column", "derived-column", "order-follows-column"} <= set(reservations)
    assert reservations == [finding.code for finding in of_file.of("qualifies")]
