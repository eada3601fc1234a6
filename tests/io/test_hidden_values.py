"""Values of the original that are not released are in no type, label or buffer of a release."""

import io
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

import shoal
from shoal import Plan
from shoal.errors import ShoalWarning
from shoal.frame.hidden_values import clear_missing_cells, prune_dictionary
from shoal.plan.deliver import deliver

TOWNS = ["Porto"] * 6 + ["Faro"] * 6 + ["Secret Hamlet", "Secret Farm"]
CATEGORIES = ["Porto", "Faro", "Secret Hamlet", "Secret Farm", "Secret Castle"]
CODES = [1] * 6 + [2] * 6 + [8888, 9999]
LABELS = {1: "one", 2: "two", 8888: "Secret Hamlet", 9999: "Secret Farm", 7777: "Secret Castle"}
HIDDEN = [b"Secret", *(kind(n).tobytes() for kind in (np.int64, np.float64) for n in CODES[-2:])]


def masked(data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return shoal.microaggregate(data, ["town"], k=5, method="mdav", **options).data


def suppressed(data, column):
    entries = {"method": "suppress", "columns": [column], "k": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        plan = {"version": 1, "other_columns": "release", "roles": {}, "steps": [entries]}
        return Plan.from_dict(plan).run(data).data


def pandas_frame(*, ordered=False):
    towns = pd.Categorical(TOWNS, CATEGORIES, ordered=ordered)
    return pd.DataFrame({"town": towns, "free": pd.Categorical(["a"] * 14, ["a", "Secret"])})


def polars_frame(kind):
    return pl.DataFrame({"town": pl.Series(TOWNS, dtype=kind)})


FRAMES = {
    "pandas": pandas_frame,
    "pandas ordered": lambda: pandas_frame(ordered=True),
    "pandas with Arrow types": lambda: pa.Table.from_pandas(pandas_frame()).to_pandas(
        types_mapper=pd.ArrowDtype
    ),
    "arrow": lambda: pa.Table.from_pandas(pandas_frame()),
    "arrow ordered": lambda: pa.Table.from_pandas(pandas_frame(ordered=True)).select(["town"]),
    "arrow in pieces": lambda: pa.concat_tables(
        [pa.Table.from_pandas(pandas_frame()).slice(i, 7) for i in (0, 7)]
    ),
    "polars": lambda: polars_frame(pl.Categorical),
    "polars enum": lambda: polars_frame(pl.Enum(CATEGORIES)),
}


def as_arrow(data):
    if isinstance(data, pd.DataFrame):
        return pa.Table.from_pandas(data)
    return data.to_arrow() if isinstance(data, pl.DataFrame) else data


def all_bytes(data):
    """Return everything that a table stores, including types and buffers."""
    table = as_arrow(data)
    parts = [str(getattr(data, "dtypes", "")).encode(), str(table.schema).encode()]
    for column in table.columns:
        for chunk in column.chunks:
            if pa.types.is_dictionary(chunk.type):
                parts.append(repr(chunk.dictionary.to_pylist()).encode())
            parts += [bytes(buffer) for buffer in chunk.buffers() if buffer is not None]
    written = io.BytesIO()
    feather.write_feather(table, written, compression="uncompressed")
    return b"\n".join([*parts, written.getvalue()])


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", FRAMES)
def test_a_masked_table_has_only_the_released_categories(kind, missing):
    data = FRAMES[kind]()
    released = suppressed(data, "town") if missing else masked(data)
    assert b"Secret" in all_bytes(data)
    assert b"Secret" not in all_bytes(released)
    assert {"Porto", "Faro"} == set(as_arrow(released)["town"].drop_null().to_pylist())
    assert type(released["town"]) is type(data["town"])


def test_the_order_of_categories_is_kept():
    released = masked(FRAMES["pandas ordered"]())
    assert released["town"].cat.ordered
    assert released["town"].cat.categories.tolist() == ["Porto", "Faro"]
    assert masked(FRAMES["polars enum"]())["town"].dtype == pl.Enum(["Porto", "Faro"])


def test_the_code_book_of_an_unchanged_column_is_kept():
    data = pandas_frame()
    data["free"] = pd.Categorical(["low"] * 14, ["low", "high"], ordered=True)
    assert masked(data)["free"].dtype == data["free"].dtype


def test_notes_on_a_pandas_table_are_not_released():
    data = pandas_frame()
    data.attrs = {"made from": "Secret"}
    assert masked(data).attrs == {}
    assert data.attrs


NUMBERS = {
    "pandas": lambda: pd.DataFrame({"x": CODES}),
    "pandas nullable": lambda: pd.DataFrame({"x": pd.array(CODES, "Int64")}),
    "pandas nullable float": lambda: pd.DataFrame({"x": pd.array(CODES, "Float64")}),
    "pandas text": lambda: pd.DataFrame({"x": TOWNS}),
    "pandas with Arrow types": lambda: pd.DataFrame({"x": pd.array(CODES, "int64[pyarrow]")}),
    "arrow": lambda: pa.table({"x": CODES}),
    "arrow text": lambda: pa.table({"x": TOWNS}),
    "polars": lambda: pl.DataFrame({"x": CODES}),
    "polars text": lambda: pl.DataFrame({"x": TOWNS}),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_suppressed_cell_holds_nothing(kind):
    data = NUMBERS[kind]()
    released = suppressed(data, "x")
    array = getattr(released["x"], "array", None)
    hidden_values = getattr(array, "_data", None)  # the values of a nullable array of pandas
    actual = all_bytes(released)
    if hidden_values is not None:
        actual += np.asarray(hidden_values).tobytes()
    assert as_arrow(released)["x"].null_count >= 2
    assert not any(secret in actual for secret in HIDDEN)


@pytest.mark.parametrize("kind", [kind for kind in NUMBERS if kind != "pandas"])
def test_a_column_without_any_value_holds_nothing(kind):
    data = NUMBERS[kind]()
    from shoal.frame.replacement import RowGather, with_values
    from shoal.frame.tables import open_frame, to_native

    all_rows = RowGather(np.arange(14), np.ones(14, bool))
    released = to_native(with_values(open_frame(data), {"x": all_rows}))
    assert as_arrow(released)["x"].null_count == 14
    assert not any(secret in all_bytes(released) for secret in HIDDEN)


@given(st.lists(st.none() | st.sampled_from("abcd"), min_size=1), st.integers(0, 3))
def test_pruning_changes_no_value(values, cut):
    whole = pa.array([*values, "x"]).dictionary_encode().slice(0, len(values))
    pieces = pa.chunked_array([whole.slice(0, cut), whole.slice(cut)])
    pruned = prune_dictionary(pieces)
    assert pruned.to_pylist() == values
    assert sorted(pruned.dictionary.to_pylist()) == sorted({v for v in values if v is not None})
    plain = pa.chunked_array([pa.array(values, pa.string())])
    assert clear_missing_cells(plain).to_pylist() == values


def test_values_beneath_missing_cells_are_not_written(tmp_path):
    raw = pa.Array.from_buffers(
        pa.int64(), 14, [pa.array([True] * 12 + [False] * 2).buffers()[1], pa.py_buffer(
            np.array(CODES, np.int64).tobytes())]
    )  # fmt: skip
    table = pa.table({"free": raw, "x": [float(i) for i in range(14)]})
    feather.write_feather(table, tmp_path / "in.feather", compression="uncompressed")
    assert np.int64(8888).tobytes() in (tmp_path / "in.feather").read_bytes()
    back = released(tmp_path / "in.feather", tmp_path / "out.feather", ["x"])
    assert not any(secret in all_bytes(feather.read_table(back)) for secret in HIDDEN)


def released(source, target, columns, **options):
    """Mask a file as the command line does; return the target."""
    from shoal.partitioners import MDAV

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        plan = Plan.of(columns, MDAV(k=5), other_columns="release", **options)
        deliver(plan, source, target)
    return target


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("target_format", ["parquet", "feather"])
@pytest.mark.parametrize("source_format", ["parquet", "feather"])
def test_no_arrow_file_holds_unreleased_categories(tmp_path, source_format, target_format, ordered):
    data = pandas_frame(ordered=ordered)[["town"]].assign(age=np.arange(14.0))
    source, target = tmp_path / f"in.{source_format}", tmp_path / f"out.{target_format}"
    getattr(data, f"to_{source_format}")(source)
    released(source, target, ["town", "age"])
    table = pq.read_table(target) if target_format == "parquet" else feather.read_table(target)
    assert b"Secret" not in all_bytes(table)
    back = getattr(pd, f"read_{target_format}")(target)
    assert set(back["town"].cat.categories) == {"Porto", "Faro"}
    read = pl.read_parquet if target_format == "parquet" else pl.read_ipc
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert set(read(target)["town"].unique().to_list()) == {"Porto", "Faro"}


def test_a_parquet_file_has_the_metadata_of_the_release(tmp_path):
    data = pandas_frame()[["town"]].assign(age=[*np.arange(13.0), 1234567.0])
    data["passport"] = [f"Secret {i}" for i in range(14)]
    table = pa.Table.from_pandas(data)
    entries = {**table.schema.metadata, b"about": b"Secret", b"extremes": b"0 to 1234567"}
    field = pa.field("age", pa.float64(), metadata={"max": "1234567.0", "unit": "years"})
    table = table.replace_schema_metadata(entries)
    table = table.set_column(1, field, table.column("age")).replace_schema_metadata(entries)
    pq.write_table(table, tmp_path / "in.parquet")
    target = released(
        tmp_path / "in.parquet", tmp_path / "out.parquet", ["town", "age"], identifiers=["passport"]
    )
    file = pq.ParquetFile(target)
    values = file.read()["age"].to_numpy()
    group = file.metadata.row_group(0)
    for i in range(group.num_columns):
        statistics = group.column(i).statistics
        if group.column(i).path_in_schema == "age":
            assert (statistics.min, statistics.max) == (values.min(), values.max())
        else:
            assert {statistics.min, statistics.max} <= {"Porto", "Faro"}
    text = json.dumps({key.decode(): t.decode() for key, t in file.metadata.metadata.items()})
    schema = str(file.schema_arrow.metadata) + str([f.metadata for f in file.schema_arrow])
    for secret in ("Secret", "1234567", "passport"):
        assert secret not in text + schema
    assert "years" in schema  # a harmless entry is kept


LABELLED = {"sav": pyreadstat.write_sav, "zsav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}


@pytest.mark.parametrize("target_format", [*LABELLED, "parquet", "feather"])
@pytest.mark.parametrize("source_format", LABELLED)
def test_no_file_holds_labels_of_unreleased_values(tmp_path, source_format, target_format):
    data = pd.DataFrame({"town": CODES, "same": CODES, "age": np.arange(14.0)})
    source, target = tmp_path / f"in.{source_format}", tmp_path / f"out.{target_format}"
    options = {"compress": True} if source_format == "zsav" else {}
    labels = {"town": LABELS, "same": LABELS}
    LABELLED[source_format](data, source, variable_value_labels=labels, **options)
    released(
        source,
        target,
        ["town", "age"],
        types={"town": "nominal"},
        identifiers=["same"],
        unit="record",
    )
    if target_format in LABELLED:
        read = pyreadstat.read_dta if target_format == "dta" else pyreadstat.read_sav
        back, metadata = read(target)
        assert metadata.variable_value_labels == {"town": {1: "one", 2: "two"}}
        assert set(back["town"]) == {1, 2}
    else:
        table = pq.read_table(target) if target_format == "parquet" else feather.read_table(target)
        pairs = json.loads(table.schema.field("town").metadata[b"value_labels"])
        assert pairs == [[1, "one"], [2, "two"]]
    assert b"Secret" not in target.read_bytes()


def test_labels_of_an_unchanged_column_and_of_text_are_kept(tmp_path):
    data = pd.DataFrame({"town": ["P"] * 7 + ["F"] * 6 + ["S"], "free": [1] * 14})
    labels = {"town": {"P": "Porto", "F": "Faro", "S": "Secret"}, "free": {1: "yes", 2: "no"}}
    pyreadstat.write_sav(data, tmp_path / "in.sav", variable_value_labels=labels)
    released(tmp_path / "in.sav", tmp_path / "out.sav", ["town"], types={"town": "nominal"})
    metadata = pyreadstat.read_sav(tmp_path / "out.sav")[1]
    assert metadata.variable_value_labels == {
        "town": {"P": "Porto", "F": "Faro"},
        "free": {1: "yes", 2: "no"},
    }
