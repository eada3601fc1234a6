"""A look at a table before it is masked."""

import tomllib
import warnings

import pandas as pd
import pytest

from raising import raises
from shoal import Plan, datasets
from shoal.errors import PlanError, ShoalWarning
from shoal.frame.inspect import format_inspection, inspect
from shoal.frame.starter import starter_plan


@pytest.fixture
def inspection():
    data = pd.DataFrame(
        {
            "person_id": ["a1", "a2", "a3", "a4"],
            "row": [11, 12, 13, 14],
            "age": [30, 30, 40, 50],
            "Income": [1.5, None, 2.5, 3.5],
            "wave": [7, 7, 7, 7],
            "code": [1, 1, 2, 2],
            "shoe": [40.5, 41.5, 42.0, 43.5],
        }
    )
    return inspect(data)


def roles(inspection):
    return {entry["name"]: entry["role"] for entry in inspection["columns"]}


def test_roles_are_suggested_with_a_reason(inspection):
    assert roles(inspection) == {
        "person_id": "identifier",
        "row": "identifier",
        "age": "quasi-identifier",
        "Income": "confidential",
        "wave": "non-confidential",
        "code": None,
        "shoe": "quasi-identifier",
    }
    why = {entry["name"]: entry["why"] for entry in inspection["columns"]}
    assert why["row"] == "whole numbers that count the records"
    assert why["shoe"] == "100% of the records have a unique value"


def test_columns_are_counted(inspection):
    age = inspection["columns"][2]
    assert (age["type"], age["missing"], age["distinct"], age["unique"]) == ("whole", 0, 3, 0.5)
    income = inspection["columns"][3]
    assert (income["type"], income["missing"], income["distinct"]) == ("number", 1, 3)


def test_combinations_are_more_unique_than_columns(inspection):
    assert inspection["combinations"] == [{"columns": ["age", "shoe"], "unique": 1.0}]


def test_the_roles_of_the_built_in_tables_are_found():
    sme = inspect(datasets.sme())
    assert {n: r for n, r in roles(sme).items() if r} == datasets.ROLES["sme"]


def test_the_text_names_every_column_and_the_limits(inspection):
    text = format_inspection(inspection)
    for entry in inspection["columns"]:
        assert entry["name"] in text
    assert "only you know" in text


SURVEY = pd.DataFrame(
    {
        "hh_id": [i // 2 for i in range(40)],
        "sample_weight": [1.5 + i % 7 for i in range(40)],
        "weight": [50 + i % 30 for i in range(40)],
        "sex": [1 + i % 2 for i in range(40)],
        "town": ["a", "b", "c", "d"] * 10,
        "visits": [i % 3 for i in range(40)],
        "flag": [int(i > 20) for i in range(40)],
        "salary": [1000.0 + i for i in range(40)],
    }
)


def test_weights_and_households_are_distinguished_from_other_columns():
    inspection = inspect(SURVEY)
    suggested = roles(inspection)
    assert suggested["hh_id"] == "household"
    assert suggested["sample_weight"] == "weight"
    assert suggested["weight"] == "quasi-identifier"
    why = {entry["name"]: entry["why"] for entry in inspection["columns"]}
    assert "2.0 records share a value" in why["hh_id"]
    assert "if it is a survey weight" in why["weight"]
    assert roles(inspect(SURVEY.assign(AFNLWGT=SURVEY["salary"])))["AFNLWGT"] == "weight"
    assert roles(inspect(SURVEY.assign(sample_weight=0)))["sample_weight"] != "weight"
    shared = SURVEY.assign(hh_id=range(40))
    assert roles(inspect(shared))["hh_id"] == "identifier"


def test_persons_with_several_records_are_units():
    panel = pd.DataFrame({"pid": [i // 4 for i in range(40)], "age": range(40)})
    inspection = inspect(panel)
    assert roles(inspection)["pid"] == "unit"
    assert 'pid = "unit"' in starter_plan(inspection, "panel", 2).replace('"pid"', "pid")
    both = inspect(panel.assign(hh_id=[i // 8 for i in range(40)]))
    assert (roles(both)["pid"], roles(both)["hh_id"]) == ("identifier", "household")
    assert roles(inspect(panel.assign(pid=range(40))))["pid"] == "identifier"
    assert roles(inspect(panel.assign(region_id=[i % 4 for i in range(40)])))["region_id"] != "unit"
    holed = inspect(panel.assign(pid=panel["pid"].where(panel["pid"] > 0)))
    assert roles(holed)["pid"] != "unit"


def test_a_starter_plan_declares_the_unit():
    names = inspect(pd.DataFrame({"surname": ["a", "b", "b", "c"] * 3, "age": [20, 31, 35] * 4}))
    assert roles(names)["surname"] == "identifier"
    plan = Plan.from_dict(tomllib.loads(starter_plan(names, "people", 2)))
    assert plan.unit == "record"
    units = inspect(pd.DataFrame({"pid": [1, 2, 2, 3] * 3, "surname": list("abbc") * 3,
                                  "age": [20, 31, 35] * 4}))  # fmt: skip
    plan = Plan.from_dict(tomllib.loads(starter_plan(units, "people", 2)))
    assert plan.unit == "pid"


def test_a_column_that_singles_out_with_others_is_suggested():
    inspection = inspect(
        pd.DataFrame(
            {
                "age": [30, 30, 40, 40] * 5,
                "code": [1, 2, 3, 4, 5] * 4,
                "same": [1, 1, 2, 2] * 5,
            }
        )
    )
    assert roles(inspection) == {"age": "quasi-identifier", "code": None, "same": None}
    data = pd.DataFrame({"age": [30, 30, 40, 40, 50, 50], "code": [1, 2, 1, 2, 1, 2]})
    inspection = inspect(data)
    assert roles(inspection)["code"] == "quasi-identifier"
    assert inspection["columns"][1]["why"] == (
        "with the quasi-identifiers it singles out 100% of the records, without it 0%"
    )


def test_triples_are_shown_where_more_than_three_columns_are_known():
    inspection = inspect(SURVEY.assign(age=[20 + i % 9 for i in range(40)]))
    sizes = [len(entry["columns"]) for entry in inspection["combinations"]]
    known = [role for role in roles(inspection).values() if role == "quasi-identifier"]
    assert len(known) > 3
    assert sizes == sorted(sizes)
    assert {2, 3, len(known)} == set(sizes)


def test_a_starter_plan_runs_once_k_is_given(tmp_path):
    inspection = inspect(SURVEY)
    path = tmp_path / "plan.toml"
    path.write_text(starter_plan(inspection, "x.csv\nroles", 3))
    plan = Plan.load(path)
    assert plan.k == 3
    assert plan.weight == "sample_weight"
    assert plan.dropped == ["hh_id"]
    assert plan.types["sex"].kind == plan.types["town"].kind == "nominal"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        assert plan.run(SURVEY).measures["smallest_class"] >= 3


def test_a_starter_plan_without_k_is_refused_until_it_is_filled_in(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(starter_plan(inspect(SURVEY), "x.csv"))
    with raises(PlanError, "parameter-missing", parameter="k"):
        Plan.load(path)
    filled = path.read_text().replace('{ method = "auto" }', '{ method = "auto", k = 2 }')
    path.write_text(filled)
    assert Plan.load(path).k == 2


def test_names_with_quotes_and_missing_values_survive_in_a_starter_plan(tmp_path):
    data = pd.DataFrame({'age "x" \\': [1.0, None, 3, 3], "code\n": [1, 1, 2, 2]})
    path = tmp_path / "plan.toml"
    path.write_text(starter_plan(inspect(data), "x", 2), encoding="utf-8")
    assert Plan.load(path).masked == ['age "x" \\']
    assert '# missing = "own-groups"' in path.read_text()
