"""A release in Python has the findings of a release in a file."""

import pandas as pd
import pytest

import shoal
from shoal.plan.deliver import deliver

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_verdicts_agree(tmp_path, ending):
    table = pd.DataFrame(
        {
            "row": range(40),
            "age": [20 + i * 7 % 40 for i in range(40)],
            "born": [2000 - i * 7 % 40 for i in range(40)],
            "score": [i * 0.37 for i in range(40)],
            "ill": ["yes" if i % 40 < 30 else "no" for i in range(40)],
        }
    )
    options = {"identifiers": ["row"], "confidential": ["ill"]}
    release = shoal.microaggregate(table, ["age"], k=5, **options)
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    getattr(table, f"to_{ending}")(source, index=False)
    plan = release.plan.replace(other_columns="release")
    of_file = deliver(plan, source, target).release.verdict
    reservations = [finding.code for finding in release.verdict.of("qualifies")]
    assert {"unprotected-column", "derived-column", "order-follows-column"} <= set(reservations)
    assert reservations == [finding.code for finding in of_file.of("qualifies")]
