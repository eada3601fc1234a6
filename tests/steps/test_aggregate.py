"""The value that represents a group."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.steps.microaggregation.aggregates import (
    AGGREGATES,
    aggregate_present,
    group_geometric_mean,
    group_low_median,
    group_mean,
    group_median,
    group_mode,
    group_trimmed_mean,
)
from twins.mixed import low_median, mode, trimmed_mean

TRIMMED = partial(group_trimmed_mean, trim=0.2)
every_aggregate = pytest.mark.parametrize(
    "aggregate",
    [{"trimmed-mean": TRIMMED}.get(n, f) for n, f in AGGREGATES.items()],
    ids=AGGREGATES,
)

groups = st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 4)), min_size=1, max_size=30).map(
    lambda pairs: (
        np.array([v for v, _ in pairs]),
        np.unique([g for _, g in pairs], return_inverse=True)[1],
    )
)


@given(case=groups)
def test_mean_and_median_are_those_of_the_group(case):
    values, labels = case
    for group in np.unique(labels):
        members = values[labels == group]
        assert group_mean(values, labels)[labels == group] == pytest.approx(
            members.mean(), abs=1e-9
        )
        assert group_median(values, labels)[labels == group] == pytest.approx(np.median(members))


@every_aggregate
@given(value=st.floats(-1e300, 1e300), size=st.integers(1, 9))
def test_a_group_of_equal_values_keeps_exactly_that_value(aggregate, value, size):
    value = max(abs(value), 1e-300) if aggregate is group_geometric_mean else value
    values = np.full(size, value)
    assert np.array_equal(aggregate(values, np.zeros(size, np.int64)), values)


@every_aggregate
@given(case=groups)
def test_all_records_of_a_group_get_the_same_bits(aggregate, case):
    values, labels = case
    values = np.abs(values) + 1e-3 if aggregate is group_geometric_mean else values
    masked = aggregate(values, labels)
    for group in np.unique(labels):
        assert len({x.tobytes() for x in masked[labels == group]}) == 1


@given(case=groups, trim=st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.4, 0.5]))
def test_a_trimmed_mean_leaves_out_the_ends(case, trim):
    values, labels = case
    actual = group_trimmed_mean(values, labels, trim)
    for group in np.unique(labels):
        slow = trimmed_mean(values[labels == group].tolist(), trim)
        assert actual[labels == group] == pytest.approx(slow, abs=1e-6)


@given(case=groups)
def test_a_geometric_mean_is_the_mean_of_logarithms(case):
    values, labels = np.abs(case[0]) + 1e-3, case[1]
    actual = group_geometric_mean(values, labels)
    for group in np.unique(labels):
        slow = np.exp(np.log(values[labels == group]).mean())
        assert actual[labels == group] == pytest.approx(slow)


codes_and_labels = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30
).map(
    lambda pairs: (
        np.array([code for code, _ in pairs]),
        np.unique([group for _, group in pairs], return_inverse=True)[1],
    )
)


@given(case=codes_and_labels)
def test_mode_and_lower_median_agree_with_the_slow_version(case):
    codes, labels = case
    for group in np.unique(labels):
        members = codes[labels == group].tolist()
        assert set(group_mode(codes, labels)[labels == group]) == {mode(members, codes.tolist())}
        assert set(group_low_median(codes, labels)[labels == group]) == {low_median(members)}


@given(case=codes_and_labels, seed=st.integers(0, 99))
def test_ties_do_not_depend_on_the_order_of_the_records(case, seed):
    codes, labels = case
    order = np.random.default_rng(seed).permutation(len(codes))
    for function in (group_mode, group_low_median):
        turned = function(codes[order], labels[order])
        assert np.array_equal(turned, function(codes, labels)[order])


@given(case=groups, bits=st.one_of(st.integers(0, 2**30 - 1), st.just(2**30 - 1)))
def test_missing_values_take_no_part_and_a_group_of_them_stays_missing(case, bits):
    values, labels = case
    is_missing = np.array([bits >> i & 1 for i in range(len(values))], bool)
    for aggregate in (TRIMMED, group_median, group_geometric_mean):
        positive = np.where(is_missing, np.nan, np.abs(values) + 1)
        none = ~np.isin(labels, labels[~is_missing])
        assert np.array_equal(
            np.isnan(aggregate_present(aggregate, positive, labels, is_missing, np.nan)), none
        )
    result = aggregate_present(
        group_mean, np.where(is_missing, np.nan, values), labels, is_missing, np.nan
    )
    for group in np.unique(labels):
        present_values = values[(labels == group) & ~is_missing]
        released = result[labels == group]
        assert (
            np.isnan(released).all()
            if not len(present_values)
            else released == pytest.approx(present_values.mean(), abs=1e-9)
        )
