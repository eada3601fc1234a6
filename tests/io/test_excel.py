"""Excel files: values are read and written, formulas never written."""

import datetime as dt
import zipfile
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.errors import ColumnError, FileError
from shoal.io import size_limits
from shoal.io.dialect import Dialect
from shoal.io.files import open_source, read, write

FILES = Path(__file__).parent / "files"


def save_book(path, *rows, sheets=("one",)):
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name in sheets:
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    workbook.save(path)
    return path


def test_one_of_several_sheets_must_be_chosen():
    path = FILES / "libreoffice-sheets.xlsx"
    with raises(FileError, "sheet-needed", sheets=("survey", "codes")):
        read(path)
    with raises(FileError, "no-such-sheet", sheet="surveys"):
        read(path, dialect=Dialect(sheet="surveys"))
    table = read(path, dialect=Dialect(sheet="survey"))
    assert table.column("double").to_pylist() == [68, 72, 71, 74]  # formulas, computed elsewhere
    assert table.column("agreed").to_pylist() == [True, False, True, True]
    # Without a date format the days are numbers; libreoffice.xlsx has the format.
    assert table.column("visit").to_pylist()[2:] == [None, 36585]
    assert read(FILES / "libreoffice.xlsx").column("visit")[0].as_py() == dt.date(2021, 3, 1)


def test_text_that_looks_like_a_formula_stays_text(tmp_path):
    source = open_source(FILES / "libreoffice-sheets.xlsx", dialect=Dialect(sheet="survey"))
    texts = [*source.table.column("name").to_pylist(), "+1", "=HYPERLINK()", "", None, "{=1}"]
    target = tmp_path / "out.xlsx"
    write(pa.table({"name": texts}), target, target=target)
    cells = [row[0] for row in openpyxl.load_workbook(target).active.iter_rows(min_row=2)]
    assert [cell.value for cell in cells] == texts
    assert all(cell.data_type in "sn" for cell in cells)
    assert b"<f" not in zipfile.ZipFile(target).read("xl/worksheets/sheet1.xml")
    assert [cell.quotePrefix for cell in cells[:6]] == [True, True, False, True, True, True]


def test_a_formula_without_a_value_is_refused(tmp_path):
    path = save_book(tmp_path / "t.xlsx", ["a", "b"], [1, "=A2+1"], [2, "=A3+1"])
    with raises(FileError, "formula-without-value", column="b", count=2):
        read(path)


def test_cells_with_errors_are_counted(tmp_path):
    path = save_book(tmp_path / "t.xlsx", ["a"], [1], ["#N/A"])
    workbook = openpyxl.load_workbook(path)
    workbook.active["A3"].data_type = "e"
    workbook.save(path)
    with raises(ColumnError, "cells-with-errors", column="a", count=1):
        read(path)


def test_a_number_beyond_all_dates_stays_a_number_with_its_format(tmp_path):
    path = save_book(tmp_path / "t.xlsx", ["a"], [123456789123])
    workbook = openpyxl.load_workbook(path)
    workbook.active["A2"].number_format = "yyyy-mm-dd"
    workbook.save(path)
    source = open_source(path)
    assert source.table.column("a").to_pylist() == [123456789123]
    assert source.metadata.of_column("a").format == "yyyy-mm-dd"


def test_missing_and_numeric_column_names_are_replaced(tmp_path):
    rows = [[None] * 4, ["a", 2019, None, 2.5, dt.date(2024, 1, 31)], [1, 2, 3, 4, 5]]
    source = open_source(save_book(tmp_path / "t.xlsx", *rows))
    names = ["a", "2019", "column_3", "2.5", "2024-01-31"]
    assert source.table.to_pylist() == [dict(zip(names, range(1, 6), strict=True))]
    assert len(source.remarks) == 1
    blank = save_book(tmp_path / "blank.xlsx", ["a", None, "b"], [1, None, 2])  # an empty column
    assert open_source(blank).table.column_names == ["a", "b"]
    clash = save_book(tmp_path / "both.xlsx", ["column_2", None], [1, 2])
    assert open_source(clash).table.column_names == ["column_2", "column_2_"]


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([], "header-missing"),
        ([["A survey"], ["a", "b", "c"], [1, 2, 3]], "header-missing"),
        ([["a"]], "no-records"),
        ([["a", "a"], [1, 2]], "name-twice"),
    ],
)
def test_malformed_sheets_are_refused(tmp_path, rows, code):
    with raises((FileError, ColumnError), code):
        read(save_book(tmp_path / "t.xlsx", *rows))


def test_columns_of_mixed_kinds_become_text_with_a_warning(tmp_path):
    source = open_source(
        save_book(tmp_path / "t.xlsx", ["a", "b"], [1, "x"], ["007", None], [1.5, "y"])
    )
    assert source.table.column("a").to_pylist() == ["1", "007", "1.5"]
    assert source.remarks == ("Column 'a' mixes number and text; it is now text.",)


def test_damaged_and_inflated_files_are_refused(tmp_path, monkeypatch):
    path = save_book(tmp_path / "t.xlsx", ["a"], *[[i] for i in range(500)])
    content = path.read_bytes()
    for damaged in (content[:200], content[: len(content) // 2], b"PK\x03\x04" + bytes(99)):
        path.write_bytes(damaged)
        with raises(FileError, "file-damaged"):
            read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with raises(FileError, "file-damaged"):
        read(path)
    monkeypatch.setattr(size_limits, "ALWAYS_ALLOWED", 1 << 20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(1 << 22))
    with raises(FileError, "file-too-large"):
        read(path)


@given(
    st.lists(
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1
    ).filter(lambda cells: cells[-1] is not None)
)
def test_numbers_are_read_back_exactly(tmp_path_factory, cells):
    path = tmp_path_factory.mktemp("x") / "t.xlsx"
    write(pa.table({"x": pa.array(cells, pa.float64())}), path, target=path)
    assert read(path).column("x").to_pylist() == cells


def test_number_formats_are_kept_for_columns_that_are_not_masked(tmp_path):
    path = tmp_path / "t.xlsx"
    save_book(path, ["a", "b"], [1.5, 2.5], [2.5, 3.5])
    workbook = openpyxl.load_workbook(path)
    for row in workbook.active.iter_rows(min_row=2):
        for cell in row:
            cell.number_format = "0.00%"
    workbook.save(path)
    source = open_source(path)
    write(source.for_release(source.table, ["b"]), path, target=path)
    sheet = openpyxl.load_workbook(path).active
    assert (sheet["A2"].number_format, sheet["B2"].number_format) == ("General", "0.00%")
