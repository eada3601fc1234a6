"""Top and bottom coding, and rounding."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal import Plan
from shoal.errors import InputError
from shoal.frame import tables
from shoal.steps import Round, TopBottomCode

columns = st.lists(st.integers(-20, 20), min_size=10, max_size=40)


def applied(step, values):
    return step.apply(tables.open_frame(pd.DataFrame({"a": values})), []).values["a"]


@given(values=columns, top=st.integers(-20, 20), bottom=st.integers(-30, -21))
def test_values_beyond_a_threshold_become_the_threshold(values, top, bottom):
    masked = applied(TopBottomCode(["a"], top=top, bottom=bottom), values)
    assert masked.tolist() == [min(value, top) for value in values]
    assert masked.dtype == np.int64
    lower = applied(TopBottomCode(["a"], bottom=top), values)
    assert lower.tolist() == [max(value, top) for value in values]


@given(values=columns, share=st.floats(0.3, 0.5))
def test_a_share_of_the_records_looks_alike_at_the_end(values, share):
    masked = applied(TopBottomCode(["a"], top_share=share), values)
    coded = masked == masked.max()
    assert coded.sum() >= share * len(values) - 1e-9
    assert np.array_equal(masked[~coded], np.array(values)[~coded])
    assert (np.array(values)[coded] >= masked.max()).all()
    turned = applied(TopBottomCode(["a"], bottom_share=share), [-value for value in values])
    assert np.array_equal(turned, -masked)


@given(values=columns)
def test_the_mean_of_the_coded_values_keeps_the_mean_of_the_column(values):
    step = TopBottomCode(["a"], top_share=0.3, bottom_share=0.3, replacement="mean")
    assert applied(step, values).mean() == pytest.approx(np.mean(values), abs=1e-12)


def test_means_and_shares_that_reveal_records_are_refused():
    step = TopBottomCode(["a"], top=7, replacement="mean")
    with raises(InputError, "mean-gives-away", column="a", end="top"):
        applied(step, range(10))
    assert applied(step, range(7)).tolist() == list(range(7))
    with raises(InputError, "share-too-small", end="bottom", share=0.2):
        applied(TopBottomCode(["a"], bottom_share=0.2), range(10))


@given(values=columns, base=st.sampled_from([1, 3, 0.25, 7.5, 100]))
def test_rounded_values_are_the_nearest_multiples(values, base):
    masked = applied(Round(["a"], base), values)
    assert np.allclose(masked / base, np.rint(masked / base))
    assert (np.abs(masked - values) <= base / 2 + 1e-9).all()
    assert (masked.dtype == np.int64) == (float(base).is_integer() or (masked % 1 == 0).all())
    assert not np.signbit(np.float64(masked[masked == 0])).any()


@given(values=columns, seed=st.integers(0, 2**31))
def test_random_rounding_goes_to_a_neighbour_and_leaves_multiples(values, seed):
    masked = applied(Round(["a"], 4, mode="random", random_state=seed), values)
    low = np.floor(np.array(values) / 4) * 4
    assert ((masked == low) | (masked == low + 4)).all()
    exact = np.array(values) % 4 == 0
    assert np.array_equal(masked[exact], np.array(values)[exact])


def test_random_rounding_is_right_on_average():
    values = np.repeat([1, 2, 3], 20_000)
    masked = applied(Round(["a"], 4, mode="random", random_state=0), values)
    for value, part in zip([1, 2, 3], np.split(masked, 3), strict=True):
        # Standard error of the mean: at most 2 / sqrt(20000).
        assert part.mean() == pytest.approx(value, abs=4 * 2 / np.sqrt(20_000))


def test_a_base_that_is_too_small_is_refused():
    with raises(InputError, "base-too-small", base=1e-300):
        applied(Round(["a"], 1e-300), [1e200, 2.0])


def test_a_plan_with_the_former_name_of_the_mode_loads():
    entry = {"method": "round", "columns": ["a"], "base": 4, "way": "random"}
    plan = Plan.from_dict({"version": 1, "roles": {"a": "quasi-identifier"}, "steps": [entry]})
    assert plan.steps[0].mode == "random"
    assert plan.to_dict()["steps"][0]["mode"] == "random"
