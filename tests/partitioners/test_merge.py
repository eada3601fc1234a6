"""Groups that fail a test join their neighbours."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.errors import InputError
from shoal.partitioners import MDAV, Partition
from shoal.partitioners.constraints.merge import merge_failing
from tables import tables_and_k


def slow(Z, labels, passes):
    """Merge as the docstring says: the first failing group, the nearest centroid, again."""
    groups = [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]
    while failing := [group for group in groups if not passes(np.array(group))]:
        first = failing[0]
        others = [group for group in groups if group is not first]
        centre = Z[first].mean(axis=0)
        nearest = min(others, key=lambda group: ((Z[group].mean(axis=0) - centre) ** 2).sum())
        groups = [group for group in groups if group is not first and group is not nearest]
        groups = sorted([*groups, sorted(first + nearest)])
    merged = np.empty(len(Z), int)
    for label, group in enumerate(groups):
        merged[group] = label
    return merged


@given(case=tables_and_k(least=2, values=9), data=st.data())
def test_merging_agrees_with_the_slow_version(case, data):
    Z, k = case
    confidential = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=len(Z), max_size=len(Z)))
    )
    min_distinct = data.draw(st.integers(1, len(np.unique(confidential))))

    def passes(records):
        return len(np.unique(confidential[records])) >= min_distinct

    groups = MDAV(k=k).fit(Z).partition_
    merged = merge_failing(Z, groups, passes)
    assert merged.k == k
    assert all(passes(np.flatnonzero(merged.labels == g)) for g in range(merged.n_groups))
    # Each new group is made of whole old ones.
    assert len(np.unique(merged.labels + 1000 * groups.labels)) == groups.n_groups
    assert np.array_equal(merged.labels, slow(Z, groups.labels, passes))


def test_groups_that_pass_the_test_stay_unchanged():
    groups = Partition(np.array([0, 0, 1, 1]), k=2)
    merged = merge_failing(np.arange(4.0)[:, np.newaxis], groups, lambda records: True)
    assert merged.labels.tolist() == [0, 0, 1, 1]


def test_ties_go_to_the_group_that_comes_first():
    Z = np.array([[0.0], [0.0], [2.0], [2.0], [4.0], [4.0]])
    groups = Partition(np.array([0, 0, 1, 1, 2, 2]), k=2)
    merged = merge_failing(Z, groups, lambda records: len(records) > 2 or 2 not in records)
    assert merged.labels.tolist() == [0, 0, 0, 0, 1, 1]


def test_a_failing_group_that_was_joined_and_passes_is_left_alone():
    # Groups 0 and 1 fail; once joined they pass, and group 2 keeps its place.
    Z = np.array([[0.0], [0.0], [1.0], [1.0], [9.0], [9.0]])
    groups = Partition(np.array([0, 0, 1, 1, 2, 2]), k=2)
    merged = merge_failing(Z, groups, lambda records: len(records) > 2 or 4 in records)
    assert merged.labels.tolist() == [0, 0, 0, 0, 1, 1]


def test_a_test_that_all_records_fail_is_refused():
    groups = Partition(np.array([0, 0, 1, 1]), k=2)
    with raises(InputError, "merging-does-not-help"):
        merge_failing(np.arange(4.0)[:, np.newaxis], groups, lambda records: False)
