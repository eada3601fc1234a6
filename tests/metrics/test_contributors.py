"""Records that contribute to a released value, counted by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.metrics.findings.contributors import count_contributors

cells = st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(0, 3)), max_size=20)


@given(table=cells)
def test_contributors_are_the_records_or_units_with_a_value(table):
    labels = np.array([group for group, _, _ in table], np.int64)
    has = np.array([value for _, value, _ in table], bool)
    units = np.array([unit for _, _, unit in table], np.int64)
    number = max((group for group, _, _ in table), default=-1) + 1
    records = [sum(g == at and v for g, v, _ in table) for at in range(number)]
    persons = [len({u for g, v, u in table if g == at and v}) for at in range(number)]
    assert count_contributors(labels, has).tolist() == records
    assert count_contributors(labels, has, units).tolist() == persons
