"""The second phase by itself."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.mdav import mdav1
from shoal.partitioners import MDAV1
from shoal.partitioners._base import in_order
from shoal.partitioners._second_phase import second_phase
from tables import tables_and_k
from twins.mdav1 import mdav1 as slow_mdav1
from twins.second_phase import second_phase as slow


@given(case=tables_and_k(least=6, greatest=3), data=st.data())
def test_the_numbers_of_the_groups_do_not_matter(case, data):
    X, k = case
    labels = MDAV1(k=k).fit_predict(X)
    renumber = np.array(data.draw(st.permutations(range(labels.max() + 1))))
    renumbered = second_phase(X, renumber[labels], k, mdav1)
    assert np.array_equal(in_order(renumbered), in_order(slow(X, labels, k, slow_mdav1)))


def test_groups_of_equal_sse_are_visited_by_their_first_records():
    # Both pairs would dissolve into their neighbours, and only the first visited does.
    X = np.array([[0.0], [0.0], [4.0], [6.0], [10.0], [10.0], [5.0], [7.0]])
    labels = np.array([0, 0, 2, 1, 3, 3, 2, 1])
    expected = slow(X, labels, 2, slow_mdav1)
    for numbers in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        actual = second_phase(X, np.array(numbers)[labels], 2, mdav1)
        assert np.array_equal(in_order(actual), in_order(expected))
