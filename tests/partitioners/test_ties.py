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
    remaining, groups, has_tie = list(range(len(X))), [], False

    def squared(record, point):
        return sum((a - coordinate) ** 2 for a, coordinate in zip(rows[record], point, strict=True))

    def form_group(point):
        groups.append(sorted(remaining, key=lambda record: (squared(record, point), record))[:k])
        remaining[:] = [record for record in remaining if record not in groups[-1]]

    def outermost():
        nonlocal has_tie
        mean = [
            sum(rows[record][column] for record in remaining) / len(remaining)
            for column in range(X.shape[1])
        ]
        greatest = max(squared(record, mean) for record in remaining)
        outermost_records = [record for record in remaining if squared(record, mean) == greatest]
        has_tie = has_tie or any(
            rows[record] != rows[outermost_records[0]] for record in outermost_records
        )
        return outermost_records[0]

    while len(remaining) >= 3 * k:
        first = outermost()
        second = max(remaining, key=lambda record: (squared(record, rows[first]), -record))
        form_group(rows[first])
        form_group(rows[second])
    if len(remaining) >= 2 * k:
        form_group(rows[outermost()])
    if remaining:
        groups.append(remaining)
    return in_order(labels_of(groups, len(X))), has_tie


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
