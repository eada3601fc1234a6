"""Columns before and after, and measures that add up: as in memory, from counts of blocks."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusters import masked_in_two_orders, people, write_files
from shoal import Plan, assess, scale
from shoal.metrics.chart_data.histogram import histogram
from shoal.partitioners import MDAV
from shoal.scale.sources.sorting import sort_by
from shoal.scale.statistics.moment_sums import MOMENT_MEASURES, MomentSums
from shoal.scale.statistics.profile_counts import Grid
from shoal.scale.statistics.profile_entries import risk_of_original

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

COLUMNS = ["age", "height", "job", "pay"]


def table_with_pay(n=1500):
    rng = np.random.default_rng(1)
    table = people(n).append_column("pay", pa.array(rng.lognormal(8, 1.2, n)))
    year = pa.array(np.where(rng.random(n) < 0.02, -1.0, rng.integers(1940, 2004, n)))
    return table.append_column("hired", year).drop(["born"])


def plan_of(**options):
    return Plan.of(
        [*COLUMNS, "hired"], MDAV(k=5), confidential=["ill"], identifiers=["name"],
        within="region", unit="record", types={"hired": "numeric"}, **options,
    )  # fmt: skip


@pytest.fixture(scope="module")
def releases(client, tmp_path_factory):
    """Return a large release of one block for each stratum, and the one in memory."""
    folder, table, plan = tmp_path_factory.mktemp("profile"), table_with_pay(), plan_of()
    release = scale.mask(
        write_files(table, folder / "in"), plan, folder / "out", client=client,
        report=folder / "report.html",
    )  # fmt: skip
    return release, plan.run(sort_by(table, [*COLUMNS, "hired", "region"])), folder


def test_bins_and_bars_are_those_of_a_table_in_memory(releases):
    release, memory, _ = releases
    assert release.profile["distributions"] == memory.profile["distributions"]
    assert any(
        None in entry["before"] for entry in release.profile["distributions"]
    )  # hidden as there
    assert release.profile["before"] == memory.profile["before"]
    assert release.profile["correlations"] == memory.profile["correlations"]


def test_means_are_exact_and_quartiles_within_a_cell_of_the_grid(releases):
    release, memory, _ = releases
    expected_by_column = {entry["column"]: entry for entry in memory.profile["columns"]}
    for entry in release.profile["columns"]:
        expected_entry = expected_by_column[entry["column"]]
        assert entry["missing"] == expected_entry["missing"]
        if "levels" in entry:
            assert entry == expected_entry
            continue
        assert entry["mean"] == pytest.approx(expected_entry["mean"], rel=1e-12)
        assert entry["sd"] == pytest.approx(expected_entry["sd"], rel=1e-12)
        assert entry["similarity"] == pytest.approx(expected_entry["similarity"], abs=0.02)
        spread = expected_entry["quartiles"][0][2] - expected_entry["quartiles"][0][0]
        for quartile, exact_quartile in zip(
            entry["quartiles"], expected_entry["quartiles"], strict=True
        ):
            assert quartile == pytest.approx(exact_quartile, abs=max(1.0, spread / 25))


def test_measures_that_add_up_are_those_of_a_table_in_memory(releases):
    release, memory, _ = releases
    names = [
        *MOMENT_MEASURES,
        "il1s",
        "euclidean_loss",
        "distortion_x",
        "l_diversity",
        "p_sensitivity",
    ]
    for name in names:
        value, expected = release.measures[name], memory.measures[name]
        for part in expected if isinstance(expected, dict) else ():
            if not isinstance(expected[part], dict):
                assert value[part] == pytest.approx(expected[part], rel=1e-9, abs=1e-12), name
        if not isinstance(expected, dict):
            assert value == pytest.approx(expected, rel=1e-9), name
        assert name not in release.remarks


def test_the_report_draws_every_column_before_and_after(releases):
    release, _, folder = releases
    page = (folder / "report.html").read_text()
    assert all(f"{name} before and after" in page for name in [*COLUMNS, "hired"])
    assert "Correlations before" in page


def test_figures_do_not_depend_on_order_files_or_blocks(client, tmp_path):
    table = table_with_pay(900)
    first, second = masked_in_two_orders(table, plan_of(), tmp_path, client, chunk_size=150)
    assert first.provenance["blocks"] > 3
    assert first.profile == second.profile
    assert first.measures == second.measures
    released = pq.read_table(first.target)
    pay_entry = next(column for column in first.profile["columns"] if column["column"] == "pay")
    assert pay_entry["mean"] == pytest.approx(
        [np.mean(records["pay"].to_numpy()) for records in (table, released)], rel=1e-12
    )


@given(
    values=st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=60),
    whole=st.booleans(),
)
def test_every_value_is_in_the_cell_of_its_middle_or_beyond_the_grid(values, whole):
    numbers = np.rint(values) if whole else np.array(values, float)
    grid = Grid.from_sample(numbers, np.ones(len(numbers)), is_whole=whole)
    counts = grid.counts_of(numbers)
    assert counts.sum() == len(numbers)
    intervals = np.floor((numbers + grid.offset) / grid.step)
    intervals = numbers[(intervals > grid.first) & (intervals < grid.last)]
    nearest = np.abs(grid.midpoints[:, None] - intervals).min(axis=0, initial=np.inf)
    assert (nearest <= grid.step / 2 * (1 + 1e-6)).all()
    if whole and grid.step == 1.0:
        assert (nearest == 0).all()


@given(
    values=st.lists(st.integers(0, 30), min_size=1, max_size=80),
    masked=st.lists(st.integers(0, 30), min_size=1, max_size=80),
    least=st.integers(1, 6),
    whole=st.booleans(),
)
def test_counted_values_have_the_histogram_of_repeated_ones(values, masked, least, whole):
    original_values, masked_values = np.sort(values).astype(float), np.sort(masked).astype(float)
    points = np.arange(31.0)
    counts = tuple(
        np.bincount(column.astype(int), minlength=31) for column in (original_values, masked_values)
    )
    expected = histogram(original_values, masked_values, least, is_whole=whole)
    assert histogram(points, points, least, is_whole=whole, counts=counts) == expected


def test_sums_of_parts_give_the_measures_of_the_whole():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[:, 2] = 0.0
    masked = 0.8 * X + [0.1, 0.2, 0.0]
    halves = [
        MomentSums.from_scores("abc", list(X[part].T), list(masked[part].T))
        for part in (slice(0, 100), slice(100, 300))
    ]
    forward, remarks = (halves[0] + halves[1]).measures()
    assert (forward, remarks) == (halves[1] + halves[0]).measures()
    assert remarks == {}
    frames = [pa.table(dict(zip("abc", matrix.T, strict=True))) for matrix in (X, masked)]
    expected = assess(*frames, quasi_identifiers=list("abc"), measures=["variance_change"])
    for name, value in expected["variance_change"].items():
        assert forward["variance_change"][name] == pytest.approx(value, rel=1e-9)
    assert MomentSums().measures() == ({}, {})
    shifted = MomentSums.from_scores("abc", list(X.T), list((masked + 0.1).T))
    assert set(shifted.measures()[1]) > {"mean_change"}  # a constant column has no scale


def test_the_risk_of_the_original_follows_from_records_by_class_size():
    assert risk_of_original({1: 2, 4: 8}) == {"smallest_class": 1, "unique": 0.2, "marketer": 0.4}
