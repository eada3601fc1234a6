"""ClosenessFirst: the slow twin, and the proven distances."""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raising import raises
from shoal.errors import ParameterError
from shoal.partitioners import ClosenessFirst
from shoal.partitioners._base import in_order
from shoal.partitioners.closeness_first import Layers, fewest_layers, proven_distance
from tables import tables_and_k
from twins import closeness_first as slow

T = st.sampled_from([Fraction(0), *(Fraction(1, d) for d in (50, 20, 10, 7, 5, 4, 3, 2, 1))])
KINDS = ["ordered", "categories"]


@st.composite
def cases(draw, most=14):
    """Draw a table, k, t and confidential values: all different, or many alike."""
    X, k = draw(tables_and_k(least=1, most=most))
    n = len(X)
    alike = st.lists(st.integers(0, draw(st.integers(0, 5))), min_size=n, max_size=n)
    values = draw(st.one_of(st.permutations(range(n)), alike))
    return X, k, draw(T), list(values)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=50)
@given(case=cases())
def test_groups_agree_with_the_slow_version_and_keep_the_proven_distance(kind, case):
    X, k, t, values = case
    model = ClosenessFirst(k=k, closeness=float(t), values=values, kind=kind).fit(X)
    labels, proven = slow.closeness_first(X, k, t, values, kind == "ordered")
    assert np.array_equal(model.labels_, in_order(labels))
    assert model.proven_ == pytest.approx(float(proven), abs=1e-12)
    assert slow.attained(labels, values, kind == "ordered") <= proven <= t
    assert model.partition_.sizes.min() >= k


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=50)
@given(case=cases(), seed=st.integers(0, 2**32 - 1))
def test_no_choice_of_records_from_the_layers_exceeds_the_proven_distance(kind, case, seed):
    _, k, _, values = case
    rng = np.random.default_rng(seed)
    number = len(values) // (len(values) // k)
    layers = [rng.permutation(layer).tolist() for layer in slow.layers(values, number)]
    bound = slow.proven(values, number, kind == "ordered")
    labels = np.empty(len(values), int)
    for group in range(len(values) // number):
        for layer in layers:
            for _ in range(2 if len(layer) > len(values) // number - group else 1):
                labels[layer.pop()] = group
    assert slow.attained(labels, values, kind == "ordered") <= bound


@given(k=st.integers(1, 12), groups=st.integers(1, 12))
def test_the_bound_for_different_values_is_that_of_the_paper_and_tight(k, groups):
    n = k * groups
    if n < 2:
        return
    layers = Layers(np.arange(n), np.full(k, groups), groups)
    bound = Fraction(n - k, 2 * (n - 1) * k)
    assert proven_distance(layers, "ordered") == pytest.approx(float(bound), abs=1e-15)
    # The lowest record of every layer makes a group that is just so far away.
    lowest = np.where(np.arange(n) % groups == 0, 0, 1)
    assert slow.attained(lowest, list(range(n)), True) >= bound


@given(n=st.integers(2, 200), k=st.integers(1, 20), t=T)
def test_the_size_for_different_values_is_that_of_the_paper_if_it_divides_n(n, k, t):
    k = min(k, n)
    size = max(k, ceil(n / (2 * (n - 1) * t + 1)))
    layers, proven = fewest_layers(np.arange(n), k, float(t), "ordered")
    assert proven <= t + 1e-12
    assert len(layers.sizes) >= size
    if n % size == 0:
        assert len(layers.sizes) == size


def test_groups_are_at_most_a_fifth_larger_than_in_the_paper_if_the_size_does_not_divide_n():
    for t, size in [(0.25, 3), (0.1, 5), (0.05, 10), (0.03, 17), (0.01, 48)]:
        assert size == max(3, ceil(1080 / (2 * 1079 * t + 1)))
        layers, _ = fewest_layers(np.arange(1080), 3, t, "ordered")
        assert size <= len(layers.sizes) <= 1.2 * size


def test_values_of_another_length_and_closeness_above_1_are_refused():
    with raises(ParameterError, "parameter-not-accepted", parameter="values"):
        ClosenessFirst(k=1, closeness=0.1, values=[1, 2]).fit([[0.0], [1], [2]])
    with raises(ParameterError, "parameter-not-accepted", parameter="closeness"):
        ClosenessFirst(k=1, closeness=1.1, values=[1, 2]).fit([[0.0], [1]])


def test_a_distance_of_zero_puts_all_values_into_one_group():
    model = ClosenessFirst(k=2, closeness=0, values=range(7)).fit(np.zeros((7, 1)))
    assert model.partition_.n_groups == 1
    even = ClosenessFirst(k=2, closeness=0, values=[0, 0, 1, 1]).fit([[0.0], [9], [1], [8]])
    assert even.labels_.tolist() == [0, 1, 0, 1]
