"""Mutual information and delta-disclosure, against sums over all pairs."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.metrics import delta_disclosure, mutual_information

pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30)


def slow(rows):
    """Return both measures by the definition."""
    n, bits, most = len(rows), 0.0, 0.0
    for group, value in set(rows):
        both = rows.count((group, value)) / n
        one = sum(g == group for g, _ in rows) / n
        other = sum(v == value for _, v in rows) / n
        bits += both * log(both / (one * other), 2)
        most = max(most, abs(log(both / one / other)))
    return bits, most


@given(rows=pairs)
def test_both_measures_agree_with_their_definitions(rows):
    released, values = (np.array([[row[at]] for row in rows]) for at in (0, 1))
    bits, most = slow(rows)
    assert mutual_information(released, values) == pytest.approx([bits], abs=1e-12)
    assert delta_disclosure(released, values) == pytest.approx([most], abs=1e-12)


def test_classes_like_the_table_reveal_nothing_and_single_records_everything():
    values = np.array([[0], [1], [0], [1]])
    alike, apart = np.array([[1], [1], [2], [2]]), np.arange(4)[:, None]
    assert mutual_information(alike, values).tolist() == [0]
    assert delta_disclosure(alike, values).tolist() == [0]
    assert mutual_information(apart, values).tolist() == [1]  # the entropy of the column
    assert delta_disclosure(apart, values) == pytest.approx([log(2)])
