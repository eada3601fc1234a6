"""The same plan on a cluster: its guarantees, and independence of workers, files and order."""

import json
import re
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clusters import Client, cluster, people, write_files
from example_counts import scaled_examples
from raising import raises, warns
from shoal import Plan, scale
from shoal import _progress as progress
from shoal.audit import verify
from shoal.errors import (
    ColumnError,
    FileError,
    GuaranteeBroken,
    InputError,
    MissingValues,
    ParameterError,
    PlanError,
    ShoalWarning,
)
from shoal.metrics import linkage
from shoal.partitioners import MDAV, VMDAV, Blocked, Refine, partitioner
from shoal.scale.microaggregation import masked_blocks
from shoal.scale.microaggregation.grouping import single_threaded
from shoal.scale.sources.sorting import sort_by
from tables import tables_and_k

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

ROLES = {"name": "identifier", "ill": "confidential", "region": "quasi-identifier"}
MIXED = ["age", "height", "job", "born"]


def plan_of(columns, k=4, roles=None, method="mdav", types=None, **options):
    step = Plan.of(
        columns, partitioner(method, {"k": k}), types=types, **options, other_columns="release"
    ).steps
    roles = {name: "quasi-identifier" for name in columns} | (roles or {})
    return Plan(roles, step, types, other_columns="release")


def read_release(folder):
    return pq.read_table(folder)


def count_rows(table, names=None):
    return Counter(
        zip(*table.select(names or table.column_names).to_pydict().values(), strict=True)
    )


def hashes(release):
    return [(entry["name"], entry["sha256"]) for entry in release.files]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_files(people(), tmp_path_factory.mktemp("people") / "in")


@pytest.fixture(scope="module")
def base_release(client, source, tmp_path_factory):
    plan = plan_of(MIXED, roles=ROLES, within="region")
    target = tmp_path_factory.mktemp("out") / "out"
    return scale.mask(source, plan, target, client=client, chunk_size=500)


def test_every_class_in_the_files_has_at_least_k_records(base_release):
    class_sizes = count_rows(read_release(base_release.target), [*MIXED, "region"])
    assert min(class_sizes.values()) == base_release.measures["smallest_class"] >= 4
    assert Counter(class_sizes.values()) == base_release.measures["class_sizes"]


def test_unmasked_columns_are_released_unchanged(base_release):
    table = read_release(base_release.target)
    assert table.column_names == [*MIXED, "region", "ill"]
    assert count_rows(table, ["region", "ill"]) == count_rows(people(), ["region", "ill"])
    types = {name: str(table.schema.field(name).type) for name in MIXED}
    assert types == {"age": "double", "height": "double", "job": "string", "born": "date32[day]"}


def test_means_are_kept_in_every_stratum(base_release):
    sums = [("age", "sum"), ("height", "sum")]
    original, masked = (
        table.group_by("region").aggregate(sums).sort_by("region")
        for table in (people(), read_release(base_release.target))
    )
    for name in ("age_sum", "height_sum"):
        assert np.allclose(original.column(name), masked.column(name), rtol=1e-12)


def test_records_are_sorted_by_their_released_values(base_release):
    for path in base_release.target.glob("*.parquet"):
        part = pq.read_table(path)
        assert part.equals(sort_by(part, [*MIXED, "region"]))


def test_shuffling_changes_nothing_since_records_are_sorted(client, source, tmp_path):
    plan = plan_of(["age", "height"], roles=ROLES, within="region")
    plain, shuffled = (
        scale.mask(
            source, plan_to_run, tmp_path / name, client=client, manifest=tmp_path / f"{name}.json"
        )
        for name, plan_to_run in (("plain", plan), ("shuffled", plan.shuffled()))
    )
    assert hashes(plain) == hashes(shuffled)
    assert shuffled.drawn_seeds == ()
    assert shuffled.plan.shuffle
    assert all(
        check.passed is not False
        for check in verify(
            tmp_path / "shuffled", tmp_path / "shuffled.json", original=source, client=client
        )
    )


def test_records_that_look_alike_lie_in_one_file(base_release):
    classes_by_file = [
        set(count_rows(pq.read_table(path), MIXED))
        for path in base_release.target.glob("*.parquet")
    ]
    assert len(classes_by_file) > 1
    assert sum(map(len, classes_by_file)) == len(set.union(*classes_by_file))


def test_a_sample_of_the_records_finds_the_same_cuts_in_any_order(
    client, source, monkeypatch, tmp_path
):
    monkeypatch.setattr("shoal.scale.statistics.sample.MIN_SAMPLE", 300)
    monkeypatch.setattr("shoal.scale.microaggregation.run.MAX_ATTACKED", 200)
    plan = plan_of(["age", "height"], roles=ROLES, within="region")
    shuffled = people().take(np.random.default_rng(1).permutation(3000))
    releases = [
        scale.mask(folder, plan, tmp_path / f"out{number}", client=client, chunk_size=400)
        for number, folder in enumerate((source, write_files(shuffled, tmp_path / "in", files=2)))
    ]
    assert hashes(releases[0]) == hashes(releases[1])
    assert releases[0].measures == releases[1].measures
    assert releases[0].provenance["blocks"] > 5
    assert 100 < int(re.search(r"sample of (\d+)", releases[0].remarks["linkage"])[1]) < 300


def test_the_marker_lists_exactly_the_written_files(base_release):
    content = json.loads((base_release.target / "_SUCCESS").read_text())
    assert content["promise"] == {"k": 4, "smallest_class": base_release.measures["smallest_class"]}
    assert sum(entry["records"] for entry in content["files"]) == content["records"] == 3000
    names = sorted(path.name for path in base_release.target.iterdir())
    assert names == ["_SUCCESS", *(entry["name"] for entry in content["files"])]
    assert "plan" not in content
    assert not [path for path in base_release.target.parent.iterdir() if path.name.startswith(".")]


def test_the_loss_is_that_of_the_records(client, tmp_path):
    X = np.random.default_rng(0).normal(size=(900, 2)) * [1, 50]
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "key": np.arange(900)})
    release = scale.mask(
        write_files(table, tmp_path / "in"), plan_of(["a", "b"]), tmp_path / "out",
        client=client, chunk_size=200,
    )  # fmt: skip
    masked = read_release(tmp_path / "out").sort_by("key")
    Y = np.column_stack([masked.column(name) for name in ("a", "b")])
    expected_loss = 100 * (((X - Y) / X.std(axis=0)) ** 2).sum() / X.size
    assert release.measures["information_loss"] == pytest.approx(expected_loss, rel=1e-12)
    assert linkage(X, Y, np.arange(2)) <= release.measures["linkage"] <= 0.25 + 1e-12
    assert "block" in release.remarks["linkage"]


def test_every_measure_is_that_of_a_run_in_memory(client, tmp_path):
    rng = np.random.default_rng(2)
    table = pa.table({"a": rng.integers(0, 6, 400), "b": rng.integers(0, 4, 400)})
    table = table.append_column("ill", pa.array(rng.choice(["no", "yes"], 400, p=[0.9, 0.1])))
    table = table.append_column("flat", pa.array(np.ones(400)))
    plan = plan_of(["a", "b", "flat"], roles={"ill": "confidential"})
    folder = write_files(table, tmp_path / "in")
    release = scale.mask(folder, plan, tmp_path / "out", client=client).measures
    memory = plan.run(sort_by(table, ["a", "b"])).measures
    for name in ("smallest_class", "class_sizes", "reidentification", "homogeneous_classes"):
        assert release[name] == memory[name]
    assert release["reidentification"]["marketer"] < 1 / release["smallest_class"]
    assert release["information_loss"] == pytest.approx(memory["information_loss"], rel=1e-12)


def test_the_smallest_class_is_counted_on_the_files(client, monkeypatch, tmp_path):
    table = pa.table({"a": [0.0] * 32 + [1.0] * 48})
    folder = write_files(table, tmp_path / "in")
    release = scale.mask(folder, plan_of(["a"]), tmp_path / "out", client=client)
    assert (release.groups["smallest"], release.measures["smallest_class"]) == (4, 32)
    mask_records = masked_blocks._mask_records

    def mask_all_but_one(*arguments):
        masked = mask_records(*arguments)
        return masked.set_column(0, "a", pa.array([0.5, *masked.column("a").to_pylist()[1:]]))

    monkeypatch.setattr(masked_blocks, "_mask_records", mask_all_but_one)
    with raises(GuaranteeBroken, "guarantee-broken", smallest=1):
        scale.mask(folder, plan_of(["a"]), tmp_path / "no", client=client)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_linkage_states_the_number_of_targets(client, monkeypatch, tmp_path):
    monkeypatch.setattr("shoal.scale.microaggregation.run.MAX_ATTACKED", 60)
    folder = write_files(people(900), tmp_path / "in")
    release = scale.mask(folder, plan_of(["age", "height"]), tmp_path / "out", client=client)
    n_attacked = int(re.search(r"sample of (\d+)", release.remarks["linkage"])[1])
    assert 30 < n_attacked < 120
    assert f"a sample of {n_attacked} of 900 records. " in release.remarks["linkage"]


def test_a_table_of_one_block_is_masked_as_in_memory(client, tmp_path):
    table = people().set_column(1, "age", pa.array(np.random.default_rng(1).normal(size=3000)))
    plan = plan_of(["age", "height", "job"], roles=ROLES, within="region")
    scale.mask(write_files(table, tmp_path / "in"), plan, tmp_path / "out", client=client)
    memory = plan.run(sort_by(table, ["age", "height", "job", "region"])).data
    names = memory.column_names
    expected, actual = (
        sort_by(records, names).select(names)
        for records in (memory, read_release(tmp_path / "out"))
    )
    for name in names:
        if name in ("age", "height"):
            assert np.allclose(expected.column(name), actual.column(name), rtol=1e-12)
        else:
            assert expected.column(name).to_pylist() == actual.column(name).to_pylist()


def test_neither_workers_nor_files_nor_their_order_change_a_byte(base_release, tmp_path):
    plan = base_release.plan
    order = np.random.default_rng(5).permutation(3000)
    shuffled = people().take(order)
    cases = [
        (1, write_files(shuffled, tmp_path / "one", files=1, row_group_size=3000)),
        (3, sorted(write_files(shuffled, tmp_path / "many", files=7).iterdir(), reverse=True)),
    ]
    for workers, source in cases:
        with (
            cluster(workers, processes=False) as local_cluster,
            Client(local_cluster, set_as_default=False) as client,
        ):
            target = tmp_path / f"out{workers}"
            again = scale.mask(source, plan, target, client=client, chunk_size=500)
        assert hashes(again) == hashes(base_release)
        assert again.measures == base_release.measures


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_zero_and_minus_zero_are_one_value(aggregate, client, tmp_path):
    rng = np.random.default_rng(0)
    other_nan = np.array(0x7FF8000000000001, np.uint64).view(np.float64)
    zeros = {
        "x": rng.choice([-1.0, -0.0, 0.0, 1.0], 300),
        "y": rng.choice(np.array([-0.0, 0.0, 2.0], np.float32), 300),
        "area": rng.choice([0.0, -0.0, 5.0], 300),
        "other": rng.choice([0.0, -0.0, np.nan, other_nan], 300),
    }
    table = pa.table(zeros)
    plan = plan_of(["x", "y"], roles={"area": "quasi-identifier"}, within="area",
                   aggregate=aggregate)  # fmt: skip
    releases = [
        scale.mask(
            write_files(records, tmp_path / f"in{number}", number + 1, 70),
            plan,
            tmp_path / f"out{number}",
            client=client,
            chunk_size=40,
        )
        for number, records in enumerate((table, table.take(rng.permutation(300))))
    ]
    assert hashes(releases[0]) == hashes(releases[1])
    masked = read_release(tmp_path / "out0")
    for name in masked.column_names:
        values = masked.column(name).to_numpy()
        assert not np.signbit(values[values == 0]).any()
    assert set(masked.column("area").to_pylist()) == {0.0, 5.0}


def test_another_seed_moves_the_borders_and_keeps_k(base_release, client, source, tmp_path):
    target = tmp_path / "out"
    release = scale.mask(
        source, base_release.plan, target, client=client, chunk_size=500, random_state=3
    )
    assert release.measures["smallest_class"] >= 4


@settings(max_examples=scaled_examples(12), suppress_health_check=list(HealthCheck))
@given(case=tables_and_k(least=4, most=60), chunk_size=st.integers(1, 30), seed=st.integers(0, 3))
def test_tables_of_many_ties_keep_k_in_any_order(case, chunk_size, seed, client, tmp_path_factory):
    X, k = case
    folder = tmp_path_factory.mktemp("ties")
    names = [f"c{number}" for number in range(X.shape[1])]
    table = pa.table({**dict(zip(names, X.T, strict=True)), "other": np.arange(len(X)) % 3})
    shuffled = table.take(np.random.default_rng(seed).permutation(len(X)))
    releases = [
        scale.mask(
            write_files(records, folder / f"in{number}", number + 1, 7),
            plan_of(names, k),
            folder / f"out{number}",
            allow_not_kept=k == 1,
            client=client,
            chunk_size=chunk_size,
        )
        for number, records in enumerate((table, shuffled))
    ]
    masked = read_release(folder / "out0")
    assert min(count_rows(masked, names).values()) >= k
    assert count_rows(masked, ["other"]) == count_rows(table, ["other"])
    for name, column in zip(names, X.T, strict=True):
        assert np.isclose(masked.column(name).to_numpy().sum(), column.sum())
    assert hashes(releases[0]) == hashes(releases[1])


def test_no_group_crosses_a_border_or_a_stratum_and_small_strata_share_a_block(client, tmp_path):
    rng = np.random.default_rng(0)
    sizes = [4, 5, 6, 300]
    strata = np.repeat(["a", "b", "c", "d"], sizes)
    table = pa.table({"x": rng.normal(size=315), "where": strata})
    plan = plan_of(["x"], roles={"where": "quasi-identifier"}, within="where")
    release = scale.mask(
        write_files(table, tmp_path / "in"), plan, tmp_path / "out", client=client, chunk_size=100
    )
    assert min(count_rows(read_release(tmp_path / "out")).values()) >= 4
    assert release.provenance["blocks"] < 3 + 4


def test_a_stratum_below_k_is_refused(client, tmp_path):
    table = pa.table({"x": np.arange(20.0), "where": ["a"] * 3 + ["b"] * 17})
    plan = plan_of(["x"], roles={"where": "quasi-identifier"}, within="where")
    with raises(InputError, "strata-below-k", small=1, strata=2, smallest=3):
        scale.mask(write_files(table, tmp_path / "in"), plan, tmp_path / "out", client=client)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


HOLES = pa.table({"x": [1.0, None, 3.0, 4.0, 5.0, float("nan")], "y": [1, 2, 3, 4, 5, 6]})


def test_missing_values_are_refused_with_their_number(client, tmp_path):
    with raises(InputError, "missing-values"):
        scale.mask(write_files(HOLES, tmp_path / "in"), plan_of(["x"], 2), tmp_path / "out",
                   client=client)  # fmt: skip


@pytest.mark.parametrize(
    ("missing", "k", "records", "empty"),
    [("drop", 3, 4, 0), ("impute", 3, 6, 0), ("impute", 2, 6, 4)],
)
def test_missing_values_are_dropped_or_filled_in(missing, k, records, empty, client, tmp_path):
    plan = plan_of(["x", "y"], k, missing=missing)
    with pytest.warns(MissingValues):
        release = scale.mask(
            write_files(HOLES, tmp_path / "in"), plan, tmp_path / "out", client=client
        )
    masked = read_release(tmp_path / "out")
    assert len(masked) == release.provenance["records"] == records
    assert masked.column("x").null_count == empty  # what a single record of a pair gave
    memory = plan.run(sort_by(HOLES, ["x", "y"]))
    assert memory.data.column("x").to_pandas().isna().sum() == empty
    assert release.measures["information_loss"] == pytest.approx(
        memory.measures["information_loss"]
    )


def test_every_kind_of_column_is_masked_and_keeps_its_type(client, tmp_path):
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "member": rng.random(300) > 0.5,
            "code": rng.integers(1, 6, 300),
            "price": pa.array(rng.integers(0, 90, 300)).cast(pa.decimal128(21, 2)),
            "grade": rng.choice(["low", "mid", "high"], 300),
            "seen": pa.array(rng.integers(0, 10**12, 300), pa.timestamp("ms")),
            "eyes": pa.array(rng.choice(["blue", "brown"], 300)).dictionary_encode(),
            "area": pa.array(rng.choice(["u", "v", None], 300).tolist()),
        }
    )
    grade = {"kind": "ordinal", "order": ["low", "mid", "high"]}
    names = table.column_names[:-1]
    plan = plan_of(names, types={"code": "nominal", "grade": grade}, within="area",
                   roles={"area": "quasi-identifier"})  # fmt: skip
    scale.mask(
        write_files(table, tmp_path / "in"), plan, tmp_path / "out", client=client, chunk_size=60
    )
    masked = read_release(tmp_path / "out")
    assert min(count_rows(masked).values()) >= 4
    assert count_rows(masked, ["area"]) == count_rows(table, ["area"])
    types = {name: str(masked.schema.field(name).type) for name in names}
    assert types == {
        "member": "bool", "code": "int64", "price": "double", "grade": "string",
        "seen": "timestamp[ms]", "eyes": "string",
    }  # fmt: skip


def test_dependence_lets_the_confidential_columns_take_part(client, tmp_path):
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=400), "pay": rng.normal(size=400)})
    plan = plan_of(["x"], roles={"pay": "confidential"}, dependence=0.6)
    release = scale.mask(write_files(table, tmp_path / "in"), plan, tmp_path / "out", client=client)
    memory = plan.run(sort_by(table, ["x"]))
    loss = memory.measures["information_loss"]
    assert release.measures["information_loss"] == pytest.approx(loss, rel=1e-9)


def test_whole_numbers_stay_whole_if_the_plan_rounds(client, source, tmp_path):
    plan = plan_of(["age"], roles=ROLES, within="region", decimals=0)
    scale.mask(source, plan, tmp_path / "out", client=client)
    assert read_release(tmp_path / "out").schema.field("age").type == pa.int64()


def test_a_dask_frame_and_its_files_give_the_same_release(base_release, client, tmp_path):
    import dask.dataframe as dd

    pandas = people().to_pandas().astype({"born": "datetime64[s]"})
    frame = dd.from_pandas(pandas, npartitions=5)
    again = scale.mask(frame, base_release.plan, tmp_path / "out", client=client, chunk_size=500)
    assert again.measures["information_loss"] == base_release.measures["information_loss"]
    assert again.measures["class_sizes"] == base_release.measures["class_sizes"]


def test_progress_covers_every_stage(client, source, tmp_path):
    reports = {}
    with progress.reporting_to(lambda stage, done, total: reports.update({stage: (done, total)})):
        scale.mask(source, plan_of(["age"], roles=ROLES, within="region"), tmp_path / "out",
                   client=client)  # fmt: skip
    assert reports.pop("publishing") == (0, 1)
    assert list(reports) == ["opening files", "counting", "assigning cells", "grouping", "writing"]
    assert all(done == total for done, total in reports.values())


def test_homogeneous_classes_are_reported(client, source, tmp_path):
    plan = plan_of(["age"], roles={"ill": "confidential", "name": "identifier"})
    with warns(ShoalWarning):
        release = scale.mask(source, plan, tmp_path / "out", client=client)
    n_homogeneous = release.measures["homogeneous_classes"]["ill"]
    assert any(f"'ill' in {n_homogeneous:,} class" in warning for warning in release.warnings)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"round": "original"}, "not-for-large-tables"),
        ({"dependence": 0.3}, "confidential-needed"),
        ({"diversity": 2}, "confidential-needed"),
        ({"homogeneity": "refuse"}, "confidential-needed"),
    ],
)
def test_options_that_need_the_whole_table_are_refused(options, code, tmp_path):
    plan = Plan.of(["age", "height"], MDAV(k=3), **options, other_columns="release")
    with raises(PlanError, code) as caught:
        scale.mask(tmp_path, plan, tmp_path / "out")
    if code == "not-for-large-tables":
        assert caught.value.what in options


@pytest.mark.parametrize("options", [{}, {"block_size": 100}])
@pytest.mark.parametrize("effort", ["search", "prove"])
def test_efforts_that_a_clock_ends_are_refused(effort, options, tmp_path):
    plan = Plan.of(
        ["age"], partitioner("mdav", {"k": 3, "effort": effort, **options}), other_columns="release"
    )
    with raises(PlanError, "not-for-large-tables", what="effort"):
        scale.mask(tmp_path, plan, tmp_path / "out")


def test_blocks_without_records_are_refused(tmp_path):
    with raises(ParameterError, "parameter-not-accepted", parameter="chunk_size"):
        scale.mask(
            tmp_path,
            Plan.of(["age"], MDAV(k=3), other_columns="release"),
            tmp_path / "out",
            chunk_size=0,
        )


@pytest.mark.parametrize(("columns", "code"), [(["agee"], "no-such-column"), (["name"], None)])
def test_columns_are_refused_as_in_memory(columns, code, client, source, tmp_path):
    with raises(InputError, code):
        scale.mask(source, plan_of(columns), tmp_path / "out", client=client)
    assert not list(tmp_path.iterdir())


def test_a_stratum_is_not_confidential_as_in_memory(tmp_path):
    plan = Plan.of(["age"], MDAV(k=3), within="ill", confidential=["ill"], other_columns="release")
    with raises(ParameterError, "two-roles", columns=("ill",)):
        scale.mask(tmp_path, plan, tmp_path / "out")


@pytest.mark.parametrize("make", [people, lambda: people().to_pandas(), list, lambda: None])
def test_a_source_that_is_no_large_table_is_refused(make, tmp_path):
    with raises(InputError, "source-not-accepted"):
        scale.mask(make(), plan_of(["age"]), tmp_path / "out")


@pytest.mark.parametrize("seed", ["x", -1, 0.5, True])
def test_a_seed_is_a_whole_number(seed, tmp_path):
    with raises(ParameterError, "parameter-not-accepted", parameter="random_state"):
        scale.mask(tmp_path, plan_of(["age"]), tmp_path / "out", random_state=seed)


def test_a_table_that_drops_every_record_is_refused(client, tmp_path):
    incomplete = pa.table({"age": pa.array([None] * 20, pa.float64())})
    folder = write_files(incomplete, tmp_path / "in")
    with raises(InputError, "no-record-complete", records=20):
        scale.mask(folder, plan_of(["age"], missing="drop"), tmp_path / "out", client=client)


def test_an_unsuitable_dask_frame_is_refused(client, tmp_path):
    import dask.dataframe as frames

    table = people(40).select(["age", "height"]).to_pandas()
    table["height"] = table["height"].round().astype("category")  # numbers as categories
    frame = frames.from_pandas(table, npartitions=2)
    with raises(ColumnError, "categories-not-text", column="height"):
        scale.mask(frame, plan_of(["age", "height"]), tmp_path / "out", client=client)
    with raises(InputError, "source-not-accepted"):
        scale.mask(frame["age"], plan_of(["age"]), tmp_path / "out", client=client)
    table.columns = ["age", "age"]
    twice = frames.from_pandas(table, npartitions=2)
    with raises(ColumnError, "name-twice", column="age"):
        scale.mask(twice, plan_of(["age"]), tmp_path / "out", client=client)


def test_a_partition_of_another_type_is_refused_without_its_values(client, tmp_path):
    import dask.dataframe as frames

    pandas = people(40).drop(["born"]).to_pandas()
    with_text = lambda part: part.assign(age="secret")  # noqa: E731
    frame = frames.from_pandas(pandas, npartitions=2).map_partitions(with_text, meta=pandas)
    with raises(InputError, "partition-of-another-type") as caught:
        scale.mask(frame, plan_of(["age"]), tmp_path / "out", client=client)
    assert "secret" not in str(caught.value)
    assert "'age'" in str(caught.value)
    dates = people(40).select(["age", "born"]).to_pandas()
    untyped = frames.from_pandas(dates, npartitions=2).map_partitions(lambda p: p, meta=dates)
    if isinstance(untyped._meta_nonempty["born"].iloc[0], str):
        return  # earlier versions of Dask convert such columns to text
    with raises(InputError, "type-unknown", columns=("born",)):
        scale.mask(untyped, plan_of(["age"]), tmp_path / "out", client=client)


def test_the_provenance_repeats_the_run(base_release):
    assert base_release.provenance["chunk_size"] == 500
    assert base_release.provenance["random_state"] == 0
    assert "random_state" not in base_release.marker


def test_the_source_is_never_replaced(client, source):
    names = [{"name": path.name} for path in source.iterdir()]
    (source / "_SUCCESS").write_text(json.dumps({"promise": {}, "files": names}))
    with raises(FileError, "target-holds-source"):
        scale.mask(source, plan_of(["age"]), source, client=client, force=True)
    (source / "_SUCCESS").unlink()
    assert len(list(source.iterdir())) == 3


def test_an_interrupt_is_handled_before_publishing_and_not_after(client, source, tmp_path):
    def interrupt(stage, done, total):
        if stage == "publishing":
            raise KeyboardInterrupt

    with progress.reporting_to(interrupt), pytest.raises(KeyboardInterrupt):
        scale.mask(source, plan_of(["age"]), tmp_path / "out", client=client)
    assert not list(tmp_path.iterdir())


def test_a_worker_uses_one_core():
    assert single_threaded(partitioner("auto", {"k": 5}), 1_000_000).n_jobs == 1
    assert single_threaded(Blocked(k=5), 10).n_jobs == 1
    assert isinstance(single_threaded(partitioner("auto", {"k": 5}), 1000), Refine)


def test_blocks_of_any_method_are_grouped(client, source, tmp_path):
    plan = Plan.of(
        ["age", "height"], Blocked(k=4, method=VMDAV(k=4), block_size=200), other_columns="release"
    )
    release = scale.mask(source, plan, tmp_path / "out", client=client, chunk_size=1000)
    assert release.measures["smallest_class"] >= 4


def test_columns_that_the_plan_does_not_name_are_refused_dropped_or_named(source, tmp_path, client):
    names = pq.read_schema(next(source.glob("*.parquet"))).names
    unnamed = [name for name in names if name not in ("age", "height", "name")]
    assert unnamed
    plan = Plan.of(["age", "height"], MDAV(k=4), identifiers=["name"])
    with raises(ColumnError, "columns-not-named", columns=tuple(unnamed)):
        scale.mask(source, plan, tmp_path / "refused", client=client)
    assert not (tmp_path / "refused").exists()

    base_release = scale.mask(
        source, plan.replace(other_columns="drop"), tmp_path / "a", client=client
    )
    assert set(read_release(tmp_path / "a").column_names) == {"age", "height"}
    assert base_release.plan.other_columns == "drop"

    base_release = scale.mask(
        source, plan.replace(other_columns="release"), tmp_path / "b", client=client
    )
    assert base_release.plan.other_columns == "refuse"
    assert [base_release.plan.roles[name] for name in unnamed] == ["unassigned"] * len(unnamed)
    again = scale.mask(source, base_release.plan, tmp_path / "c", client=client)
    assert hashes(again) == hashes(base_release)
    assert again.warnings == base_release.warnings
