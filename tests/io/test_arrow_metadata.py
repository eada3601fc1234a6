"""Metadata of Arrow schemas in Parquet and Feather files: which entries may be released."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from shoal.io.files import open_source, read, write

READ = {"parquet": pd.read_parquet, "feather": pd.read_feather}
HARMLESS = {"label": "Age", "unit": "years", "PARQUET:field_id": "7"}


def schema_of(path):
    return pq.read_schema(path) if path.suffix == ".parquet" else feather.read_table(path).schema


def save_and_open(path, table):
    (pq.write_table if path.suffix == ".parquet" else feather.write_feather)(table, str(path))
    return open_source(path)


def mask_and_drop(source, masked, dropped):
    """Return the names of the unchanged columns, and the table with one masked and one dropped."""
    data = source.table.drop([dropped])
    values = pa.array([0.5] * data.num_rows)
    data = data.set_column(data.column_names.index(masked), masked, values)
    return [name for name in data.column_names if name != masked], data


@pytest.mark.parametrize("ending", READ)
@pytest.mark.parametrize("keep", [False, True])
def test_harmless_entries_are_released_and_others_only_on_request(tmp_path, ending, keep):
    field = {**HARMLESS, "max": "SECRET"}
    fields = [pa.field(name, pa.int64(), metadata=field) for name in ("masked", "plain", "gone")]
    schema = pa.schema(fields, metadata={"owner": "SECRET owner", "bytes": b"\xff\xfe"})
    table = pa.Table.from_arrays([pa.array([1, 2])] * 3, schema=schema)
    path = tmp_path / f"t.{ending}"
    source = save_and_open(path, table)
    unchanged, data = mask_and_drop(source, "masked", "gone")
    remarks = write(source.for_release(data, unchanged, keep_free_text=keep), path, target=path)
    schema = schema_of(path)
    assert schema.names == ["masked", "plain"]
    for name in schema.names:
        entries = {
            key.decode(): text.decode() for key, text in (schema.field(name).metadata or {}).items()
        }
        assert entries["label"] == "Age"
        assert entries["unit"] == "years"
        assert ("max" in entries) == (keep and name == "plain")
    assert (b"owner" in (schema.metadata or {})) == keep
    assert any("owner" in sentence for sentence in remarks) != keep
    assert b"gone" not in path.read_bytes()


@pytest.mark.parametrize("ending", READ)
def test_pandas_restores_its_index_and_types(tmp_path, ending):
    frame = pd.DataFrame(
        {
            "age": [1, 2],
            "person": ["a", "b"],
            "day": pd.to_datetime(["2020-01-01", None]),
            "kind": pd.Categorical(["x", "y"], ["y", "x"], ordered=True),
            "whole": pd.array([1, None], "Int64"),
        },
        index=pd.Index([7, 9], name="key"),
    )
    frame.attrs["source"] = "SECRET"
    frame.columns.name = "SECRET"
    path = tmp_path / f"t.{ending}"
    table = pa.Table.from_pandas(frame)
    source = save_and_open(path, table)
    unchanged, data = mask_and_drop(source, "age", "person")
    write(source.for_release(data, unchanged), path, target=path)
    released = READ[ending](path)
    expected = frame.drop(columns="person").assign(age=[0.5, 0.5]).rename_axis(columns=None)
    pd.testing.assert_frame_equal(released, expected)
    assert b"SECRET" not in path.read_bytes()
    assert b"person" not in path.read_bytes()


def test_an_index_without_a_name_is_restored_unless_it_is_dropped(tmp_path):
    frame = pd.DataFrame({"age": [1, 2], "x": [1, 2]}, index=[7, 9])
    path = tmp_path / "t.parquet"
    source = save_and_open(path, pa.Table.from_pandas(frame))
    unchanged, data = mask_and_drop(source, "age", "x")
    write(source.for_release(data, unchanged), path, target=path)
    assert pd.read_parquet(path).index.tolist() == [7, 9]
    assert pd.read_parquet(path).index.name is None
    source = save_and_open(path, pa.Table.from_pandas(frame))
    unchanged, data = mask_and_drop(source, "age", "__index_level_0__")
    write(source.for_release(data, unchanged), path, target=path)
    assert pd.read_parquet(path).index.tolist() == [0, 1]


@pytest.mark.parametrize(
    "entry", ["no json", "[]", '{"columns": 3}', '{"columns": [3, {}, {"field_name": []}]}']
)
def test_a_malformed_pandas_entry_is_ignored(tmp_path, entry):
    path = tmp_path / "t.parquet"
    source = save_and_open(path, pa.table({"a": [1, 2]}).replace_schema_metadata({"pandas": entry}))
    write(source.for_release(source.table, ["a"]), path, target=path)
    assert read(path).column("a").to_pylist() == [1, 2]


def test_views_of_text_are_read_as_text(tmp_path):
    frame = pl.DataFrame({"t": ["a", None], "c": pl.Series(["x", "y"], dtype=pl.Categorical)})
    frame.write_ipc(tmp_path / "t.arrow")
    frame.write_ipc_stream(tmp_path / "s.arrow")
    for name in ("t.arrow", "s.arrow"):
        table = read(tmp_path / name)
        assert table.to_pydict() == {"t": ["a", None], "c": ["x", "y"]}
        write(table, tmp_path / "t.csv", target=tmp_path / "t.csv")
        assert (tmp_path / "t.csv").read_text() == "t,c\na,x\n,y\n"


def test_two_columns_of_one_name_are_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    for ending in READ:
        path = tmp_path / f"t.{ending}"
        with pytest.raises(ValueError, match="'a'"):
            save_and_open(path, table)


def test_value_labels_are_kept_in_a_schema(tmp_path):
    labels = {"value_labels": json.dumps([[1, "male"], [2, "female"]])}
    table = pa.Table.from_arrays(
        [pa.array([1, 2])], schema=pa.schema([pa.field("sex", pa.int64(), metadata=labels)])
    )
    source = save_and_open(tmp_path / "t.parquet", table)
    assert source.metadata.of_column("sex").value_labels == {1: "male", 2: "female"}
    write(source, tmp_path / "t.sav", target=tmp_path / "t.sav")
    assert open_source(tmp_path / "t.sav").metadata.of_column("sex").value_labels == {
        1: "male",
        2: "female",
    }
