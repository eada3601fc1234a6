"""What captions of figures say of the groups in them."""

import numpy as np

from reproduction.mu_approx.example import companies
from reproduction.runs import group_labels
from reproduction.ward_mwa import growth


def sets(labels):
    """Return the groups as sets of records counted from 1."""
    return {frozenset(np.flatnonzero(labels == g) + 1) for g in range(labels.max() + 1)}


def test_six_vectors_are_grouped_as_in_figure_2_of_the_paper_on_mwa():
    lower, upper = (
        group_labels(growth.SIX_RECORDS, "mward", 3, descending=is_descending)
        for is_descending in (False, True)
    )
    assert sets(lower) == {frozenset({1, 2, 3}), frozenset({4, 5, 6})}
    assert sets(upper) == {frozenset({3, 4, 5}), frozenset({1, 2, 6})}


def test_nine_records_fall_into_groups_of_five_and_four():
    assert {len(group) for group in sets(group_labels(growth.NINE_RECORDS, "mward", 3))} == {4, 5}


def test_the_optimum_of_the_companies_is_that_of_the_paper():
    actual = sets(group_labels(companies(), "optimal", 3))
    assert actual == {frozenset({1, 2, 3, 10}), frozenset({4, 5, 9}), frozenset({6, 7, 8, 11})}
