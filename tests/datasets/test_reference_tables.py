"""The reference tables of the literature: equal to their source to the last digit."""

import hashlib

import numpy as np
import pytest

from conftest import reference_matrix, zscores
from shoal import datasets
from shoal.datasets import casc

TABLES = list(casc.REFERENCES)
each_table = pytest.mark.parametrize("name", TABLES)

# Hashes of the tables of the source as CSV, computed when they were taken from the R data files.
CSV_SHA256 = {
    "tarragona": "d5f719a134a3476b2157d9675d1a2b211dbc06ad6109685ad1e4b7847cfa45a4",
    "census": "40fb91564d4379274610e941161fd38729adb471bddb9c71d7c01ef142fd0f5b",
    "eia": "4df54e21b3451e3c0b6081fa1c9ef5dbd8f09d484925ed2ade759b78b4869d1b",
}


@each_table
def test_a_table_equals_its_source_to_the_last_digit(name):
    text = datasets.CATALOGUE[name].load().to_csv(index=False)
    assert hashlib.sha256(text.encode()).hexdigest() == CSV_SHA256[name]


@each_table
def test_the_literature_uses_these_columns(name):
    assert reference_matrix(name).shape[1] == len(datasets.COLUMNS[name])
    assert len(datasets.COLUMNS[name]) == (11 if name == "eia" else 13)


def test_the_literature_uses_the_number_and_ten_revenues_and_sales_of_eia():
    number, *amounts = datasets.COLUMNS["eia"]
    assert number == "UTILITYID"
    assert len(amounts) == 10
    assert all(column.endswith(("REVENUE", "SALES")) for column in amounts)


@each_table
def test_a_table_has_the_size_and_columns_of_the_catalogue(name):
    entry, table = datasets.CATALOGUE[name], datasets.CATALOGUE[name].load()
    assert table.shape == (entry.rows, entry.columns)
    assert tuple(table.columns) == casc.REFERENCES[name].columns


@each_table
def test_nothing_is_missing_and_numbers_are_whole(name):
    table = datasets.CATALOGUE[name].load()
    assert not table.isna().any().any()
    assert {str(dtype) for dtype in table[datasets.COLUMNS[name]].dtypes} == {"int64"}


@each_table
def test_the_three_kinds_of_frame_hold_the_same(name):
    load = datasets.CATALOGUE[name].load
    table, pandas, polars = (load(kind=kind) for kind in ("pyarrow", "pandas", "polars"))
    assert pandas.to_dict("list") == table.to_pydict() == polars.to_dict(as_series=False)


@each_table
def test_the_fixture_gives_zscores_of_float64(reference, name):
    Z = reference(name)
    assert Z.dtype == "float64"
    assert np.array_equal(Z, zscores(reference_matrix(name)))
    assert Z.std(axis=0) == pytest.approx(1)
