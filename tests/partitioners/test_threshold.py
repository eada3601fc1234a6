"""Threshold clustering: the slow twin and the factor of the bottleneck."""

import numpy as np
import pytest
from hypothesis import given, settings

from example_counts import scaled_examples
from shoal.partitioners import Threshold
from shoal.partitioners._base import in_order
from tables import tables_and_k
from twins.mdav import labels_of
from twins.threshold import threshold
from twins.univariate import partitions


def diameter(X, labels):
    """Return the greatest distance between two records of a group."""
    return max(
        np.sqrt(((record - other) ** 2).sum())
        for group in range(labels.max() + 1)
        for record in X[labels == group]
        for other in X[labels == group]
    )


@given(case=tables_and_k(most=30))
def test_the_kernel_agrees_with_the_slow_version(case):
    X, k = case
    assert np.array_equal(Threshold(k=k).fit_predict(X), in_order(threshold(X, k)))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_kernel_agrees_with_the_slow_version_without_ties(k):
    X = np.random.default_rng(k).normal(size=(80, 3)) * [1, 10, 0.1]
    assert np.array_equal(Threshold(k=k).fit_predict(X), in_order(threshold(X, k)))


@given(case=tables_and_k(least=2, most=9, greatest=4))
@settings(max_examples=scaled_examples(25))
def test_the_bottleneck_is_within_four_times_the_least(case):
    X, k = case
    fitted = Threshold(k=k).fit(X)
    least = min(
        diameter(X, labels_of(groups, len(X))) for groups in partitions(list(range(len(X))), k)
    )
    assert fitted.diameter_bound_ <= least + 1e-9
    assert diameter(X, fitted.labels_) <= 4 * fitted.diameter_bound_ + 1e-9
