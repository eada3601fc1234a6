"""Decimals and aggregates by column, and decimals as in the original."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow.csv as text
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal import microaggregate
from shoal.audit.agreed_plan import check_agreed
from shoal.cli.parsing.settings import parse_settings
from shoal.errors import ParameterError, PlanError
from shoal.frame.notation.decimals import decimals_of_values
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.deliver import deliver
from shoal.steps import Microaggregate

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

FRAME = pd.DataFrame(
    {"age": [30, 31, 33, 60, 61, 63], "wage": [10.25, 10.5, 11.0, 90.75, 91.0, 92.5]}
)


def masked(**options):
    return microaggregate(FRAME, ["age", "wage"], k=3, method="mdav", **options).data


def test_decimals_are_stated_by_column():
    data = masked(decimals={"wage": 1})
    assert data["wage"].to_list() == [10.6] * 3 + [91.4] * 3
    assert data["age"][0] == pytest.approx(94 / 3, abs=1e-12)
    assert masked(decimals={"age": 0})["age"].to_list() == [31] * 3 + [61] * 3


def test_aggregates_are_stated_by_column():
    data = masked(aggregate={"age": "median"})
    assert data["age"].to_list() == [31] * 3 + [61] * 3
    assert data["wage"][0] == pytest.approx(31.75 / 3)
    trimmed = masked(aggregate={"wage": "trimmed-mean"}, trim=0.34)
    assert trimmed["wage"].to_list() == [10.5] * 3 + [91.0] * 3


def test_round_original_keeps_ages_whole():
    data = masked(round="original")
    assert data["age"].dtype == np.int64
    assert data["age"].to_list() == [31] * 3 + [61] * 3
    assert data["wage"].to_list() == [10.58] * 3 + [91.42] * 3
    assert masked(round="original", decimals={"wage": 0})["wage"].to_list() == [11.0] * 3 + [91] * 3


def test_a_table_in_memory_is_not_rounded_by_default():
    assert masked()["wage"][0] == 31.75 / 3


def test_an_option_of_another_column_is_refused():
    with raises(PlanError, "option-of-another-column", columns=("hight",)):
        Microaggregate(["height"], MDAV(k=3), decimals={"hight": 1})
    with raises(ParameterError, "parameter-not-accepted"):
        Microaggregate(["height"], MDAV(k=3), decimals={"height": "two"})
    with raises(PlanError, "trim-and-aggregate"):
        Microaggregate(["height"], MDAV(k=3), aggregate={"height": "trimmed-mean"})


def test_a_plan_document_states_them_by_column(tmp_path):
    step = Microaggregate(["a", "b"], MDAV(k=3), decimals={"a": 2}, aggregate={"b": "median"})
    plan = Plan({}, [step])
    plan.save(tmp_path / "plan.toml")
    assert Plan.load(tmp_path / "plan.toml") == plan


def test_the_command_line_states_them_by_column():
    pairs = ["decimals=income=2,age=0", "decimals=a=b=1", "aggregate=income=median"]
    step, _ = parse_settings([*pairs, "round=original"], "mdav")
    assert step["decimals"] == {"income": 2, "age": 0, "a=b": 1}
    assert step["aggregate"] == {"income": "median"}
    assert step["round"] == "original"
    assert parse_settings(["decimals=1"], "mdav")[0] == {"decimals": 1}


SOURCE = "age,wage,rate\n30,10.50,0.123456789012345678\n31,10.50,0.5\n33,11.00,0.25\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (94 / 3, 10.67, 0.29115226300411525)),
        ({"round": "none"}, (94 / 3, 32 / 3, 0.29115226300411525)),
        ({"round": "original"}, (31, 10.67, 0.29115226300411525)),
        ({"decimals": 1}, (31.3, 10.7, 0.3)),
        ({"decimals": {"age": 1}}, (31.3, 10.67, 0.29115226300411525)),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_shows_no_more_decimals_than_its_source(tmp_path, options, expected, ending):
    (tmp_path / "in.csv").write_text(SOURCE)
    plan = Plan.of(["age", "wage", "rate"], MDAV(k=3), **options)
    done = deliver(plan, tmp_path / "in.csv", tmp_path / f"out.{ending}")
    frame = (
        pq.read_table(tmp_path / "out.parquet").to_pandas()
        if ending == "parquet"
        else text.read_csv(tmp_path / "out.csv").to_pandas()
    )
    assert tuple(frame.iloc[0]) == pytest.approx(expected, abs=1e-15)
    repeated = deliver(done.release.plan, tmp_path / "in.csv", tmp_path / f"again.{ending}")
    assert (tmp_path / f"again.{ending}").read_bytes() == (tmp_path / f"out.{ending}").read_bytes()
    assert repeated.release.verdict.k == 3


def test_trailing_zeros_count_as_decimals(tmp_path):
    (tmp_path / "in.csv").write_text("a\n1.00\n2.00\n2.00\n")
    deliver(Plan.of(["a"], MDAV(k=3)), tmp_path / "in.csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "a\n1.67\n1.67\n1.67\n"


def test_k_is_counted_on_the_rounded_values(tmp_path):
    (tmp_path / "in.csv").write_text("a\n1.1\n1.1\n1.2\n1.2\n")
    done = deliver(Plan.of(["a"], MDAV(k=2), decimals=0), tmp_path / "in.csv", tmp_path / "out.csv")
    assert done.release.verdict.k == 4


@given(
    numbers=st.lists(st.integers(-(10**6), 10**6), min_size=1),
    decimals=st.integers(0, 6),
)
def test_decimals_are_those_of_the_shortest_spelling(numbers, decimals):
    values = np.array([number / 10**decimals for number in numbers])
    spelled = [Decimal(repr(float(value))).normalize().as_tuple().exponent for value in values]
    assert decimals_of_values(values) == max(0, *(-exponent for exponent in spelled))


def test_float32_has_the_decimals_that_it_shows():
    assert decimals_of_values(np.array([3.14, 2.7], np.float32)) == 2


@pytest.mark.parametrize(
    ("agreed", "same"), [({}, True), ({"decimals": {"wage": 2}}, True), ({"round": "none"}, False)]
)
def test_recorded_decimals_do_not_contradict_the_agreed_plan(tmp_path, agreed, same):
    (tmp_path / "in.csv").write_text(SOURCE)
    plan = Plan.of(["age", "wage"], MDAV(k=3), identifiers=["rate"])
    done = deliver(plan, tmp_path / "in.csv", tmp_path / "out.csv")
    assert done.release.plan.steps[0].decimals == {"wage": 2}
    Plan.of(["age", "wage"], MDAV(k=3), identifiers=["rate"], **agreed).save(tmp_path / "plan.toml")
    entries = {"manifest": 2, "plan": done.release.plan.to_dict()}
    assert check_agreed(tmp_path / "plan.toml", entries)[0] is same
