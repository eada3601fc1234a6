"""Efforts: refiners of the groups of every method."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import shoal
from example_counts import scaled_examples
from raising import raises
from shoal import _progress as progress
from shoal._params import signature_parameters
from shoal.errors import ParameterError, PlanError, SearchUnfinished
from shoal.partitioners import (
    MDAV,
    METHODS,
    VMDAV,
    MuApprox,
    Prove,
    Refine,
    Search,
    method_label,
    partition,
    partitioner,
    to_entry,
)
from shoal.partitioners._base import sse
from shoal.partitioners._column_generation.prove import ProofResult, prove
from tables import loss, tables_and_k

EFFORTS = {"refine": {}, "search": {"rounds": 2, "random_state": 1}, "prove": {"budget": 0.2}}
every_effort = pytest.mark.parametrize("effort", EFFORTS)


@every_effort
@settings(max_examples=scaled_examples(30))
@given(case=tables_and_k(greatest=6))
def test_an_effort_is_never_worse_than_its_method_and_keeps_k(effort, case):
    X, k = case
    before = partition(X, k, "vmdav").labels
    after = partition(X, k, "vmdav", effort=effort, **EFFORTS[effort])
    assert sse(X, after.labels) <= sse(X, before)
    assert after.sizes.min() >= k


@every_effort
@pytest.mark.parametrize("method", [m for m in METHODS if m not in EFFORTS])
def test_every_method_can_be_followed_by_every_effort(effort, method):
    options = {"order": "first-component"} if method == "univariate" else {}
    k = 3 if signature_parameters(METHODS[method])["k"].accepts(3) else 2
    X = np.random.default_rng(3).normal(size=(16, 3))
    model = partitioner(method, {"k": k, "effort": effort, **options, **EFFORTS[effort]})
    model.fit(X)
    assert sse(X, model.labels_) <= sse(X, model.method_.labels_)


def test_quick_is_the_method_without_a_refiner():
    X = np.random.default_rng(0).normal(size=(50, 3))
    alone = MDAV(k=3).fit_predict(X)
    assert np.array_equal(partition(X, 3, "mdav", effort="quick").labels, alone)
    assert np.array_equal(partition(X, 3, effort="quick").labels, alone)
    assert isinstance(partitioner("vmdav", {"k": 3, "effort": "quick"}), VMDAV)


def test_a_method_without_an_effort_is_that_of_its_paper():
    X = np.random.default_rng(0).normal(size=(50, 3))
    assert np.array_equal(partition(X, 3, "mdav").labels, MDAV(k=3).fit_predict(X))


def test_auto_refines():
    X = np.random.default_rng(0).normal(size=(200, 3))
    assert np.array_equal(partition(X, 3).labels, partition(X, 3, "mdav", effort="refine").labels)
    assert loss(X, partition(X, 3).labels) < loss(X, MDAV(k=3).fit_predict(X))
    assert method_label(METHODS["auto"](k=3).fit(X)) == "mdav + refine"


def test_an_effort_by_name_starts_from_mdav():
    assert isinstance(partitioner("search", {"k": 3}), Search)
    written = {"method": "mdav", "k": 3, "effort": "search"}
    assert to_entry(partitioner("search", {"k": 3})) == written


@pytest.mark.parametrize(
    ("made", "written"),
    [
        (Refine(k=3), {"method": "mdav", "k": 3, "effort": "refine"}),
        (
            Search(k=3, method=VMDAV(k=3, gamma=0.5), budget=2.0),
            {"method": "vmdav", "k": 3, "gamma": 0.5, "effort": "search", "budget": 2.0},
        ),
        (
            Prove(k=3, method=MuApprox(k=3), random_state=4),
            {"method": "mu-approx", "k": 3, "effort": "prove", "random_state": 4},
        ),
    ],
)
def test_an_entry_makes_the_same_partitioner_again(made, written):
    assert to_entry(made) == written
    method = written.pop("method")
    assert repr(partitioner(method, written)) == repr(made)


@pytest.mark.parametrize(
    ("method", "options", "code"),
    [
        ("mdav", {"effort": "serach"}, "unknown-effort"),
        ("mdav", {"budget": 5}, "budget-without-effort"),
        ("mdav", {"effort": "quick", "budget": 5}, "budget-without-effort"),
        ("mdav", {"effort": "refine", "budget": 5}, "budget-not-taken"),
        ("mdav", {"effort": "search", "budget": -1}, "parameter-not-accepted"),
        ("search", {"effort": "prove"}, "effort-twice"),
        ("mdav", {"effort": "search", "gama": 1}, "unknown-parameter"),
        (Refine(k=3), {"effort": "search"}, "effort-twice"),
    ],
)
def test_contradicting_options_are_refused(method, options, code):
    with raises(ParameterError, code):
        partitioner(method, {"k": 3, **options}).fit(np.zeros((9, 2)))


def test_two_different_k_are_refused():
    with raises(ParameterError, "different-k", k=3):
        Refine(k=3, method=MDAV(k=4)).fit(np.zeros((9, 2)))


def test_two_different_seeds_are_refused():
    with raises(ParameterError, "different-seeds"):
        Search(k=3, method=MuApprox(k=3, random_state=1), random_state=2).fit(np.zeros((9, 2)))


def test_a_seed_serves_the_effort_and_its_method():
    X = np.random.default_rng(5).normal(size=(60, 3))
    fitted = Search(k=3, method=MuApprox(k=3), rounds=0, random_state=7).fit(X)
    assert np.array_equal(fitted.method_.labels_, MuApprox(k=3, random_state=7).fit_predict(X))


@pytest.fixture(scope="module")
def firms():
    return shoal.datasets.sme()[["surface", "employees"]]


@pytest.fixture
def without_overtime(monkeypatch):
    """Let a search finish its rounds, however slow the machine is at the moment."""
    monkeypatch.setattr("shoal.partitioners._local_search.search.OVERTIME", math.inf)


@pytest.mark.usefixtures("without_overtime")
def test_a_release_under_a_budget_can_be_repeated(firms):
    columns = ["surface", "employees"]
    first = shoal.microaggregate(firms, columns, k=3, effort="search", budget=0.3)
    written = first.plan.to_dict()["steps"][0]["partition"]
    assert written["effort"] == "search"
    assert "budget" not in written
    assert {"rounds", "random_state"} <= set(written)
    again = first.plan.run(firms)
    assert again.data.equals(first.data)
    assert again.plan == first.plan


@pytest.mark.usefixtures("without_overtime")
def test_strata_share_the_budget_and_the_rounds():
    people = shoal.datasets.survey(n=400)[["age", "height", "region"]]
    release = shoal.microaggregate(
        people, ["age", "height"], k=4, within="region", effort="search", budget=1.0
    )
    assert release.plan.run(people).data.equals(release.data)


def test_a_proven_gap_is_in_measures_report_and_output(firms, tmp_path):
    release = shoal.microaggregate(firms, ["surface", "employees"], k=3, effort="prove")
    assert release.measures["certified_gap"] == pytest.approx(0, abs=1e-7)
    release.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "proven to be the least possible" in page
    assert "certified gap" in page


def test_no_gap_is_shown_where_none_was_proven(firms):
    release = shoal.microaggregate(firms, ["surface", "employees"], k=3)
    assert "certified_gap" not in release.measures


@pytest.mark.parametrize("method", ["univariate", "optimal"])
def test_an_optimum_is_shown_as_proven(firms, method):
    release = shoal.microaggregate(firms[["surface"]], ["surface"], k=3, method=method)
    assert release.measures["certified_gap"] < 1e-7


def test_the_best_along_an_order_is_no_optimum(firms):
    release = shoal.microaggregate(
        firms, list(firms), k=3, method="univariate", order="first-component"
    )
    assert "certified_gap" not in release.measures


@pytest.mark.parametrize("options", [{"dependence": 0.3}, {"standardise": "none"}])
def test_a_bound_of_another_space_is_not_shown(options):
    release = shoal.microaggregate(
        shoal.datasets.sme(), ["surface", "employees"], k=3, effort="prove",
        identifiers=["company"], confidential=["turnover", "net_profit"], **options,
    )  # fmt: skip
    assert "certified_gap" not in release.measures


@pytest.fixture
def interrupted_early():
    """Interrupt every effort at its first report of progress."""

    def listener(stage, done, total):
        if stage.startswith(("moving", "searching", "proving")):
            raise KeyboardInterrupt

    with progress.reporting_to(listener):
        yield


@every_effort
def test_an_interrupt_keeps_the_best_groups_and_says_so(effort, interrupted_early):
    X = np.random.default_rng(2).normal(size=(300, 3))
    model = partitioner("mdav", {"k": 3, "effort": effort, **EFFORTS[effort]}).fit(X)
    assert model.cut_short_
    assert model.partition_.sizes.min() >= 3
    people = pd.DataFrame(X, columns=list("abc"))
    with pytest.warns(SearchUnfinished):
        shoal.microaggregate(people, list("abc"), k=3, effort=effort, **EFFORTS[effort])


def test_an_interrupt_of_the_search_ends_the_proof_too(interrupted_early, monkeypatch):
    budgets = []

    def prove_without_budget(*arguments, budget=60.0, **options):
        budgets.append(budget)
        return prove(*arguments, budget=budget, **options)

    monkeypatch.setattr("shoal.partitioners._column_generation.prove.prove", prove_without_budget)
    X = np.random.default_rng(2).normal(size=(300, 3))
    model = Prove(k=3, budget=1000.0, random_state=0).fit(X)
    assert budgets[1:] == [0.0]  # the first one compiles the kernels
    assert model.cut_short_
    assert 0 < model.bound_ <= sse(X, model.labels_)


@pytest.mark.parametrize("complete", [True, False])
def test_a_completed_proof_without_an_optimum_is_not_called_interrupted(monkeypatch, complete):
    def prove_nothing(X, labels, k, **options):
        return ProofResult(labels, sse(X, labels), bound=0.0, optimal=False, complete=complete)

    monkeypatch.setattr("shoal.partitioners._column_generation.prove.prove", prove_nothing)
    people = pd.DataFrame(np.random.default_rng(2).normal(size=(30, 2)), columns=list("ab"))
    with pytest.warns(SearchUnfinished, match="may give other groups") as warned:
        shoal.microaggregate(people, list("ab"), k=3, effort="prove")
    assert ("interrupted" in str(warned[0].message)) is not complete


def test_groups_refined_again_after_an_interrupt_are_not_cut_short(interrupted_early):
    X = np.random.default_rng(2).normal(size=(300, 3))
    model = Refine(k=3).fit(X)
    assert model.cut_short_
    with progress.reporting_to(lambda *_: None):
        assert not model.fit(X).cut_short_


def test_an_interrupt_ends_auto(interrupted_early):
    with pytest.raises(KeyboardInterrupt):
        partition(np.random.default_rng(2).normal(size=(300, 3)), 3)


def test_a_plan_document_names_effort_and_budget(firms):
    written = {
        "version": 1,
        "other_columns": "refuse",
        "roles": {},
        "steps": [
            {
                "method": "microaggregate",
                "columns": ["surface", "employees"],
                "partition": {"method": "mdav", "k": 3, "effort": "search", "budget": 0.1},
            }
        ],
    }
    assert shoal.Plan.from_dict(written).to_dict() == written
    written["steps"][0]["partition"]["effort"] = "lazy"
    with raises(PlanError, "unknown-effort", given="lazy"):
        shoal.Plan.from_dict(written)
