"""The plan of a release states the whole budget, although strata share it."""

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.plan import Plan


@pytest.mark.parametrize("strata", [2, 5])
def test_a_proof_keeps_its_budget_over_strata_and_runs(strata):
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"stratum": np.arange(30) % strata, "x": rng.normal(size=30)})
    release = shoal.microaggregate(
        data, ["x"], k=2, within="stratum", effort="prove", budget=600.0, random_state=1
    )
    (step,) = release.plan.to_dict()["steps"]
    assert step["partition"]["budget"] == 600
    assert Plan.from_dict(release.plan.to_dict()).run(data).plan == release.plan
