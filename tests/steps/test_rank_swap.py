"""Values are swapped with values of nearly the same rank."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal._kernels.rank_swap import swap_partners
from shoal.errors import InputError
from shoal.frame import tables
from shoal.frame.replacement import with_values
from shoal.steps import RankSwap
from shoal.steps.rank_swap import swap_ranks
from tables import tables as random_tables
from twins import rank_swap as slow


@given(n=st.integers(1, 60), window=st.integers(1, 70), seed=st.integers(0, 2**32 - 1))
def test_partners_agree_with_the_slow_version(n, window, seed):
    chance = np.random.default_rng(seed).random(n)
    records = swap_partners(window, chance)
    assert records.tolist() == slow.partners(window, chance)
    assert np.array_equal(records[records], np.arange(n))  # values are swapped in pairs
    assert np.abs(records - np.arange(n)).max() <= window


@given(X=random_tables(least=2, values=9), percent=st.floats(50, 100), seed=st.integers(0, 2**31))
def test_no_value_leaves_its_window_and_none_is_lost(X, percent, seed):
    data = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    frame = tables.open_frame(data)
    outcome = RankSwap(list(data.columns), percent, random_state=seed).apply(frame, [])
    masked = tables.to_native(with_values(frame, outcome.values))
    window = int(percent * len(X) / 100 + 1e-9)
    for name in data.columns:
        ranked = np.sort(data[name])
        assert np.array_equal(np.sort(masked[name]), ranked)
        # With ties a value has a run of ranks; the new one is near some of them.
        first_rank = np.searchsorted(ranked, data[name], side="left")
        last = np.searchsorted(ranked, data[name], side="right") - 1
        assert (masked[name] >= ranked[np.maximum(first_rank - window, 0)]).all()
        assert (masked[name] <= ranked[np.minimum(last + window, len(ranked) - 1)]).all()


def test_all_free_ranks_of_the_window_are_equally_likely():
    column = np.arange(6.0)
    met = [swap_ranks(column, 3, np.random.default_rng(seed))[0] for seed in range(3000)]
    counts = np.bincount(met, minlength=6)
    assert counts[[0, 4, 5]].tolist() == [0, 0, 0]
    # Chi-squared with two degrees of freedom: exceeded once in a thousand runs.
    assert ((counts[1:4] - 1000) ** 2 / 1000).sum() < 13.8


def test_whole_numbers_stay_whole_and_a_window_of_less_than_one_rank_is_refused():
    frame = tables.open_frame(pd.DataFrame({"a": range(10)}))
    values = RankSwap(["a"], 100, random_state=0).apply(frame, []).values
    assert tables.to_native(with_values(frame, values))["a"].dtype == np.int64
    with raises(InputError, "no-value-moves", percent=9):
        RankSwap(["a"], 9).apply(frame, [])
