"""The value that stands for a group."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.mask.aggregate import AGGREGATES, group_mean, group_median

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


@pytest.mark.parametrize("aggregate", AGGREGATES.values(), ids=AGGREGATES)
@given(value=st.floats(-1e300, 1e300), size=st.integers(1, 9))
def test_a_group_of_equal_values_keeps_exactly_that_value(aggregate, value, size):
    values = np.full(size, value)
    assert np.array_equal(aggregate(values, np.zeros(size, np.int64)), values)


@pytest.mark.parametrize("aggregate", AGGREGATES.values(), ids=AGGREGATES)
@given(case=groups)
def test_all_records_of_a_group_get_the_same_bits(aggregate, case):
    values, labels = case
    masked = aggregate(values, labels)
    for group in np.unique(labels):
        assert len({x.tobytes() for x in masked[labels == group]}) == 1
