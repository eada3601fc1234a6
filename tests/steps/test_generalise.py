"""Full-domain recoding: the least loss of all levels, and k on what is released."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from raising import raises
from shoal.audit import verify
from shoal.cli import app
from shoal.errors import InputError, PlanError
from shoal.frame.tables import open_frame
from shoal.frame.types import as_types
from shoal.plan import Plan
from shoal.plan.deliver import deliver
from shoal.steps import Generalise
from shoal.steps.hierarchies import read_hierarchy
from shoal.steps.lattice import Lattice, search
from twins.generalise import best_recoding

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
LOWS = [(age, age // 5 * 5, age // 20 * 20) for age in range(100)]
AGES = [(str(age), f"{low}-{low + 4}", f"{lower}-{lower + 19}") for age, low, lower in LOWS]
TOWNS = [("Porto", "north"), ("Braga", "north"), ("Faro", "south"), ("Olhao", "south")]
TYPES = {
    "age": {"kind": "numeric", "intervals": [5, 20]},
    "town": {"kind": "nominal", "hierarchy": TOWNS},
}


def people(n=80, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "town": rng.choice([row[0] for row in TOWNS], n),
            "sex": rng.choice(["f", "m"], n),
            "pay": rng.lognormal(7, 1, n).round(2),
        }
    )


def plan(k=3, types=TYPES, **options):
    roles = {"age": "quasi-identifier", "town": "quasi-identifier", "sex": "quasi-identifier"}
    step = Generalise(["age", "town", "sex"], k, **options)
    return Plan({**roles, "pay": "confidential"}, [step], types)


@st.composite
def lattices(draw):
    """Draw coded records with hierarchies of up to four levels, the root included."""
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    n, p = draw(st.integers(2, 25)), draw(st.integers(1, 3))
    frame, types = {}, {}
    for column in range(p):
        values = [f"v{at}" for at in range(rng.integers(1, 7))]
        frame[f"c{column}"] = rng.choice(values, n)
        depth = int(rng.integers(0, 3))
        rows, parents = [[value] for value in values], values
        for level in range(depth):
            number = max(1, len(parents) // 2)
            parent = {one: f"{level}.{rng.integers(0, number)}" for one in parents}
            rows = [[*row, parent[row[-1]]] for row in rows]
            parents = sorted(set(parent.values()))
        if depth:
            types[f"c{column}"] = {"kind": "nominal", "hierarchy": [tuple(row) for row in rows]}
    data = pd.DataFrame(frame)
    if rng.random() < 0.3:
        data.iloc[rng.integers(0, n, 2), 0] = None
    units = rng.integers(0, max(1, n // 2), n) if rng.random() < 0.3 else None
    return data, types, units


@given(
    drawn=lattices(),
    k=st.integers(1, 4),
    share=st.sampled_from([0.0, 0.2, 0.6]),
    loss=st.sampled_from(["distinctions", "entropy"]),
)
def test_no_combination_of_levels_loses_less(drawn, k, share, loss):
    data, types, units = drawn
    declared = as_types(types)
    columns = [read_hierarchy(open_frame(data), n, declared.get(n), loss) for n in data]
    limit = int(share * len(data))
    codes = np.column_stack([column.codes for column in columns])
    found = search(Lattice(codes, [column.levels for column in columns], k, limit, units))
    values = [range(len(column.labels[0])) for column in columns]
    paths = [
        {value: [str(labels[value]) for labels in column.labels] for value in own}
        for column, own in zip(columns, values, strict=True)
    ]
    losses = [column.levels.losses for column in columns]
    least = best_recoding(paths, codes.tolist(), losses, k, limit, units)
    assert (found is None) == (least is None)
    if found is not None:
        assert found.loss == pytest.approx(least, abs=1e-12)
        assert found.bound == found.loss
        assert found.suppressed.sum() <= limit


def test_a_search_that_is_cut_short_has_a_bound_below_the_optimum():
    frame, types = open_frame(people(400)), as_types(TYPES)
    columns = [read_hierarchy(frame, name, types.get(name)) for name in ("age", "town", "sex")]
    codes = np.column_stack([column.codes for column in columns])
    lattice = Lattice(codes, [column.levels for column in columns], 4, 20)
    whole, short = search(lattice), search(lattice, max_evaluated=2)
    assert short.evaluated < whole.evaluated <= whole.nodes
    assert short.bound <= whole.loss <= short.loss


def test_losses_are_the_share_of_values_and_of_bits():
    frame = open_frame(pd.DataFrame({"town": ["Porto", "Porto", "Braga", "Faro"]}))
    column = read_hierarchy(frame, "town", as_types(TYPES)["town"])
    by_value = dict(zip(column.labels[0], column.levels.losses[1], strict=True))
    assert by_value["Porto"] == pytest.approx(1 / 3)  # of three others, Braga
    assert [cells[0] for cells in column.levels.losses] == pytest.approx([0, 1 / 3, 1])
    bits = read_hierarchy(frame, "town", as_types(TYPES)["town"], "entropy").levels.losses
    porto = np.log2(3 / 2) / 1.5  # 1.5 bits is the entropy of 2, 1 and 1 of 4
    assert dict(zip(column.labels[0], bits[1], strict=True))["Porto"] == pytest.approx(porto)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.Table.from_pandas])
@pytest.mark.parametrize("suppression", [0.0, 0.1])
def test_every_class_of_the_release_holds_k_and_values_are_ancestors(make, suppression):
    data = people()
    release = plan(suppression=suppression).run(make(data))
    released = release.data
    released = released.to_pandas() if not isinstance(released, pd.DataFrame) else released
    keys = ["age", "town", "sex"]
    assert released.groupby(keys, dropna=False).size().min() >= 3
    empty = released[keys].isna().all(axis=1)
    assert empty.sum() <= suppression * len(data)
    assert not released[keys][~empty].isna().any().any()
    path = {row[0]: {*row, "*"} for row in [*AGES, *TOWNS]} | {"f": {"f", "*"}, "m": {"m", "*"}}
    for name in keys:
        pairs = zip(data[name][~empty], released[name][~empty], strict=True)
        assert all(str(new) in path[str(old)] for old, new in pairs)
    assert released["pay"].tolist() == data["pay"].tolist()
    assert release.verdict.k >= 3
    (finding,) = [f for f in release.verdict.findings if f.code == "values-generalised"]
    assert "combinations of levels" in finding.sentence


def test_units_are_counted():
    data = people().assign(person=np.arange(80) // 4)
    roles = {"person": "unit", "pay": "confidential"}
    release = Plan(roles, [Generalise(["age", "town", "sex"], 5)], TYPES).run(data)
    classes = release.data.assign(person=data["person"]).groupby(["age", "town", "sex"])["person"]
    assert classes.nunique().min() >= 5
    assert release.verdict.unit == "person"


def test_a_file_is_recoded_judged_and_verified(tmp_path):
    data = people()
    data.loc[[3, 4, 5, 6], "town"] = None
    data.to_csv(tmp_path / "in.csv", index=False)
    document = plan(suppression=0.05)
    document.save(tmp_path / "plan.toml")
    assert Plan.load(tmp_path / "plan.toml") == document
    result = CliRunner().invoke(
        app, ["run", str(tmp_path / "plan.toml"), str(tmp_path / "in.csv"),
              str(tmp_path / "out.csv"), "--report", str(tmp_path / "r.html"),
              "--manifest", str(tmp_path / "m.json")],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    released = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert released.groupby(["age", "town", "sex"], dropna=False).size().min() >= 3
    checks = verify(tmp_path / "out.csv", tmp_path / "m.json", original=tmp_path / "in.csv")
    assert all(check.passed is not False for check in checks)
    verdict = deliver(document, tmp_path / "in.csv", tmp_path / "out.parquet").release.verdict
    assert verdict.k >= 3


def test_what_cannot_be_recoded_is_refused():
    with raises(InputError, "value-outside-type", column="town", count=1):
        plan(types={"town": {"kind": "nominal", "hierarchy": TOWNS[:3]}}).run(people())
    with raises(InputError, "too-few-records"):
        plan(k=81).run(people())
    with raises(PlanError, "nothing-masked"):
        Generalise([], 3)
