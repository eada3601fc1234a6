"""Columns of a text table leave with their types, and a text table keeps its spelling."""

import datetime as dt
import sqlite3

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.frame.types import Type
from shoal.io.dialect import Dialect
from shoal.io.files import open_source, write
from shoal.io.text_tables.types import convert_columns
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.deliver import deliver

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

COLUMNS = {
    "age": ["30", "31", "44", "45", "60", "62"],
    "zip": ["00501", "10001", "00501", "94103", "94103", "10001"],
    "children": ["0", "2", "", "1", "3", "0"],
    "rate": ["1.50", "2.25", "-0.5", "1e-05", "", "3."],
    "owner": ["TRUE", "FALSE", "TRUE", "", "FALSE", "TRUE"],
    "born": ["1990-01-31", "1991-02-28", "", "1980-12-01", "1960-05-05", "1961-06-06"],
    "seen": ["2024-01-31T10:00", "2024-01-31 11:30:15", "", "", "", "2023-01-01T00:00:00"],
    "remark": ["a", "007", "", "x y", "12", "TRUE"],
    "account": [str(10**17 + i) for i in range(6)],
}
FLOATS = [1.5, 2.25, -0.5, 1e-05, None, 3.0]
WHOLE = [0, 2, None, 1, 3, 0]


def write_source(path, columns=COLUMNS):
    rows = [columns, *zip(*columns.values(), strict=True)]
    path.write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def plan(**options):
    return Plan.of(["age"], MDAV(k=3), other_columns="release", **options)


def release(tmp_path, name, **options):
    source = write_source(tmp_path / "in.csv")
    target, table = tmp_path / name, None
    if name.endswith(".db"):
        target, table = f"sqlite:///{target}", "t"
    deliver(plan(**options), source, target, target_table=table)
    return tmp_path / name


def test_a_parquet_file_has_the_types_that_the_text_shows(tmp_path):
    path = release(tmp_path, "out.parquet")
    types = {field.name: str(field.type) for field in pq.read_schema(path)}
    assert types == {
        "age": "double",
        "zip": "string",
        "children": "int64",
        "rate": "double",
        "owner": "bool",
        "born": "date32[day]",
        "seen": "timestamp[us]",
        "remark": "string",
        "account": "int64",
    }
    frame = pl.read_parquet(path)
    assert frame["zip"].to_list() == COLUMNS["zip"]
    assert frame["children"].to_list() == WHOLE
    assert frame["rate"].to_list() == FLOATS
    assert frame["owner"].to_list() == [True, False, True, None, False, True]
    assert frame["born"][1] == dt.date(1991, 2, 28)
    assert frame["seen"][1] == dt.datetime(2024, 1, 31, 11, 30, 15)
    assert frame["remark"].to_list() == ["a", "007", None, "x y", "12", "TRUE"]
    assert frame["account"].to_list() == [int(cell) for cell in COLUMNS["account"]]


@pytest.mark.parametrize("ending", ["dta", "sav", "xpt"])
def test_statistical_files_have_numbers_and_dates(tmp_path, ending):
    path = release(tmp_path, f"out.{ending}")
    read = {"dta": pyreadstat.read_dta, "sav": pyreadstat.read_sav, "xpt": pyreadstat.read_xport}
    frame, meta = read[ending](path)
    kinds = {name: kind != "string" for name, kind in meta.readstat_variable_types.items()}
    text = ("zip", "remark", "account")  # no such file holds whole numbers beyond 2**53
    assert kinds == {name: name not in text for name in COLUMNS}
    assert [None if pd.isna(x) else x for x in frame["children"]] == WHOLE
    assert [None if pd.isna(x) else x for x in frame["rate"]] == FLOATS
    assert pd.to_datetime(frame["born"])[0] == pd.Timestamp("1990-01-31")
    assert frame["zip"].to_list() == COLUMNS["zip"]
    assert frame["account"].to_list() == COLUMNS["account"]


def test_a_workbook_and_a_database_have_numbers_and_dates(tmp_path):
    sheet = openpyxl.load_workbook(release(tmp_path, "out.xlsx")).active
    rows = list(sheet.iter_rows(min_row=2, values_only=True))
    names = [cell.value for cell in sheet[1]]
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    assert list(cells["children"]) == WHOLE
    assert list(cells["rate"]) == FLOATS
    assert list(cells["owner"]) == [True, False, True, None, False, True]
    assert cells["born"][0] == dt.datetime(1990, 1, 31)
    assert list(cells["zip"]) == COLUMNS["zip"]
    with sqlite3.connect(release(tmp_path, "out.db")) as connection:
        rows = connection.execute("SELECT children, rate, zip, account FROM t").fetchall()
    assert [row[0] for row in rows] == WHOLE
    assert [row[1] for row in rows] == FLOATS
    assert [row[2] for row in rows] == COLUMNS["zip"]
    assert rows[0][3] == 10**17


def test_a_declared_type_decides(tmp_path):
    types = {"zip": "numeric", "children": "nominal", "rate": "nominal"}
    schema = pq.read_schema(release(tmp_path, "out.parquet", types=types))
    assert schema.field("zip").type == pa.int64()
    assert schema.field("children").type == pa.int64()  # a code, but a whole number
    assert schema.field("rate").type == pa.string()


def test_masked_dates_in_a_format_of_their_own_leave_as_dates(tmp_path):
    days = ["01/02/2024", "02/02/2024", "03/02/2024"]
    source = write_source(tmp_path / "in.csv", {"day": days, "other": days[::-1]})
    types = {"day": {"kind": "date", "format": "%d/%m/%Y"}}
    one_step = Plan.of(["day"], MDAV(k=3), types=types, other_columns="release")
    delivery = deliver(one_step, source, tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    assert table["day"].to_pylist() == [dt.date(2024, 2, 2)] * 3
    assert table["other"].to_pylist() == days[::-1]  # ambiguous
    deliver(delivery.release.plan, source, tmp_path / "again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "out.parquet").read_bytes()
    deliver(one_step, source, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == "02/02/2024,03/02/2024"


def test_merged_strata_and_masked_codes_leave_as_numbers(tmp_path):
    source = write_source(
        tmp_path / "in.csv",
        {"age": list("123456"), "code": list("112211"), "area": ["1", "1", "1", "1", "1", "2"]},
    )
    one_step = Plan.of(
        ["age", "code"],
        MDAV(k=2),
        within="area",
        small_strata="merge",
        types={"code": "nominal"},
    )
    deliver(one_step, source, tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    assert [str(kind) for kind in table.schema.types] == ["double", "int64", "int64"]
    assert set(table["area"].to_pylist()) == {1}


def test_fixed_width_text_has_the_types_of_its_map(tmp_path):
    layout = tmp_path / "map.toml"
    layout.write_text(
        '[[columns]]\nname = "age"\nstart = 1\nwidth = 3\ntype = "number"\n'
        '[[columns]]\nname = "code"\nstart = 4\nwidth = 2\n'
        '[[columns]]\nname = "n"\nstart = 6\nwidth = 2\ntype = "number"\n'
    )
    (tmp_path / "in.fwf").write_bytes(b" 30 1 5\r\n 31 207\r\n 44 3 9\r\n")
    deliver(plan(), tmp_path / "in.fwf", tmp_path / "out.parquet", dialect=Dialect(layout=layout))
    schema = pq.read_schema(tmp_path / "out.parquet")
    assert [str(kind) for kind in schema.types] == ["double", "string", "int64"]


NUMBERS = st.integers(-(10**6), 10**6).map(str) | st.floats(-1e6, 1e6).map(repr)


@given(
    cells=st.lists(NUMBERS, min_size=1), odd=st.sampled_from(["", "007", "1,5", "+1", "x", "1E5"])
)
def test_one_cell_that_is_no_plain_number_makes_a_column_text(cells, odd):
    def typed(values):
        table = pa.table({"a": pa.array(values, pa.string())})
        return convert_columns(table, {"a": None}, Dialect(), dates=(), long_integers=True)["a"]

    assert typed(cells).to_pylist() == [float(cell) for cell in cells]
    kind = typed([*cells, odd]).type
    assert pa.types.is_string(kind) == (odd != "")


@pytest.mark.parametrize(
    ("cells", "declared", "kind"),
    [
        (["2024-02-30"], None, "string"),  # not in the calendar
        (["2024-02-28Z"], None, "string"),
        (["2024-02-28T10:00Z"], None, "timestamp[us, tz=UTC]"),
        (["2024-02-28", "2024-02-28 10:00"], None, "string"),
        (["true", "False"], None, "bool"),
        (["true", "yes"], None, "string"),
        (["nan", "Nan"], None, "string"),  # a name
        (["nan", "1"], None, "double"),
        (["12345678901234567890"], None, "string"),
        (["1234567890123456.5"], None, "string"),
        (["-0"], None, "double"),
        (["007"], Type("numeric"), "int64"),
        (["1"], Type("date"), "string"),
        (["31/01/2024", "01/02/2024"], None, "date32[day]"),
        (["01/02/2024"], None, "string"),  # day and month could be swapped
        (["01/02/2024"], Type("date", format="%m/%d/%Y"), "date32[day]"),
        (["31/01/2024 10:15"], None, "timestamp[us]"),
        (["31/01/24"], None, "string"),
        (["Jan 2024"], None, "string"),  # no day
        (["20240131"], None, "int64"),
        (["20240131"], Type("date", format="%Y%m%d"), "date32[day]"),
        (["45322"], Type("date", format="excel"), "int64"),
        (["$5.10", "$2"], None, "double"),
        (["1,100", "950"], None, "int64"),
        (["85%", "7%"], None, "int64"),
        (["3,5"], None, "string"),
        (["$5", "€5"], None, "string"),
        (["1,100"], Type("nominal"), "string"),
    ],
)
def test_types_are_taken_only_where_they_are_certain(cells, declared, kind):
    table = pa.table({"a": pa.array(cells)})
    typed = convert_columns(table, {"a": declared}, Dialect(), dates=("a",), long_integers=True)
    assert str(typed["a"].type) == kind


STYLES = {
    "bom and windows": b"\xef\xbb\xbfage,name\r\n%s,x\r\n%s,y\r\n%s,\r\n",
    "all quoted": b'"age","name"\n"%s","x"\n"%s","y"\n"%s",""\n',
    "text quoted, as in R": b'"age","name"\n%s,"x"\n%s,NA\n%s,"y, z"\n',
    "quoted where necessary": b'age,name\n%s,x\n%s,"y ""z"""\n%s,\n',
    "empty cells quoted, missing ones not": b'"age","name"\n%s,"x"\n%s,NA\n%s,""\n',
    "empty cells bare": b'age,"name"\n%s,"x"\n%s,\n%s,"y"\n',
}


@pytest.mark.parametrize("style", STYLES)
def test_a_text_table_keeps_its_spelling(tmp_path, style):
    (tmp_path / "in.csv").write_bytes(STYLES[style] % (b"10", b"20", b"33"))
    deliver(plan(), tmp_path / "in.csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == STYLES[style] % (b"21", b"21", b"21")


CELL = st.sampled_from(["", "a", "NA", "b c", 'q"q', "1,5", "x\ny", "-1"])


@given(
    rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6),
    quoting=st.sampled_from([0, 1, 2]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_text_of_pandas_is_written_as_it_was_read(tmp_path_factory, rows, quoting, end):
    folder = tmp_path_factory.mktemp("style")
    frame = pd.DataFrame(
        {"n": range(len(rows)), "a": [r[0] for r in rows], "b": [r[1] for r in rows]}
    )
    frame.to_csv(folder / "in.csv", index=False, quoting=quoting, lineterminator=end)
    source = open_source(folder / "in.csv", numbers=())
    write(source, folder / "out.csv", target=folder / "out.csv")
    reread = open_source(folder / "out.csv", numbers=())
    assert reread.table.to_pydict() == source.table.to_pydict()
    if quoting == 0 or (quoting == 1 and len({r for row in rows for r in row} - {""}) == 8):
        assert (folder / "out.csv").read_bytes() == (folder / "in.csv").read_bytes()
