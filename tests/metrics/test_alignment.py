"""Tables in another order: comparisons record by record are refused or left out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from raising import raises
from shoal.errors import InputError
from shoal.frame.tables import open_frame
from shoal.metrics.evaluation.alignment import has_same_order

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
KNOWN = ["age", "town"]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(7)
    age = rng.integers(18, 90, size=400)
    return pd.DataFrame(
        {"age": age, "town": rng.choice(["A", "B", "C"], 400), "ill": rng.choice(["x", "y"], 400)}
    )


def same_order(before, after):
    return has_same_order(open_frame(before), open_frame(after), {})


def masked(people, **options):
    return shoal.microaggregate(people, KNOWN, k=5, confidential=["ill"], **options).data


@pytest.fixture(scope="module")
def release(people):
    return masked(people)


@given(seed=st.integers(0, 2**32 - 1))
def test_a_shuffled_release_is_noticed_whatever_the_order(people, release, seed):
    assert same_order(people, release)
    assert not same_order(people, release.sample(frac=1, random_state=seed))


def test_the_order_of_swapped_noisy_and_recoded_tables_is_seen(people):
    noisy = people.assign(age=people["age"] + np.random.default_rng(1).normal(0, 20, 400))
    recoded = people.assign(age=(people["age"] // 20).astype(str), town="*")
    order = np.argsort(people["age"].to_numpy(), kind="stable").reshape(-1, 20)
    swapped = people[["age"]].copy()
    swapped.iloc[order.ravel(), 0] = people["age"].to_numpy()[order[:, ::-1].ravel()]
    for after in (noisy, recoded, swapped):
        assert same_order(people, after)


def test_columns_without_evidence_do_not_change_the_order(people):
    assert same_order(people[["age"]], people[["age"]].assign(age=50))
    assert same_order(people[["ill"]], people[["ill"]].rename(columns={"ill": "sick"}))


def test_measures_of_a_shuffled_release_are_refused_unless_aligned_is_stated(people):
    shuffled = masked(people, shuffle=True, random_state=3)
    options = {"quasi_identifiers": KNOWN, "confidential": ["ill"]}
    with raises(InputError, code="order-differs"):
        shoal.assess(people, shuffled, **options)
    assert shoal.assess(people, shuffled, aligned=True, **options)["information_loss"] > 100


def test_attacks_and_analyses_of_a_shuffled_release_do_not_compare_rows(people, release):
    shuffled = masked(people, shuffle=True, random_state=3)
    attacks = shoal.attack(people, shuffled, quasi_identifiers=KNOWN, random_state=0)
    assert "linkage-distance" in attacks.not_run
    assert any("not in the same order" in remark for remark in attacks.remarks)
    analyses = shoal.utility(people, shuffled, measures=["group-by"], random_state=0)
    assert any("not in the same order" in remark for remark in analyses.remarks)
    straight = shoal.attack(people, release, quasi_identifiers=KNOWN, random_state=0)
    assert "linkage-distance" in straight
