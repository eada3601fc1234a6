"""Strata that are too small, merged on a cluster as in memory."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clusters import masked_in_two_orders, write_files
from raising import warns
from shoal import Plan, scale, verify
from shoal.errors import StrataMerged
from shoal.partitioners import MDAV
from shoal.scale.sources.sorting import sort_by

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

SIZES = {("a", 1): 300, ("a", 2): 3, ("b", None): 150, ("b", 2): 1, (None, 1): 4, ("c", 1): 5}


def towns(seed=0):
    rng = np.random.default_rng(seed)
    names = [name for name, size in SIZES.items() for _ in range(size)]
    n = len(names)
    job = rng.choice(["baker", "clerk"], n)
    columns = {"x": rng.normal(size=n), "y": rng.normal(size=n) * 40, "job": job}
    town, sex = zip(*names, strict=True)
    return pa.table({**columns, "town": pa.array(town), "sex": pa.array(sex, pa.int8())})


def plan_of(columns=("x", "y", "job"), k=5, within=("town", "sex"), **options):
    return Plan.of(
        list(columns),
        MDAV(k=k),
        within=list(within),
        small_strata="merge",
        **options,
        other_columns="release",
    )


def count_rows(table, names):
    return Counter(zip(*table.select(names).to_pydict().values(), strict=True))


def test_a_table_of_one_block_merges_and_masks_as_in_memory(client, tmp_path):
    table, plan = towns(), plan_of()
    release = scale.mask(write_files(table, tmp_path / "in"), plan, tmp_path / "out", client=client)
    memory = plan.run(sort_by(table, ["town", "sex"]))
    said = [actual for actual in memory.warnings if "merged with the nearest" in actual]
    assert said
    assert [actual for actual in release.warnings if "merged with the nearest" in actual] == said
    assert release.unchanged == memory.unchanged == ()
    names = memory.data.column_names
    after = pq.read_table(tmp_path / "out")
    assert after.schema.field("sex").type == pa.int8()
    one, other = (sort_by(t, names).select(names) for t in (memory.data, after))
    for name in names:
        if name in ("x", "y"):
            assert np.allclose(one.column(name), other.column(name), rtol=1e-12)
        else:
            assert one.column(name).to_pylist() == other.column(name).to_pylist()
    assert release.measures["information_loss"] == pytest.approx(
        memory.measures["information_loss"]
    )


def test_merged_strata_and_weights_are_reported_and_verified(client, tmp_path):
    table = towns(3).append_column("stands", pa.array(np.linspace(1, 4, sum(SIZES.values()))))
    folder = write_files(table, tmp_path / "in")
    report, manifest = tmp_path / "out.html", tmp_path / "out.json"
    plan = plan_of(weight="stands", weighted_distances=True)
    scale.mask(folder, plan, tmp_path / "out", client=client, chunk_size=100,
               report=report, manifest=manifest)  # fmt: skip
    assert "Weighted totals" in report.read_text()
    verification = verify(tmp_path / "out", manifest, original=folder, client=client)
    assert verification.failed == [], verification


def test_merged_strata_keep_k_and_have_no_order(client, tmp_path):
    table = towns(1)
    releases = masked_in_two_orders(table, plan_of(), tmp_path, client, chunk_size=60)
    assert [entry["sha256"] for entry in releases[0].files] == [
        entry["sha256"] for entry in releases[1].files
    ]
    assert releases[0].provenance["blocks"] > 5
    masked = pq.read_table(tmp_path / "out0")
    assert min(count_rows(masked, ["x", "y", "job", "town", "sex"]).values()) >= 5
    assert sum(masked.column("x").to_pylist()) == pytest.approx(sum(table.column("x").to_pylist()))


@settings(max_examples=12, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    town=st.lists(st.integers(0, 6), min_size=6, max_size=40), k=st.integers(2, 4), data=st.data()
)
def test_ties_between_strata_go_to_the_first(town, k, data, client, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ties")
    ages = st.lists(st.integers(0, 3), min_size=len(town), max_size=len(town))
    age = data.draw(ages) if len(set(town)) > 1 else list(range(len(town)))
    table = pa.table({"age": pa.array(age, pa.float64()), "town": town})
    plan = plan_of(["age"], k, ["town"], standardise="none")
    scale.mask(write_files(table, folder / "in", 2, 7), plan, folder / "out", client=client)
    memory = plan.run(sort_by(table, ["town"])).data
    assert count_rows(pq.read_table(folder / "out"), ["town"]) == count_rows(memory, ["town"])


def test_large_strata_are_not_compared(client, tmp_path):
    table = pa.table({"x": np.arange(20.0), "town": ["a", "b"] * 10})
    folder = write_files(table, tmp_path / "in")
    plan = plan_of(["x"], within=["town"])
    release = scale.mask(folder, plan, tmp_path / "out", client=client)
    assert not [warning for warning in release.warnings if "merged" in warning]
    assert release.unchanged == ("town",)
    with warns(StrataMerged):
        scale.mask(folder, plan_of(["x"], 11, ["town"]), tmp_path / "one", client=client)
    assert set(pq.read_table(tmp_path / "one").column("town").to_pylist()) == {"a"}
