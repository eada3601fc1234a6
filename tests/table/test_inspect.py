"""A look at a table before it is masked."""

import pandas as pd
import pytest

from shoal import datasets
from shoal.table.inspect import inspect, shown


@pytest.fixture
def found():
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


def roles(found):
    return {entry["name"]: entry["role"] for entry in found["columns"]}


def test_roles_are_suggested_with_a_reason(found):
    assert roles(found) == {
        "person_id": "identifier",
        "row": "identifier",
        "age": "quasi-identifier",
        "Income": "confidential",
        "wave": "non-confidential",
        "code": None,
        "shoe": "quasi-identifier",
    }
    why = {entry["name"]: entry["why"] for entry in found["columns"]}
    assert why["row"] == "whole numbers that count the records"
    assert why["shoe"] == "100% of the records are alone with their value"


def test_columns_are_counted(found):
    age = found["columns"][2]
    assert (age["type"], age["missing"], age["distinct"], age["unique"]) == ("whole", 0, 3, 0.5)
    income = found["columns"][3]
    assert (income["type"], income["missing"], income["distinct"]) == ("number", 1, 3)


def test_combinations_tell_more_than_columns(found):
    assert found["combinations"] == [{"columns": ["age", "shoe"], "unique": 1.0}]


def test_the_roles_of_the_built_in_tables_are_found():
    sme = inspect(datasets.sme())
    assert {n: r for n, r in roles(sme).items() if r} == datasets.ROLES["sme"]


def test_the_text_names_every_column_and_the_limits(found):
    text = shown(found)
    for entry in found["columns"]:
        assert entry["name"] in text
    assert "suggestions" in text
