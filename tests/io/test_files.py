"""Reading and writing by the suffix of a path, and Parquet files."""

import datetime as dt
import struct

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from raising import raises
from shoal.errors import FileError
from shoal.io.files import read, write
from shoal.io.metadata import ColumnMetadata, FileMetadata
from shoal.io.source import Source


def test_parquet_keeps_types_and_metadata(tmp_path):
    table = pa.table(
        {
            "x": pa.array([0.1, None], pa.float64()),
            "n": pa.array([2**60, 1], pa.int64()),
            "d": pa.array([dt.date(2020, 1, 2), None]),
            "c": pa.array(["a", "b"]).dictionary_encode(),
        }
    ).replace_schema_metadata({"source": "survey 7"})
    path = tmp_path / "t.parquet"
    write(table, path, target=path)
    assert read(path).equals(table, check_metadata=True)


def test_parquet_files_are_exchanged_with_pandas_and_polars(tmp_path):
    frame = pd.DataFrame({"x": [1.5, 2.25], "t": ["a", "b"]})
    frame.to_parquet(tmp_path / "pandas.parquet")
    pl.from_pandas(frame).write_parquet(tmp_path / "polars.parquet")
    for name in ("pandas", "polars"):
        table = read(tmp_path / f"{name}.parquet")
        assert table.to_pydict() == frame.to_dict(orient="list")
        again = tmp_path / f"{name}-again.parquet"
        write(table, again, target=again)
        pd.testing.assert_frame_equal(pd.read_parquet(again), frame, check_dtype=False)
        assert pl.read_parquet(again).to_dict(as_series=False) == frame.to_dict(orient="list")


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_dates_booleans_and_big_numbers_survive(tmp_path, name):
    table = pa.table({"d": [dt.date(2020, 1, 2)], "b": [True], "n": [2**60]})
    path = tmp_path / name
    write(table, path, target=path)
    back = read(path)
    assert [str(v.as_py()).lower() for column in back.columns for v in column] == [
        "2020-01-02",
        "true",
        str(2**60),
    ]


def test_nested_values_are_not_written_to_text_tables(tmp_path):
    path = tmp_path / "t.csv"
    with raises(FileError, "unrepresentable-column"):
        write(pa.table({"a": [[1, 2]]}), path, target=path)


def test_a_damaged_parquet_file_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"not parquet")
    with raises(FileError, "file-damaged"):
        read(path)
    pq.write_table(pa.table({"a": list(range(1000))}), path)
    path.write_bytes(path.read_bytes()[:-20])
    with raises(FileError, "file-damaged"):
        read(path)


def test_a_feather_file_whose_text_points_outside_of_it_is_refused(tmp_path):
    path = tmp_path / "damaged.feather"
    feather.write_feather(pa.table({"a": ["one", "two"]}), path, compression="uncompressed")
    content = path.read_bytes()
    ends = struct.pack("<3i", 0, 3, 6)
    assert content.count(ends) == 1
    path.write_bytes(content.replace(ends, struct.pack("<3i", 0, 2**30, 6)))
    with pytest.raises(FileError):
        read(path)


def test_a_directory_a_missing_file_and_an_unknown_suffix_are_refused(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with raises(FileError, "is-a-directory"):
        read(tmp_path / "folder.csv")
    with raises(FileError, "no-such-file"):
        read(tmp_path / "nowhere.csv")
    with raises(FileError, "unknown-ending"):
        read(tmp_path / "table.docx")


def test_nothing_of_dropped_records_is_released():
    kinds = pa.array(["a", "secret", None, "b", "a"]).dictionary_encode()
    codes = pa.array([None, "a", None, None, "b"])
    source = Source(
        pa.table({"kind": kinds, "x": [1, None, 3, 4, None]}),
        FileMetadata("stata", {"x": ColumnMetadata(codes=codes)}),
    )
    kept = np.array([True, False, True, True, True])
    data = source.table.filter(pa.array(kept))
    release = source.for_release(data, ["kind", "x"], rows=np.flatnonzero(kept))
    assert release.table.to_pydict() == {"kind": ["a", None, "b", "a"], "x": [1, 3, 4, None]}
    assert release.table.column("kind").chunk(0).dictionary.to_pylist() == ["a", "b"]
    assert release.metadata.of_column("x").codes.to_pylist() == [None, None, None, "b"]


def test_categories_that_masking_removed_are_not_released():
    kinds = pa.array(["a", "secret", "b"]).dictionary_encode()
    source = Source(pa.table({"kind": kinds, "plain": kinds}))
    masked = pa.DictionaryArray.from_arrays(pa.array([0, 2, 2], pa.int32()), kinds.dictionary)
    release = source.for_release(source.table.set_column(0, "kind", masked), ["plain"])
    assert release.table.to_pydict() == {"kind": ["a", "b", "b"], "plain": ["a", "secret", "b"]}
    assert release.table.column("kind").chunk(0).dictionary.to_pylist() == ["a", "b"]
