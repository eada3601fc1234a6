"""Stata, SPSS and SAS files: tables are read back, refused, or lose what a remark names."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import scaled_examples
from raising import raises
from shoal.errors import FileError
from shoal.io.files import open_source, read, write
from shoal.io.formats._statistical.xport_missing_codes import RECORD, read_letters
from shoal.io.formats.stata import DATES, DATETIMES
from shoal.io.metadata import ColumnMetadata, FileMetadata
from shoal.io.source import Source

ENDINGS = ["dta", "sav", "zsav", "xpt"]
LETTERS = st.characters(blacklist_categories=["Cs", "Cc", "Zs", "Zl", "Zp"])
# In the range of an IBM float, the narrowest of the three formats.
NUMBERS = st.floats(-1e70, 1e70, allow_subnormal=False).filter(
    lambda number: number == 0 or abs(number) > 1e-70
)
TABLES = st.lists(
    st.tuples(
        st.none() | NUMBERS,
        st.none() | st.integers(-(2**53) + 1, 2**53 - 1),
        st.none() | st.integers(-99, 99) | st.integers(2**31 - 120, 2**31 - 1),
        st.text(LETTERS, max_size=12),
        st.none() | st.dates(dt.date(1600, 1, 1), dt.date(4000, 1, 1)),
        st.none() | st.datetimes(dt.datetime(1600, 1, 1), dt.datetime(4000, 1, 1)),
        st.none() | st.booleans(),
    ),
    min_size=1,
    max_size=8,
)
TYPES = (pa.float64(), pa.int64(), pa.int32(), pa.string(), pa.date32())
TYPES = (*TYPES, pa.timestamp("ms"), pa.bool_())


def table_of(rows):
    columns = [
        [cell.replace(microsecond=0) if isinstance(cell, dt.datetime) else cell for cell in column]
        for column in zip(*rows, strict=True)
    ]
    names = ["x", "n", "i", "t", "d", "m", "b"]
    arrays = [pa.array(cells, kind) for cells, kind in zip(columns, TYPES, strict=True)]
    return pa.Table.from_arrays(arrays, names=names)


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=scaled_examples(40))
@given(rows=TABLES)
def test_any_table_is_read_back(tmp_path_factory, ending, rows):
    path = tmp_path_factory.mktemp("s") / f"t.{ending}"
    table = table_of(rows)
    write(table, path, target=path)
    back = read(path)
    for name in table.column_names:
        expected = table.column(name).to_pylist()
        if name == "t" and ending in ("dta", "xpt"):
            expected = [
                text or None for text in expected
            ]  # these formats store empty text as missing
        assert back.column(name).to_pylist() == expected, name


@given(rows=TABLES)
@settings(max_examples=15)
def test_pandas_reads_written_stata_files(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("s") / "t.dta"
    table = table_of(rows).select(["x", "i", "t"])
    write(table, path, target=path)
    back = pd.read_stata(path)
    assert back["t"].tolist() == table.column("t").to_pylist()
    assert [None if value != value else value for value in back["x"].tolist()] == table.column(
        "x"
    ).to_pylist()


@given(st.integers(-(10**9), 10**9), st.sampled_from([DATES, DATETIMES]))
def test_dates_and_times_round_trip(count, encoding):
    values = np.array([float(count % 10**6 if encoding.is_date else count), np.nan])
    moments = encoding.decode(values, np.isnan(values))
    assert encoding.encode(moments).to_pylist() == [values[0], None]


def test_half_days_and_dates_out_of_range_stay_numbers():
    for number in (0.5, 1e18):
        values = np.array([number, 1.0])
        assert DATES.decode(values, np.isnan(values)) is None


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_do_not_contain_the_time_of_writing(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    write(pa.table({"a": [1]}), path, target=path)
    reader = {"dta": pyreadstat.read_dta, "xpt": pyreadstat.read_xport}
    _, meta = reader.get(ending, pyreadstat.read_sav)(path)
    assert meta.creation_time == meta.modification_time == dt.datetime(1970, 1, 1)


def test_weeks_and_durations_are_kept_as_numbers(tmp_path):
    frame = pd.DataFrame({"week": [3120.0, None], "span": [5400.0, 60.5]})
    pyreadstat.write_dta(frame[["week"]], tmp_path / "t.dta", variable_format={"week": "%tw"})
    pyreadstat.write_sav(frame[["span"]], tmp_path / "t.sav", variable_format={"span": "TIME8"})
    for name, column, shown in (("t.dta", "week", "%tw"), ("t.sav", "span", "TIME8")):
        source = open_source(tmp_path / name)
        assert pa.types.is_floating(source.table.column(column).type)
        write(source.for_release(source.table, [column]), tmp_path / name, target=tmp_path / name)
        back = open_source(tmp_path / name)
        assert back.table.equals(source.table)
        assert back.metadata.of_column(column).format == shown


def test_a_mean_equal_to_a_missing_code_stays_a_mean(tmp_path):
    frame = pd.DataFrame({"a": [-2.0, -1.0, 5.0]})
    pyreadstat.write_sav(frame, tmp_path / "t.sav", missing_ranges={"a": [{"lo": -2, "hi": -1}]})
    source = open_source(tmp_path / "t.sav")
    assert source.table.column("a").to_pylist() == [None, None, 5]
    masked = source.table.set_column(0, "a", pa.array([-1.5, -1.5, -1.5]))
    write(source.for_release(masked, []), tmp_path / "t.sav", target=tmp_path / "t.sav")
    assert read(tmp_path / "t.sav").column("a").to_pylist() == [-1.5, -1.5, -1.5]


def test_a_missing_code_of_many_digits_is_kept_next_to_small_numbers(tmp_path):
    frame = pd.DataFrame({"a": [9999999999.0, 1.0, 0.5], "b": [9999999999.0, 1.0, 2.0]})
    labels = {9999999999.0: "refused", 1.0: "one", 0.5: "half"}
    pyreadstat.write_sav(
        frame,
        tmp_path / "t.sav",
        missing_ranges={"a": [9999999999], "b": [9999999999]},
        variable_value_labels={"a": labels},
        variable_format={"b": "F10.0"},
    )
    source = open_source(tmp_path / "t.sav")
    assert source.table.column("b").to_pylist() == [None, 1, 2]
    release = source.for_release(source.table, ["a", "b"])
    write(release, tmp_path / "u.sav", target=tmp_path / "u.sav")
    back, meta = pyreadstat.read_sav(tmp_path / "u.sav", user_missing=True)
    pd.testing.assert_frame_equal(back, frame)
    assert meta.variable_value_labels["a"] == labels
    remarks = write(release, tmp_path / "u.dta", target=tmp_path / "u.dta")
    assert remarks[0] == "A Stata file labels whole numbers only; other labels of 'a' are lost."
    assert open_source(tmp_path / "u.dta").metadata.of_column("a").value_labels == {1: "one"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_malformed_labels_in_a_schema_are_ignored(tmp_path, ending):
    malformed_labels = {
        None: "x", True: "y", "long": "z", "a": "letter", "_": "line", 1.5: "half", 2: "two",
    }  # fmt: skip
    source = Source(pa.table({"n": [1, 2], "t": ["a", "b"]}))
    column_metadata = {name: ColumnMetadata(value_labels=malformed_labels) for name in ("n", "t")}
    target = tmp_path / f"t.{ending}"
    write(Source(source.table, FileMetadata("arrow", column_metadata)), target, target=target)
    assert read(target).column("n").to_pylist() == [1, 2]


def test_declared_missing_texts_are_missing(tmp_path):
    frame = pd.DataFrame({"a": ["x", "NA", "y"]})
    pyreadstat.write_sav(frame, tmp_path / "t.sav", missing_ranges={"a": ["NA"]})
    source = open_source(tmp_path / "t.sav")
    assert source.table.column("a").to_pylist() == ["x", None, "y"]
    write(source.for_release(source.table, ["a"]), tmp_path / "u.sav", target=tmp_path / "u.sav")
    back, _ = pyreadstat.read_sav(tmp_path / "u.sav", user_missing=True)
    assert back["a"].tolist() == ["x", "NA", "y"]


@pytest.mark.parametrize(
    ("ending", "name"),
    [("dta", "int"), ("dta", "str5"), ("dta", "a b"), ("dta", "x" * 33), ("dta", "1a")]
    + [("sav", "AND"), ("sav", "a b"), ("sav", "x" * 65), ("xpt", "ä"), ("xpt", "x" * 33)],
)
def test_a_name_that_the_format_cannot_hold_is_refused(tmp_path, ending, name):
    target = tmp_path / f"t.{ending}"
    with raises(FileError, "name-not-writable", column=name):
        write(pa.table({name: [1]}), target, target=target)


def test_names_that_differ_by_case_are_refused_if_the_format_ignores_case(tmp_path):
    for ending in ("sav", "xpt"):
        target = tmp_path / f"t.{ending}"
        with raises(FileError, "names-alike", column="age"):
            write(pa.table({"Age": [1], "age": [2]}), target, target=target)
    write(pa.table({"Age": [1], "age": [2]}), tmp_path / "t.dta", target=tmp_path / "t.dta")


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        ([2**53, 1], "whole-numbers-too-large"),
        ([float("inf"), 1.0], "infinite-values"),
        (["a\0b", "c"], "nul-characters"),
        ([[1], [2]], "type-not-writable"),
    ],
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_values_that_the_format_cannot_hold_are_refused(tmp_path, ending, cells, code):
    target = tmp_path / f"t.{ending}"
    with raises(FileError, code):
        write(pa.table({"a": cells}), target, target=target)


def test_more_columns_than_a_transport_file_describes_are_refused(tmp_path):
    path = tmp_path / "t.xpt"
    write(pa.table({"a": [1.0, None], "b": [2.0, 3.0]}), path, target=path)
    content = path.read_bytes()
    offset = content.index(b"HEADER RECORD*******NAM") + RECORD - 32
    path.write_bytes(content[:offset] + b"0000009999" + content[offset + 10 :])
    with pytest.raises(ValueError, match="more columns"):
        read_letters(path, 2)


@pytest.mark.parametrize("digits", [b"9999999999", b"0000000002", b"          "])
def test_a_transport_file_with_another_number_of_columns_is_refused(tmp_path, digits):
    path = tmp_path / "t.xpt"
    write(pa.table({"a": [1.0, None], "b": [2.0, 3.0], "c": [0.5, 0.5]}), path, target=path)
    content = path.read_bytes()
    offset = content.index(b"HEADER RECORD*******NAM") + RECORD - 32
    path.write_bytes(content[:offset] + digits + content[offset + len(digits) :])
    with raises(FileError, "file-damaged"):
        read(path)


@pytest.mark.parametrize(
    ("ending", "label", "value"), [("dta", 80, 300), ("sav", 128, 60), ("xpt", 128, 0)]
)
def test_long_labels_are_shortened_between_characters_and_reported(tmp_path, ending, label, value):
    column_metadata = {"a": ColumnMetadata(label="ä" * 300, value_labels={1: "ö" * 300})}
    target = tmp_path / f"t.{ending}"
    remarks = write(
        Source(pa.table({"a": [1]}), FileMetadata("arrow", column_metadata)), target, target=target
    )
    assert "the labels of 'a' were shortened" in remarks[0]
    back = open_source(target).metadata.of_column("a")
    assert back.label == "ä" * label
    assert back.value_labels.get(1, "") == "ö" * value


def test_short_tables_are_written_as_the_oldest_transport_files(tmp_path):
    target = tmp_path / "t.xpt"
    write(pa.table({"short": [1.5]}), target, target=target)
    assert pd.read_sas(target)["short"].tolist() == [1.5]  # pandas reads only version 5
    write(pa.table({"rather_long": [1.5]}), target, target=target)
    assert b"LIBV8" in target.read_bytes()
