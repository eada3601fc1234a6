"""Cells and shards that turn out too large are split by their own records."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusters import Client, cluster, write_files
from shoal import Plan, scale
from shoal.partitioners import MDAV
from shoal.scale.splitting import large_buckets
from shoal.scale.splitting.large_buckets import final_buckets, pack_in_order
from shoal.scale.storage.scratch_files import read_scratch

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

PLAN = Plan.of(["x", "y"], MDAV(k=3), other_columns="release")
CHUNK_SIZE = 250


def zipf(rng, n):
    points = rng.normal(size=(100_003, 2))
    return points[rng.zipf(1.3, n) % 100_003]


def duplicates(rng, n):
    """Most records are at some hundred points, each with far fewer records than a cell."""
    points = rng.normal(size=(150, 2))
    is_duplicate = rng.random(n) < 0.8
    return np.where(is_duplicate[:, None], points[rng.integers(0, 150, n)], rng.normal(size=(n, 2)))


def write_table(make, folder, order_seed=None, **options):
    X = make(np.random.default_rng(0), 6000)
    X = X if order_seed is None else X[np.random.default_rng(order_seed).permutation(len(X))]
    table = pa.table({"x": X[:, 0], "y": X[:, 1]})
    return write_files(table, folder, **options)


@pytest.fixture
def small_sample(monkeypatch):
    """Let the sample miss what it misses of a long table."""
    monkeypatch.setattr("shoal.scale.statistics.sample.MIN_DISTINCT", 60)
    monkeypatch.setattr("shoal.scale.statistics.sample.MIN_SAMPLE", 60)
    monkeypatch.setattr("shoal.scale.statistics.sample.PER_CELL", 2)


@pytest.fixture
def read_tables(monkeypatch):
    """Note every table that a worker groups or writes."""
    tables = []

    def record_table(files, buckets):
        tables.append(read_scratch(files, buckets))
        return tables[-1]

    monkeypatch.setattr("shoal.scale.microaggregation.masked_blocks.read_scratch", record_table)
    monkeypatch.setattr("shoal.scale.shards.read_scratch", record_table)
    return tables


def too_large(tables):
    """Return the lengths of tables beyond the bound that are not equal, with few exceptions."""
    lengths = []
    for table in tables:
        counts = table.group_by(["x", "y"]).aggregate([([], "count_all")]).column("count_all")
        if len(table) > 2 * CHUNK_SIZE and len(table) - max(counts.to_pylist()) > CHUNK_SIZE // 4:
            lengths.append(len(table))
    return lengths


@pytest.mark.parametrize("make", [zipf, duplicates])
def test_no_worker_holds_far_more_records_than_a_chunk_unless_all_are_equal(
    make, small_sample, read_tables, client, tmp_path, monkeypatch
):
    source = write_table(make, tmp_path / "in")
    release = scale.mask(source, PLAN, tmp_path / "out", client=client, chunk_size=CHUNK_SIZE)
    assert not too_large(read_tables)
    assert release.measures["smallest_class"] >= 3
    assert sum(len(pq.read_table(path)) for path in release.target.glob("*.parquet")) == 6000
    names = [f"part-{number:05d}.parquet" for number in range(len(release.files))]
    assert [entry["name"] for entry in release.files] == names
    read_tables.clear()
    monkeypatch.setattr(large_buckets, "TOLERANCE", np.inf)
    scale.mask(source, PLAN, tmp_path / "before", client=client, chunk_size=CHUNK_SIZE)
    assert max(too_large(read_tables)) > 3 * CHUNK_SIZE


def test_splitting_again_depends_only_on_the_records(small_sample, tmp_path):
    cases = [(1, None, {"files": 1}), (3, 4, {"files": 5, "row_group_size": 130})]
    files = []
    for workers, order_seed, options in cases:
        source = write_table(duplicates, tmp_path / f"in{workers}", order_seed, **options)
        with (
            cluster(workers, processes=False) as local_cluster,
            Client(local_cluster, set_as_default=False) as client,
        ):
            target = tmp_path / f"out{workers}"
            release = scale.mask(source, PLAN, target, client=client, chunk_size=CHUNK_SIZE)
        files.append([(entry["name"], entry["sha256"]) for entry in release.files])
    assert files[0] == files[1]


def test_a_cell_of_equal_records_is_read_once_and_left_alone(client, tmp_path):
    table = pa.table({"x": np.repeat([0.0, 1.0], [900, 100]), "y": np.zeros(1000)})
    release = scale.mask(
        write_files(table, tmp_path / "in"), PLAN, tmp_path / "out", client=client, chunk_size=100
    )
    assert release.measures["information_loss"] == 0
    assert sorted(entry["records"] for entry in release.files) == [100, 900]


def test_the_numbers_of_a_cell_that_was_split_twice_are_in_order():
    assert final_buckets(3, {3: [7, 8], 7: [9, 10]}) == [9, 10, 8]
    assert final_buckets(4, {3: [7, 8]}) == [4]


@given(counts=st.lists(st.integers(1, 9), min_size=1, max_size=30), max_records=st.integers(1, 20))
def test_bins_are_full_but_not_too_full(counts, max_records):
    bins = pack_in_order(np.array(counts), max_records)
    assert bins[0] == 0
    assert set(np.diff(bins)) <= {0, 1}
    bin_counts = np.bincount(bins, counts)
    for bin_number in range(len(bin_counts)):
        assert bin_counts[bin_number] <= max_records or (bins == bin_number).sum() == 1
    first_counts = np.array(counts)[np.searchsorted(bins, np.arange(1, len(bin_counts)))]
    assert (bin_counts[:-1] + first_counts > max_records).all()
