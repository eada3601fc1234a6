"""The files of a source: each is read once, and none is left out silently."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clusters import people, write_files
from raising import raises
from shoal import Plan, scale
from shoal.errors import ColumnError, FileError, InputError
from shoal.partitioners import MDAV
from shoal.scale.sources.source_files import check_folder_columns, find_files

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def find_names(folder):
    return [path.removeprefix(f"{folder}/") for path in find_files(folder)]


def touch_files(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def test_only_parquet_files_that_are_not_hidden_are_data(tmp_path):
    touch_files(tmp_path, "b.parquet", "sub/a.parquet", "C.PARQUET", "d.pq", "e.csv")
    touch_files(tmp_path, "_x.parquet", ".y.parquet", "_tmp/z.parquet", "_SUCCESS")
    assert find_names(tmp_path) == ["C.PARQUET", "b.parquet", "d.pq", "sub/a.parquet"]


def test_a_folder_may_be_named_as_a_file(tmp_path):
    assert find_names(touch_files(tmp_path, "2024.parquet/part-0.parquet")) == [
        "2024.parquet/part-0.parquet"
    ]


def test_missing_files_are_refused(tmp_path):
    with raises(FileError, "no-parquet-files"):
        find_files(tmp_path)
    with raises(FileError, "no-such-file"):
        find_files([tmp_path / "a.parquet"])


def test_a_file_counts_once_whatever_it_is_called(tmp_path):
    path = touch_files(tmp_path, "in/a.parquet") / "in/a.parquet"
    (tmp_path / "link").symlink_to(tmp_path / "in")
    (tmp_path / "b.parquet").symlink_to(path)
    for twice in ([path, path], [path, tmp_path / "link/a.parquet"], [tmp_path / "in", path]):
        with raises(FileError, "source-twice"):
            find_files(twice)
    with raises(FileError, "source-twice"):
        find_files([path, tmp_path / "b.parquet"])
    assert find_files(tmp_path / "link") == [str(tmp_path / "link/a.parquet")]


def test_a_link_to_a_folder_is_refused(tmp_path):
    touch_files(tmp_path, "in/a.parquet", "more/b.parquet")
    (tmp_path / "in" / "more").symlink_to(tmp_path / "more")
    with raises(FileError, "link-not-followed"):
        find_files(tmp_path / "in")


def test_columns_in_names_of_folders_are_not_left_out(tmp_path):
    paths = [f"/data/env=test/big/region={region}/a.parquet" for region in "NS"]
    with raises(FileError, "values-in-folder-names", column="region"):
        check_folder_columns(paths, ["age"])
    check_folder_columns(paths, ["age", "region"])
    check_folder_columns(paths[:1], ["age"])


def test_a_release_does_not_become_a_part_of_its_source(client, tmp_path):
    source = write_files(people(60), tmp_path / "in")
    with raises(FileError, "target-inside-source"):
        scale.mask(
            source,
            Plan.of(["age"], MDAV(k=4), other_columns="release"),
            source / "out",
            client=client,
        )
    assert len(list(source.iterdir())) == 3


@pytest.mark.parametrize(
    ("column", "error", "code"),
    [
        (pa.array([[1]] * 20), ColumnError, "no-distance"),
        (pa.array([{"a": 1}] * 20), ColumnError, "no-distance"),
        (pa.array([None, *range(19)]), InputError, "missing-values"),
    ],
)
def test_nested_columns_and_missing_values_are_refused(column, error, code, client, tmp_path):
    folder = write_files(pa.table({"x": column}), tmp_path / "in")
    with raises(error, code):
        scale.mask(
            folder,
            Plan.of(["x"], MDAV(k=4), other_columns="release"),
            tmp_path / "out",
            client=client,
        )


def test_columns_of_one_name_are_refused(client, tmp_path):
    twice = pa.Table.from_arrays([pa.array(range(20))] * 3, names=["x", "y", "y"])
    folder = write_files(twice, tmp_path / "in", files=1)
    with raises(ColumnError, "name-twice", column="y"):
        scale.mask(
            folder,
            Plan.of(["x"], MDAV(k=4), other_columns="release"),
            tmp_path / "out",
            client=client,
        )


def test_any_column_name_and_half_precision_floats_are_accepted(client, tmp_path):
    rng = np.random.default_rng(3)
    numbers = pa.array(rng.normal(size=60).astype(np.float16))
    table = pa.table({"count_all": rng.choice(["a", "b"], 60), "x": numbers, "y": numbers})
    folder = write_files(table, tmp_path / "in")
    plan = Plan.of(["x"], MDAV(k=4), within="count_all", other_columns="release")
    assert scale.mask(folder, plan, tmp_path / "out", client=client).measures["smallest_class"] == 4
    released_values = pq.read_table(tmp_path / "out").column("y").to_pylist()
    assert sorted(released_values) == sorted(numbers.to_pylist())
