"""Groups in which k counts units, by every method."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

from raising import raises
from shoal._kernels.units.groups import count_of, move_record, open_unit_groups
from shoal._params import signature_parameters
from shoal.errors import InputError
from shoal.partitioners import METHODS, partitioner
from shoal.partitioners._base import sse
from shoal.partitioners.constraints.merge import merge_failing
from shoal.partitioners.constraints.units import ensure_units, fewest_units, group_units
from tables import tables
from twins.units import fewest, optimum

every_method = pytest.mark.parametrize("method", METHODS)
NEEDS = {
    "univariate": {"order": "first-component"},
    "search": {"rounds": 1},
    "prove": {"budget": 0},
}


@st.composite
def panels(draw, most=30, values=4):
    """Draw records, their units and a k that the units allow; few values and long units."""
    X = draw(tables(least=2, most=most, values=values))
    units = draw(arrays(np.int64, len(X), elements=st.integers(0, draw(st.integers(1, 12)))))
    n_units = len(np.unique(units))
    assume(n_units >= 2)
    return X, units, draw(st.integers(2, min(5, n_units)))


def grouped(X, units, k, method):
    cls = METHODS[method]
    k = k if signature_parameters(cls)["k"].accepts(k) else 2
    max_records = cls.facts.max_records or len(X)
    X, units = X[:max_records], units[:max_records]
    if len(np.unique(units)) < k:
        assume(False)
    return (
        X,
        units,
        k,
        group_units(X, units, partitioner(method, {"k": k, **NEEDS.get(method, {})})),
    )


@every_method
@given(case=panels())
def test_every_group_has_k_units(method, case):
    X, units, k, partition = grouped(*case, method)
    assert len(partition.labels) == len(X)
    assert fewest(partition.labels, units) >= k
    assert fewest_units(partition.labels, units) == fewest(partition.labels, units)


@every_method
def test_units_of_one_record_change_nothing(method):
    rng = np.random.default_rng(0)
    X, units, k, _ = grouped(rng.normal(size=(24, 2)), rng.permutation(24), 3, method)
    plain = partitioner(method, {"k": k, **NEEDS.get(method, {})})
    if "random_state" in plain.get_params():
        plain.set_params(random_state=0)
    labels = group_units(X, units, clone(plain))
    assert np.array_equal(labels.labels, plain.fit(X).labels_)


@settings(max_examples=60)
@given(case=panels(most=8), seed=st.integers(0, 3))
def test_no_groups_have_less_loss_than_the_optimum(case, seed):
    X, units, k = case
    X = X + 0.1 * np.random.default_rng(seed).normal(size=X.shape)
    least = optimum(X, units, k)
    labels = group_units(X, units, partitioner("mdav", {"k": k}))
    assert sse(X, labels.labels) >= least * (1 - 1e-9)


def test_the_loss_is_near_the_optimum_and_below_that_of_merging():
    rng = np.random.default_rng(0)
    losses, least_losses, merged_losses, n_optimal = [], [], [], 0
    for case in range(30):
        units = rng.integers(0, 6, 9)
        X = rng.normal(size=(9, 2)) + (rng.normal(size=(6, 2))[units] if case % 2 else 0)
        if len(np.unique(units)) < 4:
            continue
        plain = partitioner("auto", {"k": 2}).fit(X).partition_
        merged = merge_failing(X, plain, lambda r, units=units: len(np.unique(units[r])) >= 2)
        total = ((X - X.mean(axis=0)) ** 2).sum()
        losses.append(sse(X, group_units(X, units, partitioner("auto", {"k": 2})).labels) / total)
        least_losses.append(optimum(X, units, 2) / total)
        merged_losses.append(sse(X, merged.labels) / total)
        n_optimal += losses[-1] <= least_losses[-1] * (1 + 1e-9)
    assert n_optimal >= 0.6 * len(losses)
    assert np.mean(losses) < np.mean(least_losses) + 0.2 * (
        np.mean(merged_losses) - np.mean(least_losses)
    )


def test_equal_records_of_a_unit_do_not_make_groups_of_one_unit():
    rng = np.random.default_rng(3)
    units = np.repeat(np.arange(200), 6)
    X = rng.normal(size=(200, 3))[units]
    labels = group_units(X, units, partitioner("auto", {"k": 4}))
    once = partitioner("auto", {"k": 4}).fit(X[::6]).partition_
    assert fewest(labels.labels, units) >= 4
    assert sse(X, labels.labels) <= 6 * sse(X[::6], once.labels) * (1 + 1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e140])
def test_values_of_any_size_are_grouped(scale):
    rng = np.random.default_rng(5)
    X, units = rng.normal(size=(60, 2)), rng.integers(0, 15, 60)
    labels = [
        group_units(scale * X, units, partitioner("mdav", {"k": 3})).labels
        for scale in (1.0, scale)
    ]
    assert np.array_equal(*labels)


def test_groups_that_have_k_units_are_improved():
    rng = np.random.default_rng(7)
    X, units = rng.normal(size=(300, 2)), rng.integers(0, 40, 300)
    start = rng.permutation(np.arange(300) // 30)
    assert fewest(start, units) >= 5
    labels = ensure_units(X, start, units, 5)
    assert fewest(labels, units) >= 5
    assert sse(X, labels) < 0.2 * sse(X, start)


@given(case=panels())
def test_groups_have_fewer_than_2k_units(case):
    X, units, k = case
    labels = ensure_units(
        X, np.zeros(len(X), np.int64), np.unique(units, return_inverse=True)[1], k
    )
    assert fewest(labels, units) >= k
    assert max(len(np.unique(units[labels == g])) for g in range(labels.max() + 1)) < 2 * k


def test_fewer_units_than_k_are_refused():
    with raises(InputError, "too-few-units", k=3, units=2):
        group_units(np.arange(8.0).reshape(-1, 1), np.arange(8) % 2, partitioner("mdav", {"k": 3}))


@given(
    units=st.lists(st.integers(0, 3), min_size=4, max_size=12),
    moves=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 2)), max_size=80),
)
def test_records_of_units_are_counted_through_all_moves(units, moves):
    units = np.array(units)
    n = len(units)
    X = np.arange(float(n)).reshape(-1, 1)
    groups = open_unit_groups(X, units, np.zeros(n, np.int64), 3)
    for record, group in moves:
        record %= n
        if groups.labels[record] != group:
            move_record(groups, record, group)
    for group in range(3):
        members = np.flatnonzero(groups.labels == group)
        assert groups.sizes[group] == len(members)
        assert groups.n_units[group] == len(np.unique(units[members]))
        for unit in range(4):
            assert count_of(groups, group, unit) == (units[members] == unit).sum()
        if len(members):
            assert groups.centroids[group, 0] == pytest.approx(X[members, 0].mean())
