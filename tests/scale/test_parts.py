"""Exact sums, keys, split trees, the layout of blocks and the release folder, each by itself."""

import re
import shutil
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from raising import raises, warns
from shoal import Plan
from shoal._signals import defer_interrupt
from shoal.errors import ColumnError, FileError, GuaranteeBroken, InputError, ScratchFilesLeft
from shoal.partitioners import MDAV
from shoal.scale.assessment.guarantees import check_guarantee
from shoal.scale.encoders import make_encoders
from shoal.scale.publication.release_folder import ReleaseFolder
from shoal.scale.sources.chunks import make_chunks, read_batches, read_footer
from shoal.scale.sources.sorting import check_sortable, sort_by
from shoal.scale.splitting.regions import make_blocks, make_regions
from shoal.scale.splitting.split_tree import build_split_tree
from shoal.scale.splitting.strata import Strata, divide_strata, find_strata
from shoal.scale.statistics.exact_sums import UNIT, exact_integer_sum, exact_squares
from shoal.scale.statistics.hashes import distinguish_duplicates, in_sample, record_hashes
from shoal.scale.statistics.table_statistics import (
    Moments,
    StatisticsRequest,
    batch_statistics,
    merge_statistics,
)
from shoal.scale.storage.marker import MARKER
from shoal.scale.storage.scratch_files import read_scratch, write_scratch
from tables import tables

floats = st.floats(-1e150, 1e150, allow_subnormal=True)
columns = arrays(np.float64, st.integers(0, 30), elements=floats)


@given(values=columns)
def test_a_sum_is_exact(values):
    assert exact_integer_sum(values) * UNIT == sum(map(Fraction, values.tolist()), Fraction(0))


@given(values=arrays(np.float64, st.integers(0, 30), elements=st.floats(-1e140, 1e140)))
def test_a_sum_of_squares_is_exact(values):
    values = values[(np.abs(values) > 1e-130) | (values == 0)]
    assert exact_squares(values) * UNIT == sum(
        (Fraction(x) ** 2 for x in values.tolist()), Fraction(0)
    )


@given(values=columns, cut=st.integers(0, 30))
def test_moments_of_two_parts_are_those_of_the_whole(values, cut):
    assert Moments.from_values(values[:cut]) + Moments.from_values(
        values[cut:]
    ) == Moments.from_values(values)


@pytest.mark.parametrize("offset", [0.0, 1e9, 1e15])
def test_the_deviation_is_right_however_far_off_the_values_are(offset):
    values = offset + np.arange(10.0)
    moments = Moments.from_values(np.append(values, np.nan))
    assert moments.mean == offset + 4.5
    assert moments.deviation == pytest.approx(np.arange(10.0).std(), rel=1e-15)
    assert moments.n_missing == 1


def test_a_constant_column_has_no_deviation():
    assert Moments.from_values(np.full(7, 0.1)).deviation == 0


def records(rng, n):
    return pa.table(
        {
            "x": pa.array(rng.integers(0, 3, n).astype(float)),
            "w": pa.array(rng.choice(["a", "b", None], n).tolist()),
        }
    )


def test_equal_records_have_equal_keys_and_others_hardly_ever():
    table = records(np.random.default_rng(0), 400)
    keys = record_hashes(table, ["x", "w"])
    rows = list(zip(*table.to_pydict().values(), strict=True))
    assert (
        len({*zip(rows, keys.tolist(), strict=True)}) == len(set(rows)) == len(set(keys.tolist()))
    )


def test_a_key_depends_on_the_value_not_on_its_type():
    integers, numbers = (
        pa.table({"x": pa.array([0, 7, -3], kind)}) for kind in (pa.int8(), pa.float64())
    )
    assert np.array_equal(record_hashes(integers, ["x"]), record_hashes(numbers, ["x"]))
    assert not np.array_equal(record_hashes(integers, ["x"], 1), record_hashes(integers, ["x"], 2))


def test_a_sample_has_about_the_requested_share():
    keys = record_hashes(pa.table({"x": np.random.default_rng(0).normal(size=20_000)}), ["x"])
    assert 900 < in_sample(keys, 0.05).sum() < 1100
    assert in_sample(keys, 1.0).all()


@given(X=tables(least=1), max_records=st.integers(1, 12))
def test_every_record_falls_into_the_leaf_its_sample_fell_into(X, max_records):
    tree = build_split_tree(X, max_records)
    leaves = tree.leaves(X)
    assert set(leaves) == set(range(tree.n_leaves))
    for leaf in range(tree.n_leaves):
        records_of_leaf = X[leaves == leaf]
        assert len(records_of_leaf) <= max_records or (records_of_leaf == records_of_leaf[0]).all()
    assert np.array_equal(np.concatenate([tree.leaves(row[None]) for row in X]), leaves)


@given(X=tables(least=1), max_records=st.integers(1, 12), seed=st.integers(0, 9))
def test_leaves_stand_for_no_more_than_the_requested_weight(X, max_records, seed):
    weights = np.random.default_rng(seed).integers(1, 5, len(X)).astype(float)
    tree = build_split_tree(X, max_records, weights)
    leaves = tree.leaves(X)
    for leaf in range(tree.n_leaves):
        records_of_leaf = X[leaves == leaf]
        assert (
            weights[leaves == leaf].sum() <= max_records
            or (records_of_leaf == records_of_leaf[0]).all()
        )


def test_cuts_are_at_the_median_of_the_weights():
    line = np.arange(64.0)[:, None]
    assert build_split_tree(line, 8).n_leaves == 8
    heavy = np.append(63.0, np.ones(63))
    assert build_split_tree(line, 63, heavy).leaves(line).tolist() == [0, *[1] * 63]


def ages(rng, n):
    return {"age": rng.integers(18, 90, n), "sex": rng.integers(0, 2, n)}


def incomes(rng, n):
    return {
        name: np.where(rng.random(n) < 0.7, 0.0, rng.lognormal(size=n)) for name in ("wage", "rent")
    }


def statistics_of(table, share=0.05, seed=0):
    request = StatisticsRequest(table.column_names, [], [], [], share, seed)
    return batch_statistics(table, request)


@pytest.mark.parametrize("make", [ages, incomes])
@pytest.mark.parametrize("seed", range(3))
def test_no_cell_is_much_too_large_where_few_records_differ_or_many_are_zero(make, seed):
    table = pa.table(make(np.random.default_rng(seed), 120_000))
    statistics = statistics_of(table, seed=seed)
    assert len(statistics.sample.hashes) <= 6_000
    encoders = make_encoders(statistics, table.column_names, [], {}, 0.0, "zscore")
    strata = divide_strata(statistics.sample, encoders, *find_strata(statistics, []), 4_000)
    cells = strata.cell_of(table, encoders.coordinates(table, encoders.read(table)))
    counts = table.group_by(table.column_names).aggregate([([], "count_all")]).column("count_all")
    most_equal = max(counts.to_pylist())
    sizes = np.sort(np.bincount(cells))
    if most_equal > 4_000:  # equal records cannot be split
        assert sizes[-1] < most_equal + 4_000
        sizes = sizes[:-1]
    assert sizes[-1] < 8_000


def test_a_sample_depends_only_on_the_records(monkeypatch):
    monkeypatch.setattr("shoal.scale.statistics.sample.MIN_DISTINCT", 30)
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.integers(0, 200, 2000), "y": rng.integers(0, 3, 2000)})
    whole = statistics_of(table).sample
    shuffled = table.take(rng.permutation(2000))
    for borders in ([0, 2000], [0, 7, 900, 2000], [0, 1999, 2000]):
        parts = [shuffled.slice(a, b - a) for a, b in pairwise(borders)]
        sample = merge_statistics(statistics_of(part) for part in parts).sample
        assert sample.table.equals(whole.table)
        assert np.array_equal(sample.counts, whole.counts)
    row_counts = Counter(zip(*table.to_pydict().values(), strict=True))
    sampled_rows = list(zip(*whole.table.to_pydict().values(), strict=True))
    assert [row_counts[row] for row in sampled_rows] == whole.counts.tolist()
    assert len(sampled_rows) >= 30


def test_equal_records_are_drawn_one_by_one():
    keys = record_hashes(pa.table({"x": np.zeros(20_000)}), ["x"])
    assert keys[0] > 0
    assert 900 < in_sample(distinguish_duplicates(keys), 0.05).sum() < 1100
    assert distinguish_duplicates(keys)[0] == keys[0]
    assert not len(distinguish_duplicates(keys[:0]))


def strata_of(*leaves):
    trees = [build_split_tree(np.arange(float(n))[:, None], 1) for n in leaves]
    return Strata(["s"], [], np.arange(len(leaves)), trees)


@given(
    counts=st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=6), min_size=1, max_size=4),
    k=st.integers(1, 9),
    max_records=st.integers(8, 60),
)
def test_no_region_is_below_k_or_crosses_a_stratum(counts, k, max_records):
    counts = [stratum_counts for stratum_counts in counts if sum(stratum_counts) >= k] or [[k]]
    strata = strata_of(*map(len, counts))
    records_by_cell = dict(enumerate(sum(counts, [])))
    regions = [
        region
        for cells in strata.cells_by_stratum
        for region in make_regions(cells, records_by_cell, k, max_records)
    ]
    assert [cell for region in regions for cell in region] == list(records_by_cell)
    for region in regions:
        assert sum(records_by_cell[cell] for cell in region) >= k
        assert len(set(np.searchsorted(strata.first_cells, region, side="right"))) == 1
    blocks = make_blocks(regions, records_by_cell, max_records)
    assert [region for block in blocks for region in block] == regions
    for block in blocks:
        assert (
            len(block) == 1
            or sum(records_by_cell[cell] for region in block for cell in region) <= max_records
        )


@given(buckets=st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_a_scratch_file_gives_back_the_records_of_each_number(buckets, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scratch")
    table = pa.table({"at": np.arange(len(buckets)), "text": [str(x) for x in buckets]})
    file = write_scratch(folder / "one.arrow", table, np.array(buckets))
    assert sum(file.record_counts.values()) == len(buckets)
    for bucket in set(buckets):
        rows = read_scratch([file], [bucket]).column("at").to_pylist()
        assert rows == [row for row, bucket_of_row in enumerate(buckets) if bucket_of_row == bucket]
    assert [path.name for path in folder.iterdir()] == ["one.arrow"]


def test_records_are_sorted_by_all_their_columns():
    table = records(np.random.default_rng(1), 60)
    shuffled = table.take(np.random.default_rng(2).permutation(60))
    assert sort_by(table, ["w"]).equals(sort_by(shuffled, ["w"]))


def test_columns_that_cannot_be_sorted_are_refused_by_name():
    with raises(ColumnError, "no-order", column="tags"):
        check_sortable(pa.schema([("x", pa.int64()), ("tags", pa.list_(pa.int64()))]))
    inside = pa.struct([("a", pa.int64()), ("b", pa.list_(pa.int64()))])
    with raises(ColumnError, "no-order", column="both"):
        check_sortable(pa.schema([("both", inside)]))
    check_sortable(pa.schema([("one", pa.struct([("a", pa.int64())]))]))


def write(path, n=10, row_group_size=4, **other_columns):
    pq.write_table(
        pa.table({"x": np.arange(float(n)), **other_columns}), path, row_group_size=row_group_size
    )
    return str(path)


def test_chunks_contain_all_row_groups_once(tmp_path):
    paths = [write(tmp_path / "a.parquet"), write(tmp_path / "b.parquet", 3)]
    chunks = make_chunks(paths, [read_footer(path) for path in paths], 5)
    assert [(chunk.row_groups, chunk.n_records) for chunk in chunks] == [
        ((0, 1), 8),
        ((2,), 2),
        ((0,), 3),
    ]
    tables = [pa.concat_tables(read_batches(chunk, ["x"], [], 3)) for chunk in chunks]
    assert pa.concat_tables(tables).column("x").to_pylist() == [
        *map(float, range(10)),
        0.0,
        1.0,
        2.0,
    ]


def test_files_of_one_table_have_the_same_columns(tmp_path):
    paths = [write(tmp_path / "a.parquet"), write(tmp_path / "b.parquet", y=np.arange(10))]
    with raises(FileError, "files-differ", column="y"):
        make_chunks(paths, [read_footer(path) for path in paths], 5)


def test_a_table_without_records_is_refused(tmp_path):
    path = write(tmp_path / "a.parquet", 0)
    with raises(InputError, "no-records"):
        make_chunks([path], [read_footer(path)], 5)


MARK = '{"promise": {"k": 3}, "files": [{"name": "part-00000.parquet"}]}'


def release_in(folder):
    (folder.path("release") / "part-00000.parquet").touch()
    folder.publish([{"name": "part-00000.parquet"}], MARK)


def test_temporary_files_of_workers_are_not_published(tmp_path):
    with ReleaseFolder(tmp_path / "out") as folder:
        (folder.path("release") / ".part-00001.parquet.0").touch()
        release_in(folder)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {MARKER, "part-00000.parquet"}


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_that_appears_at_the_target_meanwhile_is_not_destroyed(force, tmp_path):
    code = "not-a-release" if force else "file-exists"
    with ReleaseFolder(tmp_path / "out", force=force) as folder:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "thesis.txt").touch()
        with raises(FileError, code):
            release_in(folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "thesis.txt"]


def test_a_source_is_recognised_by_any_of_its_names(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "in")
    path = write(tmp_path / "in" / "part-00000.parquet")
    (tmp_path / "in" / MARKER).write_text(MARK)
    for target, source in (("link", path), ("in", str(tmp_path / "link" / "part-00000.parquet"))):
        with (
            ReleaseFolder(tmp_path / target, force=True) as folder,
            raises(FileError, "target-holds-source"),
        ):
            folder.check_sources([source])


def test_a_release_folder_appears_complete(tmp_path):
    with ReleaseFolder(tmp_path / "out") as folder:
        assert not (tmp_path / "out").exists()
        release_in(folder)
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        MARKER,
        "out",
        "part-00000.parquet",
    ]


def test_a_failed_run_leaves_no_files(tmp_path):
    with pytest.raises(ZeroDivisionError), ReleaseFolder(tmp_path / "out"):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("n_before", range(4))
def test_an_interrupt_between_two_renames_waits(n_before, tmp_path, monkeypatch):
    with ReleaseFolder(tmp_path / "out") as folder:
        release_in(folder)
    rename, renamed = Path.rename, []

    def interrupted(path, target):
        if len(renamed) == n_before:
            signal.raise_signal(signal.SIGINT)
        renamed.append(path)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), ReleaseFolder(tmp_path / "out", force=True) as folder:
        release_in(folder)
    # The old release or the new one, whole.
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {MARKER, "part-00000.parquet"} <= names
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_does_not_keep_scratch_files(tmp_path, monkeypatch):
    remove = shutil.rmtree

    def interrupted(*arguments, **options):
        signal.raise_signal(signal.SIGINT)
        remove(*arguments, **options)

    with ReleaseFolder(tmp_path / "out") as folder:
        release_in(folder)
        monkeypatch.setattr(shutil, "rmtree", interrupted)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_threads_receive_no_interrupts_and_need_no_deferral(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: defer_interrupt().__enter__()).result() is None


@pytest.mark.parametrize("action", [release_in, lambda folder: 1 / 0])
def test_a_warning_names_scratch_files_that_cannot_be_removed(action, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "rmtree", lambda *arguments, **options: None)
    with (
        warns(ScratchFilesLeft, "scratch-files-left") as caught,
        suppress(ZeroDivisionError),
        ReleaseFolder(tmp_path / "out") as folder,
    ):
        action(folder)
    assert re.fullmatch(r"/.*/\.out\..*\.part", caught[0].message.folder)


def test_only_a_release_is_replaced_and_only_on_request(tmp_path):
    with ReleaseFolder(tmp_path / "out") as folder:
        release_in(folder)
    with raises(FileError, "file-exists"), ReleaseFolder(tmp_path / "out"):
        pass
    (tmp_path / "out" / "part-00000.parquet").write_text("old")
    with ReleaseFolder(tmp_path / "out", force=True) as folder:
        release_in(folder)
    assert not (tmp_path / "out" / "part-00000.parquet").read_text()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with (
        raises(FileError, "not-a-release"),
        ReleaseFolder(tmp_path / "mine", force=True),
    ):
        pass
    assert (tmp_path / "mine" / "thesis.txt").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "out"]


@pytest.mark.parametrize("marker", ["", "3", "{}", '{"files": [{"name": "a.parquet"}]}', "\xff"])
def test_the_folder_of_another_program_is_not_replaced(marker, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / MARKER).write_bytes(marker.encode("latin-1"))
    (tmp_path / "out" / "a.parquet").touch()
    with (
        raises(FileError, "not-a-release"),
        ReleaseFolder(tmp_path / "out", force=True),
    ):
        pass
    assert (tmp_path / "out" / "a.parquet").exists()


def test_other_files_in_a_release_are_not_lost_with_it(tmp_path):
    with ReleaseFolder(tmp_path / "out") as folder:
        release_in(folder)
    (tmp_path / "out" / "notes.txt").touch()
    with (
        raises(FileError, "other-files-in-release", file="notes.txt"),
        ReleaseFolder(tmp_path / "out", force=True),
    ):
        pass
    assert (tmp_path / "out" / "notes.txt").exists()


@pytest.mark.parametrize(
    ("smallest", "left", "code"), [(3, 10, "guarantee-broken"), (4, 9, "records-lost")]
)
def test_a_release_below_its_guarantee_is_refused(smallest, left, code):
    with raises(GuaranteeBroken, code):
        check_guarantee(
            Plan.of(["x"], MDAV(k=4), other_columns="release"),
            {"smallest_class": smallest},
            10,
            left,
        )
    check_guarantee(
        Plan.of(["x"], MDAV(k=4), other_columns="release"), {"smallest_class": 4}, 10, 10
    )
