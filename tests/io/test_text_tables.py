"""Text tables: read strictly, written exactly."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.errors import ColumnError, FileError, ParameterError
from shoal.io.dialect import Dialect
from shoal.io.files import read, write


def write_text(tmp_path, text, name="t.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


def round_trip(table, path, dialect=None, numbers=None):
    write(table, path, target=path, dialect=dialect)
    return read(path, dialect=dialect, numbers=numbers)


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_are_read_back_exactly(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    table = pa.table({"x": pa.array(values, pa.float64())})
    back = round_trip(table, path).column("x").cast(pa.float64()).to_pylist()
    assert [math.copysign(1, x) * abs(x) for x in back] == values


CELLS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('",;\n'), max_size=8
)


@given(cells=st.lists(st.tuples(CELLS, CELLS), min_size=1), separator=st.sampled_from(",;\t|"))
def test_text_is_read_back_unchanged(tmp_path_factory, cells, separator):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    first, second = zip(*cells, strict=True)
    table = pa.table({"a": pa.array(first, pa.string()), "b": pa.array(second, pa.string())})
    back = round_trip(table, path, Dialect(separator=separator), numbers=())
    assert back.to_pydict() == table.to_pydict()


def test_one_empty_column_keeps_its_records(tmp_path):
    table = pa.table({"a": pa.array(["x", "", None, "y"])})
    back = round_trip(table, tmp_path / "t.csv", numbers=())
    assert back.column("a").to_pylist() == ["x", "", "", "y"]


def test_unmasked_columns_are_written_as_they_were_read(tmp_path):
    path = write_text(tmp_path, "zip,price,age\n00701,1.50,7\n01234,2.00,8\n")
    table = read(path, numbers=["age"])
    assert table.column("zip").to_pylist() == ["00701", "01234"]
    assert table.column("price").to_pylist() == ["1.50", "2.00"]
    assert table.column("age").to_pylist() == [7, 8]


def test_the_type_of_a_column_follows_from_all_its_cells(tmp_path):
    path = write_text(tmp_path, "a,b,c,d\n1,1.5,x,\n-2,1e3,2,\n+3,.5,3,\n")
    table = read(path)
    assert [str(kind) for kind in table.schema.types] == ["int64", "double", "string", "string"]
    assert table.column("b").to_pylist() == [1.5, 1000.0, 0.5]


def test_an_empty_cell_is_missing_and_no_number_stands_for_missing(tmp_path):
    table = read(write_text(tmp_path, "a,b\n1,-999\n,2\n"))
    assert table.column("a").to_pylist() == [1, None]
    assert table.column("b").to_pylist() == [-999, 2]


def test_a_declared_missing_marker_is_used(tmp_path):
    path = write_text(tmp_path, "a\n1\nNA\n")
    assert read(path).column("a").to_pylist() == ["1", "NA"]
    assert read(path, dialect=Dialect(missing="NA")).column("a").to_pylist() == [1, None]


def test_decimal_comma_and_semicolon(tmp_path):
    dialect = Dialect(separator=";", decimal=",")
    path = write_text(tmp_path, "a;b\n1,5;x\n-2,25;y\n")
    table = read(path, dialect=dialect)
    assert table.column("a").to_pylist() == [1.5, -2.25]
    again = tmp_path / "again.csv"
    write(table, again, target=again, dialect=dialect)
    assert again.read_text() == path.read_text()


def test_decimal_points_under_a_decimal_comma_are_text(tmp_path):
    table = read(
        write_text(tmp_path, "a\n1.500\n2.000\n"), dialect=Dialect(separator=";", decimal=",")
    )
    assert table.column("a").to_pylist() == ["1.500", "2.000"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig", "utf-8"])
def test_encodings_round_trip(tmp_path, encoding):
    dialect = Dialect(encoding=encoding)
    path = write_text(tmp_path, "größe,ort\n1,Málaga\n", encoding=encoding)
    table = read(path, dialect=dialect)
    assert table.to_pydict() == {"größe": [1], "ort": ["Málaga"]}
    assert round_trip(table, tmp_path / "b.csv", dialect).equals(table)


def test_files_of_pandas_and_polars_are_read_exactly(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.normal(size=50) * 1e9, "n": rng.integers(-9, 9, 50), "t": ['a "b", c\nd'] * 50}
    )
    frame.to_csv(tmp_path / "pandas.csv", index=False)
    pl.from_pandas(frame).write_csv(tmp_path / "polars.csv")
    for name in ("pandas.csv", "polars.csv"):
        pd.testing.assert_frame_equal(read(tmp_path / name).to_pandas(), frame, check_dtype=False)


def test_pandas_and_polars_read_written_files_exactly(tmp_path):
    rng = np.random.default_rng(1)
    table = pa.table({"x": rng.normal(size=50) / 3, "t": ['a "b", c\nd'] * 50})
    path = tmp_path / "t.csv"
    write(table, path, target=path)
    read_by_pandas = pd.read_csv(path, dtype={"x": str})  # pandas 2 rounds numbers
    assert read_by_pandas["x"].map(float).tolist() == table.column("x").to_pylist()
    assert pl.read_csv(path)["t"].to_list() == table.column("t").to_pylist()
    assert pl.read_csv(path)["x"].to_list() == table.column("x").to_pylist()


def test_windows_line_ends_are_read(tmp_path):
    assert read(write_text(tmp_path, "a,b\r\n1,x\r\n")).to_pydict() == {"a": [1], "b": ["x"]}


def test_blank_lines_are_skipped_except_in_a_table_of_one_column(tmp_path):
    assert read(write_text(tmp_path, "a,b\n1,2\n\n3,4\n\n")).to_pydict() == {
        "a": [1, 3],
        "b": [2, 4],
    }
    assert read(write_text(tmp_path, "a\n1\n\n3\n")).to_pydict() == {"a": [1, None, 3]}


def test_whole_numbers_beyond_64_bits_stay_text(tmp_path):
    path = write_text(tmp_path, "a\n12345678901234567890123\n1\n")
    assert read(path).column("a").to_pylist() == ["12345678901234567890123", "1"]


@pytest.mark.parametrize(
    ("text", "code", "attributes"),
    [
        ("", "file-empty", {}),
        ("\n\n", "file-empty", {}),
        ("a,b\n", "no-records", {}),
        ("a,b\n1,2\n3\n", "ragged-line", {"line": 3, "fields": 1, "expected": 2}),
        ("a,b\n1,2\n3,4,5\n", "ragged-line", {"line": 3, "fields": 3, "expected": 2}),
        ("a;b\n1;2\n", "wrong-separator", {"separator": ";"}),
        ('a,b\n"1,2\n', "stray-quotation-mark", {"line": 2}),
    ],
)
def test_malformed_tables_are_refused(tmp_path, text, code, attributes):
    with raises(FileError, code, **attributes):
        read(write_text(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n1,x\n2,"open\n3,y\n4,z\n',
        'a,b\n1,x\n2,"open\n3,y\n4,"z"\n',
        'a,b\n1,"x\\"y"\n',
    ],
)
def test_a_quotation_mark_that_would_merge_records_is_refused(tmp_path, text):
    with raises(FileError, "stray-quotation-mark"):
        read(write_text(tmp_path, text))


def test_a_malformed_line_is_reported_by_its_number_in_the_file(tmp_path):
    with raises(FileError, "ragged-line", line=4, fields=1, expected=2):
        read(write_text(tmp_path, 'a,b\n1,"x\ny"\n3\n'))


def test_a_utf_16_file_is_recognised(tmp_path):
    with raises(FileError, "wrong-encoding", encoding="utf-16"):
        read(write_text(tmp_path, "a,b\n1,2\n", encoding="utf-16"))


def test_two_columns_of_one_name_are_refused(tmp_path):
    with raises(ColumnError, "name-twice", column="a"):
        read(write_text(tmp_path, "a,a\n1,2\n"))


def test_a_wrong_encoding_is_refused_with_one_to_try(tmp_path):
    in_header = write_text(tmp_path, "größe\n1\n", encoding="latin-1")
    with raises(FileError, "wrong-encoding", encoding="latin-1"):
        read(in_header)
    in_cell = write_text(tmp_path, "a\nMálaga\n", encoding="latin-1")
    with raises(FileError, "wrong-encoding"):
        read(in_cell)


def test_an_error_never_shows_a_value(tmp_path):
    path = write_text(tmp_path, "a,b\nsecret,2\nsecret\n")
    with pytest.raises(FileError) as caught:
        read(path)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("options", [{"separator": ",,"}, {"decimal": ""}, {"separator": "."}])
def test_marks_must_be_one_character_and_differ(options):
    with pytest.raises(ParameterError):
        Dialect(**options)


@pytest.mark.parametrize("name", ["utf-9", "hex", "rot13", "idna", "punycode", "undefined", "a\0b"])
def test_an_unknown_encoding_is_refused(name):
    with raises(ParameterError, "unknown-encoding", encoding=name):
        Dialect(encoding=name)


def test_characters_that_the_encoding_lacks_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    with raises(FileError, "cannot-encode", encoding="latin-1"):
        write(pa.table({"a": ["λ"]}), path, target=path, dialect=Dialect(encoding="latin-1"))
