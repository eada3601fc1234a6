"""Less common formats: .xls, .ods, JSON lines, R, DuckDB, portable SPSS, SAS catalogues."""

import bz2
import datetime as dt
import decimal
import gzip
import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
import rdata
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal import microaggregate
from shoal.errors import ColumnError, FileError
from shoal.io import size_limits
from shoal.io.dialect import Dialect
from shoal.io.files import check_format, open_source, read, write
from shoal.io.formats import FORMATS, r, sas
from workbooks import write_ods, write_xls


def cell(kind, value, attributes=""):
    name = {"float": "value", "date": "date-value", "boolean": "boolean-value"}.get(kind)
    value_attribute = f' office:{name}="{value}"' if name else ""
    return (
        f'<table:table-cell office:value-type="{kind}"{value_attribute}{attributes}>'
        f"<text:p>{value}</text:p></table:table-cell>"
    )


def row(*cells, attributes=""):
    return f"<table:table-row{attributes}>{''.join(cells)}</table:table-row>"


def test_an_xls_workbook_is_read(tmp_path):
    path = write_xls(tmp_path / "t.xls", [["age", "näme", 2019], [1, "x", 2.5], [2, None, 3]])
    expected = {"age": [1, 2], "näme": ["x", None], "2019": [2.5, 3.0]}
    assert read(path).to_pydict() == expected
    path.write_bytes(path.read_bytes()[:700])
    with raises(FileError, "file-damaged"):
        read(path)


def test_an_ods_workbook_is_read(tmp_path):
    names = row(cell("string", "age"), cell("string", "born"), cell("string", "ok"))
    record = row(cell("float", 30), cell("date", "2024-01-31"), cell("boolean", "true"))
    filler = row("<table:table-cell/>", attributes=' table:number-rows-repeated="1000000"')
    path = write_ods(tmp_path / "t.ods", names + record + filler)
    table = read(path)
    assert table.to_pydict() == {"age": [30], "born": [dt.date(2024, 1, 31)], "ok": [True]}
    path.write_bytes(path.read_bytes()[:300])
    with raises(FileError, "file-damaged"):
        read(path)


@pytest.mark.parametrize("repeated", ["rows", "columns"])
def test_repeated_cells_of_an_ods_workbook_count_as_memory(tmp_path, repeated):
    times = f' table:number-{repeated}-repeated="100000000"'
    repeated_cell = cell("float", 1, times if repeated == "columns" else "")
    bomb = row(repeated_cell, attributes=times if repeated == "rows" else "")
    with raises(FileError, "file-too-large"):
        read(write_ods(tmp_path / "t.ods", row(cell("string", "a")) + bomb))


def test_json_lines_have_types_and_missing_keys(tmp_path):
    path = tmp_path / "t.jsonl"
    records = [{"a": 1, "b": "x"}, {"b": None, "c": 2.5}, {"a": 3, "c": 4, "d": True}]
    path.write_text("\n".join(map(json.dumps, records)) + "\n\n", encoding="utf-8")
    assert read(path).to_pydict() == {
        "a": [1, None, 3],
        "b": ["x", None, None],
        "c": [None, 2.5, 4.0],
        "d": [None, None, True],
    }


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a": 1}\n{"a": ', "not-a-json-object"),
        ("[1, 2]\n", "not-a-json-object"),
        ('{"a": 1, "a": 2}\n', "not-a-json-object"),
        ("[" * 100_000, "not-a-json-object"),
        ('{"a": {"b": 1}}\n', "nested-column"),
        ('{"a": [1]}\n', "nested-column"),
        ('{"a": 1}\n{"a": "x"}\n', "mixed-values"),
        ('{"a": 1}\n{"a": true}\n', "mixed-values"),
        (f'{{"a": {10**30}}}\n', "whole-numbers-too-large"),
        ("\n", "no-records"),
    ],
)
def test_malformed_json_lines_are_refused(tmp_path, text, code):
    (tmp_path / "t.jsonl").write_text(text)
    with raises((FileError, ColumnError), code):
        read(tmp_path / "t.jsonl")


CELLS = {
    "whole": st.none() | st.integers(-(2**63), 2**63 - 1),
    "number": st.none() | st.floats(allow_nan=False, allow_infinity=False),
    "text": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    "flag": st.none() | st.booleans(),
}


@given(rows=st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=5))
def test_json_lines_come_back_and_polars_reads_them(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    kinds = [pa.int64(), pa.float64(), pa.string(), pa.bool_()]
    table = pa.Table.from_pylist(rows, pa.schema(list(zip(CELLS, kinds, strict=True))))
    write(table, path, target=path)
    assert read(path).to_pylist() == rows
    frame = pl.read_ndjson(path, schema=dict(pl.from_arrow(table).schema))
    assert frame.to_dicts() == rows


def test_json_lines_hold_dates_as_text_and_refuse_the_rest(tmp_path):
    path = tmp_path / "t.jsonl.gz"
    table = pa.table(
        {"d": [dt.date(2024, 1, 31)], "x": [float("nan")], "n": [decimal.Decimal("1.5")]}
    )
    write(table, path, target=path)
    assert json.loads(gzip.decompress(path.read_bytes())) == {
        "d": "2024-01-31",
        "x": None,
        "n": 1.5,
    }
    for column, code in (([float("inf")], "infinite-values"), ([[1]], "unrepresentable-column")):
        with raises(FileError, code):
            write(pa.table({"a": column}), path, target=path)


def test_a_duckdb_file_is_read_by_table(tmp_path):
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people (age INTEGER, wage DECIMAL(6, 2), born DATE)")
        connection.execute("INSERT INTO people VALUES (30, 10.50, '1990-01-31'), (31, NULL, NULL)")
        connection.execute("CREATE SCHEMA other; CREATE VIEW other.old AS SELECT age FROM people")
        connection.execute("CREATE VIEW thief AS SELECT * FROM read_csv('/etc/hostname')")
    with raises(FileError, "table-needed", tables=("people", "thief", "other.old")):
        read(path)
    table = read(path, dialect=Dialect(table="people"))
    assert table.schema.field("wage").type == pa.decimal128(6, 2)
    assert table.column("born").to_pylist() == [dt.date(1990, 1, 31), None]
    assert read(path, dialect=Dialect(table="other.old")).to_pydict() == {"age": [30, 31]}
    with raises(FileError, "no-such-table", table="persons"):
        read(path, dialect=Dialect(table="persons"))
    with raises(FileError, "file-damaged"):  # a view cannot read other files
        read(path, dialect=Dialect(table="thief"))
    path.write_bytes(path.read_bytes()[:5000])
    with raises(FileError, "file-damaged"):
        read(path)


def test_a_duckdb_file_without_tables_is_refused(tmp_path):
    path = tmp_path / "t.duckdb"
    duckdb.connect(str(path)).close()
    for table in (None, "people"):
        with raises(FileError, "no-table", file="t.duckdb"):
            read(path, dialect=Dialect(table=table))


def test_a_data_frame_of_r_is_read(tmp_path):
    table = read(rdata.TESTDATA_PATH / "test_dataframe.rds")  # written by R
    assert table.to_pydict() == {"class": ["a", "b", "b"], "value": [1, 2, 3]}
    assert pa.types.is_dictionary(table.schema.field("class").type)
    frame = pd.DataFrame({"n": [1, 2], "x": [1.5, np.nan]})
    rdata.write_rda(tmp_path / "t.rda", {"one": frame, "two": frame[:1], "v": np.array([1.0])})
    with raises(FileError, "table-needed", tables=("one", "two")):
        read(tmp_path / "t.rda")
    table = read(tmp_path / "t.rda", dialect=Dialect(table="one"))
    assert table.to_pydict() == {"n": [1, 2], "x": [1.5, None]}
    with raises(FileError, "no-such-table", table="on"):
        read(tmp_path / "t.rda", dialect=Dialect(table="on"))
    with raises(FileError, "no-data-frame"):
        read(rdata.TESTDATA_PATH / "test_vector.rda")


def test_dates_and_factors_of_r_are_converted():
    codes = np.ma.masked_equal(np.array([2, 1, -1], np.int32), -1)
    factor = r._factor(codes, {"levels": ["low", "high"], "class": ["ordered", "factor"]})
    assert factor.type.ordered
    assert factor.to_pylist() == ["high", "low", None]
    assert r._date(np.array([19753.0, np.nan]), {}).to_pylist() == [dt.date(2024, 1, 31), None]
    moment = r._datetime(np.array([0.5]), {"tzone": [""]})
    assert moment.to_pylist()[0].isoformat() == "1970-01-01T00:00:00.500000+00:00"
    bits = np.array([2**60 + 1, np.iinfo(np.int64).min]).view(np.float64)
    assert r._long_integers(bits, {}).to_pylist() == [2**60 + 1, None]
    with raises(ColumnError, "nested-column", column="a"):
        r._array("a", np.array([1j]))
    with raises(ColumnError, "nested-column"):
        r._array("a", [[1], [2]])


def test_damaged_and_inflated_files_of_r_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.rds"
    content = (rdata.TESTDATA_PATH / "test_dataframe.rds").read_bytes()
    for damaged in (content[:60], b"X\nnothing", gzip.compress(b"X\n\0\0"), b""):
        path.write_bytes(damaged)
        with raises(FileError, "file-damaged"):
            read(path)
    monkeypatch.setattr(size_limits, "ALWAYS_ALLOWED", 1 << 20)
    path.write_bytes(bz2.compress(bytes(1 << 23)))
    with raises(FileError, "file-too-large"):
        read(path)


def test_a_portable_file_of_spss_is_read(tmp_path):
    frame = pd.DataFrame({"AGE": [30.0, 31.0], "NAME": ["x", "y"]})
    pyreadstat.write_por(frame, tmp_path / "t.por", column_labels=["Age", ""])
    source = open_source(tmp_path / "t.por")
    assert source.table.to_pydict() == {"AGE": [30.0, 31.0], "NAME": ["x", "y"]}
    assert source.metadata.of_column("AGE").label == "Age"


READ_ONLY = [file_format for file_format in FORMATS if not file_format.writable]


@pytest.mark.parametrize("file_format", READ_ONLY, ids=str)
def test_the_error_for_a_read_only_format_names_one_to_write(tmp_path, file_format):
    with raises(FileError, "format-only-read", instead=file_format.write_suffix):
        check_format(tmp_path / f"t{file_format.suffixes[0]}")
    check_format(tmp_path / f"t{file_format.write_suffix}")


DECIMALS = [decimal.Decimal("1.50") + i for i in range(6)]


def test_decimals_of_pandas_are_numbers():
    data = pd.DataFrame({"age": range(6), "wage": DECIMALS, "rate": DECIMALS})
    release = microaggregate(data, ["age", "wage"], k=3, method="mdav", confidential=["rate"])
    assert release.data["wage"].to_list() == [2.5] * 3 + [5.5] * 3
    assert release.data["rate"].dtype == object
    assert release.data["rate"].to_list() == DECIMALS
    shuffled = microaggregate(
        data, ["age"], k=3, confidential=["wage", "rate"], shuffle=True, random_state=1
    )
    assert sorted(shuffled.data["rate"]) == DECIMALS
    assert (shuffled.data["rate"] == shuffled.data["wage"]).all()


def test_a_duckdb_relation_is_masked():
    relation = duckdb.sql("SELECT range AS age FROM range(6)")
    release = microaggregate(relation, ["age"], k=3, method="mdav")
    assert release.data.column("age").to_pylist() == [1.0] * 3 + [4.0] * 3


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        ([1j] * 6, "unrepresentable-column"),
        ([[1, 2]] * 6, "no-distance"),
        ([{"a": 1}] * 6, "no-distance"),
    ],
)
def test_complex_and_nested_columns_are_refused_with_a_reason(cells, code):
    with raises(ColumnError, code, column="c"):
        microaggregate(pd.DataFrame({"c": cells}), ["c"], k=3)


def test_the_catalogue_beside_a_sas_file_is_chosen(tmp_path):
    path = tmp_path / "survey.sas7bdat"
    assert sas._catalogue(path) is None
    (tmp_path / "formats.sas7bcat").touch()
    assert sas._catalogue(path).name == "formats.sas7bcat"
    (tmp_path / "survey.sas7bcat").touch()
    assert sas._catalogue(path).name == "survey.sas7bcat"


def test_a_damaged_catalogue_is_refused(tmp_path):
    source = Path(__file__).parent / "files" / "haven.sas7bdat"
    path = tmp_path / "survey.sas7bdat"
    path.write_bytes(source.read_bytes())
    assert open_source(path).table.num_rows
    path.with_suffix(".sas7bcat").write_bytes(b"no catalogue" * 100)
    with raises(FileError, "file-damaged", file="survey.sas7bcat"):
        open_source(path)


def test_labels_of_a_catalogue_belong_to_the_columns_with_its_formats(monkeypatch):
    # No library of the tests writes a catalogue, so its labels are replaced.
    monkeypatch.setattr(sas, "_labels", lambda catalogue, dialect: {"DATE": {1.0: "first"}})
    metadata = open_source(Path(__file__).parent / "files" / "haven.sas7bdat").metadata
    assert metadata.of_column("visit").value_labels == {1.0: "first"}
    assert not metadata.of_column("seen").value_labels
