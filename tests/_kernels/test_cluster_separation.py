"""Clusters of records that a fractional solution violates, against plain counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.column_generation.cluster_separation import FractionalGroups, grow_cluster
from shoal.partitioners._column_generation.columns import Columns, incidence
from shoal.partitioners._column_generation.separation import violated_clusters


def fractional(groups, weights, n):
    """Return groups of different sizes as the search needs them."""
    members = np.full((len(groups), max(map(len, groups)) + 1), -1)
    for row, group in zip(members, groups, strict=True):
        row[: len(group)] = sorted(group)
    sizes = np.array([len(group) for group in groups])
    return FractionalGroups(members, sizes, np.array(weights), *incidence(members, n))


def violation_of(groups, weights, cluster, divisor):
    """Return by how much the weight of the groups exceeds what is possible."""
    counts = [len({*group} & {*cluster}) // divisor for group in groups]
    return float(np.dot(counts, weights)) - len(cluster) // divisor


@given(seed=st.integers(0, 10**6), divisor=st.integers(2, 5))
def test_the_violation_of_a_cluster_is_that_of_plain_counting(seed, divisor):
    rng, n = np.random.default_rng(seed), 14
    groups = [rng.choice(n, rng.integers(4, 8), replace=False).tolist() for _ in range(12)]
    weights, cluster = rng.uniform(0.05, 0.6, 12), np.zeros(n, bool)
    for first in [*map(np.array, groups[:4]), np.array([0])]:
        cluster[:] = False
        actual = grow_cluster(fractional(groups, weights, n), first, divisor, 12, cluster)
        records = np.flatnonzero(cluster)
        assert len(records) <= 12
        assert actual == pytest.approx(max(0.0, violation_of(groups, weights, records, divisor)))


@pytest.mark.parametrize(
    ("around", "size", "outside", "divisor", "expected"),
    [(12, 10, 0, 10, 0.2), (5, 3, 1, 3, 2 / 3), (7, 4, 2, 4, 3 / 4), (9, 5, 2, 5, 4 / 5)],
)
def test_groups_around_a_circle_violate_a_cluster(around, size, outside, divisor, expected):
    """Every record of the circle is covered once, by groups that have records of their own."""
    groups = [
        [(i + step) % around for step in range(size)]
        + [around + outside * i + one for one in range(outside)]
        for i in range(around)
    ]
    n, cluster = around * (1 + outside), np.zeros(around * (1 + outside), bool)
    weights = [1 / size] * around
    for first in (groups[0], [0]):
        cluster[:] = False
        records = np.array(first)
        actual = grow_cluster(fractional(groups, weights, n), records, divisor, 15, cluster)
        assert actual == pytest.approx(expected)
        assert np.flatnonzero(cluster).tolist() == list(range(around))


def test_expensive_clusters_come_first_and_cheap_or_known_ones_are_left_out():
    X = np.arange(24.0)[:, None] * np.repeat([1.0, 100.0], 12)[:, None]
    columns, circle = Columns(X, 10), (np.arange(12)[:, None] + np.arange(10)) % 12
    columns.add(circle)
    columns.add(circle + 12)
    weights = np.full(24, 0.1)
    clusters, divisors = violated_clusters(columns, weights, 5, (10,))
    assert [row[row >= 0].tolist() for row in clusters] == [[*range(12, 24)], [*range(12)]]
    assert divisors.tolist() == [10, 10]
    assert len(violated_clusters(columns, weights, 1, (10,))[0]) == 1
    few, _ = violated_clusters(columns, weights, 5, (10,), least_saving=columns.costs.min())
    assert [row[row >= 0].tolist() for row in few] == [[*range(12, 24)]]
    columns.clusters, columns.divisors = clusters, divisors
    assert len(violated_clusters(columns, weights, 5, (10,))[0]) == 0
