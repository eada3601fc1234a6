"""Classes, counted by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.errors import InputError
from shoal.metrics import class_sizes, equivalence_classes, reidentification, smallest_class
from shoal.metrics._ranks import dense_ranks
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


def test_a_hash_collision_changes_no_class(monkeypatch):
    X = np.random.default_rng(0).integers(0, 3, size=(200, 3)).astype(float)
    expected = class_sizes(X)
    monkeypatch.setattr(equivalence_classes, "HASH_FACTOR", np.uint64(0))
    assert class_sizes(X) == expected


@pytest.mark.parametrize("kind", ["<U3", "object", "int8", "uint64", "bool", "float32"])
def test_values_of_any_kind_have_classes(kind):
    X = np.array([[0, 1], [1, 1], [0, 1], [1, 0], [1, 1]]).astype(kind)
    assert class_sizes(X) == {1: 1, 2: 2}
    assert class_sizes(X[:, :1]) == {2: 1, 3: 1}


def test_zeros_of_either_sign_are_equal_and_missing_values_too():
    X = np.array([[0.0, np.nan], [-0.0, np.nan], [0.0, -np.nan]])
    assert class_sizes(X) == {3: 1}


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5), min_size=1))
def test_ranks_are_places_in_the_order_of_values(values):
    order = sorted(set(values))
    assert dense_ranks(np.array(values)).tolist() == [order.index(v) for v in values]


def test_ranks_take_the_ends_of_every_type_of_whole_numbers():
    for kind in ("int8", "uint8", "int64", "uint64"):
        ends = np.array([np.iinfo(kind).max, np.iinfo(kind).min, np.iinfo(kind).max], kind)
        assert dense_ranks(np.tile(ends, 100))[:3].tolist() == [1, 0, 1]


def test_values_that_differ_in_the_last_bit_are_different():
    X = np.array([[0.1], [0.1], [np.nextafter(0.1, 1)], [np.nextafter(0.1, 1)]])
    assert class_sizes(X) == {2: 2}


def test_three_attackers_by_hand():
    # Classes of 1, 2 and 4 records: the prosecutor finds the first; one in seven per class.
    X = np.array([[1], [2], [2], [3], [3], [3], [3]])
    risks = reidentification(X)
    assert risks == pytest.approx({"prosecutor": 1, "journalist": 1, "marketer": 3 / 7})


def test_the_journalist_and_the_marketer_face_the_population():
    X = np.array([[1], [2], [2], [3], [3], [3], [3]])
    risks = reidentification(X, population=[10, 4, 4, 8, 8, 8, 8])
    assert risks["prosecutor"] == 1
    assert risks["journalist"] == 1 / 4
    assert risks["marketer"] == pytest.approx((1 / 10 + 2 / 4 + 4 / 8) / 7)


def test_one_class_has_no_risk_and_unique_records_have_full_risk():
    for X, chance in [(np.zeros((5, 2)), 1 / 5), (np.arange(5)[:, np.newaxis], 1)]:
        risks = reidentification(X)
        assert risks == pytest.approx(dict.fromkeys(risks, chance))


@pytest.mark.parametrize("population", [[1, 2, 1], [2, 2], [2, 2, np.nan]])
def test_a_population_smaller_than_the_table_is_refused(population):
    with raises(InputError, "population-unusable"):
        reidentification(np.array([[1], [2], [2]]), population=population)
