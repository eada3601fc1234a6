"""A release of a labelled file, read back by pyreadstat: labels, kinds, order, unmasked columns."""

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from shoal.inspection import inspect
from shoal.plan.deliver import deliver

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
LABELS = {
    "race": {1.0: "hispanic", 2.0: "asian", 3.0: "african-amer", 4.0: "white"},
    "ses": {1.0: "low", 2.0: "middle", 3.0: "high"},
    "happy": {1.0: "no", 2.0: "yes"},
}
NAMES = {"race": "Ethnic group", "ses": "Socioeconomic status", "math": "Points in mathematics"}
READERS = {"sav": pyreadstat.read_sav, "dta": pyreadstat.read_dta}


def survey(path):
    """Write 120 pupils with labels to a file, and return them."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "id": np.arange(120.0),
            "race": rng.choice([1.0, 2.0, 3.0, 4.0], 120, p=[0.1, 0.1, 0.2, 0.6]),
            "ses": rng.choice([1.0, 2.0, 3.0], 120),
            "happy": rng.choice([1.0, 2.0], 120),
            "math": rng.integers(30, 80, 120).astype(float),
            "name": [f"pupil {i % 7}" for i in range(120)],
        }
    )
    if path.suffix == ".sav":
        pyreadstat.write_sav(
            data, path, variable_value_labels=LABELS, column_labels=NAMES,
            variable_measure={"race": "nominal", "ses": "ordinal", "math": "scale"},
        )  # fmt: skip
    else:
        pyreadstat.write_dta(data, path, variable_value_labels=LABELS, column_labels=NAMES)
    return data


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_a_starter_plan_keeps_kinds_labels_order_and_unmasked_columns(tmp_path, ending):
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    data = survey(source)
    plan = inspect(source).plan(k=5)
    assert {"race", "ses"} <= set(plan.types) | set(plan.roles)
    plan = plan.replace(shuffle=False)
    deliver(plan, source, target)
    released, meta = READERS[ending](target)
    released_columns = [name for name in data if name not in plan.dropped]
    assert list(released) == released_columns
    for name in released_columns:
        if name not in plan.masked:
            assert released[name].tolist() == data[name].tolist()
        if name in LABELS:
            assert set(released[name]) <= set(data[name])  # a code that occurs, never a mean
            assert meta.variable_value_labels[name].items() <= LABELS[name].items()
            assert set(released[name]) <= set(meta.variable_value_labels[name])
        assert meta.column_names_to_labels[name] in (NAMES.get(name), "", None)
    if ending == "sav":
        assert meta.variable_measure["ses"] == "ordinal"
        assert meta.variable_measure["race"] == "nominal"
    masked = [name for name in plan.quasi_identifiers if name in released_columns]
    assert released.groupby(masked, dropna=False).size().min() >= 5
