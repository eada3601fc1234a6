"""Groups refined for local recoding: at least k, no greater loss, and no change loses less."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import Hierarchy
from shoal.frame.tables import open_frame
from shoal.frame.types import as_types
from shoal.partitioners import Partition
from shoal.plan import Plan
from shoal.steps import Generalise
from shoal.steps.recoding import local_search
from shoal.steps.recoding.hierarchies import read_hierarchy
from shoal.steps.recoding.local_search import recoding_loss, refine_recoding
from twins.local_recoding import changes, holds, loss, partitions

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


@st.composite
def tables(draw, most=20):
    """Draw coded columns with hierarchies, numbers, units and groups of at least k units."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    k, n = draw(st.integers(1, 3)), draw(st.integers(6, most))
    p, q = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    p = max(p, 1) if q == 0 else p
    frame, types = {}, {}
    for column in range(p):
        values = [str(i) for i in range(int(rng.integers(2, 9)))]
        frame[f"c{column}"] = rng.choice(values, n).astype(object)
        rows = [(value, f"{int(value) // 2}h", f"{int(value) // 4}q") for value in values]
        if rng.random() < 0.8:
            types[f"c{column}"] = {"kind": "nominal", "hierarchy": rows}
    data = pd.DataFrame(frame, index=range(n))
    if p and draw(st.booleans()):
        data.iloc[rng.integers(0, n, 3), rng.integers(0, p)] = None
    declared = as_types(types)
    columns = [read_hierarchy(open_frame(data), name, declared.get(name)) for name in data]
    numbers = rng.integers(0, 6, (n, q)) / 5
    numbers[rng.random((n, q)) < 0.1] = np.nan
    units = rng.integers(0, n - 1, n) if draw(st.booleans()) else np.arange(n)
    labels = np.zeros(n, np.int64)
    for trial in range(20):
        several = np.unique(rng.integers(0, max(1, n // (k + trial)), n), return_inverse=True)[1]
        if all(holds(np.flatnonzero(several == g), k, units) for g in range(several.max() + 1)):
            labels = several
            break
    if not holds(range(n), k, units):
        units = np.arange(n)
    return columns, numbers, Partition(labels, k), units


def as_twin(columns, numbers):
    paths = []
    for column in columns:
        levels = list(zip(column.levels.ancestors, column.levels.losses, strict=True))
        missing = column.is_missing
        paths.append(
            [
                None
                if missing[record]
                else [(ancestors[code], cells[code]) for ancestors, cells in levels]
                for record, code in enumerate(column.codes.tolist())
            ]
        )
    cells = [[None if np.isnan(v) else v for v in column] for column in numbers.T.tolist()]
    return paths, cells


def members(labels):
    return [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]


@given(table=tables())
def test_groups_hold_k_and_no_move_or_exchange_loses_less(table):
    columns, numbers, start, units = table
    refined = refine_recoding(columns, numbers, start, units)
    twin, groups = as_twin(columns, numbers), members(refined.labels)
    assert all(holds(group, start.k, units) for group in groups)
    least = loss(groups, *twin)
    assert recoding_loss(columns, numbers, refined) == pytest.approx(least)
    assert least <= loss(members(start.labels), *twin) + 1e-9
    if len(groups) <= 8:  # so that every group is a candidate of every record
        assert all(
            loss(changed_groups, *twin) >= least - 1e-6
            for changed_groups in changes(groups, start.k, units)
        )


def test_groups_that_were_split_without_a_gain_are_improved():
    rows = [(str(value), f"{value // 2}h", f"{value // 4}q") for value in range(8)]
    data = pd.DataFrame({"c": [str(value) for value in (5, 1, 5, 5, 5, 1, 6, 4, 2, 3, 2, 2)]})
    declared = as_types({"c": {"kind": "nominal", "hierarchy": rows}})
    columns, numbers = [read_hierarchy(open_frame(data), "c", declared["c"])], np.empty((12, 0))
    units = np.array([7, 9, 1, 9, 1, 8, 6, 8, 3, 4, 5, 0])
    start = Partition(np.array([1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0]), 3)
    refined = refine_recoding(columns, numbers, start, units)
    twin, groups = as_twin(columns, numbers), members(refined.labels)
    least = loss(groups, *twin)
    assert all(
        loss(changed_groups, *twin) >= least - 1e-6 for changed_groups in changes(groups, 3, units)
    )


@given(table=tables(most=7))
def test_no_partition_loses_less_than_the_exhaustive_search_finds(table):
    columns, numbers, start, units = table
    refined = refine_recoding(columns, numbers, start, units)
    twin, n = as_twin(columns, numbers), len(start.labels)
    least = min(loss(groups, *twin) for groups in partitions(list(range(n)), start.k, units))
    assert recoding_loss(columns, numbers, refined) >= least - 1e-9


def test_the_optimum_is_usually_attained():
    attained, rng = 0, np.random.default_rng(0)
    for _ in range(40):
        data = pd.DataFrame({"a": rng.integers(0, 8, 8), "b": rng.integers(0, 4, 8)}).astype(str)
        rows = [(str(i), f"{i // 2}h", f"{i // 4}q") for i in range(8)]
        declared = as_types({"a": Hierarchy(rows)})
        columns = [read_hierarchy(open_frame(data), name, declared.get(name)) for name in data]
        numbers, units = np.empty((8, 0)), np.arange(8)
        start = Partition(np.arange(8) // 2, 2)
        refined = refine_recoding(columns, numbers, start)
        twin = as_twin(columns, numbers)
        least = min(loss(groups, *twin) for groups in partitions(list(range(8)), 2, units))
        attained += recoding_loss(columns, numbers, refined) <= least + 1e-9
    assert attained >= 25


def survey(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "zip": [f"{code:04d}" for code in rng.integers(0, 400, n) ** 2 % 3000],
            "sex": rng.choice(["f", "m"], n),
            "work": rng.choice(["a", "b", "c", "d", "e"], n, p=[0.5, 0.2, 0.15, 0.1, 0.05]),
            "sick": rng.choice(["x", "y", "z"], n),
        }
    )


TYPES = {"age": Hierarchy(intervals=[5, 10, 20]), "zip": Hierarchy(prefixes=[3, 2, 1])}
KEYS = ["age", "zip", "sex", "work"]


def lost(release):
    (finding,) = [f for f in release.verdict.findings if f.code == "values-generalised"]
    return finding.figures["loss"]


ASKED = [
    {}, {"diversity": 2}, {"closeness": 0.4}, {"unit": "who"}, {"within": "sex"},
    {"missing": "impute"}, {"missing": "own-groups"},
]  # fmt: skip


@pytest.mark.parametrize("options", ASKED, ids=str)
def test_refined_groups_lose_less_and_hold_what_is_asked_for(options):
    data = survey().assign(who=np.arange(300) // 2)
    if "missing" in options:
        data.loc[::17, "work"] = None
    keys = [name for name in KEYS if name != options.get("within")]
    options |= {"method": "mdav", "k": 4, "types": TYPES, "confidential": ["sick"]}
    options |= {
        "aggregate": {"age": "range", "zip": "ancestor", "sex": "ancestor", "work": "ancestor"}
    }
    options["aggregate"] = {name: options["aggregate"][name] for name in keys}
    refined = shoal.microaggregate(data, keys, **options)
    plain = shoal.microaggregate(data, keys, refine_recoding=False, **options)
    assert lost(refined) < lost(plain)
    assert refined.verdict.k >= 4
    assert refined.verdict.status != "not kept"
    if "diversity" in options:
        assert refined.measures["l_diversity"]["distinct"]["sick"] >= 2
    if "closeness" in options:
        assert refined.measures["t_closeness"]["sick"] <= 0.4


def test_local_recoding_loses_less_than_the_optimal_full_domain_recoding():
    data = survey()[KEYS]
    local = shoal.microaggregate(data, KEYS, k=5, method="mdav", aggregate="ancestor", types=TYPES)
    full_domain = Plan({}, [Generalise(KEYS, 5)], TYPES).run(data)
    assert lost(local) < 0.6 * lost(full_domain)


def test_groups_in_chunks_hold_k_too(monkeypatch):
    data = survey(400)[KEYS]
    options = {"k": 3, "method": "mdav", "aggregate": "ancestor", "types": TYPES}
    at_once = lost(shoal.microaggregate(data, KEYS, **options))
    monkeypatch.setattr(local_search, "CHUNK", 30)
    release = shoal.microaggregate(data, KEYS, **options)
    assert release.data.groupby(KEYS).size().min() >= 3
    assert lost(release) < 1.3 * at_once


def test_other_columns_and_whole_households_keep_their_groups():
    data = survey()
    options = {"k": 4, "method": "mdav", "types": TYPES}
    mixed = {"aggregate": {"zip": "ancestor"}}
    for keys, further_options in (
        (["age", "zip"], mixed),
        (["zip"], {"aggregate": "ancestor", "dependence": 0.5}),
    ):
        labels = [
            shoal.microaggregate(
                data,
                keys,
                confidential=["sick"],
                refine_recoding=is_refined,
                **options,
                **further_options,
            )
            .partitions[0]
            .labels
            for is_refined in (True, False)
        ]
        assert labels[0].tolist() == labels[1].tolist()
