"""Files written by other software, read and written back; tests/io/files describes them."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

from shoal.errors import FileError
from shoal.io.files import open_source, read, write

FILES = Path(__file__).parent / "files"
SURVEY = pacsv.read_csv(FILES / "make" / "survey.csv").to_pylist()
WITH_CODES = ["pspp.sav", "pspp.zsav", "haven.sav", "haven.dta", "haven.sas7bdat"]
WITH_CODES += ["haven.xpt", "haven5.xpt"]
PLAIN = ["foreign.dta", "gretl.dta", "pandas.dta", "pandas.parquet", "pandas.feather"]
PLAIN += ["polars.parquet", "polars.arrow", "duckdb.parquet", "libreoffice.xlsx"]
LETTERS = {-999: "a", -998: "b"}


def plain(value):
    """Return a value in the types of the survey: numbers as floats, dates without a time zone."""
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    return value if isinstance(value, str | None) else float(value)


def release(source, masked="age", dropped="name"):
    """Return the release of a source with one column masked and another dropped."""
    data = source.table.drop([name for name in [dropped] if name in source.table.column_names])
    position = data.column_names.index(masked)
    data = data.set_column(position, masked, pa.array([i // 4 + 0.5 for i in range(data.num_rows)]))
    return source.for_release(data, [name for name in data.column_names if name != masked])


@pytest.mark.parametrize("name", [*WITH_CODES, *PLAIN])
def test_every_value_is_read_as_it_was_written(name):
    table = read(FILES / name)
    codes = {"gretl.dta": [-999]}.get(name, [] if name in PLAIN else [-999, -998])
    for column in table.column_names:
        if name == "foreign.dta" and column == "visit":
            continue  # it was written as a number of days
        actual = [plain(value) for value in table.column(column).to_pylist()]
        expected = [plain(row[column]) for row in SURVEY]
        if column == "income":
            expected = [None if value in codes else value for value in expected]
        assert actual == expected, column


@pytest.mark.parametrize("name", WITH_CODES)
def test_missing_codes_are_missing_and_kept_as_metadata(name):
    codes = open_source(FILES / name).metadata.of_column("income").codes.to_pylist()
    expected = [row["income"] if row["income"] in (-999, -998) else None for row in SURVEY]
    if not name.endswith("sav"):
        expected = [LETTERS.get(code) for code in expected]
    if name.endswith(("sas7bdat", "xpt")):
        expected = [code and code.upper() for code in expected]
    assert codes == expected


@pytest.mark.parametrize("name", [*WITH_CODES, *PLAIN])
def test_unmasked_columns_and_their_metadata_are_kept_in_the_same_format(tmp_path, name):
    source = open_source(FILES / name)
    released = release(source)
    target = tmp_path / name.replace("sas7bdat", "xpt")
    write(released, target, target=target)
    back = open_source(target)
    assert back.table.column_names == [
        column for column in source.table.column_names if column != "name"
    ]
    for column in back.table.column_names:
        before, after = released.table.column(column), back.table.column(column)
        assert before.to_pylist() == after.to_pylist(), column
        if column != "age":
            assert before.type == after.type or name == "gretl.dta"  # 16 bits become 32
            assert (
                back.metadata.of_column(column).format == source.metadata.of_column(column).format
            )
            assert (
                back.metadata.of_column(column).missing == source.metadata.of_column(column).missing
            )
        assert back.metadata.of_column(column).label == source.metadata.of_column(column).label
        assert back.metadata.of_column(column).measure == source.metadata.of_column(column).measure
        assert back.metadata.of_column(column).width == source.metadata.of_column(column).width
        assert (
            dict(back.metadata.of_column(column).value_labels)
            == source.metadata.of_column(column).value_labels
        )
    if name in WITH_CODES:
        actual = [
            code and str(code).lower()
            for code in back.metadata.of_column("income").codes.to_pylist()
        ]
        assert actual == [
            code and str(code).lower()
            for code in source.metadata.of_column("income").codes.to_pylist()
        ]


@pytest.mark.parametrize("name", ["pspp.sav", "haven.dta", "haven.xpt", "pandas.parquet"])
def test_free_text_and_dropped_columns_are_not_released(tmp_path, name):
    source = open_source(FILES / name)
    target = tmp_path / name
    remarks = write(release(source), target, target=target)
    assert any("is not released" in sentence for sentence in remarks)
    content = target.read_bytes()
    for word in (b"Ada", b"register", b"respondent"):
        assert word not in content


def test_notes_are_released_on_request(tmp_path):
    source = open_source(FILES / "pspp.sav")
    data = source.table.drop(["name"])
    released = source.for_release(data, data.column_names, keep_free_text=True)
    target = tmp_path / "kept.sav"
    assert write(released, target, target=target) == ()
    back = open_source(target).metadata.free_text
    assert back["the file's label"] == "Survey of Ada and others"
    assert "Names were taken from the register of Ada." in back["its notes"]
    remarks = write(released, tmp_path / "kept.dta", target=tmp_path / "kept.dta")
    assert remarks[-1].startswith("A Stata file cannot hold: its notes; missing codes of")


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "xpt", "parquet", "feather", "xlsx"])
@pytest.mark.parametrize("name", ["pspp.sav", "haven.dta", "haven.sas7bdat", "duckdb.parquet"])
def test_any_format_becomes_any_other(tmp_path, name, ending):
    released = release(open_source(FILES / name))
    target = tmp_path / f"out.{ending}"
    write(released, target, target=target)
    first = target.read_bytes()
    write(released, target, target=target)
    assert target.read_bytes() == first  # the time of writing is not part of a release
    back = open_source(target)
    for column in back.table.column_names:
        actual = [plain(value) for value in back.table.column(column).to_pylist()]
        expected = [plain(value) for value in released.table.column(column).to_pylist()]
        if ending == "xlsx" and column in ("visit", "seen"):
            continue  # the survey has a date before Excel's first day
        assert actual == expected, column
        if ending != "xlsx":
            assert (
                back.metadata.of_column(column).label == released.metadata.of_column(column).label
            )
    if ending in ("dta", "sav", "parquet") and name in ("pspp.sav", "haven.dta"):
        assert dict(back.metadata.of_column("sex").value_labels) == {1: "male", 2: "female"}


def test_losses_of_a_format_are_reported(tmp_path):
    released = release(open_source(FILES / "pspp.sav"))
    remarks = write(released, tmp_path / "out.csv", target=tmp_path / "out.csv")[-1]
    assert remarks.startswith("A text table cannot hold: labels of 'age', 'height', 'sex' and")
    assert "missing codes of 'income'" in remarks
    released = release(open_source(FILES / "haven.sas7bdat"))
    remarks = " ".join(write(released, tmp_path / "out.dta", target=tmp_path / "out.dta"))
    assert "missing codes" not in remarks  # both formats use letters
    codes = open_source(tmp_path / "out.dta").metadata.of_column("income").codes.to_pylist()
    assert codes == [LETTERS.get(row["income"]) for row in SURVEY]


def test_dates_before_the_first_day_of_excel_are_text(tmp_path):
    released = release(open_source(FILES / "haven.dta"))
    early = released.table.set_column(
        5, "visit", pa.array([dt.date(1899, 12, 31), *[dt.date(2020, 1, 1)] * 11])
    )
    target = tmp_path / "out.xlsx"
    write(early, target, target=target)
    assert read(target).column("visit").to_pylist()[:2] == ["1899-12-31", "2020-01-01"]


@pytest.mark.parametrize("name", [*WITH_CODES, *PLAIN])
def test_a_truncated_file_is_refused(tmp_path, name):
    content = (FILES / name).read_bytes()
    # Two kinds of truncated files look complete: a transport file that ends between two records,
    # and a file of an old version of Stata that ends after its values.
    longest = len(content) - (200 if name == "foreign.dta" else 1)
    for length in range(0, longest, longest // 30):
        if not (name.endswith("xpt") and length % 80 == 0):
            (tmp_path / name).write_bytes(content[:length])
            with pytest.raises(FileError):
                read(tmp_path / name)
