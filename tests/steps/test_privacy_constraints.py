"""l-diversity and t-closeness: attained, checked on the released values, or refused."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import reference_matrix
from example_counts import scaled_examples
from raising import raises
from shoal import Microaggregate, Plan
from shoal.errors import GuaranteeBroken, InputError, ParameterError, PlanError, ShoalWarning
from shoal.partitioners import MDAV, VMDAV
from shoal.report.html import render
from shoal.report.summary import summarise
from shoal.steps.constraints.privacy_constraint import PrivacyConstraint
from tables import tables_and_k
from twins import classes as slow


def mask(data, columns, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return shoal.microaggregate(data, columns, **options)


@st.composite
def cases(draw, least=2):
    """Draw a table of few values with a confidential number and a confidential word."""
    X, k = draw(tables_and_k(least=least, most=30))
    n = len(X)
    data = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    number = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    word = draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n))
    return data.assign(number=number, word=word), list(data.columns), k


def released(release, columns):
    return release.data[columns].to_numpy()


@pytest.mark.parametrize("kind", ["distinct", "entropy"])
@settings(max_examples=scaled_examples(40))
@given(case=cases(), diversity=st.sampled_from([1, 1.5, 2, 2.7, 3]))
def test_every_class_is_as_diverse_as_guaranteed_or_the_option_is_refused(kind, case, diversity):
    data, columns, k = case
    options = {"k": k, "diversity": diversity, "diversity_kind": kind}
    count = getattr(slow, kind)
    one_class = np.zeros((len(data), 1))
    attainable = min(count(one_class, data[name].to_numpy()) for name in ("number", "word"))
    if attainable < diversity - 1e-9:
        with raises(InputError, "diversity-out-of-reach", diversity=diversity):
            mask(data, columns, confidential=["number", "word"], **options)
        return
    release = mask(data, columns, confidential=["number", "word"], **options)
    for name in ("number", "word"):
        assert count(released(release, columns), data[name].to_numpy()) >= diversity - 1e-9
    assert release.measures["smallest_class"] >= k


@pytest.mark.parametrize("by", ["merge", "swap"])
@settings(max_examples=scaled_examples(40))
@given(case=cases(), t=st.sampled_from([0, 0.1, 0.2, 0.35, 1]))
def test_every_class_is_as_close_as_guaranteed_in_every_column(by, case, t):
    data, columns, k = case
    options = {"k": k, "closeness": t, "closeness_by": by, "confidential": ["number", "word"]}
    release = mask(data, columns, **options)
    for name, ordered in {"number": True, "word": False}.items():
        far = slow.closeness(released(release, columns), data[name].to_numpy(), ordered)
        assert far <= t + 1e-9
    assert release.measures["smallest_class"] >= k


@pytest.mark.parametrize("name", ["number", "word"])
@settings(max_examples=scaled_examples(40))
@given(
    case=cases(), t=st.sampled_from([0, 0.1, 0.2, 0.35, 1]), diversity=st.sampled_from([None, 1])
)
def test_close_first_is_as_close_as_guaranteed(name, case, t, diversity):
    data, columns, k = case
    data = data[[*columns, name]]
    release = mask(
        data,
        columns,
        k=k,
        closeness=t,
        closeness_by="first",
        confidential=[name],
        diversity=diversity,
    )
    assert slow.closeness(released(release, columns), data[name].to_numpy(), name == "number") <= (
        t + 1e-9
    )
    assert release.measures["smallest_class"] >= k


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(7)
    age = rng.integers(20, 90, 120)
    return pd.DataFrame(
        {
            "age": age,
            "size": rng.normal(170, 9, 120).round(),
            "income": (age * 100 + rng.integers(0, 3000, 120)).round(-2),
            "town": rng.choice(["a", "b", "c"], 120),
        }
    )


SECRET = {"confidential": ["income", "town"]}


# Constraints apply to groups, whatever the method, so a few methods of each kind suffice.
@pytest.mark.parametrize("method", ["auto", "sorted", "univariate", "vmdav"])
@pytest.mark.parametrize("by", ["merge", "swap"])
def test_groups_of_any_method_can_be_made_close_and_diverse(people, method, by):
    columns = ["age"] if method == "univariate" else ["age", "size"]
    data = people[[*columns, "income", "town"]]
    release = mask(
        data, columns, k=3, method=method, closeness=0.3, closeness_by=by, diversity=2, **SECRET
    )
    assert max(release.measures["t_closeness"].values()) <= 0.3 + 1e-9
    assert release.measures["p_sensitivity"] >= 2
    assert release.measures["smallest_class"] >= 3
    assert release.partitions[0].n_groups > 1


def test_coming_close_first_loses_least_and_merging_most(people):
    """The order of the paper's results, on a column that depends on the masked columns."""
    loss = {
        by: mask(
            people[["age", "size", "income"]], ["age", "size"], k=3, method="mdav", closeness=0.1,
            closeness_by=by, confidential=["income"],
        ).measures["information_loss"]
        for by in ("merge", "swap", "first")
    }  # fmt: skip
    assert loss["first"] < loss["swap"] < loss["merge"]


@pytest.mark.parametrize(
    ("t", "losses"), [(0.25, (48.38, 42.55, 57.98)), (0.1, (96.94, 83.27, 65.17))]
)
def test_census_loses_what_the_page_says(t, losses):
    X = reference_matrix("census")[:, :7]
    data = pd.DataFrame(X, columns=list("abcdefy"))
    for by, loss in zip(("merge", "swap", "first"), losses, strict=True):
        release = mask(
            data, list("abcdef"), k=3, method="mdav", confidential=["y"], closeness=t,
            closeness_by=by,
        )  # fmt: skip
        assert release.measures["information_loss"] == pytest.approx(loss, abs=0.005)
        assert release.measures["t_closeness"]["y"] <= t + 1e-9


def test_constraints_are_met_in_every_stratum_and_judged_by_the_whole_table(people):
    data = people.assign(old=people["age"] > 55)
    options = {"k": 3, "within": "old", **SECRET}
    with raises(InputError, "closeness-out-of-reach", closeness=0.1):
        mask(data, ["age", "size"], closeness=0.1, **options)
    for by in ("merge", "swap"):
        release = mask(
            data, ["age", "size"], closeness=0.3, closeness_by=by, diversity=3, **options
        )
        assert max(release.measures["t_closeness"].values()) <= 0.3 + 1e-9
        assert release.measures["p_sensitivity"] >= 3
        assert (data.groupby(release.labels)["old"].nunique() == 1).all()


def test_an_unattainable_constraint_is_refused_with_an_attainable_value():
    data = pd.DataFrame({"x": range(12), "s": list("ab") * 6, "ill": [1, 1, 1, 1, 2, 3] * 2})
    for kind in ("distinct", "entropy"):
        with raises(InputError, "diversity-out-of-reach", column="ill") as caught:
            mask(data, ["x"], k=2, diversity=4, diversity_kind=kind, confidential=["ill"])
        attainable = caught.value.attainable
        mask(data, ["x"], k=2, diversity=attainable, diversity_kind=kind, confidential=["ill"])
    with raises(InputError, "closeness-out-of-reach", closeness=0.01) as caught:
        mask(data, ["x"], k=2, closeness=0.01, within="s", confidential=["ill"])
    assert "of stratum 1 of 2" in str(caught.value)
    mask(data, ["x"], k=2, closeness=caught.value.attainable, within="s", confidential=["ill"])


def mixed():
    rng = np.random.default_rng(2)
    pain = rng.choice(["none", "some", "much"], 60)
    sex = rng.choice(["f", "m"], 60)
    age = rng.integers(20, 90, 60).astype(float)
    return pd.DataFrame({"age": age, "sex": sex, "pain": pain})


@pytest.mark.parametrize("by", ["merge", "swap", "first"])
def test_a_declared_order_counts_in_the_distance(by):
    data = mixed()
    order = ["none", "some", "much"]
    release = mask(
        data, ["age", "sex"], k=3, method="mdav", confidential=["pain"], closeness=0.15,
        closeness_by=by, types={"pain": {"kind": "ordinal", "order": order}},
    )  # fmt: skip
    rank = data["pain"].map(order.index).to_numpy()
    far = slow.closeness(release.labels[:, None], rank, True)
    assert far <= 0.15 + 1e-9
    assert release.measures["t_closeness"]["pain"] == pytest.approx(float(far))


def test_constraints_are_met_among_records_with_the_same_missing_cells():
    data = mixed()
    data.loc[::4, "age"] = np.nan
    options = {"k": 3, "confidential": ["pain"], "closeness": 0.3, "diversity": 2}
    for by in ("merge", "swap"):
        release = mask(data, ["age", "sex"], missing="own-groups", closeness_by=by, **options)
        assert release.measures["t_closeness"]["pain"] <= 0.3 + 1e-9
        assert release.measures["p_sensitivity"] >= 2
        assert (data["age"].isna().groupby(release.labels).nunique() == 1).all()
    with raises(PlanError, "closeness-first-splits", option="missing"):
        mask(data, ["age", "sex"], missing="own-groups", closeness_by="first", **options)


def test_dependence_and_homogeneity_go_with_it(people):
    release = mask(
        people, ["age", "size"], k=3, dependence=0.3, homogeneity="refuse", diversity=2,
        closeness=0.25, closeness_by="swap", confidential=["income"], identifiers=["town"],
        unit="record",
    )  # fmt: skip
    assert release.measures["t_closeness"]["income"] <= 0.25 + 1e-9


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({"diversity": 0.5}, ParameterError, "parameter-not-accepted"),
        ({"diversity": 2, "diversity_kind": "recursive"}, ParameterError, "parameter-not-accepted"),
        ({"closeness": 1.5}, ParameterError, "parameter-not-accepted"),
        ({"closeness_by": "swap"}, PlanError, "closeness-missing"),
        ({"closeness_by": "first"}, PlanError, "closeness-missing"),
        ({"closeness": 0.1, "blocks": 1}, PlanError, "constraint-with-blocks"),
        ({"diversity": 2, "blocks": 1}, PlanError, "constraint-with-blocks"),
        (
            {"closeness": 0.1, "closeness_by": "first", "within": "town"},
            PlanError,
            "closeness-first-splits",
        ),
        (
            {"closeness": 0.1, "closeness_by": "first", "method": VMDAV(k=3)},
            PlanError,
            "closeness-first-ignores-method",
        ),
        ({"closeness": 0.1, "closeness_by": "first"}, PlanError, "closeness-first-of-several"),
        ({"closeness": 0.1, "confidential": []}, PlanError, "confidential-needed"),
        ({"diversity": 3, "confidential": []}, PlanError, "confidential-needed"),
    ],
)
def test_what_does_not_fit_is_refused(people, options, error, code):
    with raises(error, code):
        mask(people, ["age", "size"], **{"k": 3, **SECRET, **options})


def test_other_steps_may_not_undo_the_guarantee():
    secret = {"income": "confidential"}
    close = Microaggregate(["age"], MDAV(k=3), closeness=0.2)
    with raises(PlanError, "constraint-with-several-steps", option="closeness"):
        Plan(secret, [close, Microaggregate(["size"], MDAV(k=3))])


def test_a_missing_confidential_value_is_a_category_of_its_own():
    data = pd.DataFrame({"x": range(8), "ill": [1.0, None, 2.0, None] * 2})
    release = mask(data, ["x"], k=2, diversity=3, confidential=["ill"])
    assert release.measures["p_sensitivity"] == 3


@settings(max_examples=scaled_examples(40))
@given(case=cases(), seed=st.integers(0, 999), in_units=st.booleans(), kind=st.booleans())
def test_a_row_counts_as_often_as_the_records_it_stands_for(case, seed, in_units, kind):
    rng, (data, _, _) = np.random.default_rng(seed), case
    codes = np.column_stack(
        [np.unique(data[name], return_inverse=True)[1] for name in ("number", "word")]
    )
    units = rng.integers(0, max(1, len(data) // 2), len(data)) if in_units else None
    counts, labels = rng.integers(1, 6, len(data)), rng.permutation(len(data)) // 5
    options = {"kind": "entropy" if kind else "distinct", "diversity": 2, "closeness": 0.3}
    names, ordered = ["number", "word"], np.array([True, False])
    by_row = PrivacyConstraint(names, codes, ordered, units=units, counts=counts, **options)
    rows = np.repeat(np.arange(len(data)), counts)
    by_record = PrivacyConstraint(
        names, codes[rows], ordered, units=units if units is None else units[rows],
        **options,
    )  # fmt: skip
    is_met = by_row.met_by_classes(labels)
    assert is_met.tolist() == by_record.met_by_classes(labels[rows]).tolist()
    for label in range(labels.max() + 1):
        members, records = np.flatnonzero(labels == label), np.flatnonzero(labels[rows] == label)
        assert by_row.is_met_by(members) == by_record.is_met_by(records) == is_met[label]
        for count in (PrivacyConstraint.n_values_in, PrivacyConstraint.distances):
            assert count(by_row, members) == pytest.approx(count(by_record, records))


def test_a_release_that_breaks_the_guarantee_is_refused(people, monkeypatch):
    monkeypatch.setattr(PrivacyConstraint, "is_met_by", lambda self, records: True)
    options = {"k": 3, "method": "mdav", **SECRET}
    with raises(GuaranteeBroken, "guarantee-broken", l=3):
        mask(people, ["age", "size"], diversity=3, **options)
    with raises(GuaranteeBroken, "guarantee-broken", t=0.1):
        mask(people, ["age", "size"], closeness=0.1, **options)


def test_the_report_states_required_and_attained_values(people):
    release = mask(people, ["age", "size"], k=3, diversity=2, closeness=0.3, **SECRET)
    summary = summarise(release)
    assert summary["promise"]["diversity"]["l"] == 2
    assert summary["promise"]["diversity"]["attained"] == release.measures["p_sensitivity"]
    attained = max(release.measures["t_closeness"].values())
    assert summary["promise"]["closeness"] == {"t": 0.3, "attained": float(f"{attained:.4g}")}
    page = render(summary)
    for words in ("l = 2 holds", "t = 0.3 holds", "(l-diversity)", "(t-closeness)"):
        assert words in page


def test_the_plan_document_holds_the_constraints(people):
    step = Microaggregate(
        ["age", "size"], MDAV(k=3), diversity=2, diversity_kind="entropy", closeness=0.3,
        closeness_by="swap",
    )  # fmt: skip
    plan = Plan({"income": "confidential", "town": "confidential"}, [step])
    entry = plan.to_dict()["steps"][0]
    assert (entry["diversity"], entry["diversity_kind"]) == (2, "entropy")
    assert (entry["closeness"], entry["closeness_by"]) == (0.3, "swap")
    assert Plan.from_dict(plan.to_dict()) == plan
    by_plan = plan.run(people)
    by_function = mask(
        people, ["age", "size"], k=3, method="mdav", diversity=2, diversity_kind="entropy",
        closeness=0.3, closeness_by="swap", **SECRET,
    )  # fmt: skip
    pd.testing.assert_frame_equal(by_plan.data, by_function.data)
