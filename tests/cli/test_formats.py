"""Every command takes every format."""

import json
import sqlite3
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shell import shell
from shoal.io.dialect import Dialect
from shoal.io.files import read, write

FILES = Path(__file__).parents[1] / "io" / "files"
ENDINGS = ["csv.gz", "csv.zst", "feather", "xlsx", "dta", "sav", "zsav", "xpt", "fwf", "parquet"]
MAP = "".join(
    f'[[columns]]\nname = "{name}"\nstart = {1 + 25 * index}\nwidth = 24\ntype = "{kind}"\n'
    for index, (name, kind) in enumerate({"code": "text", "age": "number", "pay": "number"}.items())
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("map.toml").write_text(MAP)
    columns = {"code": [f"0{i}" for i in range(9)], "age": [float(i) for i in range(9)]}
    table = pa.table({**columns, "pay": [i * i + 0.5 for i in range(9)]})
    for ending in ENDINGS:
        path = tmp_path / f"in.{ending}"
        write(table, path, target=path, dialect=Dialect(layout=Path("map.toml")))
    return tmp_path


@pytest.mark.parametrize("ending", ENDINGS)
def test_all_commands_take_the_format(folder, ending):
    source, target = f"in.{ending}", f"out.{ending}"
    layout = ["--layout", "map.toml"] if ending == "fwf" else []
    assert "9 records, 3 columns" in shell("inspect", source, *layout).stdout
    masked = shell("mask", source, target, "-c", "age", "-k", "3", "--confidential", "pay", *layout)
    assert masked.exit_code == 0, masked.stderr
    table = read(folder / target, dialect=Dialect(layout=Path("map.toml")), numbers=["age", "pay"])
    assert table.to_pydict() == {
        "code": [f"0{i}" for i in range(9)],
        "age": [1, 1, 1, 4, 4, 4, 7, 7, 7],
        "pay": [i * i + 0.5 for i in range(9)],
    }
    judged = shell("assess", source, target, "-c", "age", "--json", *layout)
    assert json.loads(judged.stdout)["measures"]["smallest_class"] == 3
    plan = shoal.Plan.of(["age"], shoal.METHODS["mdav"](k=3), other_columns="release")
    plan.save("plan.toml")
    again = shell("run", "plan.toml", source, target, "--force", *layout)
    assert again.exit_code == 0
    curve = shell("tradeoff", source, "-c", "age", "--confidential", "pay", "-k", "3", *layout)
    assert curve.exit_code == 0, curve.stderr


def test_labels_and_codes_come_back_and_losses_are_reported(folder):
    result = shell(
        "mask", FILES / "pspp.sav", "out.sav", "-c", "age", "-c", "height", "-k", "3", "-i", "name"
    )
    assert "warning: Free text about the whole file is not released" in result.stderr
    assert "no place" not in result.stderr
    result = shell(
        "mask", FILES / "pspp.sav", "out.csv", "-c", "age", "-c", "height", "-k", "3", "-i", "name"
    )
    assert "warning: A text table cannot hold: labels of 'age'" in result.stderr


def test_missing_codes_are_counted_as_missing_values(folder):
    content = json.loads(shell("inspect", FILES / "haven.dta", "--json").stdout)["columns"]
    assert {column["name"]: column["missing"] for column in content}["income"] == 4
    result = shell("mask", FILES / "haven.dta", "out.dta", "-c", "income", "-k", "3")
    assert result.exit_code == 1
    assert "Column 'income' has 4 missing values" in result.stderr


def test_a_database_is_masked_and_judged_without_showing_its_address(folder):
    with sqlite3.connect("in.db") as connection:
        connection.execute("CREATE TABLE survey (code TEXT, age INT)")
        rows = [(f"0{i}", i) for i in range(9)]
        connection.executemany("INSERT INTO survey VALUES (?, ?)", rows)
    connection.close()
    address = "sqlite:///in.db"
    mask = ["mask", address, address, "--table", "survey", "-c", "age", "-k", "3"]
    result = shell(*mask, "--target-table", "release")
    assert result.exit_code == 0
    assert result.stdout.startswith("sqlite:///in.db: 9 records in 3 groups of 3")
    assert "exists already" in shell(*mask, "--target-table", "release").stderr
    assert "is the source" in shell(*mask, "--target-table", "survey", "--force").stderr
    assert shell(*mask).exit_code == 2  # which table?
    judged = shell("assess", address, address, "--table", "survey", "--masked-table", "release")
    assert "smallest_class" in judged.stdout
    secret = "postgresql://me:sesame@127.0.0.1:9/db"
    for command in (
        ["inspect", secret, "--table", "t"],
        ["mask", "in.csv.gz", secret, "--target-table", "t", "-c", "age", "-k", "3"],
        ["mask", secret, "out.csv", "--table", "t", "-c", "age", "-k", "3", "--json"],
    ):
        result = shell(*command)
        assert result.exit_code == 1
        assert "does not accept connections" in result.stderr
        assert "sesame" not in result.output
        assert "me:" not in result.output
    assert not Path("out.csv").exists()


def test_a_text_table_may_begin_with_the_letters_of_another_format(folder):
    Path("t.csv").write_text("PAR1,age\n" + "".join(f"x,{i}\n" for i in range(6)))
    assert shell("mask", "t.csv", "out.csv", "-c", "age", "-k", "3").exit_code == 0


def test_a_sas_data_set_is_not_written_and_a_table_is_no_file(folder):
    result = shell("mask", "in.csv.gz", "out.sas7bdat", "-c", "age", "-k", "3")
    assert (result.exit_code, "not written" in result.stderr) == (1, True)
    result = shell("mask", "in.csv.gz", "out.csv", "-c", "age", "-k", "3", "--target-table", "t")
    assert (result.exit_code, "the target is a file" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("package", "place", "extra"),
    [
        ("pyreadstat", "out.dta", "shoal[files]"),
        ("pyreadstat", "out.sav", "shoal[files]"),
        ("openpyxl", "out.xlsx", "shoal[files]"),
        ("xlsxwriter", "out.xlsx", "shoal[files]"),
        ("sqlalchemy", "sqlite:///out.db", "shoal[sql]"),
        ("psycopg", "postgresql://h/d", "shoal[sql]"),
    ],
)
def test_a_missing_package_is_named(folder, monkeypatch, package, place, extra):
    monkeypatch.setitem(sys.modules, package, None)
    for name in ("stata", "spss", "excel", "_excel.reading", "_excel.writing"):
        monkeypatch.delitem(sys.modules, f"shoal.io.formats.{name}", raising=False)
    table = ["--target-table", "t"] if "://" in place else []
    result = shell("mask", "in.csv.gz", place, "-c", "age", "-k", "3", *table)
    assert result.exit_code == 1
    assert f'pip install "{extra}"' in result.stderr


HOSTILE = {
    "zip.csv": (b"PK\x03\x04" + bytes(40), "contains Excel data"),
    "gz.csv": (b"\x1f\x8b\x08" + bytes(40), "contains gzip data"),
    "parquet.dta": (b"PAR1\x15" + bytes(40), "contains Parquet data"),
    "stata.sav": (b"<stata_dta><header>", "contains Stata data"),
    "db.parquet": (b"SQLite format 3\0" + bytes(40), "contains SQLite data"),
    "old.xlsx": (b"\xd0\xcf\x11\xe0" + bytes(40), "contains old Excel data"),
    "noise.dta": (bytes(range(256)) * 9, "not a Stata file"),
    "noise.sav": (b"$FL2@(#)" + bytes(range(256)) * 9, "not an SPSS file"),
    "noise.xpt": (bytes(range(256)) * 9, "not a SAS transport file"),
    "noise.sas7bdat": (bytes(range(256)) * 9, "not a SAS file"),
    "noise.feather": (b"ARROW1" + bytes(range(256)) * 9, "not a Feather file"),
    "noise.csv": (bytes(range(256)) * 9, "not a text file"),
    "nothing.sav": (b"", "not an SPSS file"),
    "nothing.arrow": (b"", "not a Feather file"),
    "nothing.csv.gz": (b"", "empty|cut off"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_one_line(folder, name):
    content, said = HOSTILE[name]
    Path(name).write_bytes(content)
    result = shell("mask", name, "out.csv", "-c", "age", "-k", "3")
    assert result.exit_code == 1
    assert any(word in result.stderr for word in said.split("|")), result.stderr
    assert len(result.stderr.splitlines()) == 1
