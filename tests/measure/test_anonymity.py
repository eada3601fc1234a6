"""Classes, counted by hand."""

from collections import Counter

import numpy as np
from hypothesis import given

from shoal.measure import class_sizes, smallest_class
from tables import tables


@given(X=tables(columns=4))
def test_classes_are_counted_as_one_would_by_hand(X):
    counts = Counter(map(tuple, X.tolist()))
    assert smallest_class(X) == min(counts.values())
    assert class_sizes(X) == dict(sorted(Counter(counts.values()).items()))


def test_many_columns_of_many_values_do_not_collide():
    rng = np.random.default_rng(0)
    half = rng.integers(0, 10**6, size=(2000, 40))
    assert class_sizes(np.vstack([half, half])) == {2: 2000}


def test_values_that_differ_in_the_last_bit_are_different():
    X = np.array([[0.1], [0.1], [np.nextafter(0.1, 1)], [np.nextafter(0.1, 1)]])
    assert class_sizes(X) == {2: 2}
