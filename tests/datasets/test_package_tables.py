"""The tables that come with the package: what they hold, and in which frames."""

import hashlib
import io
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv

from raising import raises
from shoal import datasets
from shoal.errors import MissingDependency, ParameterError

OWN = ["sme", "survey"]
own_tables = pytest.mark.parametrize("name", OWN)


def digest(table: pa.Table) -> str:
    text = io.BytesIO()
    csv.write_csv(table, text)
    return hashlib.sha256(text.getvalue()).hexdigest()


def test_sme_is_table_1_of_the_paper():
    companies = datasets.sme().set_index("company")
    assert list(companies.columns) == ["surface", "employees", "turnover", "net_profit"]
    assert companies.loc["A&A Ltd"].tolist() == [790, 55, 3_212_334, 313_250]
    assert companies.loc["F&F GmbH"].tolist() == [510, 25, 119_332, 20_333]
    assert companies.loc["J&J Co"].tolist() == [760, 52, 5_333_442, 1_001_233]
    assert companies.loc["K&K Sarl"].tolist() == [50, 12, 645_223, 333_010]
    assert companies.sum().tolist() == [6550, 340, 22_167_874, 3_701_862]


def test_the_optimum_of_sme_has_the_loss_of_the_paper():
    X = datasets.sme()[["surface", "employees"]].to_numpy(dtype=np.float64)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    groups = [[0, 1, 2, 9], [3, 4, 8], [5, 6, 7, 10]]
    within = sum(((Z[group] - Z[group].mean(axis=0)) ** 2).sum() for group in groups)
    assert round(within, 4) == 7.4848


@own_tables
def test_every_column_has_a_role_of_the_field(name):
    table = datasets.CATALOGUE[name].load(kind="pyarrow")
    roles = datasets.ROLES[name]
    assert list(roles) == table.column_names
    assert set(roles.values()) <= {
        "identifier",
        "quasi-identifier",
        "confidential",
        "non-confidential",
    }


@own_tables
def test_quasi_identifiers_are_numbers_without_missing_values(name):
    table = datasets.CATALOGUE[name].load(kind="pyarrow")
    for column, role in datasets.ROLES[name].items():
        assert table[column].null_count == 0
        if role == "quasi-identifier":
            assert np.isfinite(table[column].to_numpy()).all()


@own_tables
def test_identifiers_are_unique(name):
    table = datasets.CATALOGUE[name].load(kind="pyarrow")
    (identifier,) = (c for c, role in datasets.ROLES[name].items() if role == "identifier")
    assert len(table[identifier].unique()) == table.num_rows


@own_tables
def test_the_three_kinds_of_frame_hold_the_same(name):
    load = datasets.CATALOGUE[name].load
    table, pandas, polars = (load(kind=kind) for kind in ("pyarrow", "pandas", "polars"))
    assert isinstance(table, pa.Table)
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert pandas.to_dict("list") == table.to_pydict() == polars.to_dict(as_series=False)
    assert list(pandas.columns) == table.column_names == polars.columns
    pd.testing.assert_frame_equal(load(), pandas)


@pytest.mark.parametrize("name", datasets.names())
def test_an_unknown_kind_of_frame_is_refused(name):
    with raises(ParameterError, "unknown-frame-kind", given="spark"):
        datasets.CATALOGUE[name].load(kind="spark")


@pytest.mark.parametrize("name", datasets.names())
def test_a_missing_polars_is_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with raises(MissingDependency, "package-missing", extra="polars"):
        datasets.CATALOGUE[name].load(kind="polars")


def test_survey_never_changes():
    table = datasets.survey(kind="pyarrow")
    assert digest(table) == "b053401b3aff8117b60030da93d7ae3423cfb485b1dd1adbd72a2bbb2a01bebc"


def test_survey_follows_its_seed():
    assert datasets.survey(n=50, random_state=7).equals(datasets.survey(n=50, random_state=7))
    assert not datasets.survey(n=50, random_state=7).equals(datasets.survey(n=50, random_state=8))
    assert not datasets.survey(n=50, random_state=None).equals(
        datasets.survey(n=50, random_state=None)
    )


@pytest.mark.parametrize("n", [1, 2, 17, 400])
def test_a_longer_survey_starts_with_the_shorter_one(n):
    assert datasets.survey(n=n).equals(datasets.survey(n=1000).head(n))


def test_the_survey_has_plausible_ranges_and_shares():
    answers = datasets.survey(n=20_000)
    sizes = answers["region"].value_counts()
    assert len(sizes) == 5
    assert sizes.min() > 0.03 * len(answers)
    assert sizes.max() > 5 * sizes.min()
    assert answers["age"].between(18, 91).all()
    assert answers["household_size"].between(1, 8).all()
    assert answers["weight"].between(30, 200).all()
    assert 0.15 < (answers["smoker"] == "yes").mean() < 0.35


def test_confidential_answers_depend_on_the_quasi_identifiers():
    answers = datasets.survey(n=20_000)
    answers["log_income"] = np.log(answers["income"])
    answers["smokes"] = (answers["smoker"] == "yes").astype(float)
    r = answers.select_dtypes("number").corr()
    assert r.loc["height", "weight"] > 0.4
    assert r.loc["years_of_education", "log_income"] > 0.3
    assert r.loc["age", "blood_pressure"] > 0.4
    assert r.loc["years_of_education", "smokes"] < -0.1
    assert abs(r.loc["height", "years_of_education"]) < 0.2


def test_incomes_have_a_heavy_tail():
    income = np.sort(datasets.survey(n=20_000)["income"].to_numpy())
    assert income[-200:].sum() > 0.05 * income.sum()
    top = np.log(income[-200:] / income[-201])
    assert 1.7 < 1 / top.mean() < 3.5  # the Hill estimate of the index of the tail


@pytest.mark.parametrize(
    "options",
    [{"n": 0}, {"n": 2.5}, {"n": True}, {"n": "10"}, {"random_state": -1}, {"random_state": 0.5}],
)
def test_bad_parameters_of_survey_are_refused(options):
    (name,) = options
    with raises(ParameterError, "parameter-not-accepted", parameter=name):
        datasets.survey(**options)


def test_the_catalogue_names_every_table_with_its_size():
    assert datasets.names() == ["census", "eia", "sme", "survey", "tarragona"]
    sizes = {name: (entry.rows, entry.columns) for name, entry in datasets.CATALOGUE.items()}
    assert sizes == {
        "census": (1080, 13),
        "eia": (4092, 15),
        "sme": (11, 5),
        "survey": (1000, 10),
        "tarragona": (834, 13),
    }
    for name, entry in datasets.CATALOGUE.items():
        assert entry.load is getattr(datasets, name)
        assert entry.line


@own_tables
def test_the_catalogue_states_the_true_size(name):
    entry = datasets.CATALOGUE[name]
    assert entry.load().shape == (entry.rows, entry.columns)
