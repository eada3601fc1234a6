"""Sentences of reports that must follow from the release at hand."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.audit.statements import check_plan
from shoal.errors import ShoalWarning
from shoal.metrics.rounding import round_floats_for_display
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.report.html import render
from shoal.report.layout import short_number
from shoal.report.summary import summarise
from shoal.steps import Hybridise, RankSwap, Swap, TopBottomCode

ROLES = {"age": "quasi-identifier", "pay": "quasi-identifier", "ill": "confidential"}


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        yield


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 24, 40).astype(float),
            "pay": rng.integers(1, 4, 40).astype(float),
            "ill": rng.choice(["a", "b"], 40, p=[0.9, 0.1]),
            "person": np.arange(40) // 2,
        }
    )


def run(data, *steps, **roles):
    return Plan({**ROLES, "person": "identifier", **roles}, list(steps), unit="record").run(data)


def sentence(release, code):
    return next(finding.sentence for finding in release.verdict.findings if finding.code == code)


def test_no_sentence_says_that_original_values_are_hidden_among_others(people):
    release = run(people, TopBottomCode(["age"], top=22), RankSwap(["pay"], 20, random_state=1))
    assert 0 < release.verdict.exact["age"] < 1
    page = render(summarise(release))
    assert "Read the original age of" in page
    assert "which records" not in page


def test_shares_of_exact_values_name_what_they_are_of(people):
    data = people.assign(pay=people["pay"].where(people.index % 4 > 0))
    release = shoal.microaggregate(
        data.drop(columns="person"), ["age", "pay"], k=3, method="mdav", missing="own-groups",
        confidential=["ill"],
    )  # fmt: skip
    same = data["pay"] == release.data["pay"]
    assert 0 < same.mean() < release.verdict.exact["pay"] == same.sum() / data["pay"].notna().sum()
    assert "of the records that have a value there" in sentence(release, "released-exactly")
    can = summarise(release)["attacker"]["can"]
    assert any("of the records that have a value there" in entry for entry in can)
    assert "of the records that have a value in the original" in render(summarise(release))


def test_a_share_of_persons_is_not_called_one_of_records(people):
    data = people.assign(town=np.arange(40) % 7).sample(frac=1, random_state=1)
    options = {"k": 3, "method": "mdav", "confidential": ["ill"]}
    release = shoal.microaggregate(
        data.reset_index(drop=True), ["age", "pay"], unit="person", **options
    )  # fmt: skip
    (finding,) = [f for f in release.verdict.findings if f.code == "unique-on-unchanged-columns"]
    can = summarise(release)["attacker"]["can"]
    (entry,) = [entry for entry in can if "town" in entry]
    assert "of the units of 'person'" in entry
    assert finding.figures["with_masked"] > 0


def test_a_loss_of_categories_above_100_is_not_denied(people):
    data = pd.DataFrame({"colour": list("abcd") * 5 + ["a"], "ill": list("xyz") * 7})
    release = shoal.microaggregate(data, ["colour"], k=20, method="mdav", confidential=["ill"])
    assert release.data["colour"].nunique() == 1
    assert release.measures["information_loss"] > 100
    page = render(summarise(release))
    assert "if every record had the same values" not in page
    assert "may exceed 100\u00a0%" in page


@pytest.mark.parametrize("ends", [("top",), ("bottom",), ("top", "bottom")])
def test_coding_names_its_ends(ends):
    step = TopBottomCode(["age"], **dict.fromkeys([f"{end}_share" for end in ends], 0.1))
    words = {"top": "greatest", "bottom": "least"}
    for end, word in words.items():
        assert (f"The {word} values were not coded" in step.guarantee) == (end not in ends)
    assert "outlier" not in step.guarantee


def test_classes_without_a_confidential_value_are_not_said_to_share_one():
    age = np.repeat(np.arange(6.0), 4)
    ill = [None] * 8 + ["a"] * 4 + ["a", "b", None, "c"] * 3
    data = pd.DataFrame({"age": age, "ill": ill})
    release = shoal.microaggregate(data, ["age"], k=4, method="mdav", confidential=["ill"])
    shared = sentence(release, "homogeneous-group")
    assert "'ill' in 3 classes (2 by missing cells)" in shared
    assert shared.endswith("is known to have the value, or a missing cell.")
    (sure,) = [s for s in summarise(release)["attacker"]["can"] if s.startswith("Learn the")]
    assert sure.startswith("Learn the ill of every person in 1 of 6 classes")
    data.loc[data["ill"].isna(), "ill"] = "d"
    release = shoal.microaggregate(data, ["age"], k=4, method="mdav", confidential=["ill"])
    assert sentence(release, "homogeneous-group").endswith("is known to have the value.")


def test_membership_of_groups_is_not_claimed_after_swapping(people):
    release = run(people, RankSwap(["age", "pay"], 20, random_state=1))
    assert "is known to have" not in sentence(release, "homogeneous-group")
    assert not any(entry.startswith("Learn the") for entry in summarise(release)["attacker"]["can"])
    grouped = shoal.microaggregate(
        people.drop(columns="person"), ["age", "pay"], k=3, method="mdav", confidential=["ill"]
    )
    assert "is known to have" in sentence(grouped, "homogeneous-group")


def test_probabilistic_k_anonymity_is_not_contradicted(people):
    swapped = run(people, Swap(["age", "pay"], MDAV(k=4), random_state=1))
    assert "1 in 4" in swapped.plan.guarantees[0]
    assert "no k limits" not in " ".join(summarise(swapped)["attacker"]["can"])
    assert "links correctly" not in render(summarise(swapped))  # classes say nothing about links
    moved = run(people, RankSwap(["age", "pay"], 20, random_state=1))
    assert "no k limits" in " ".join(summarise(moved)["attacker"]["can"])


@pytest.mark.parametrize("step", [Swap, Hybridise])
def test_swapping_within_units_guarantees_no_chance_of_one_in_k(step):
    assert "1 in 4" in step(["age"], MDAV(k=4)).guarantee
    assert "1 in 4" not in step(["age"], MDAV(k=4), unit="person").guarantee


def test_insiders_compute_values_only_where_they_follow(people):
    data = people.assign(weight=1.0 + people.index % 3)
    options = {"k": 3, "method": "mdav", "confidential": ["ill"], "shuffle": True}
    single_records = data.drop(columns=["person", "weight"])
    single_sentence = sentence(shoal.microaggregate(single_records, ["age"], **options), "insiders")
    assert "the sum of" not in single_sentence
    assert "weights" not in single_sentence
    several = data.drop(columns=["weight"])
    released = shoal.microaggregate(several, ["age", "pay"], unit="person", **options)
    assert "compute the sum of the remaining member" in sentence(released, "insiders")
    weighted = data.drop(columns=["person"])
    released = shoal.microaggregate(weighted, ["age", "pay"], weight="weight", **options)
    assert "if the weights are known" in sentence(released, "insiders")


# A number in the middle of two shorter ones may be on either side of it once it is rounded.
NO_TIE = st.integers(-60, 60).filter(lambda thousandths: thousandths % 5)


@given(digits=st.integers(100, 999), thousandths=NO_TIE, size=st.integers(-4, 0))
def test_public_numbers_are_rounded_once(digits, thousandths, size):
    value = (digits + 0.5 + thousandths / 1000) * 10.0**size  # near a tie of three digits
    public = round_floats_for_display(value)
    assert public == pytest.approx(value, rel=1e-3)
    assert round_floats_for_display(public) == public
    assert len(f"{public:.15g}".replace(".", "").strip("0")) <= 6
    assert short_number(public) == short_number(value)


def test_known_cases_of_rounding_twice():
    assert f"{round_floats_for_display(3.10514):.2f}" == "3.11"
    assert f"{round_floats_for_display(35.653):.1f}" == "35.7"
    assert f"{100 * round_floats_for_display(749 / 775):.3g}" == "96.6"


def test_manifests_with_earlier_sentences_still_hold():
    plan = Plan({"age": "quasi-identifier"}, [TopBottomCode(["age"], top=50)])
    (former,) = plan.steps[0].former_guarantees
    entries = {"manifest": 2, "promise": {"k": None}, "dropped": []}
    for sentences, expected in (([former], True), (plan.guarantees, True), ([""], False)):
        entries["promise"]["guarantees"] = sentences
        assert check_plan(entries, plan)[0] is expected
