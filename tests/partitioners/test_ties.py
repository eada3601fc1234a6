"""Ties on whole numbers, against exact fractions: the rule that the documentation states."""

from fractions import Fraction

import numpy as np
from hypothesis import given

from shoal.partitioners import MDAV
from shoal.partitioners._base import in_order
from tables import tables_and_k
from twins.mdav import labels_of

# Two records lie at a squared distance of 65/36 from the mean of all.
ROUNDED = np.array([[0, 0], [2, 1], [0, 2], [1, 0], [0, 2], [1, 2]], float)


def exact_mdav(X, k):
    """Return the groups of MDAV in fractions, and whether two records tied at a mean."""
    rows = [[Fraction(int(value)) for value in row] for row in X]
    left, groups, tied = list(range(len(X))), [], False

    def squared(i, point):
        return sum((a - b) ** 2 for a, b in zip(rows[i], point, strict=True))

    def take(point):
        groups.append(sorted(left, key=lambda i: (squared(i, point), i))[:k])
        left[:] = [i for i in left if i not in groups[-1]]

    def outermost():
        nonlocal tied
        mean = [sum(rows[i][j] for i in left) / len(left) for j in range(X.shape[1])]
        far = max(squared(i, mean) for i in left)
        level = [i for i in left if squared(i, mean) == far]
        tied = tied or any(rows[i] != rows[level[0]] for i in level)
        return level[0]

    while len(left) >= 3 * k:
        r = outermost()
        s = max(left, key=lambda i: (squared(i, rows[r]), -i))
        take(rows[r])
        take(rows[s])
    if len(left) >= 2 * k:
        take(rows[outermost()])
    if left:
        groups.append(left)
    return in_order(labels_of(groups, len(X))), tied


@given(case=tables_and_k(values=6))
def test_without_ties_at_a_mean_whole_numbers_are_grouped_exactly(case):
    X, k = case
    labels, tied = exact_mdav(X, k)
    assert tied or np.array_equal(MDAV(k=k).fit_predict(X), labels)


def test_a_tie_at_a_mean_may_be_broken_by_the_last_digit():
    labels, tied = exact_mdav(ROUNDED, 2)
    assert tied
    assert not np.array_equal(MDAV(k=2).fit_predict(ROUNDED), labels)


def test_a_tie_at_a_mean_that_needs_no_rounding_goes_to_the_record_that_comes_first():
    X = np.array([[0.0], [4], [1], [3], [0], [4]])
    labels, tied = exact_mdav(X, 2)
    assert tied
    assert np.array_equal(MDAV(k=2).fit_predict(X), labels)
