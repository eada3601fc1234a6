"""Values are swapped within groups."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.frame import tables
from shoal.frame.replacement import with_values
from shoal.partitioners import MDAV, Partition
from shoal.steps import Microaggregate, Swap
from tables import tables_and_k


def applied(step, data):
    frame = tables.open_frame(data)
    outcome = step.apply(frame, [])
    return tables.to_native(with_values(frame, outcome.values)), outcome


@given(case=tables_and_k(values=9), seed=st.integers(0, 2**31))
def test_values_stay_in_their_group_and_none_is_lost(case, seed):
    X, k = case
    data = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    masked, outcome = applied(Swap(list(data.columns), MDAV(k=k), random_state=seed), data)
    groups = outcome.partitions[0]
    plain = Microaggregate(list(data.columns), MDAV(k=k)).apply(tables.open_frame(data), [])
    assert np.array_equal(groups.labels, plain.partitions[0].labels)
    for name in data.columns:
        for group in range(groups.n_groups):
            inside = groups.labels == group
            assert sorted(masked[name][inside]) == sorted(data[name][inside])


def test_all_orders_of_a_group_are_equally_likely_and_columns_independent():
    frame = tables.open_frame(pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]}))
    step, groups, rng = (
        Swap(["a", "b"], MDAV(k=3)),
        Partition(np.zeros(3, int), 3),
        np.random.default_rng(5),
    )
    masked_columns = [step._mask_groups(frame, groups, rng) for _ in range(3600)]
    counts = pd.Series(
        [(*values["a"].records, *values["b"].records) for values in masked_columns]
    ).value_counts()
    orders = [(*a, *b) for a in permutations(range(3)) for b in permutations(range(3))]
    assert set(counts.index) == set(orders)
    # 36 equally likely outcomes, 100 expected of each: chi-squared with 35 degrees of freedom,
    # exceeded once in a thousand runs.
    assert ((counts - 100) ** 2 / 100).sum() < 66.6


def test_types_and_strata_stay():
    data = pd.DataFrame(
        {"a": np.arange(12, dtype="int16"), "b": np.arange(12) / 2, "s": list("xy") * 6}
    )
    masked, outcome = applied(Swap(["a", "b"], MDAV(k=3), within="s", random_state=0), data)
    assert masked.dtypes.equals(data.dtypes)
    assert sorted(masked["a"][::2]) == list(range(0, 12, 2))
    assert outcome.partitions[0].n_groups == 4


def test_texts_and_dates_are_swapped_too():
    data = pd.DataFrame(
        {
            "sex": pd.Categorical(list("fmfm") * 3),
            "born": pd.date_range("1970-01-01", periods=12, freq="MS"),
            "ill": [True, False, False] * 4,
        }
    )
    masked, outcome = applied(Swap(list(data.columns), MDAV(k=3), random_state=0), data)
    assert masked.dtypes.equals(data.dtypes)
    for name in data.columns:
        for group in range(outcome.partitions[0].n_groups):
            inside = outcome.partitions[0].labels == group
            assert sorted(masked[name][inside]) == sorted(data[name][inside])


@pytest.mark.parametrize("k", [2, 5])
def test_an_attacker_who_knows_all_columns_links_at_most_one_in_k_on_average(k):
    """The right record is the one with the person's confidential value."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    data = pd.DataFrame(X, columns=list("abc"))
    hits = []
    for seed in range(40):
        masked, _ = applied(Swap(list("abc"), MDAV(k=k), random_state=seed), data)
        gaps = ((masked.to_numpy()[:, None] - X) ** 2).sum(axis=2)
        hits.append((gaps.argmin(axis=0) == np.arange(60)).mean())
    assert np.mean(hits) < 1 / k + 0.02
