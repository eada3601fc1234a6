"""Units, l-diversity, t-closeness and missing values on a cluster: as in memory, and recounted."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clusters import masked_in_two_orders, write_files
from raising import raises
from shoal import Plan, scale
from shoal.audit import verify
from shoal.errors import GuaranteeBroken, InputError, PlanError
from shoal.metrics import l_diversity, t_closeness
from shoal.partitioners import MDAV
from shoal.scale.microaggregation import grouping, masked_blocks, region_joins
from shoal.scale.sources.sorting import sort_by

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

COLUMNS = ["age", "pay"]


def firms(n=600, n_units=90, seed=0, *, missing_share=0.0, ties=True):
    """Return records of units, several of each unit, with two confidential columns."""
    rng = np.random.default_rng(seed)
    unit = np.sort(rng.integers(0, n_units, n))
    pay = rng.normal(size=n_units)[unit] + 0.3 * rng.normal(size=n)
    pay = pay.round(1) if ties else pay
    age = rng.integers(18, 40, n) + (0.0 if ties else rng.random(n))
    pay[rng.random(n) < missing_share] = np.nan
    age[rng.random(n) < missing_share / 8] = np.nan  # a pattern that few records have
    return pa.table(
        {
            "firm": [f"F{number}" for number in unit],
            "age": pa.array(age, from_pandas=True),
            "pay": pa.array(pay, from_pandas=True),
            "area": rng.choice(["N", "S"], n),
            "ill": rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]),
            "debt": rng.integers(0, 9, n),
            "row": np.arange(n),
        }
    )


def plan_of(k=4, confidential=("ill", "debt"), unit=None, within=None, **options):
    other_roles = {"row": "non-confidential", "firm": "identifier"}
    other_roles |= {
        name: "non-confidential" for name in ("ill", "debt") if name not in confidential
    }
    other_roles |= {} if within else {"area": "non-confidential"}
    plan = Plan.of(
        COLUMNS, MDAV(k=k), confidential=list(confidential), within=within, other_columns="release",
        **{unit or "unit": "firm" if unit else "record"}, **options,
    )  # fmt: skip
    roles = {name: role for name, role in other_roles.items() if name != "firm" or not unit}
    return plan.replace(roles={**plan.roles, **roles})


def mask(table, plan, folder, client, **options):
    return scale.mask(write_files(table, folder / "in"), plan, folder / "out", client=client,
                      **options)  # fmt: skip


def recount(table, folder, columns=COLUMNS):
    """Return the released records with their unit, and their class, both by pandas."""
    released = pd.read_parquet(folder / "out").merge(table.select(["row", "firm"]).to_pandas())
    return released, released.groupby(list(columns), dropna=False).ngroup().to_numpy()


@pytest.mark.parametrize("within", [None, "area"])
def test_every_class_has_k_units_as_counted_by_pandas(within, client, tmp_path):
    table, plan = firms(), plan_of(unit="unit", within=within)
    release = mask(table, plan, tmp_path, client, chunk_size=150)
    released, label = recount(table, tmp_path, [*COLUMNS, *([within] if within else [])])
    units = released.groupby(label)["firm"].nunique()
    assert release.provenance["blocks"] > 2
    assert units.min() == release.measures["fewest_units"] == release.verdict.k >= 4
    unit_shares = released.groupby(label)["firm"].value_counts(normalize=True)
    assert release.measures["largest_unit_share"] == pytest.approx(unit_shares.max())
    assert release.verdict.unit == "firm"
    assert release.verdict.status != "not kept"
    assert "firm" not in pq.read_schema(next(release.target.glob("*.parquet"))).names
    sizes = released.groupby(label).size().value_counts()
    assert release.measures["class_sizes"] == sizes.sort_index().to_dict()


def test_order_and_files_do_not_matter_if_units_are_counted(client, tmp_path):
    table = firms().drop(["row"])
    plan = plan_of(unit="household")
    plan = plan.replace(roles={n: r for n, r in plan.roles.items() if n != "row"})
    first, second = masked_in_two_orders(table, plan, tmp_path, client, chunk_size=150)
    assert [entry["sha256"] for entry in first.files] == [entry["sha256"] for entry in second.files]
    assert first.measures == second.measures


OPTIONS = {
    "unit": {"unit": "unit"},
    "household": {"unit": "household", "within": "area"},
    "units-diverse": {"unit": "unit", "diversity": 2},
    "diverse": {"diversity": 3, "confidential": ["ill"]},
    "entropy": {"diversity": 1.9, "diversity_kind": "entropy"},
    "close": {"closeness": 0.2},
    "swap": {"closeness": 0.25, "closeness_by": "swap", "within": "area"},
    "close-and-diverse": {"closeness": 0.3, "diversity": 2},
    "merge": {"homogeneity": "merge"},
    "merge-units": {"homogeneity": "merge", "unit": "unit"},
    "blocks": {"blocks": 1, "within": "area"},
    "column-weights": {"column_weights": {"pay": 3.0}},
    "weights-and-dependence": {
        "column_weights": {"age": 0.5},
        "dependence": 0.3,
        "confidential": ["debt"],
    },
    "blocks-units": {"blocks": [["pay"], ["age"]], "unit": "unit", "homogeneity": "merge"},
    "own-groups": {"missing": "own-groups"},
    "own-groups-units": {"missing": "own-groups", "unit": "unit", "within": "area"},
}


@pytest.mark.parametrize("case", OPTIONS)
def test_a_table_of_one_block_is_masked_and_judged_as_in_memory(case, client, tmp_path):
    table = firms(300, 60, missing_share=0.1 if "own" in case else 0.0, ties=False)
    plan = plan_of(**OPTIONS[case])
    release = mask(table, plan, tmp_path, client, allow_not_kept="blocks" in case)
    read_columns = [
        name for name in table.column_names if name != "firm" or OPTIONS[case].get("unit")
    ]
    within = [OPTIONS[case]["within"]] if "within" in OPTIONS[case] else []
    # A worker holds the units after what is released.
    order = [
        *(name for name in read_columns if name != "firm"),
        *(name for name in read_columns if name == "firm"),
    ]
    memory = plan.run(sort_by(table.select(order), [*COLUMNS, *within]).append_column(
        "firm", pa.nulls(300, pa.string())) if "firm" not in read_columns
        else sort_by(table.select(order), [*COLUMNS, *within]))  # fmt: skip
    names = [name for name in table.column_names if name != "firm"]
    actual, expected = (
        records.select(names).to_pandas().sort_values("row", ignore_index=True)
        for records in (pq.read_table(release.target), memory.data)
    )
    pd.testing.assert_frame_equal(actual, expected, check_dtype=False, rtol=1e-12)
    assert (release.verdict.k, release.verdict.unit) == (memory.verdict.k, memory.verdict.unit)
    assert release.verdict.status == memory.verdict.status
    for name in ("l_diversity", "t_closeness", "fewest_units", "largest_unit_share"):
        if name in release.measures and "units" not in case:
            assert release.measures[name] == memory.measures[name]
    risk = memory.measures["reidentification"]
    assert release.measures["reidentification"] == pytest.approx(risk, rel=1e-12)
    shared = set(release.verdict.codes()) - {"checks-not-computed"}
    assert shared <= set(memory.verdict.codes())


def distances(table, released, label):
    values = released[["ill", "debt"]].apply(lambda column: column.rank(method="dense")).to_numpy()
    return t_closeness(label[:, None], values.astype(int), [False, True])


@pytest.mark.parametrize("case", ["entropy", "close", "swap", "close-and-diverse", "merge"])
def test_constraints_hold_in_many_blocks_by_an_independent_count(case, client, tmp_path):
    table = firms(900)
    plan = plan_of(**OPTIONS[case])
    release = mask(table, plan, tmp_path, client, chunk_size=200)
    assert release.provenance["blocks"] > 2
    within = [OPTIONS[case]["within"]] if "within" in OPTIONS[case] else []
    released, label = recount(table, tmp_path, [*COLUMNS, *within])
    step = plan.steps[0]
    codes = released[["ill", "debt"]].apply(lambda column: column.rank(method="dense")).to_numpy()
    if step.diversity is not None:
        least_diversity = l_diversity(label[:, None], codes.astype(int))[step.diversity_kind]
        assert least_diversity.min() >= step.diversity - 1e-9
        measured = release.measures["l_diversity"][step.diversity_kind]
        assert list(measured.values()) == pytest.approx(least_diversity.tolist())
    if step.closeness is not None:
        greatest_distances = distances(table, released, label)
        assert greatest_distances.max() <= step.closeness + 1e-9
        assert list(release.measures["t_closeness"].values()) == pytest.approx(
            greatest_distances.tolist()
        )
    if step.homogeneity == "merge":
        assert (released.groupby(label)[["ill", "debt"]].nunique() > 1).all(axis=None)


def test_cells_are_suppressed_until_k_records_share_a_pattern(client, tmp_path):
    table = firms(700, missing_share=0.15)
    release = mask(table, plan_of(missing="own-groups"), tmp_path, client, chunk_size=150)
    released, label = recount(table, tmp_path)
    assert pd.Series(label).value_counts().min() == release.measures["smallest_class"] >= 4
    original = table.to_pandas().set_index("row")[COLUMNS]
    masked = released.set_index("row")[COLUMNS].reindex(original.index)
    assert (masked.isna() | original.notna()).all(axis=None)  # nothing is filled in
    suppressed = (masked.isna() & original.notna()).sum()
    assert suppressed.sum() > 0
    sentence = next(
        finding for finding in release.verdict.findings if finding.code == "missing-values"
    ).sentence
    assert all(f"{name!r} {number}" in sentence for name, number in suppressed.items() if number)


@pytest.mark.parametrize("options", [{}, {"unit": "unit", "within": "area"}])
def test_every_block_of_columns_keeps_k_across_files(options, client, tmp_path):
    table = firms(700)
    plan = plan_of(blocks=1, **options)
    release = mask(table, plan, tmp_path, client, chunk_size=100, allow_not_kept=True)
    assert len(release.files) > 2
    within = [options["within"]] if "within" in options else []
    counted, smallest = ("firm" if options else "row"), []
    for name, groups in zip(COLUMNS, release.group_summaries, strict=True):
        released, label = recount(table, tmp_path, [name, *within])
        sizes = released.groupby(label)[counted].nunique()
        smallest += [(sizes.min(), (sizes == sizes.min()).sum())]
        assert groups["smallest"] >= sizes.min() >= 4
    insiders = next(
        finding for finding in release.verdict.findings if finding.code == "insiders"
    ).figures
    smallest_size = min(smallest)[0]
    assert insiders == {
        "size": smallest_size,
        "groups": sum(n for size, n in smallest if size == smallest_size),
    }
    assert release.verdict.k == (release.measures["fewest_units" if options else "smallest_class"])
    assert "joint-class-below-k" in release.verdict.codes()


def test_a_block_of_columns_below_k_is_detected_although_its_class_is_in_many_files(
    client, tmp_path, monkeypatch
):
    mask_records = masked_blocks._mask_records

    def mask_all_but_one_age(job, table, *arguments):
        masked = mask_records(job, table, *arguments)
        is_first_row = np.arange(len(table)) == 0 if 0 in table["row"].to_pylist() else False
        ages = np.where(is_first_row, -5.0, masked["age"].to_numpy())
        return masked.set_column(masked.column_names.index("age"), "age", pa.array(ages))

    monkeypatch.setattr(masked_blocks, "_mask_records", mask_all_but_one_age)
    with raises(GuaranteeBroken, "guarantee-broken", smallest=1, k=4):
        mask(firms(), plan_of(blocks=1), tmp_path, client, chunk_size=150, allow_not_kept=True)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def lopsided(n=600):
    """Return records in which all persons of low age belong to one firm and share an illness."""
    table = firms(n).to_pandas()
    low = table["age"] < 27
    table.loc[low, "firm"], table.loc[low, "ill"] = "F0", "a"
    return pa.Table.from_pandas(table, preserve_index=False)


@pytest.mark.parametrize("options", [{"unit": "unit"}, {"diversity": 2, "confidential": ["ill"]}])
def test_blocks_that_cannot_meet_a_constraint_are_joined(options, client, tmp_path, monkeypatch):
    table, tasks_by_round = lopsided(), []
    run_stage = region_joins.run_stage

    def count_tasks(*arguments):
        tasks_by_round.append(len(arguments[3]))
        return run_stage(*arguments)

    monkeypatch.setattr(region_joins, "run_stage", count_tasks)
    monkeypatch.setattr(region_joins, "MAX_CHUNKS", 12)
    release = mask(table, plan_of(**options), tmp_path, client, chunk_size=60)
    released, label = recount(table, tmp_path)
    counted, minimum = ("firm", 4) if "unit" in options else ("ill", 2)
    assert released.groupby(label)[counted].nunique().min() >= minimum
    assert len(tasks_by_round) > 1
    assert release.provenance["blocks"] > 1


def test_a_constraint_out_of_reach_is_refused_and_met_by_larger_blocks(client, tmp_path):
    table, plan = lopsided(), plan_of(diversity=2, confidential=["ill"])
    with raises(InputError, "out-of-reach-in-blocks", option="diversity", chunk_size=10):
        mask(table, plan, tmp_path / "a", client, chunk_size=10)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["in"]
    release = mask(table, plan, tmp_path / "b", client)
    assert release.measures["p_sensitivity"] >= 2


def test_unattainable_constraints_are_refused_as_in_memory(client, tmp_path):
    table = firms(200)
    for number, (options, code) in enumerate(
        (
            ({"diversity": 4, "confidential": ["ill"]}, "diversity-out-of-reach"),
            ({"unit": "unit", "k": 100}, "too-few-units"),
        )
    ):
        with raises(InputError, code):
            mask(table, plan_of(**options), tmp_path / str(number), client)
    constant = table.set_column(4, "ill", pa.array(["a"] * 200))
    with raises(InputError, "constant-confidential", column="ill"):
        mask(constant, plan_of(homogeneity="merge"), tmp_path / "c", client)


def test_homogeneous_groups_are_counted_in_all_blocks_before_they_are_refused(client, tmp_path):
    with raises(InputError, "homogeneous-groups"):
        mask(firms(), plan_of(homogeneity="refuse"), tmp_path / "a", client, chunk_size=100)
    varied = firms().set_column(4, "ill", pa.array(np.arange(600)))
    plan = plan_of(homogeneity="refuse", confidential=["ill"])
    release = mask(varied, plan, tmp_path / "b", client, chunk_size=100)
    assert release.measures["homogeneous_classes"] == {"ill": 0}


@pytest.mark.parametrize("unit", [None, "unit"])
def test_shared_and_missing_confidential_values_are_described_as_in_memory(unit, client, tmp_path):
    table = firms(300, 60, ties=False).to_pandas()
    alike = (table["age"] < 25) & (table["pay"] < 0)
    table["ill"] = table["ill"].where(~alike, "a").where(table["age"] < 32)
    table["debt"] = table["debt"].where(table["pay"] < 0.5).astype("Int64")
    table = pa.Table.from_pandas(table, preserve_index=False)
    plan = plan_of(unit=unit)
    order = [*(name for name in table.column_names if name != "firm"), "firm"]
    memory = plan.run(sort_by(table.select(order), COLUMNS))
    shown = [
        [(f.severity, f.sentence, f.figures, f.way_out) for f in verdict.findings if f.code in
         ("homogeneous-group", "missing-in-class")]
        for verdict in (mask(table, plan, tmp_path, client).verdict, memory.verdict)
    ]  # fmt: skip
    assert shown[0] == shown[1]
    shared, missing = shown[0]
    assert 0 < shared[2]["missing"]["ill"] < shared[2]["homogeneous"]["ill"]
    assert missing[0] == "informs"
    assert missing[2]["missing"].keys() == {"debt"}
    merged = mask(table, plan_of(unit=unit, homogeneity="merge"), tmp_path / "m", client)
    assert "homogeneous-group" not in merged.verdict.codes()
    assert "missing-in-class" in merged.verdict.codes()
    only_missing = plan_of(unit=unit, homogeneity="refuse", confidential=["debt"])
    assert mask(table, only_missing, tmp_path / "r", client).measures["homogeneous_classes"]["debt"]


def test_strata_are_refused_or_merged_by_their_units(client, tmp_path):
    table = firms().to_pandas()
    table["area"] = np.where(table["firm"].isin(["F1", "F2", "F3"]), "T", table["area"])
    table = pa.Table.from_pandas(table, preserve_index=False)
    with raises(InputError, "strata-below-k", small=1, strata=3, smallest=3):
        mask(table, plan_of(unit="unit", within="area"), tmp_path / "a", client, chunk_size=150)
    plan = plan_of(unit="unit", within="area", small_strata="merge")
    release = mask(table, plan, tmp_path / "b", client, chunk_size=150)
    memory = plan.run(table)
    sentences = [
        next(finding.sentence for finding in verdict.findings if finding.code == "strata-merged")
        for verdict in (release.verdict, memory.verdict)
    ]
    assert sentences[0] == sentences[1]
    released, label = recount(table, tmp_path / "b", [*COLUMNS, "area"])
    assert released.groupby(label)["firm"].nunique().min() >= 4


def test_records_without_a_unit_are_refused_with_their_number(client, tmp_path):
    table = firms(100)
    incomplete = table.set_column(0, "firm", pa.array([None] * 3 + table["firm"].to_pylist()[3:]))
    with raises(InputError, "unit-missing", column="firm", missing=3):
        mask(incomplete, plan_of(unit="unit"), tmp_path, client)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"unit": "unit"}, GuaranteeBroken),
        ({"diversity": 3, "confidential": ["ill"]}, GuaranteeBroken),
        ({"closeness": 0.2}, GuaranteeBroken),
        ({"unit": "unit", "diversity": 2, "k": 2}, InputError),
    ],
)
def test_guarantees_are_counted_on_the_files(options, error, client, tmp_path, monkeypatch):
    def without_constraint(job, table, columns, units):
        keeps_units = error is InputError
        plain = job.step.replace(diversity=None, closeness=None)
        plain = plain if keeps_units else plain.replace(unit=None)
        units = units if keeps_units else None
        return grouping.group_region(replace(job, step=plain), table, columns, units)

    monkeypatch.setattr(masked_blocks, "group_region", without_constraint)
    with pytest.raises(error):
        mask(firms(), plan_of(**options), tmp_path, client, chunk_size=150)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"unit": "household", "whole_households": True}, "whole_households"),
        ({"homogeneity": "noise"}, "homogeneity"),
        ({"closeness": 0.2, "closeness_by": "first", "confidential": ["ill"]}, "closeness_by"),
        ({"closeness": 0.2, "unit": "unit"}, "closeness"),
    ],
)
def test_options_unsupported_in_blocks_are_refused(options, what, tmp_path):
    with raises(PlanError, "not-for-large-tables", what=what):
        scale.mask(tmp_path, plan_of(**options), tmp_path / "out")


@pytest.mark.parametrize("case", ["units-diverse", "close-and-diverse"])
def test_an_auditor_counts_again_what_the_files_show(case, client, tmp_path):
    source = write_files(firms(300), tmp_path / "in")
    plan, manifest = plan_of(**OPTIONS[case]), tmp_path / "m.json"
    release = scale.mask(source, plan, tmp_path / "out", client=client, manifest=manifest,
                      chunk_size=100)  # fmt: skip
    checked = verify(release.target, manifest)
    assert all(check.passed is not False for check in checked)
    assert ("units-not-counted" in checked.verdict.codes()) == ("units" in case)
    again = verify(release.target, manifest, original=source, client=client)
    assert all(check.passed is not False for check in again)
    assert again.verdict == release.verdict
