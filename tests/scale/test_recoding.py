"""Generalise and suppress on a cluster: as in memory, whatever the order, and recounted."""

import hashlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clusters import masked_in_two_orders, write_files
from raising import raises
from shoal import Hierarchy, Plan, scale
from shoal.audit import verify
from shoal.errors import FileError, GuaranteeBroken, InputError, PlanError
from shoal.frame.roles import columns_with
from shoal.metrics.limits.figure_names import flatten_figures
from shoal.partitioners import MDAV
from shoal.scale.recoding import combinations, recoded_records
from shoal.scale.statistics.hashes import record_hashes
from shoal.scale.statistics.value_counts import COUNT
from shoal.steps import Generalise, Microaggregate, Suppress
from shoal.steps._distinct_records import DistinctResult
from twins import units as twins

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

KEYS = ["age", "job", "area"]
CASES = {
    "generalise": [Generalise(KEYS, k=5)],
    "some-suppressed": [Generalise(KEYS, k=5, suppression=0.05, loss="entropy")],
    "suppress": [Suppress(KEYS, k=6, importance={"age": 2})],
    "both": [Generalise(KEYS, k=2, suppression=0.02), Suppress(KEYS, k=9)],
    "twice": [Generalise(KEYS, k=2), Generalise(KEYS, k=60, loss="entropy")],
    "diverse": [Generalise(KEYS, k=3, diversity=1.6, diversity_kind="entropy")],
    "close": [Generalise(KEYS, k=3, closeness=0.12, suppression=0.1)],
    "units": [Generalise(KEYS, k=4, unit="firm"), Suppress(KEYS, k=6, unit="firm")],
    "suppress-units": [Suppress(KEYS, k=4, unit="firm")],
}
# Options of `generalise` that put a constraint on the confidential values of units.
UNIT_CONSTRAINTS = {
    "distinct": {"diversity": 3},
    "distinct-suppressed": {"diversity": 3, "suppression": 0.2},
    "entropy": {"diversity": 1.7, "diversity_kind": "entropy"},
    "entropy-suppressed": {"diversity": 1.7, "diversity_kind": "entropy", "suppression": 0.2},
    "close": {"closeness": 0.2},
    "close-suppressed": {"closeness": 0.2, "suppression": 0.2},
    "close-and-diverse": {"closeness": 0.25, "diversity": 2, "suppression": 0.1},
}
UNIT_CASES = ["entropy-suppressed", "close"]


def workers(n=700, seed=0):
    """Return records with ties, missing values, and several for each firm."""
    rng = np.random.default_rng(seed)
    age = np.where(rng.random(n) < 0.03, np.nan, 5.0 * rng.integers(4, 12, n))
    return pa.table(
        {
            "firm": [f"F{one}" for one in rng.integers(0, n // 3, n)],
            "age": pa.array(age, from_pandas=True),
            "job": rng.choice(["baker", "clerk", "nurse", "smith"], n, p=[0.5, 0.3, 0.15, 0.05]),
            "area": rng.choice(["N", "S", "W"], n, p=[0.6, 0.3, 0.1]),
            "ill": rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]),
            "row": np.arange(n),
            "debt": rng.choice(6, n, p=[0.4, 0.2, 0.1, 0.1, 0.1, 0.1]),
        }
    )


def workers_alike(n=240, seed=0):
    """Return records of which most occur several times in their firm, if ill of "a" six times."""
    table = workers(n, seed)
    n_alike = np.where(np.array(table["ill"]) == "a", 6, 1 + np.arange(n) % 2)
    table = table.take(np.repeat(np.arange(n), n_alike))
    return table.set_column(table.column_names.index("row"), "row", pa.array(np.arange(len(table))))


def plan_of(steps, confidential=("ill",), **options):
    in_units = any(step.unit for step in steps)
    roles = dict.fromkeys(KEYS, "quasi-identifier") | {"debt": "non-confidential"}
    roles |= dict.fromkeys(confidential, "confidential")
    roles |= {"row": "non-confidential", "firm": "unit" if in_units else "identifier"}
    types = {"age": {"kind": "numeric", "hierarchy": Hierarchy(intervals=[10, 30])}}
    return Plan(roles, steps, types, unit="firm" if in_units else "record", **options)


def in_order_of_hashes(table, plan):
    """Return a table ordered by the hashes by which a cluster compares combinations."""
    step = plan.steps[0]
    units = [] if plan.unit_column is None else [plan.unit_column]
    is_constrained = step.diversity is not None or step.closeness is not None
    confidential = columns_with(plan.roles, "confidential") if is_constrained else []
    table = table.select([*(name for name in table.column_names if name != "firm"), *units])
    combination_hashes = record_hashes(table, [*KEYS, *units, *confidential], 2)
    return table.take(np.lexsort((record_hashes(table, table.column_names, 3), combination_hashes)))


def by_row(table):
    columns = [*KEYS, "ill", "debt", "row"]
    return table.select(columns).to_pandas().sort_values("row", ignore_index=True)


def findings(verdict):
    return {
        (finding.code, finding.sentence, str(finding.figures))
        for finding in verdict.findings
        if finding.code not in ("checks-not-computed", "unique-on-unchanged-columns")
    }


@pytest.mark.parametrize("case", CASES)
def test_a_large_table_is_recoded_and_judged_as_in_memory(case, client, tmp_path):
    check_as_in_memory(workers(), plan_of(CASES[case]), client, tmp_path)


def plan_of_units(case, **options):
    step = Generalise(KEYS, k=3, unit="firm", **UNIT_CONSTRAINTS[case])
    return plan_of([step], ["ill", "debt"], **options)


@pytest.mark.parametrize("case", UNIT_CONSTRAINTS)
def test_constraints_on_units_are_met_and_judged_as_in_memory(case, client, tmp_path):
    check_as_in_memory(workers_alike(), plan_of_units(case), client, tmp_path)


@pytest.mark.parametrize("seed", [1, 2])
def test_ties_between_the_values_of_a_unit_are_broken_as_in_memory(seed, client, tmp_path):
    n, rng = 400, np.random.default_rng(seed)
    firm, debt = rng.integers(0, n // 4, n), rng.integers(0, 9, n)
    table = workers(n, seed).drop(["firm", "ill", "debt"])
    table = table.append_column("firm", pa.array([f"F{one}" for one in firm]))
    table = table.append_column("ill", pa.array(rng.choice(list("abcdefg"), n)))
    step = Generalise(KEYS, k=3, unit="firm", diversity=1.3, diversity_kind="entropy")
    plan = plan_of([step], ["ill", "debt"])
    check_as_in_memory(table.append_column("debt", pa.array(debt)), plan, client, tmp_path)


def check_as_in_memory(table, plan, client, tmp_path):
    """Check that a large table and a table in memory are recoded, measured and judged alike."""
    source = write_files(table, tmp_path / "in")
    release = scale.mask(source, plan, tmp_path / "out", client=client, chunk_size=150)
    assert release.provenance["blocks"] > 2
    without_firm = pa.table({"firm": pa.nulls(len(table), pa.string())})
    ordered = in_order_of_hashes(table, plan)
    if "firm" not in ordered.column_names:
        ordered = ordered.append_column("firm", without_firm["firm"])
    memory = plan.run(ordered)
    released = pq.read_table(release.target)
    pd.testing.assert_frame_equal(by_row(released), by_row(memory.data), check_dtype=False)
    assert findings(release.verdict) == findings(memory.verdict)
    assert release.verdict.exact == memory.verdict.exact
    assert (release.verdict.status, release.verdict.k) == (memory.verdict.status, memory.verdict.k)
    for name, value in release.measures.items():
        actual, expected = (
            flatten_figures({name: part}) for part in (value, memory.measures[name])
        )
        # Means and entropies are summed in another order of classes.
        assert actual == pytest.approx(expected, rel=1e-12), name
    assert release.profile["distributions"] == memory.profile["distributions"]
    assert release.profile["before"] == memory.profile["before"]
    if plan.unit_column is None:
        assert [part["column"] for part in release.profile["columns"]] == [
            part["column"] for part in memory.profile["columns"]
        ]
    frame = by_row(released).merge(table.select(["row", "firm"]).to_pandas())
    classes = frame.groupby(KEYS, dropna=False)["firm"]
    sizes = classes.nunique() if plan.unit_column else classes.size()
    assert sizes.min() == release.verdict.k >= plan.k


@pytest.mark.parametrize("case", UNIT_CONSTRAINTS)
def test_values_of_units_are_counted_as_pandas_counts_them(case, client, tmp_path):
    table, plan = workers_alike(), plan_of_units(case, limits={"max_t_closeness": 0.9})
    source = write_files(table, tmp_path / "in")
    release = scale.mask(source, plan, tmp_path / "out", client=client, chunk_size=150)
    frame = by_row(pq.read_table(release.target)).merge(table.select(["row", "firm"]).to_pandas())
    frame["class"] = frame.groupby(KEYS, dropna=False).ngroup()
    step, measures = plan.steps[0], release.measures
    data = frame.rename(columns={"firm": "unit", "debt": "value"})
    values = twins.one_value_per_unit(data).groupby("class")["value"]
    least_diversity = {"distinct": values.nunique(), "entropy": values.apply(twins.effective)}
    for kind, attained in least_diversity.items():
        assert measures["l_diversity"][kind]["debt"] == pytest.approx(attained.min())
    if step.diversity is not None:
        assert least_diversity[step.diversity_kind].min() >= step.diversity - 1e-9
    for name, is_ordered in {"debt": True, "ill": False}.items():
        data = frame.rename(columns={"firm": "unit", name: "value"})
        distance = twins.closeness(data, is_ordered)
        assert measures["t_closeness"][name] == pytest.approx(distance)
        assert distance != pytest.approx(twins.closeness(data.assign(unit=data["row"]), is_ordered))
        assert step.closeness is None or distance <= step.closeness + 1e-9


def test_a_limit_on_the_distance_of_units_is_checked_by_units(client, tmp_path):
    table = workers_alike()
    plan = plan_of([Suppress(KEYS, k=4, unit="firm")], limits={"max_t_closeness": 0.9})
    source = write_files(table, tmp_path / "in")
    release = scale.mask(source, plan, tmp_path / "out", client=client, chunk_size=150)
    frame = by_row(pq.read_table(release.target)).merge(table.select(["row", "firm"]).to_pandas())
    frame["class"] = frame.groupby(KEYS, dropna=False).ngroup()
    data = frame.rename(columns={"firm": "unit", "ill": "value"})
    assert release.measures["t_closeness"] == {"ill": pytest.approx(twins.closeness(data, False))}


def test_some_records_of_a_combination_are_suppressed_and_others_are_not(client, tmp_path):
    table, plan = workers(), plan_of(CASES["suppress"])
    release = scale.mask(write_files(table, tmp_path / "in"), plan, tmp_path / "out", client=client)
    original, masked = by_row(table), by_row(pq.read_table(release.target))
    changed = (original[KEYS].notna() & masked[KEYS].isna()).any(axis=1)
    n_outcomes = changed.groupby([original[name] for name in KEYS], dropna=False).nunique()
    assert (n_outcomes == 2).any()
    is_kept_or_missing = masked[KEYS].isna() | (masked[KEYS] == original[KEYS])
    assert is_kept_or_missing.all(axis=None)


@pytest.mark.parametrize("case", ["suppress", "units", "both", *UNIT_CASES])
def test_order_files_and_runner_do_not_matter(case, client, tmp_path):
    in_units = case in UNIT_CASES
    table = (workers_alike() if in_units else workers()).drop(["row"])
    plan = plan_of_units(case) if in_units else plan_of(CASES[case])
    plan = plan.replace(roles={n: r for n, r in plan.roles.items() if n != "row"})
    first, second = masked_in_two_orders(table, plan, tmp_path, client, chunk_size=150)
    hashes, second_hashes = ([entry["sha256"] for entry in each.files] for each in (first, second))
    assert hashes == second_hashes
    assert len(hashes) > 2
    assert first.measures == second.measures
    if case == "both":  # jobs and pieces reach a worker in another process too
        pool = scale.mask(
            tmp_path / "in1", plan, tmp_path / "pool", client="processes:1", chunk_size=150
        )
        assert [entry["sha256"] for entry in pool.files] == hashes


def test_a_recoded_folder_is_verified_and_tampering_is_detected(client, tmp_path):
    plan = plan_of(CASES["both"])
    source = write_files(workers(), tmp_path / "in")
    release = scale.mask(
        source, plan, tmp_path / "out", client=client, chunk_size=150,
        manifest=tmp_path / "out.json", report=tmp_path / "out.html",
    )  # fmt: skip
    checked = verify(
        tmp_path / "out", tmp_path / "out.json", original=source, report=tmp_path / "out.html",
        client=client,
    )  # fmt: skip
    assert [check for check in checked if check.passed is False] == []
    assert {"run again", "guarantee", "classes"} <= {check.name for check in checked}
    assert "age" in (tmp_path / "out.html").read_text()
    path = release.target / release.files[0]["name"]
    records = pq.read_table(path)
    pq.write_table(records.slice(1), path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() != release.files[0]["sha256"]
    again = verify(tmp_path / "out", tmp_path / "out.json")
    assert {"files", "records"} <= {check.name for check in again if check.passed is False}


@pytest.mark.parametrize("case", UNIT_CASES)
def test_constraints_on_units_are_verified_as_far_as_the_files_show_them(case, client, tmp_path):
    plan, manifest = plan_of_units(case), tmp_path / "out.json"
    source = write_files(workers_alike(), tmp_path / "in")
    release = scale.mask(
        source, plan, tmp_path / "out", client=client, chunk_size=150, manifest=manifest
    )
    checked = verify(release.target, manifest)
    assert [check for check in checked if check.passed is False] == []
    assert "units-not-counted" in checked.verdict.codes()
    again = verify(release.target, manifest, original=source, client=client)
    assert [check for check in again if check.passed is False] == []
    assert again.verdict == release.verdict


@pytest.mark.parametrize("case", UNIT_CASES)
def test_constraints_on_units_are_counted_on_the_files(case, client, tmp_path, monkeypatch):
    apply_to_distinct = Generalise.apply_to_distinct

    def without_constraint(step, *arguments):
        return apply_to_distinct(step.replace(diversity=None, closeness=None), *arguments)

    monkeypatch.setattr(Generalise, "apply_to_distinct", without_constraint)
    source = write_files(workers_alike(), tmp_path / "in")
    with raises(InputError, "constraint-not-attained"):
        scale.mask(source, plan_of_units(case), tmp_path / "out", client=client)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_step_that_suppresses_too_little_is_detected_on_the_files(client, tmp_path, monkeypatch):
    def suppress_nothing(step, frame, counts, *arguments):
        return DistinctResult(np.arange(len(frame)), counts, {})

    monkeypatch.setattr(Suppress, "apply_to_distinct", suppress_nothing)
    source = write_files(workers(), tmp_path / "in")
    with raises(GuaranteeBroken, "guarantee-broken", smallest=1, k=6):
        scale.mask(source, plan_of(CASES["suppress"]), tmp_path / "out", client=client)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_records_that_appear_between_two_passes_are_detected(client, tmp_path, monkeypatch):
    find_combinations = combinations.find_combinations

    def one_record_less(*arguments):
        table = find_combinations(*arguments)
        counts = table.column(COUNT).to_numpy() - (np.arange(len(table)) == 0)
        position = table.column_names.index(COUNT)
        return table.set_column(position, COUNT, pa.array(counts)).filter(pa.array(counts > 0))

    monkeypatch.setattr("shoal.scale.recoding.run.find_combinations", one_record_less)
    source = write_files(workers(), tmp_path / "in")
    with raises(FileError, "file-changed"):
        scale.mask(source, plan_of(CASES["suppress"]), tmp_path / "out", client=client)


def test_too_many_combinations_are_refused(client, tmp_path, monkeypatch):
    monkeypatch.setattr(combinations, "MAX_COMBINATIONS", 20)
    source = write_files(workers(), tmp_path / "in")
    with raises(InputError, "too-many-combinations", limit=20):
        scale.mask(source, plan_of(CASES["suppress"]), tmp_path / "out", client=client)


def test_records_without_a_unit_and_too_few_records_are_refused_as_in_memory(client, tmp_path):
    table = workers(60)
    holes = table.set_column(0, "firm", pa.array([None] * 3 + table["firm"].to_pylist()[3:]))
    source = write_files(holes, tmp_path / "in")
    with raises(InputError, "unit-missing", column="firm", missing=3):
        scale.mask(source, plan_of(CASES["units"]), tmp_path / "out", client=client)
    for step in (Generalise(KEYS, k=61), Suppress(KEYS, k=61)):
        with raises(InputError, "too-few-records", k=61):
            scale.mask(source, plan_of([step]), tmp_path / "out", client=client)


@pytest.mark.parametrize(
    ("steps", "what"),
    [
        ([Generalise(KEYS, k=5), Suppress(KEYS[:2], k=5)], "steps"),
        ([Suppress(KEYS, k=5), Microaggregate(["age"], MDAV(k=5))], "steps"),
        ([Suppress(KEYS, k=5, missing_means="any")], "missing_means"),
    ],
)
def test_options_that_cannot_be_counted_file_by_file_are_refused(steps, what, client, tmp_path):
    with raises(PlanError, "not-for-large-tables", what=what):
        scale.mask(tmp_path, plan_of(steps), tmp_path / "out", client=client)


@pytest.mark.parametrize("unit", [None, "firm"])
def test_closeness_of_a_column_that_is_masked_too_is_refused(unit, client, tmp_path):
    close = plan_of([Generalise(KEYS, k=3, unit=unit, closeness=0.3)], ["ill", "job"])
    limited = plan_of(
        [Suppress(KEYS, k=3, unit=unit)], ["ill", "job"], limits={"max_t_closeness": 0.9}
    )
    for plan in (close, limited):
        with raises(PlanError, "not-for-large-tables", what="closeness"):
            scale.mask(tmp_path, plan, tmp_path / "out", client=client)


def test_a_limit_that_is_not_computed_is_refused_and_others_are_checked(client, tmp_path):
    source = write_files(workers(), tmp_path / "in")
    plan = plan_of(CASES["generalise"])
    with raises(PlanError, "not-for-large-tables", what="limits"):
        scale.mask(source, plan.replace(limits={"max_il1s": 1}), tmp_path / "out", client=client)
    limits = {"max_t_closeness": 0.9, "min_p_sensitivity": 1, "min_smallest_class": 5}
    release = scale.mask(source, plan.replace(limits=limits), tmp_path / "out", client=client)
    limits_checked = next(
        finding for finding in release.verdict.findings if finding.code == "limits-checked"
    )
    assert limits_checked.sentence.startswith(f"{len(limits_checked.figures['limits'])} of")


def test_hashes_order_combinations_and_buckets_are_ranges_of_them():
    hashes = np.array([3, 7, 7, 9], np.uint64)
    borders = np.array([3, 7], np.uint64)
    assert recoded_records.bucket_of(hashes, borders).tolist() == [0, 1, 1, 1]
    assert recoded_records.bucket_of(np.array([1], np.uint64), borders).tolist() == [0]
