"""Full-domain recoding: the least loss of all levels, and k on the released values."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import shoal.report.attacker
from raising import raises
from shoal.audit import verify
from shoal.cli import app
from shoal.errors import InputError, PlanError
from shoal.frame.replacement import with_values
from shoal.frame.tables import open_frame
from shoal.frame.types import as_types
from shoal.plan import Plan
from shoal.plan.deliver import deliver
from shoal.steps import Generalise
from shoal.steps.constraints.privacy_constraint import PrivacyConstraint
from shoal.steps.recoding.hierarchies import read_hierarchy
from shoal.steps.recoding.lattice import Lattice
from shoal.steps.recoding.lattice_search import search
from twins import classes as twin_classes
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
        values = [f"v{i}" for i in range(rng.integers(1, 7))]
        frame[f"c{column}"] = rng.choice(values, n)
        depth = int(rng.integers(0, 3))
        rows, parents = [[value] for value in values], values
        for level in range(depth):
            number = max(1, len(parents) // 2)
            parent = {category: f"{level}.{rng.integers(0, number)}" for category in parents}
            rows = [[*row, parent[row[-1]]] for row in rows]
            parents = sorted(set(parent.values()))
        if depth:
            types[f"c{column}"] = {"kind": "nominal", "hierarchy": [tuple(row) for row in rows]}
    data = pd.DataFrame(frame)
    if rng.random() < 0.3:
        data.iloc[rng.integers(0, n, 2), 0] = None
    units = rng.integers(0, max(1, n // 2), n) if rng.random() < 0.3 else None
    return data, types, units


def read_columns(data, types, loss="distinctions"):
    declared = as_types(types)
    columns = [read_hierarchy(open_frame(data), n, declared.get(n), loss) for n in data]
    return columns, np.column_stack([column.codes for column in columns])


def least_loss(columns, codes, k, limit, units=None, meets=None, loss="distinctions"):
    """Return the least loss of all nodes by the slow search."""
    paths = [
        {
            code: [ancestors[code] for ancestors in column.levels.ancestors]
            for code in range(len(column.labels[0]))
        }
        for column in columns
    ]
    losses = [column.levels.losses for column in columns]
    pairs = loss == "discernibility"
    return best_recoding(paths, codes.tolist(), losses, k, limit, units, meets, pairs)


LOSSES = st.sampled_from(["distinctions", "entropy", "discernibility"])


@given(
    table_types_units=lattices(),
    k=st.integers(1, 4),
    share=st.sampled_from([0.0, 0.2, 0.6, 1.0]),
    loss=LOSSES,
)
def test_no_combination_of_levels_loses_less(table_types_units, k, share, loss):
    data, types, units = table_types_units
    columns, codes = read_columns(data, types, loss)
    levels, limit = [column.levels for column in columns], int(share * len(data))
    pairs = loss == "discernibility"
    result = search(Lattice(codes, levels, k, limit, units, discernibility=pairs))
    least = least_loss(columns, codes, k, limit, units, loss=loss)
    assert (result is None) == (least is None)
    if result is not None:
        assert result.loss == pytest.approx(least, abs=1e-12)
        assert result.bound == result.loss
        assert result.is_suppressed.sum() <= limit


@given(
    table_types_units=lattices(),
    k=st.integers(1, 4),
    share=st.sampled_from([0.0, 0.2, 0.6]),
    loss=LOSSES,
)
def test_no_node_above_another_loses_less_than_its_bounds(table_types_units, k, share, loss):
    data, types, units = table_types_units
    columns, codes = read_columns(data, types, loss)
    levels, limit = [column.levels for column in columns], int(share * len(data))
    lattice = Lattice(codes, levels, k, limit, units, discernibility=loss == "discernibility")
    nodes = list(product(*(range(level + 1) for level in lattice.top)))
    evaluations = {node: lattice.evaluate(node) for node in nodes}
    for node, above in product(nodes, nodes):
        if all(low <= high for low, high in zip(node, above, strict=True)):
            bound = max(lattice.bound(node), lattice.bound_above(evaluations[node]))
            assert bound <= evaluations[above].loss + 1e-12


CONSTRAINTS = st.sampled_from(
    [(2, "distinct", None), (3, "distinct", None), (1.5, "entropy", None), (2, "entropy", None),
     (None, "distinct", 0.3), (None, "distinct", 0.1), (2, "distinct", 0.3)]
)  # fmt: skip


@given(
    table_types_units=lattices(),
    k=st.integers(1, 3),
    share=st.sampled_from([0.0, 0.3, 0.6]),
    loss=LOSSES,
    limits=CONSTRAINTS,
    ordered=st.booleans(),
    seed=st.integers(0, 999),
)
def test_no_combination_that_meets_a_constraint_loses_less(
    table_types_units, k, share, loss, limits, ordered, seed
):
    data, types, units = table_types_units
    rng = np.random.default_rng(seed)
    values = np.unique(rng.integers(0, 4, len(data)), return_inverse=True)[1][:, None]
    diversity, kind, closeness = limits
    constraint = PrivacyConstraint(
        ["c"], values, np.array([ordered]), diversity, kind, closeness, units, 1
    )

    def meets(records):
        if units is not None:
            return constraint.is_met_by(np.array(records))
        class_values, is_met = values[np.isin(np.arange(len(data)), records), 0], True
        if diversity is not None:
            count = getattr(twin_classes, kind)
            n_values = count(np.zeros((len(class_values), 1)), class_values)
            is_met = n_values >= diversity - 1e-9
        if closeness is not None:
            support = sorted(set(values[:, 0].tolist()))
            table_shares = twin_classes.shares(values[:, 0].tolist(), support)
            class_shares = twin_classes.shares(class_values.tolist(), support)
            gaps = [p - q for p, q in zip(class_shares, table_shares, strict=True)]
            distance = sum(abs(gap) for gap in gaps) / 2
            if ordered:
                moved = [abs(sum(gaps[: i + 1])) for i in range(len(gaps))]
                distance = sum(moved) / max(1, len(support) - 1)
            is_met = is_met and distance <= closeness + 1e-9
        return is_met

    columns, codes = read_columns(data, types, loss)
    levels, limit = [column.levels for column in columns], int(share * len(data))
    pairs = loss == "discernibility"
    lattice = Lattice(codes, levels, k, limit, units, constraint, discernibility=pairs)
    result, least = search(lattice), least_loss(columns, codes, k, limit, units, meets, loss)
    assert (result is None) == (least is None)
    if result is not None:
        assert result.loss == pytest.approx(least, abs=1e-12)
        short = search(lattice, max_nodes=2)
        assert short.bound <= result.loss + 1e-12
        assert result.loss <= short.loss + 1e-12


@given(
    table_types_units=lattices(),
    k=st.integers(1, 3),
    share=st.sampled_from([0.0, 0.3, 0.6]),
    limits=CONSTRAINTS,
    seed=st.integers(0, 999),
)
def test_a_distinct_record_is_recoded_like_the_records_it_stands_for(
    table_types_units, k, share, limits, seed
):
    data, types, units = table_types_units
    rng = np.random.default_rng(seed)
    confidential, columns = ["debt", "ill"], list(data)
    data["debt"] = rng.choice(4, len(data), p=[0.5, 0.3, 0.1, 0.1])
    data["ill"] = rng.choice(list("abc"), len(data), p=[0.6, 0.2, 0.2])
    data["who"] = np.arange(len(data)) if units is None else units
    distinct = data.drop_duplicates(ignore_index=True)
    counts = rng.integers(1, 6, len(distinct))
    diversity, kind, closeness = limits
    step = Generalise(
        columns, k, suppression=share, unit=None if units is None else "who",
        diversity=diversity, diversity_kind=kind, closeness=closeness,
    )  # fmt: skip
    rows, known_types = np.repeat(np.arange(len(distinct)), counts), as_types(types)
    records = open_frame(distinct.iloc[rows].reset_index(drop=True))
    frame = open_frame(distinct)
    try:
        expected = step.apply(records, confidential, known_types)
    except InputError as error:
        with raises(InputError, error.code):
            step.apply_to_distinct(frame, counts, confidential, known_types)
        return
    actual = step.apply_to_distinct(frame, counts, confidential, known_types)
    figures, expected_figures = actual.warnings[0].figures, expected.warnings[0].figures
    assert figures["loss"] == pytest.approx(expected_figures["loss"], abs=1e-12)
    assert figures["suppressed"] == expected_figures["suppressed"]
    values, expected_values = (
        with_values(table, dict(result.values)).select(columns).to_native()
        for table, result in ((frame, actual), (records, expected))
    )
    pd.testing.assert_frame_equal(values.iloc[rows].reset_index(drop=True), expected_values)


def skewed_table(seed):
    """Draw a table of unequal categories, two confidential values, and units or none."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(10, 60)), int(rng.integers(2, 4))
    frame, types = {}, {}
    for column in range(p):
        values = [f"v{i}" for i in range(rng.integers(2, 7))]
        frame[f"c{column}"] = rng.choice(values, n, p=rng.dirichlet(np.ones(len(values))))
        rows, parents = [[value] for value in values], values
        for level in range(int(rng.integers(1, 3))):
            number = max(1, (len(parents) + 1) // 2)
            parent = {category: f"{level}.{rng.integers(0, number)}" for category in parents}
            rows = [[*row, parent[row[-1]]] for row in rows]
            parents = sorted(set(parent.values()))
        types[f"c{column}"] = {"kind": "nominal", "hierarchy": rows}
    values = np.unique((rng.random(n) < 0.5) * 1, return_inverse=True)[1][:, None]
    units = rng.integers(0, n // 2, n) if rng.random() < 0.5 else None
    return pd.DataFrame(frame), types, values, units


# Tables in which a node below a failing node can be released: merging classes breaks a constraint.
NOT_MONOTONE = [
    (598, 1.6, None, 0.3),
    (61, None, 0.2, 0.3),
    (1, 1.6, None, 0.0),
    (815, None, 0.2, 0.0),
]


@pytest.mark.parametrize(("seed", "diversity", "closeness", "share"), NOT_MONOTONE)
def test_nodes_below_a_failing_node_are_evaluated_if_they_may_pass(
    seed, diversity, closeness, share
):
    data, types, values, units = skewed_table(seed)
    kind = "entropy" if diversity else "distinct"
    unordered = np.array([False])
    constraint = PrivacyConstraint(["c"], values, unordered, diversity, kind, closeness, units, 1)
    columns, codes = read_columns(data, types)
    levels, limit = [column.levels for column in columns], int(share * len(data))
    result = search(Lattice(codes, levels, 2, limit, units, constraint))

    def meets(records):
        return constraint.is_met_by(np.array(records))

    least = least_loss(columns, codes, 2, limit, units, meets)
    assert (None if result is None else result.loss) == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize("loss", ["distinctions", "discernibility"])
def test_a_search_that_is_cut_short_has_a_bound_below_the_optimum(loss):
    columns, codes = read_columns(people(400)[["age", "town", "sex"]], TYPES, loss)
    pairs = loss == "discernibility"
    levels = [column.levels for column in columns]
    lattice = Lattice(codes, levels, 4, 20, discernibility=pairs)
    optimum, best_of_two = search(lattice), search(lattice, max_nodes=2)
    assert best_of_two.n_evaluated < optimum.n_evaluated <= optimum.n_nodes
    assert best_of_two.bound <= optimum.loss <= best_of_two.loss
    release = plan(k=4, suppression=0.05, loss=loss, max_nodes=2).run(people(400))
    (finding,) = [f for f in release.verdict.findings if f.code == "values-generalised"]
    assert finding.figures["evaluated"] < finding.figures["nodes"]
    assert finding.figures["bound"] <= finding.figures["loss"]


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


def test_the_limit_of_suppressed_records_is_not_rounded_down_by_floating_point():
    codes = [f"{i:02d}" for i in range(29)]
    data = pd.DataFrame({"code": ["common"] * 71 + codes})
    release = Plan({}, [Generalise(["code"], 29, suppression=0.29)]).run(data)
    assert release.data["code"].isna().sum() == 29
    assert (release.data["code"] == "common").sum() == 71


def test_the_class_that_is_suppressed_with_others_is_the_one_that_loses_least():
    rows = [*((f"a{i}", "A") for i in range(9)), ("d", "D"), ("e", "E")]
    data = pd.DataFrame({"x": ["a0"] * 2 + ["a1"] + ["d"] * 2 + ["e"], "y": ["n", "m"] * 3})
    columns, codes = read_columns(data, {"x": {"kind": "nominal", "hierarchy": rows}})
    lattice = Lattice(codes, [column.levels for column in columns], 2, 4)
    suppressed = lattice.record_mask(lattice.evaluate((1, 1)).is_suppressed)
    # Each record of A would lose 0.2 more, each record of the smaller class D its whole value.
    assert data["x"][suppressed].tolist() == ["a0", "a0", "a1", "e"]


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


@pytest.mark.parametrize("kind", ["distinct", "entropy"])
def test_constraints_hold_in_the_release_and_its_file(tmp_path, kind):
    data = people(200).assign(pay=lambda d: d["age"] // 30)
    options = {"diversity": 1.5, "diversity_kind": kind, "closeness": 0.4, "suppression": 0.1}
    release = plan(**options).run(data)
    assert release.measures["l_diversity"][kind]["pay"] >= 1.5
    assert release.measures["t_closeness"]["pay"] <= 0.4
    assert "l = 1.5 holds" in shoal.report.attacker.explanation(release)
    data.to_csv(tmp_path / "in.csv", index=False)
    result = deliver(plan(**options), tmp_path / "in.csv", tmp_path / "out.csv").release
    assert result.verdict.status != "not kept"
    with raises(InputError, "diversity-out-of-reach", column="pay"):
        plan(diversity=4).run(data)
    with raises(PlanError, "confidential-needed"):
        Plan({}, [Generalise(["age"], 2, diversity=2)]).run(data[["age"]])


def test_units_can_put_a_constraint_out_of_reach():
    data = pd.DataFrame(
        {"town": ["Porto", "Faro"] * 4, "sick": list("abaabaab"), "who": list("11112222")}
    )
    roles = {"who": "unit", "sick": "confidential"}
    with raises(InputError, "constraint-out-of-reach"):
        Plan(roles, [Generalise(["town"], 2, diversity=1.9, diversity_kind="entropy")]).run(data)


PAIRS = [("PPPBBFF", 0.0, 17 / 49), ("PPPBF", 0.4, 19 / 25)]


@pytest.mark.parametrize(("towns", "limit", "expected"), PAIRS)
def test_discernibility_counts_pairs_of_records(towns, limit, expected):
    names = {"P": "Porto", "B": "Braga", "F": "Faro"}
    data = pd.DataFrame({"town": [names[letter] for letter in towns]})
    step = Generalise(["town"], 2, suppression=limit, loss="discernibility")
    release = Plan({}, [step], {"town": TYPES["town"]}).run(data)
    (finding,) = [f for f in release.verdict.findings if f.code == "values-generalised"]
    assert finding.figures["loss"] == pytest.approx(expected)


def test_what_cannot_be_recoded_is_refused():
    with raises(InputError, "value-outside-type", column="town", count=1):
        plan(types={"town": {"kind": "nominal", "hierarchy": TOWNS[:3]}}).run(people())
    with raises(InputError, "too-few-records"):
        plan(k=81).run(people())
    with raises(PlanError, "nothing-masked"):
        Generalise([], 3)


@pytest.mark.parametrize("dtype", ["string", "string[pyarrow]", "Int64", "category"])
def test_missing_values_of_every_kind_of_pandas_are_a_category(dtype):
    data = people(60)[["town"]].assign(code=[*([None] * 6), *(["1"] * 54)])
    data["code"] = data["code"].astype("Int64" if dtype == "Int64" else dtype)
    data["town"] = data["town"].astype("category" if dtype == "category" else "string")
    step = Generalise(["town", "code"], 5, suppression=0.1)
    release = Plan({}, [step], {"town": TYPES["town"]}).run(data)
    assert release.verdict.k >= 5
