"""Cells are suppressed until every class has k records, as few as possible."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from raising import raises, warns, without_warnings
from shoal.audit import verify
from shoal.cli import app
from shoal.errors import CellsSuppressed, InputError, ParameterError, PlanError
from shoal.frame import tables
from shoal.frame.replacement import with_values
from shoal.metrics import fewest_matches
from shoal.plan import Plan
from shoal.steps import Suppress
from shoal.steps.suppression import exact, greedy, local_search, problem
from shoal.steps.suppression.bound import cheapest_patterns
from shoal.steps.suppression.minimise import minimise
from shoal.steps.suppression.problem import SuppressionProblem
from tables import tables_and_k
from twins import suppress as twin

NAMES = list("abcdefgh")


@st.composite
def small_tables(draw, records=5, columns=2, missing=True):
    """Draw a small table with missing cells, k, weights and perhaps units."""
    n, p = draw(st.integers(1, records)), draw(st.integers(1, columns))
    cells = st.sampled_from([None, 0, 1, 2] if missing else [0, 1, 2])
    rows = draw(st.lists(st.tuples(*[cells] * p), min_size=n, max_size=n))
    units = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n))
    units = None if units is None else np.unique(units, return_inverse=True)[1].tolist()
    k = draw(st.integers(1, n if units is None else max(units) + 1))
    weights = draw(st.lists(st.sampled_from([0, 0.5, 1, 2, 3]), min_size=p, max_size=p))
    return rows, k, weights if any(weights) else [1] * p, units


def problem_of(rows, k, weights=None, units=None):
    """Return the problem of rows in which None is missing."""
    missing = np.array([[cell is None for cell in row] for row in rows])
    codes = np.array([[7 if cell is None else cell for cell in row] for row in rows])
    return SuppressionProblem(
        codes, missing, k, None if units is None else np.array(units), weights
    )


def cells_of(codes, k, effort="auto", units=None, means="own"):
    """Return the suppressed cells of a table without missing cells."""
    none = np.zeros(codes.shape, bool)
    return minimise(SuppressionProblem(codes.astype(np.int64), none, k, units), means, effort).cells


def smallest(rows, cells, units=None):
    """Count the smallest class with pandas; a suppressed cell is a value of its own."""
    names = NAMES[: cells.shape[1]]
    frame = pd.DataFrame(rows, columns=names, dtype=object).mask(cells, None)
    frame = frame.map(lambda cell: "" if cell is None or cell != cell else f"value {cell}")
    if units is not None:
        frame = frame.assign(unit=units).drop_duplicates()
    return int(frame.groupby(names).size().min())


@settings(deadline=None)
@given(case=small_tables() | small_tables(records=4, columns=3))
def test_the_exact_choice_is_that_of_an_exhaustive_search(case):
    rows, k, weights, units = case
    best = minimise(problem_of(rows, k, weights, units), "own", "prove")
    least = twin.least_weight(rows, k, weights, units)
    assert best.weight == pytest.approx(least)
    assert best.bound <= least + 1e-6
    assert best.is_optimal or 0 in weights
    assert smallest(rows, best.cells, units) >= k
    assert best.weight == twin.weight(rows, best.cells, weights)


@settings(deadline=None)
@given(case=small_tables(records=8, columns=3))
def test_with_wildcards_each_record_loses_the_least_that_hides_it(case):
    rows, k, weights, units = case
    best = minimise(problem_of(rows, k, weights, units), "any", "auto")
    assert best.weight == pytest.approx(twin.least_weight_any(rows, k, weights, units))
    assert best.is_optimal or 0 in weights
    assert twin.fewest_matches(twin.released(rows, best.cells), units) >= k


@settings(deadline=None)
@given(
    case=tables_and_k(greatest=40, columns=4, values=3), effort=st.sampled_from(["auto", "refine"])
)
def test_every_class_has_k_records_and_a_suppressed_cell_is_a_value(case, effort):
    codes, k = case
    none = np.zeros(codes.shape, bool)
    best = minimise(SuppressionProblem(codes.astype(np.int64), none, k), "own", effort)
    assert smallest(codes.tolist(), best.cells) >= k
    assert best.weight == best.cells.sum() >= best.bound


@settings(deadline=None)
@given(case=small_tables(records=25, columns=4), effort=st.sampled_from(["auto", "refine"]))
def test_missing_cells_weights_and_units_go_together(case, effort):
    rows, k, weights, units = case
    best = minimise(problem_of(rows, k, weights, units), "own", effort)
    assert smallest(rows, best.cells, units) >= k
    assert best.weight >= best.bound
    assert best.weight == pytest.approx(twin.weight(rows, best.cells, weights))


@settings(deadline=None)
@given(case=small_tables())
def test_the_simple_bound_is_below_the_least_weight(case):
    rows, k, weights, units = case
    cheapest = cheapest_patterns(problem_of(rows, k, weights, units))
    least = twin.least_weight(
        rows, k, [w or 1e-6 * min(filter(None, weights)) for w in weights], units
    )
    assert cheapest.strict_bound <= least + 1e-9


@settings(deadline=None)
@given(case=small_tables(records=20, columns=4, missing=False), share=st.integers(1, 11))
def test_few_patterns_suffice_where_there_are_too_many(case, share, monkeypatch_module):
    rows, k, weights, units = case
    monkeypatch_module.setattr(problem, "MAX_PATTERNS", share)
    for means in ("own", "any"):
        best = minimise(problem_of(rows, k, weights, units), means, "auto")
        released = twin.released(rows, best.cells)
        assert twin.fewest_matches(released, units) >= k
        assert best.weight >= best.bound
    monkeypatch_module.undo()
    least = minimise(problem_of(rows, k, weights, units), "any", "auto")
    assert best.bound <= least.weight + 1e-9


@pytest.mark.parametrize("means", ["own", "any"])
def test_a_bound_allows_for_patterns_that_are_not_enumerated(monkeypatch, means):
    rows = [(0, 0, 5), (1, 0, 5)]  # suppressing only the first column is not among the patterns
    assert twin.least_weight(rows, 2, [1] * 3) == twin.least_weight_any(rows, 2, [1] * 3) == 2
    monkeypatch.setattr(problem, "MAX_PATTERNS", 1)
    best = minimise(problem_of(rows, 2), means, "refine")
    assert best.bound <= 2 < best.weight


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@settings(deadline=None)
@given(case=tables_and_k(most=12, columns=4, values=3))
def test_keys_too_large_for_a_number_change_nothing(case):
    codes, k = case
    wide = codes.astype(np.int64) * (2**20 + 1)
    wide = np.hstack([wide, wide[:, :1]])
    narrow = np.hstack([codes, codes[:, :1]])
    assert np.array_equal(cells_of(wide, k, "refine"), cells_of(narrow, k, "refine"))


def hard_table(n=100, seed=1):
    return np.random.default_rng(seed).integers(0, 3, (n, 4))


def test_the_search_and_the_programme_improve_on_the_greedy_choice():
    codes = hard_table()
    distinct_rows = SuppressionProblem(codes, np.zeros(codes.shape, bool), 4)
    greedy_choice = greedy.assign_greedily(distinct_rows)
    refined = local_search.improve_assignment(greedy_choice.copy())
    optimum, bound, is_solved = exact.solve_exactly(distinct_rows, refined, 0.0)
    assert is_solved
    assert optimum.total() < refined.total() < greedy_choice.total()
    assert cheapest_patterns(distinct_rows).strict_bound <= bound <= optimum.total()


def test_the_same_table_gives_the_same_cells():
    codes = hard_table()
    assert np.array_equal(cells_of(codes, 3), cells_of(codes, 3))
    assert np.array_equal(cells_of(codes, 3, "refine"), cells_of(codes, 3, "refine"))


def test_a_table_too_large_for_the_programme_keeps_the_choice_of_the_search(monkeypatch):
    codes = hard_table()
    monkeypatch.setattr(exact, "MAX_COLUMNS", 10)
    assert np.array_equal(cells_of(codes, 3), cells_of(codes, 3, "refine"))


def test_ties_go_to_the_column_named_last():
    codes = np.array([[1, 1], [1, 1], [2, 3], [2, 4]])
    assert cells_of(codes, 2, "refine").tolist() == [[False, False]] * 2 + [[False, True]] * 2
    codes = np.array([[1, 3], [2, 3], [1, 4], [2, 4]])  # suppressing either column suffices
    assert cells_of(codes, 2, "refine").tolist() == [[False, True]] * 4


def test_spare_records_join_before_a_whole_class_does():
    codes = np.array([[1], [1], [1], [1], [2]])
    for effort in ("refine", "auto"):
        assert cells_of(codes, 3, effort)[:, 0].tolist() == [True] * 5
        assert cells_of(codes, 2, effort)[:, 0].tolist() == [False, False, False, True, True]


def test_a_class_that_joins_keeps_what_it_shares():
    codes = np.array([[1, 1], [1, 1], [2, 1], [3, 3], [3, 3]])
    cells = cells_of(codes, 2)
    assert cells.tolist() == [[True, False]] * 3 + [[False, False]] * 2


def test_important_columns_keep_their_cells():
    codes = np.array([[1, 3], [2, 3], [1, 4], [2, 4]])
    step = Suppress(["x", "y"], 2, importance={"y": 5})
    data = pd.DataFrame(codes, columns=["x", "y"])
    with warns(CellsSuppressed):
        release = Plan({}, [step]).run(data)
    assert release.data["x"].isna().all()
    assert release.data["y"].tolist() == data["y"].tolist()
    by_list = Suppress(["x", "y"], 2, importance=[1, 5])
    assert by_list.weights == step.weights == [1.0, 5.0]


@pytest.mark.parametrize(
    ("importance", "error", "code"),
    [
        ({"z": 1}, PlanError, "importance-not-accepted"),
        ([1, 2, 3], PlanError, "importance-not-accepted"),
        ([0, 0], PlanError, "importance-not-accepted"),
        ([-1, 1], ParameterError, "parameter-not-accepted"),
        ("x", ParameterError, "parameter-not-accepted"),
    ],
)
def test_other_weights_are_refused(importance, error, code):
    with raises(error, code):
        Suppress(["x", "y"], 2, importance=importance)


def test_a_plan_document_keeps_the_options(tmp_path):
    step = Suppress(["x", "y"], 2, importance={"y": 2.5}, missing_means="any", effort="refine")
    plan = Plan({}, [step])
    for name in ("plan.toml", "plan.json"):
        plan.save(tmp_path / name)
        assert Plan.load(tmp_path / name) == plan


def test_the_warning_states_cells_weight_and_bound():
    data = pd.DataFrame(hard_table(60), columns=NAMES[:4])
    step = Suppress(NAMES[:4], 3, importance=[1, 2, 1, 1])
    (warning,) = step.apply(tables.open_frame(data), []).warnings
    assert isinstance(warning, CellsSuppressed)
    assert warning.attributes["optimal"]
    assert warning.attributes["bound"] == warning.attributes["weight"]
    assert warning.attributes["weight"] >= warning.attributes["count"] > 0
    (warning,) = step.replace(effort="refine").apply(tables.open_frame(data), []).warnings
    assert not warning.attributes["optimal"]
    assert warning.attributes["bound"] < warning.attributes["weight"]


def test_records_are_hidden_by_their_own_cells_although_fewer_would_match_as_many():
    rows = [(1, 1), (2, 2)]
    assert twin.fewest_matches([(None, None), rows[1]]) == 2  # with all cells of the second record
    data = pd.DataFrame(rows, columns=["x", "y"])
    (warning,) = (
        Suppress(["x", "y"], 2, missing_means="any").apply(tables.open_frame(data), []).warnings
    )
    assert warning.attributes["count"] == warning.attributes["bound"] == 4
    assert "by its own cells" in str(warning)


@settings(deadline=None, max_examples=40)
@given(case=small_tables(records=12, columns=3))
def test_matches_are_counted_as_by_the_twin(case):
    rows, _, _, units = case
    missing = np.array([[cell is None for cell in row] for row in rows])
    codes = np.array([[0 if cell is None else cell for cell in row] for row in rows])
    counted = fewest_matches(codes, missing, None if units is None else np.array(units))
    assert counted == twin.fewest_matches(rows, units)


@settings(deadline=None, max_examples=25)
@given(case=small_tables(records=12, columns=3), library=st.sampled_from(["pandas", "polars"]))
def test_a_verdict_counts_wildcards_and_states_the_strict_count(case, library):
    rows, k, _, units = case
    names = NAMES[: len(rows[0])]
    data = pd.DataFrame(rows, columns=names, dtype="Int64")
    roles = {}
    if units is not None:
        data, roles = data.assign(unit=units), {"unit": "unit"}
    data = pl.from_pandas(data) if library == "polars" else data
    plan = Plan(roles, [Suppress(names, k, missing_means="any")])
    release = without_warnings(plan.run, data)
    cells = (
        pd.DataFrame(release.data.to_dict(as_series=False)) if library == "polars" else release.data
    )
    released = [
        tuple(None if pd.isna(cell) else int(cell) for cell in row)
        for row in cells[names].itertuples(index=False)
    ]
    verdict = release.verdict
    assert verdict.k == twin.fewest_matches(released, units) >= k
    strict = smallest(released, np.zeros((len(released), len(names)), bool), units)
    (finding,) = [f for f in verdict.findings if f.code == "missing-cells-match-any"]
    assert finding.figures["strict"] == verdict.smallest_class == strict
    if k > 1:
        assert verdict.status != "not kept"
        assert strict >= k or verdict.status == "qualified"


@pytest.mark.parametrize("means", ["own", "any"])
def test_a_released_file_is_verified_by_the_same_count(tmp_path, means):
    data = pd.DataFrame(hard_table(80), columns=NAMES[:4]).astype("Int64")
    data.iloc[::9, 1] = pd.NA
    data.to_csv(tmp_path / "in.csv", index=False)
    Plan({}, [Suppress(NAMES[:4], 3, missing_means=means)]).save(tmp_path / "plan.toml")
    result = CliRunner().invoke(
        app, ["run", str(tmp_path / "plan.toml"), str(tmp_path / "in.csv"),
              str(tmp_path / "out.csv"), "--report", str(tmp_path / "r.html"),
              "--manifest", str(tmp_path / "m.json")],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    original = tmp_path / "in.csv"
    checks = without_warnings(verify, tmp_path / "out.csv", tmp_path / "m.json", original=original)
    assert all(check.passed is not False for check in checks)
    released = pd.read_csv(tmp_path / "out.csv")
    rows = [
        tuple(None if pd.isna(c) else c for c in row) for row in released.itertuples(index=False)
    ]
    strict = smallest(rows, np.zeros((len(rows), 4), bool))
    assert checks.verdict.k == (twin.fewest_matches(rows) if means == "any" else strict) >= 3
    assert strict >= 3 or means == "any"
    codes = without_warnings(verify, tmp_path / "out.csv", tmp_path / "m.json").verdict.codes()
    assert ("missing-cells-match-any" in codes) == (means == "any")


@pytest.mark.parametrize("means", ["own", "any"])
def test_a_file_with_a_record_that_is_alone_is_not_verified(tmp_path, means):
    data = pd.DataFrame(hard_table(80), columns=NAMES[:4])
    data.to_csv(tmp_path / "in.csv", index=False)
    Plan({}, [Suppress(NAMES[:4], 3, missing_means=means)]).save(tmp_path / "plan.toml")
    files = [str(tmp_path / name) for name in ("plan.toml", "in.csv", "out.csv")]
    CliRunner().invoke(app, ["run", *files, "--manifest", str(tmp_path / "m.json")])
    released = pd.read_csv(tmp_path / "out.csv", dtype="Int64")
    released.iloc[5] = 9
    released.to_csv(tmp_path / "out.csv", index=False)
    checks = without_warnings(verify, tmp_path / "out.csv", tmp_path / "m.json")
    assert "guarantee" in checks.failed
    assert checks.verdict.status == "not kept"


def test_texts_numbers_and_missing_cells_are_suppressed_alike_and_the_rest_stays():
    data = pd.DataFrame({"town": ["a", "a", "b", None, None], "n": [1, 1, 1, 2, 2]})
    with warns(CellsSuppressed):
        release = Plan({}, [Suppress(["town", "n"], 2)]).run(data)
    assert release.data["town"].isna().all()  # suppressed cells and those missing before alike
    assert release.data["n"].tolist() == [1, 1, 1, 2, 2]
    assert release.measures["smallest_class"] >= 2


def test_a_suppressed_category_leaves_no_trace():
    town = pd.Categorical(["a", "a", "a", "b"])
    frame = tables.open_frame(pd.DataFrame({"town": town}))
    values = Suppress(["town"], 2).apply(frame, []).values
    masked = tables.to_native(with_values(frame, values))
    assert list(masked["town"].cat.categories) == ["a"]
    arrow = tables.open_frame(
        pa.table({"town": pa.array(["a", "a", "a", "b"]).dictionary_encode()})
    )
    masked = tables.to_native(with_values(arrow, values))
    assert masked["town"].combine_chunks().dictionary.to_pylist() == ["a"]


def test_fewer_records_than_k_are_refused():
    with raises(InputError, "too-few-records", k=3):
        Suppress(["a"], 3).apply(tables.open_frame(pd.DataFrame({"a": [1, 2]})), [])
