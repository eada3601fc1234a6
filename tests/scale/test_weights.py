"""Survey weights on a cluster: the same means, totals and warnings as in memory."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusters import masked_in_two_orders, write_files
from raising import raises
from shoal import Plan, scale
from shoal.errors import InputError
from shoal.partitioners import MDAV
from shoal.scale.sources.sorting import sort_by
from shoal.scale.statistics.exact_sums import UNIT
from shoal.scale.statistics.weights import (
    WeightedMoments,
    WeightedTotals,
    WeightedValues,
    WeightStatistics,
    total_change,
    weighted_statistics,
)

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

NAMES = ["x", "y", "job"]


def survey(n=400, seed=0):
    rng = np.random.default_rng(seed)
    job = rng.choice(["baker", "clerk", "nurse"], n)
    columns = {"x": rng.normal(size=n), "y": rng.normal(size=n) * 40 - 7, "job": job}
    region = rng.choice(["n", "s"], n)
    columns |= {"pay": rng.lognormal(size=n), "ill": rng.choice(["no", "yes"], n)}
    weight = np.where(job == "nurse", 20.0, 1.0) * rng.uniform(0.5, 3, n)
    return pa.table({**columns, "region": region, "weight": weight})


def plan_of(roles=None, **options):
    plan = Plan.of(
        NAMES, MDAV(k=4), within="region", weight="weight", **options, other_columns="release"
    )
    return plan.replace(roles={**plan.roles, **(roles or {})})


@pytest.mark.parametrize(
    "options",
    [
        {"aggregate": "median"},
        {"weighted_distances": True},
        {"weighted_distances": True, "dependence": 0.5, "confidential": ["pay", "ill"]},
    ],
)
@pytest.mark.parametrize("role", ["weight", "identifier"])
def test_a_table_of_one_block_is_weighted_as_in_memory(role, options, client, tmp_path):
    table, plan = survey(), plan_of({"weight": role}, **options)
    release = scale.mask(write_files(table, tmp_path / "in"), plan, tmp_path / "out", client=client)
    memory = plan.run(sort_by(table, [*NAMES, "region"]))
    names = memory.data.column_names
    assert ("weight" in names) == (role == "weight")
    after = pq.read_table(tmp_path / "out")
    one, other = (sort_by(t, names).select(names) for t in (memory.data, after))
    for name in names:
        if name in ("x", "y"):
            assert np.allclose(one.column(name), other.column(name), rtol=1e-12)
        else:
            assert one.column(name).to_pylist() == other.column(name).to_pylist()
    change = memory.measures["weighted_total_change"]
    assert release.measures["weighted_total_change"] == pytest.approx(change, abs=1e-12)
    assert release.remarks["weighted_total_change"] in memory.remarks["weighted_total_change"]
    identify = [actual for actual in memory.warnings if "Weights may identify" in actual]
    assert [actual for actual in release.warnings if "Weights may identify" in actual] == identify
    assert len(identify) == (role == "weight")


def test_weighted_totals_are_kept_in_many_blocks_and_in_any_order(client, tmp_path):
    table = survey(seed=1)
    releases = masked_in_two_orders(table, plan_of(), tmp_path, client, chunk_size=50)
    assert [entry["sha256"] for entry in releases[0].files] == [
        entry["sha256"] for entry in releases[1].files
    ]
    assert releases[0].measures == releases[1].measures
    assert releases[0].provenance["blocks"] > 5
    assert max(releases[0].measures["weighted_total_change"].values()) < 1e-12
    masked = pq.read_table(tmp_path / "out0")
    for name in ("x", "y"):
        totals = [
            np.dot(records.column(name), records.column("weight")) for records in (table, masked)
        ]
        assert totals[1] == pytest.approx(totals[0])
    assert not np.isclose(np.mean(masked.column("y")), np.mean(table.column("y")), rtol=1e-9)


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ([None, -1.0, 0.0, 0.0], "weights-unusable"),
        ([1e-300, 1.0, 1.0, 1.0], "weights-too-different"),
    ],
)
def test_bad_weights_of_all_files_are_refused_with_their_number(bad, code, client, tmp_path):
    table = survey(40)
    weights = table.column("weight").to_pylist()
    weights[::10] = bad
    table = table.set_column(6, "weight", pa.array(weights, pa.float64()))
    with raises(InputError, code, column="weight"):
        scale.mask(write_files(table, tmp_path / "in"), plan_of(), tmp_path / "out", client=client)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_weights_of_text_are_refused(client, tmp_path):
    table = survey(40)
    table = table.set_column(6, "weight", table.column("weight").cast(pa.string()))
    folder = write_files(table, tmp_path / "in")
    with raises(InputError, "no-numbers", column="weight"):
        scale.mask(folder, plan_of(), tmp_path / "out", client=client)


def test_columns_with_missing_values_have_no_total(client, tmp_path):
    table = pa.table({"x": [1.0, None, 3.0, 4.0], "weight": [1, 2, 3, 4]})
    plan = Plan.of(["x"], MDAV(k=2), missing="impute", weight="weight", other_columns="release")
    release = scale.mask(write_files(table, tmp_path / "in"), plan, tmp_path / "out", client=client)
    assert "weighted_total_change" not in release.measures


def test_missing_cells_lie_at_the_weighted_mean(client, tmp_path):
    table = survey(seed=3)
    incomplete = [
        None if row % 9 == 0 else value for row, value in enumerate(table.column("x").to_pylist())
    ]
    jobs = [
        None if row % 7 == 0 else value for row, value in enumerate(table.column("job").to_pylist())
    ]
    table = table.set_column(0, "x", pa.array(incomplete, pa.float64())).set_column(
        2, "job", [jobs]
    )
    plan = plan_of({"weight": "identifier"}, weighted_distances=True, missing="impute")
    release = scale.mask(write_files(table, tmp_path / "in"), plan, tmp_path / "out", client=client)
    memory = plan.run(sort_by(table, [*NAMES, "region"]))
    assert release.measures["information_loss"] == pytest.approx(
        memory.measures["information_loss"]
    )
    change = memory.measures["weighted_total_change"]
    assert release.measures["weighted_total_change"] == pytest.approx(change, abs=1e-12)


@given(
    pairs=st.lists(
        st.tuples(st.floats(1e-6, 1e6), st.floats(-1e9, 1e9).filter(lambda x: abs(x) > 1e-30)),
        max_size=30,
    ),
    cut=st.integers(0, 30),
)
def test_weighted_moments_are_exact_and_add_up(pairs, cut):
    weights, values = np.array(pairs, float).reshape(-1, 2).T
    actual = WeightedMoments.from_values(values, weights)
    assert (
        WeightedMoments.from_values(values[:cut], weights[:cut])
        + WeightedMoments.from_values(values[cut:], weights[cut:])
        == actual
    )
    w, x = ([Fraction(one) for one in many.tolist()] for many in (weights, values))
    assert actual.weight * UNIT == sum(w)
    assert actual.total * UNIT == sum(a * b for a, b in zip(w, x, strict=True))
    squares = sum(a * b * b for a, b in zip(w, x, strict=True))
    assert abs(actual.squares * UNIT - squares) <= squares * Fraction(1, 2**100)


def test_the_weighted_deviation_is_right_however_far_off_the_values_are():
    values, weights = 1e9 + np.arange(4.0), np.array([1.0, 2.0, 3.0, 4.0])
    actual = WeightedMoments.from_values(np.append(values, np.nan), np.append(weights, 9.0))
    assert actual.mean == 1e9 + 2
    assert actual.deviation == pytest.approx(1.0, rel=1e-15)
    assert WeightedMoments().mean == WeightedMoments().deviation == 0


def test_values_too_large_to_be_weighted_are_refused():
    table = pa.table({"x": [1e149, 1.0]})
    with raises(InputError, "values-too-large", column="x"):
        weighted_statistics(table, ["x"], [], np.array([1e5, 1.0]))


def test_weights_of_values_add_up_in_any_order():
    values = pa.array(["a", None, "b", "a", "b", "c"])
    weights = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    whole = WeightedValues.from_values(values, weights)
    parts = [
        WeightedValues.from_values(values[start : start + 2], weights[start : start + 2])
        for start in (4, 0, 2)
    ]
    requested = pa.array(["c", None, "a", "b"])
    actual = (parts[0] + parts[1] + parts[2]).weights_of(requested)
    assert actual.tolist() == whole.weights_of(requested).tolist()
    assert np.allclose(actual, [0.6, 0.2, 0.5, 0.8])


def test_counts_of_weights_add_up():
    values = np.array([3.0, np.nan, -1.0, 0.0, 7.0, 2.0])
    parts = [
        WeightStatistics.from_weights(values[:2]),
        WeightStatistics.from_weights(values[2:4]),
        WeightStatistics.from_weights(values[4:]),
    ]
    assert (
        sum(parts, WeightStatistics())
        == WeightStatistics.from_weights(values)
        == WeightStatistics(1, 1, 1, 2.0, 7.0)
    )


def test_a_changed_total_of_zero_counts_as_changed_by_100_per_cent():
    assert total_change({"x": WeightedTotals(masked=1)}, ["x"])[0] == {"x": 100.0}
    assert total_change({"x": WeightedTotals()}, ["x"])[0] == {"x": 0.0}
