"""Post-randomisation: invariant matrices, strata, missing values, and unbiased tables."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from raising import raises
from shoal.errors import InputError, ParameterError, PlanError
from shoal.metrics import estimate_frequencies
from shoal.plan import Plan
from shoal.report.html import render
from shoal.report.summary import summarise
from shoal.steps import Pram
from shoal.steps.recoding.transitions import draw_categories, invariant_matrix, uniform_matrix
from twins import pram as twin

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
TAIL = 1e-7  # probability of a realised count beyond what is accepted


def people(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "job": rng.choice(["clerk", "nurse", "smith", "vet"], n, p=[0.5, 0.3, 0.15, 0.05]),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice(["north", "south"], n, p=[0.3, 0.7]),
            "pay": rng.normal(size=n),
        }
    )


def run(step, data):
    return Plan({"pay": "confidential"}, [step], other_columns="release").run(data)


def transitions(release):
    return release.profile["transitions"]


matrices = st.integers(1, 5).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any), min_size=n, max_size=n
    )
)


@given(matrices, st.data())
def test_the_invariant_matrix_is_that_of_the_definition(weights, data):
    first_stage = [[w / sum(row) for w in row] for row in weights]
    frequencies = data.draw(
        st.lists(st.integers(1, 9), min_size=len(first_stage), max_size=len(first_stage))
    )
    actual = invariant_matrix(np.array(first_stage), np.array(frequencies))
    expected = twin.invariant_matrix(first_stage, frequencies)
    np.testing.assert_allclose(actual, np.array(expected, float), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(actual.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(np.array(frequencies) @ actual, frequencies, rtol=1e-12)


@given(st.integers(2, 6), st.floats(0, 0.99), st.data())
def test_expected_frequencies_are_the_original_ones(n, stay, data):
    t = np.array(data.draw(st.lists(st.integers(1, 50), min_size=n, max_size=n)))
    matrix = invariant_matrix(uniform_matrix(n, stay), t)
    np.testing.assert_allclose(t @ matrix, t, rtol=1e-12)


@pytest.mark.parametrize("invariant", [True, False])
def test_realised_transitions_follow_the_matrix(invariant):
    data = people()
    release = run(Pram(["job"], stay=0.7, invariant=invariant, random_state=3), data)
    (transition,) = transitions(release)
    matrix, counts = np.array(transition["matrix"]), np.array(transition["counts"])
    np.testing.assert_array_equal(counts.sum(axis=1), transition["frequencies"])
    pairs = Counter(zip(data["job"], release.data["job"], strict=True))
    for k, old in enumerate(transition["categories"]):
        for j, new in enumerate(transition["released"]):
            assert counts[k, j] == pairs[old, new]
            low, high = binom.interval(1 - TAIL, transition["frequencies"][k], matrix[k, j])
            assert low <= counts[k, j] <= high
    if not invariant:
        np.testing.assert_allclose(matrix, uniform_matrix(4, 0.7))
    else:
        np.testing.assert_allclose(
            np.array(transition["frequencies"]) @ matrix, transition["frequencies"]
        )


def test_every_row_of_a_matrix_is_drawn_by_its_probabilities():
    matrix = np.array([[0.0, 1.0, 0.0], [0.25, 0.0, 0.75], [0.0, 0.0, 1.0]])
    codes = np.array([0, 1, 1, 1, 2, 1])
    uniform = np.array([0.999, 0.0, 0.2499, 0.25, 0.0, np.nextafter(1, 0)])
    assert draw_categories(matrix, codes, uniform).tolist() == [1, 0, 0, 2, 2, 2]
    matrix_of_thirds = np.array([[1 / 3, 1 / 3, 1 / 3, 0.0]])  # whose sum is a little less than 1
    last = np.array([np.nextafter(1, 0)])
    assert draw_categories(matrix_of_thirds, np.array([0]), last).tolist() == [2]


def test_strata_never_mix_and_have_matrices_of_their_own():
    data = people()
    data.loc[data["region"] == "north", "job"] = data["job"].replace("vet", "clerk")
    release = run(Pram(["job"], stay=0.3, within="region", random_state=1), data)
    north = data["region"] == "north"
    assert "vet" not in set(release.data.loc[north, "job"])
    assert (release.data["region"] == data["region"]).all()
    by_region = {entry["stratum"]["region"]: entry for entry in transitions(release)}
    for region, rows in data.groupby("region"):
        transition = by_region[region]
        assert transition["frequencies"] == rows["job"].value_counts().sort_index().tolist()
        np.testing.assert_allclose(
            np.array(transition["frequencies"]) @ np.array(transition["matrix"]),
            transition["frequencies"],
        )


def test_columns_change_independently_or_jointly():
    data = people().assign(sex=lambda d: np.where(d["job"] == "vet", "f", d["sex"]))
    data.loc[0, ["job", "sex"]] = ["clerk", "f"]
    original_pairs = set(zip(data["job"], data["sex"], strict=True))
    assert ("vet", "m") not in original_pairs
    joint = run(Pram(["job", "sex"], stay=0.3, joint=True, random_state=1), data)
    assert set(zip(joint.data["job"], joint.data["sex"], strict=True)) == original_pairs
    (transition,) = transitions(joint)
    assert transition["columns"] == ["job", "sex"]
    assert {tuple(category) for category in transition["categories"]} == original_pairs
    independent = run(Pram(["job", "sex"], stay=0.3, random_state=1), data)
    assert ("vet", "m") in set(zip(independent.data["job"], independent.data["sex"], strict=True))
    assert [entry["columns"] for entry in transitions(independent)] == [["job"], ["sex"]]
    moved = [independent.data[name] != data[name] for name in ("job", "sex")]
    assert 0.9 < np.corrcoef(*moved)[0, 1] + 1 < 1.1  # not with the same random numbers


@pytest.mark.parametrize("joint", [False, True])
def test_missing_cells_stay_missing_and_no_others_become_so(joint):
    data = people(500)
    rng = np.random.default_rng(2)
    for name in ("job", "sex"):
        data.loc[rng.random(500) < 0.2, name] = None
    for frame in (data, pl.from_pandas(data)):
        release = run(Pram(["job", "sex"], stay=0.2, joint=joint, random_state=1), frame)
        for name in ("job", "sex"):
            original, released = (pd.Series(list(table[name])) for table in (frame, release.data))
            assert (original.isna() == released.isna()).all()
            assert set(released.dropna()) == set(original.dropna())
            assert (original.dropna() != released.dropna()).any()


def test_the_type_of_a_column_is_kept():
    data = pd.DataFrame(
        {
            "code": [1, 2, 3] * 30,
            "grade": pd.Categorical(list("abc") * 30, list("cba"), ordered=True),
            "flag": [True, False, True] * 30,
        }
    )
    step = Pram(["code", "grade", "flag"], stay=0.3, random_state=1)
    released = Plan({}, [step]).run(data).data
    assert (released.dtypes == data.dtypes).all()
    assert not released.equals(data)


def test_the_seed_repeats_the_release_and_is_not_published():
    data = people(300)
    step = Pram(["job"], stay=0.5)
    release = run(step, data)
    assert len(release.drawn_seeds) == 1
    repeated_release = release.plan.run(data)
    pd.testing.assert_frame_equal(repeated_release.data, release.data)
    other_release = run(step, data)
    assert not other_release.data["job"].equals(release.data["job"])
    public = json.dumps(summarise(release)) + render(summarise(release))
    assert str(int(release.drawn_seeds[0])) not in public


OWN = {"sex": {"f": {"f": 0.5, "m": 0.5}, "m": {"m": 1}}}


def test_own_matrices_are_used_as_they_are_or_as_the_first_stage():
    data = people(500)
    plain = run(Pram(["sex"], matrix=OWN, invariant=False, random_state=1), data)
    assert set(plain.data.loc[data["sex"] == "m", "sex"]) == {"m"}
    assert transitions(plain)[0]["matrix"] == [[0.5, 0.5], [0.0, 1.0]]
    rows = {"sex": {"categories": ["f", "m"], "rows": [[0.5, 0.5], [0, 1]]}}
    assert Pram(["sex"], matrix=rows).matrix == Pram(["sex"], matrix=OWN).matrix
    staged = run(Pram(["sex"], matrix=OWN, random_state=1), data)
    (transition,) = transitions(staged)
    np.testing.assert_allclose(
        transition["matrix"],
        np.array(twin.invariant_matrix([[0.5, 0.5], [0, 1]], transition["frequencies"]), float),
    )
    pairs = {"categories": [["f", "north"], ["f", "south"], ["m", "north"], ["m", "south"]],
             "rows": np.roll(np.eye(4), 1, axis=1).tolist()}  # fmt: skip
    step = Pram(["sex", "region"], matrix=pairs, joint=True, invariant=False, random_state=1)
    released = run(step, data).data
    expected = {"f north": "f south", "f south": "m north", "m north": "m south"}
    old = data["sex"] + " " + data["region"]
    assert (old.map(lambda c: expected.get(c, "f north")) == released["sex"] + " " +
            released["region"]).all()  # fmt: skip
    for made_step in (step, Pram(["sex"], matrix=OWN)):
        plan = Plan({}, [made_step])
        assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


def test_a_matrix_may_lead_to_new_categories():
    matrix = {"sex": {"f": {"x": 1}, "m": {"m": 1}, "x": {"x": 1}}}
    data = people(50)
    released = run(Pram(["sex"], matrix=matrix, invariant=False), data).data
    assert (released["sex"] == data["sex"].replace("f", "x")).all()
    released = run(Pram(["sex"], matrix=matrix), data).data  # invariant: no new categories
    assert (released["sex"] == data["sex"]).all()


def test_a_value_without_a_row_is_refused_and_not_named():
    data = people(50)
    data.loc[[3, 5], "sex"] = "astronaut"
    with raises(InputError, "value-outside-matrix", columns=("sex",), count=2) as caught:
        run(Pram(["sex"], matrix=OWN), data)
    assert "astronaut" not in str(caught.value)
    with raises(InputError, "too-many-categories", count=1001):
        Plan({}, [Pram(["x"], stay=0.5)]).run(pd.DataFrame({"x": np.arange(1001)}))


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({}, PlanError, "pram-matrix"),
        ({"stay": 0.5, "matrix": OWN}, PlanError, "pram-matrix"),
        ({"stay": 1}, PlanError, "pram-nothing-changes"),
        ({"stay": 1.5}, ParameterError, "parameter-not-accepted"),
        ({"stay": 0.5, "within": ["sex"]}, PlanError, "masked-and-stratum"),
        ({"matrix": {"job": OWN["sex"]}}, PlanError, "pram-matrix"),
        ({"matrix": {"sex": [[1]]}}, PlanError, "matrix-malformed"),
        ({"matrix": {"sex": {"f": {"m": 1}}}}, PlanError, "matrix-malformed"),
        ({"matrix": {"sex": {"f": 1}}}, PlanError, "matrix-malformed"),
        ({"matrix": {"sex": {"f": {"f": 0.9}}}}, PlanError, "matrix-not-stochastic"),
        ({"matrix": {"sex": {"f": {"f": 2, "m": -1}, "m": {"m": 1}}}}, PlanError,
         "matrix-not-stochastic"),
        ({"matrix": {"sex": {"categories": ["f"], "rows": [[1, 0]]}}}, PlanError,
         "matrix-malformed"),
        ({"matrix": {"sex": {"categories": ["f", "f"], "rows": np.eye(2).tolist()}}}, PlanError,
         "matrix-malformed"),
        ({"matrix": {"categories": ["f"], "rows": [[1]]}, "joint": True}, None, None),
        ({"matrix": {"categories": [["f", "m"]], "rows": [[1]]}, "joint": True}, PlanError,
         "matrix-malformed"),
    ],
)  # fmt: skip
def test_invalid_matrices_are_refused(options, error, code):
    if error is None:
        Pram(["sex"], **options)
        return
    with raises(error, code):
        Pram(["sex"], **options)


def test_the_public_report_shows_the_matrix_and_no_count():
    release = run(Pram(["job"], stay=0.5, random_state=1), people())
    (public,) = summarise(release)["transitions"]
    assert set(public) == {"columns", "stratum", "categories", "released", "matrix"}
    assert "clerk" in render(summarise(release)).split("Transition matrices")[1]
    internal = summarise(release, "internal")
    assert internal["transitions"][0]["counts"] == transitions(release)[0]["counts"]
    assert str(transitions(release)[0]["counts"][0][0]) in render(internal)
    finding = next(f for f in release.verdict.findings if f.code == "values-randomised")
    changed = 100 * (release.data["job"] != people()["job"]).mean()
    assert f"{changed:.3g} % of the values were changed" in finding.sentence
    assert release.verdict.status == "qualified"
    assert release.plan.k is None


def test_a_matrix_about_few_records_is_not_public():
    data = people(200)
    data["job"] = ["astronaut", "astronaut", *["clerk", "nurse"] * 99]
    release = run(Pram(["job"], stay=0.5, random_state=1), data)
    assert summarise(release)["transitions"] == [{"columns": ["job"]}]
    assert "Not shown" in render(summarise(release))
    data.loc[2, "job"] = "astronaut"
    assert "matrix" in summarise(run(Pram(["job"], stay=0.5), data))["transitions"][0]
    own = Pram(["sex"], matrix={"sex": {"f": {"f": 1}, "m": {"f": 1}, "zebra": {"f": 1}}},
               invariant=False)  # fmt: skip
    assert "zebra" not in summarise(run(own, people()))["plan"]


@given(st.lists(st.integers(0, 2), min_size=1, max_size=4), st.floats(0.4, 0.95))
def test_estimates_are_unbiased_and_their_errors_right(records, stay):
    matrix = [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.0, 1 - stay, stay]]
    t = [records.count(category) for category in range(3)]
    mean, square = np.zeros(3), np.zeros(3)
    for frequencies, chance in twin.outcomes(records, matrix):
        estimate = estimate_frequencies(frequencies, matrix).frequencies
        mean += float(chance) * estimate
        square += float(chance) * estimate**2
    np.testing.assert_allclose(mean, t, atol=1e-9)
    spread = np.sqrt(np.maximum(square - mean**2, 0))
    at_mean = estimate_frequencies(np.array(t) @ np.array(matrix), matrix)
    np.testing.assert_allclose(at_mean.frequencies, t, atol=1e-9)
    np.testing.assert_allclose(at_mean.standard_errors, spread, atol=1e-6)


def test_two_way_tables_are_estimated_column_by_column_or_with_both_matrices():
    P, Q = np.array([[0.7, 0.3], [0.1, 0.9]]), np.array([[0.8, 0.2], [0.4, 0.6]])
    table = np.array([[30.0, 12.0], [5.0, 40.0]])
    by_rows = estimate_frequencies(P.T @ table, P)
    np.testing.assert_allclose(by_rows.frequencies, table)
    for j in range(2):
        estimate = estimate_frequencies((P.T @ table)[:, j], P)
        np.testing.assert_allclose(by_rows.standard_errors[:, j], estimate.standard_errors)
    by_rows_and_columns = estimate_frequencies(P.T @ table @ Q, P, Q)
    np.testing.assert_allclose(by_rows_and_columns.frequencies, table)
    assert (by_rows_and_columns.standard_errors > by_rows.standard_errors).all()


def test_a_rounded_published_matrix_is_accepted():
    data = people()
    release = run(Pram(["job"], stay=0.7, random_state=5), data)
    public = summarise(release)["transitions"][0]
    counts = release.data["job"].value_counts().reindex(public["categories"])
    estimate = estimate_frequencies(counts, public["matrix"])
    true = data["job"].value_counts().reindex(public["categories"])
    assert (abs(estimate.frequencies - true) < 5 * estimate.standard_errors).all()
    assert estimate.frequencies.sum() == pytest.approx(len(data))


@pytest.mark.parametrize(
    ("released", "matrix", "columns", "code"),
    [
        ([1, 2], [[0.5, 0.5], [0.5, 0.5]], None, "matrix-singular"),
        ([1, 2], [[1]], None, "matrix-not-accepted"),
        ([1, 2], [[0.5, 0.4], [0, 1]], None, "matrix-not-accepted"),
        ([1, 2], [[1.5, -0.5], [0, 1]], None, "matrix-not-accepted"),
        ([1, np.nan], [[1, 0], [0, 1]], None, "matrix-not-accepted"),
        ([1, 2], [[1, 0], [0, 1]], [[1]], "matrix-not-accepted"),
        ([[1, 2], [3, 4]], [[1, 0], [0, 1]], [[1]], "matrix-not-accepted"),
    ],
)
def test_tables_that_cannot_be_estimated_are_refused(released, matrix, columns, code):
    with raises(InputError, code):
        estimate_frequencies(released, matrix, columns)


def test_a_loss_beyond_that_of_the_mean_is_not_called_lost_variation():
    data = people(400)
    release = run(Pram(["job"], stay=0.0, invariant=False, random_state=1), data)
    (finding,) = [f for f in release.verdict.findings if f.code == "high-loss"]
    assert release.measures["information_loss"] > 100
    assert "variation" not in finding.sentence
    assert "more distant from the original ones than the means" in finding.sentence
    assert "lower k" not in finding.way_out
