"""Thresholds are options of a plan: written where they differ, checked when read."""

import pytest

from shoal.errors import ParameterError, PlanError
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.thresholds import Thresholds
from shoal.steps import Microaggregate

STEPS = [Microaggregate(["age"], MDAV(k=3))]


def test_a_document_holds_only_thresholds_that_differ():
    assert "thresholds" not in Plan({}, STEPS).to_dict()
    plan = Plan({}, STEPS, thresholds={"dominance": 0.9, "p_percent": 10})
    assert plan.to_dict()["thresholds"] == {"dominance": 0.9, "p_percent": 10}
    assert Plan.from_dict(plan.to_dict()).thresholds == plan.thresholds
    assert plan == Plan({}, STEPS, thresholds=Thresholds(dominance=0.9, p_percent=10))


def test_a_plan_file_keeps_its_thresholds(tmp_path):
    plan = Plan({}, STEPS, thresholds={"unique": 0.2})
    plan.save(tmp_path / "plan.toml")
    assert "[thresholds]" in (tmp_path / "plan.toml").read_text()
    assert Plan.load(tmp_path / "plan.toml") == plan


@pytest.mark.parametrize("invalid", [{"dominance": 2}, {"dominanc": 0.9}, {"loss": "high"}, 5])
def test_invalid_thresholds_are_refused(invalid):
    with pytest.raises(PlanError):
        Plan({}, STEPS, thresholds=invalid)


def test_thresholds_check_themselves():
    with pytest.raises(ParameterError):
        Thresholds(order=-0.1)
