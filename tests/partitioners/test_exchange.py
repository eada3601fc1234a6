"""Groups exchange records to come closer to the table."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal._kernels.t_closeness_exchange import ordered_distance, unordered_distance
from shoal.partitioners import MDAV
from shoal.partitioners._base import in_order
from shoal.partitioners.constraints.exchange import exchange
from tables import tables_and_k
from twins import exchange as slow


@st.composite
def cases(draw):
    Z, k = draw(tables_and_k(least=2, most=16, values=9))
    columns = draw(st.integers(1, 2))
    ranks = np.column_stack(
        [
            np.unique(
                draw(st.lists(st.integers(0, 4), min_size=len(Z), max_size=len(Z))),
                return_inverse=True,
            )[1]
            for _ in range(columns)
        ]
    )
    ordered = np.array(draw(st.lists(st.booleans(), min_size=columns, max_size=columns)))
    # Denominators that no sum of shares of so few records can meet: no distance is near t.
    t = draw(st.sampled_from([0, Fraction(10007, 100003), Fraction(30011, 100003)]))
    return Z, k, ranks, ordered, t


@settings(max_examples=60)
@given(case=cases())
def test_groups_keep_their_sizes_and_none_disappears(case):
    Z, k, ranks, ordered, t = case
    totals = [np.bincount(column) for column in ranks.T]
    groups = MDAV(k=k).fit(Z).partition_
    exchanged = exchange(Z, groups, ranks, ordered, totals, float(t))
    assert sorted(exchanged.sizes) == sorted(groups.sizes)

    def distances(labels):
        members = [np.flatnonzero(labels == g) for g in range(labels.max() + 1)]
        return sorted(
            slow.distance_from_table(records, ranks, ordered, totals) for records in members
        )

    original_distances, new_distances = distances(groups.labels), distances(exchanged.labels)
    assert max(new_distances) <= max(t, max(original_distances))
    assert sum(d > t for d in new_distances) <= sum(d > t for d in original_distances)


@settings(max_examples=60)
@given(case=cases())
def test_groups_agree_with_the_slow_version(case):
    Z, k, ranks, _, t = case
    # Distances in halves, so that a comparison of floats is one of fractions.
    ranks = (ranks > 1).astype(np.int64)
    n = 1 << (len(Z).bit_length() - 1)
    Z, ranks = Z[:n], ranks[:n]
    ordered = np.zeros(ranks.shape[1], bool)
    totals = [np.bincount(column, minlength=2) for column in ranks.T]
    groups = MDAV(k=2 if n > 1 else 1).fit(Z).partition_
    exchanged = exchange(Z, groups, ranks, ordered, totals, float(t))
    expected = slow.exchange(Z, groups.labels, ranks, ordered, totals, t)
    assert np.array_equal(exchanged.labels, in_order(expected))


@given(
    column=st.lists(st.integers(0, 6), min_size=1, max_size=30),
    picks=st.lists(st.integers(0, 29), min_size=1, max_size=8),
)
def test_kernels_measure_the_earth_mover_s_distance(column, picks):
    rank = np.unique(column, return_inverse=True)[1]
    group = np.sort(rank[[pick % len(rank) for pick in picks]])
    total = np.bincount(rank)
    cumulative_counts = np.cumsum(total)
    cumulative_sums = np.concatenate([[0], np.cumsum(cumulative_counts)])
    expected_ordered = slow.distance_from_table(range(len(group)), group[:, None], [True], [total])
    expected_unordered = slow.distance_from_table(
        range(len(group)), group[:, None], [False], [total]
    )
    assert ordered_distance(group, cumulative_counts, cumulative_sums) == pytest.approx(
        float(expected_ordered), abs=1e-12
    )
    assert unordered_distance(group, cumulative_counts) == pytest.approx(
        float(expected_unordered), abs=1e-12
    )
