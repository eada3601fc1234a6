"""Linkage with an external file."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.errors import InputError
from shoal.metrics import linkage_with
from shoal.partitioners import MDAV
from tables import tables_and_k


def masked_by(X, k):
    labels = MDAV(k=k).fit_predict(X)
    return np.array([X[labels == label].mean(axis=0) for label in labels])


@given(case=tables_and_k(least=2), seed=st.integers(0, 9))
def test_at_most_one_in_k_is_linked_whatever_is_known(case, seed):
    X, k = case
    rng = np.random.default_rng(seed)
    own = rng.integers(0, len(X), 20)
    share = linkage_with(X[own] + rng.normal(size=(20, X.shape[1])), masked_by(X, k), own)
    assert 0 <= share <= 1 / k + 1e-12


def test_a_perfect_register_links_unique_records_and_an_unrelated_one_links_none():
    X = np.random.default_rng(0).normal(size=(30, 3))
    own = np.arange(30)
    assert linkage_with(X, X, own) == 1
    assert linkage_with(X, X, np.roll(own, 1)) == 0
    assert linkage_with(X, X, np.where(own < 15, own, -1)) == 0.5
    assert 0.1 < linkage_with(X, masked_by(X, 5), own) <= 0.2


def test_tables_that_do_not_fit_are_refused():
    with raises(InputError, "shapes-differ"):
        linkage_with(np.zeros((3, 2)), np.zeros((3, 1)), np.arange(3))
    with raises(InputError, "shapes-differ"):
        linkage_with(np.zeros((3, 1)), np.zeros((3, 1)), np.arange(2))
