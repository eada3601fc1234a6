"""Measures of categories, against pandas and scipy, and through `assess`, plans and reports."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from scipy.stats import entropy as scipy_entropy

import shoal
from raising import raises
from shoal.errors import InputError
from shoal.metrics import (
    association_change,
    entropy_loss,
    levels_lost,
    one_way_change,
    two_way_change,
    values_unchanged,
)
from shoal.metrics.utility import frequency_tables
from shoal.plan import Plan
from shoal.report.html import render
from shoal.report.summary import summarise
from shoal.steps import Generalise, Pram, Recode

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


@st.composite
def pairs_of_tables(draw):
    n, p = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    cells = st.lists(st.integers(-1, 3), min_size=n * p, max_size=n * p)
    return tuple(np.array(draw(cells)).reshape(n, p) for _ in range(2))


either_way = pytest.mark.parametrize("large", [False, True])


def counted(large):
    """Count all tables as large ones are counted, or none."""
    return patch.object(frequency_tables, "is_sparse", lambda cells, records: large)


def slow_v(a, b):
    table = pd.crosstab(a, b).to_numpy()
    if min(table.shape) < 2:
        return 0.0
    chi2 = chi2_contingency(table, correction=False).statistic
    return np.sqrt(chi2 / len(a) / (min(table.shape) - 1))


def shares(*columns):
    return pd.DataFrame(dict(enumerate(columns))).value_counts(normalize=True)


def slow_distances(before, after):
    p, q = before.align(after, fill_value=0.0)
    hellinger = np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum() / 2)
    return abs(p - q).sum() / 2, hellinger


@given(pairs_of_tables())
def test_values_and_levels_agree_with_their_definition(tables):
    before, after = tables
    for at, (old, new) in enumerate(zip(before.T, after.T, strict=True)):
        known = [(o, n) for o, n in zip(old, new, strict=True) if o != -1]
        same = 100 * sum(o == n for o, n in known) / len(known) if known else 100
        assert values_unchanged(before, after)[at] == pytest.approx(same)
        levels = {o for o, _ in known}
        lost = 100 * len(levels - set(new)) / len(levels) if levels else 0
        assert levels_lost(before, after)[at] == pytest.approx(lost)


@given(pairs_of_tables())
def test_entropy_loss_is_the_conditional_entropy_as_a_share(tables):
    before, after = tables
    for at, (old, new) in enumerate(zip(before.T, after.T, strict=True)):
        own = scipy_entropy(np.unique(old, return_counts=True)[1])
        left = sum(
            (new == value).mean()
            * scipy_entropy(np.unique(old[new == value], return_counts=True)[1])
            for value in set(new)
        )
        expected = 100 * left / own if own else 0.0
        assert entropy_loss(before, after)[at] == pytest.approx(expected, abs=1e-9)


@either_way
@given(tables=pairs_of_tables())
def test_cramers_v_agrees_with_scipy(large, tables):
    before, _ = tables
    for i in range(before.shape[1]):
        for j in range(before.shape[1]):
            with counted(large):
                actual = frequency_tables.cramers_v(before[:, i], before[:, j])
            assert actual == pytest.approx(slow_v(before[:, i], before[:, j]), abs=1e-9)


@either_way
@given(tables=pairs_of_tables(), others=st.booleans())
def test_tables_and_associations_agree_with_pandas(large, tables, others):
    with counted(large):
        compare_with_pandas(tables, others)


def compare_with_pandas(tables, others):
    before, after = tables
    n, p = before.shape
    known = [np.isin(a, [-1, *b]) for a, b in zip(after.T, before.T, strict=True)]
    after = np.where(np.array(known).T, after, -1)
    other = (np.arange(n) % 3)[:, np.newaxis] if others else None
    one = [slow_distances(shares(b), shares(a)) for b, a in zip(before.T, after.T, strict=True)]
    actual = one_way_change(before, after)
    assert list(actual.values()) == pytest.approx(np.mean(one, axis=0), abs=1e-9)
    extended = [np.column_stack([t, *([other] if others else [])]) for t in tables]
    extended[1][:, :p] = after
    chosen = [(i, j) for i in range(p) for j in range(i + 1, extended[0].shape[1])]
    if not chosen:
        with raises(InputError, "one-column"):
            two_way_change(before, after, other)
        return
    two = [slow_distances(*(shares(t[:, i], t[:, j]) for t in extended)) for i, j in chosen]
    actual = two_way_change(before, after, other)
    assert list(actual.values()) == pytest.approx(np.mean(two, axis=0), abs=1e-9)
    change = [abs(np.subtract(*(slow_v(t[:, i], t[:, j]) for t in extended))) for i, j in chosen]
    expected = {"mean": np.mean(change), "greatest": np.max(change)}
    assert association_change(before, after, other) == pytest.approx(expected, abs=1e-9)


def people(n=600, seed=0):
    rng = np.random.default_rng(seed)
    region = rng.choice(["north", "south"], n)
    job = np.where(rng.random(n) < 0.7, np.where(region == "north", "smith", "clerk"), "nurse")
    return pd.DataFrame(
        {
            "region": region,
            "job": job,
            "ill": np.where((job == "smith") & (rng.random(n) < 0.8), "yes", "no"),
            "age": rng.integers(18, 80, n),
        }
    )


NAMES = (
    "values_unchanged", "levels_lost", "entropy_loss", "association_change", "one_way_change",
    "two_way_change",
)  # fmt: skip


def test_assess_compares_categories_of_any_two_tables():
    data = people()
    masked = data.assign(job=data["job"].replace("smith", "clerk"), age=data["age"] // 10)
    measures = shoal.assess(data, masked, quasi_identifiers=["region", "job", "age"],
                         confidential=["ill"])  # fmt: skip
    assert set(measures["values_unchanged"]) == {"region", "job"}  # age is a number
    kept = 100 * (data["job"] != "smith").mean()
    assert measures["values_unchanged"]["job"] == pytest.approx(kept)
    assert measures["levels_lost"] == {"region": 0.0, "job": pytest.approx(100 / 3)}
    assert measures["two_way_change"]["absolute"] > 0
    before, after = (slow_v(table["job"], table["ill"]) for table in (data, masked))
    assert measures["association_change"]["greatest"] >= abs(before - after)
    typed = shoal.assess(data, masked, quasi_identifiers=["age"], types={"age": "ordinal"},
                         measures=["levels_lost"])  # fmt: skip
    assert typed["levels_lost"] == {"age": pytest.approx(100)}  # 18 and more became 1 to 7
    numbers = shoal.assess(data, masked, quasi_identifiers=["age"])
    assert not set(NAMES) & set(numbers)
    assert set(NAMES) <= set(numbers.remarks)


def test_missing_values_count_as_a_category_of_their_own():
    data = people()
    masked = data.copy()
    masked.loc[:99, "job"] = None
    measures = shoal.assess(data, masked, quasi_identifiers=["job", "region"])
    assert measures["values_unchanged"]["job"] == pytest.approx(100 * 500 / 600)
    assert measures["one_way_change"]["absolute"] == pytest.approx(100 / 600 / 2)  # of two columns
    assert 0 < measures["entropy_loss"]["job"] < 20
    same = shoal.assess(masked, masked, quasi_identifiers=["job", "region"])
    assert same["values_unchanged"] == {"job": 100.0, "region": 100.0}
    assert same["entropy_loss"] == {"job": 0.0, "region": 0.0}


def test_tables_of_recoded_columns_are_not_compared_and_the_remark_says_so():
    data = people()
    steps = [Recode(["age"], bands=[40, 60]), Pram(["job"], stay=0.6, random_state=1)]
    release = Plan({"ill": "confidential"}, steps, other_columns="drop").run(data)
    measures = release.measures
    assert set(measures["entropy_loss"]) == {"age", "job"}
    assert measures["levels_lost"]["age"] == 100
    assert "'age'" in release.remarks["one_way_change"]
    expected = shoal.assess(data, release.data, quasi_identifiers=["job"], confidential=["ill"])
    for name in ("one_way_change", "two_way_change"):
        assert measures[name] == pytest.approx(expected[name])
    assert measures["association_change"]["greatest"] > 0
    whole = Plan({"ill": "confidential"}, [Generalise(["job", "region"], 300)], {
        "job": {"kind": "nominal", "hierarchy": [["smith", "any"], ["clerk", "any"],
                                                 ["nurse", "any"]]},
    }, other_columns="drop").run(data)  # fmt: skip
    assert whole.measures["levels_lost"]["job"] == 100
    assert set(whole.measures["entropy_loss"]) == {"job", "region"}


def test_the_report_shows_associations_and_a_table_by_column():
    release = Plan(
        {"ill": "confidential"}, [Pram(["job", "region"], stay=0.6, random_state=1)],
        other_columns="drop",
    ).run(people())  # fmt: skip
    entry = release.profile["associations"]
    assert entry["columns"] == ["job", "region", "ill"]
    data = people()
    assert entry["before"][0][2] == pytest.approx(slow_v(data["job"], data["ill"]), abs=1e-3)
    assert entry["after"][0][2] == pytest.approx(
        slow_v(release.data["job"], release.data["ill"]), abs=1e-3
    )
    page = render(summarise(release))
    assert "Associations of categories before and after" in page
    assert "By categorical column" in page
    numbers = Plan({}, [shoal.Microaggregate(["age"], shoal.METHODS["mdav"](k=3))],
                   other_columns="drop").run(data)  # fmt: skip
    assert not set(NAMES) & (set(numbers.measures) | set(numbers.remarks))
    assert numbers.profile["associations"] == {}
