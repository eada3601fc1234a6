"""MDAV1, twice: published figures and the slow twin."""

import numpy as np
import pytest
from hypothesis import given

from shoal._kernels.mdav import mdav1 as kernel
from shoal.partitioners import MDAV1
from shoal.partitioners._base import in_order
from tables import loss, tables_and_k
from twins.mdav1 import mdav1

PUBLISHED = {
    ("tarragona", 6): {3: 16.932588, 4: 19.545786, 5: 22.461282, 10: 33.192358},
    ("census", 6): {3: 5.692186, 4: 7.494700, 5: 9.088435, 10: 14.155930},
    ("eia", 4): {3: 0.4829, 4: 0.6713, 5: 1.6667, 10: 3.8397},
}


@pytest.mark.parametrize(
    ("table", "digits", "k", "published"),
    [(*table, k, figure) for table, figures in PUBLISHED.items() for k, figure in figures.items()],
)
def test_mdav1_loses_what_the_literature_says(reference, table, digits, k, published):
    Z = reference(table)
    assert round(loss(Z, MDAV1(k=k).fit_predict(Z)), digits) == published


@given(case=tables_and_k())
def test_the_kernel_agrees_with_the_slow_version(case):
    X, k = case
    slow = in_order(mdav1(X, k))
    assert np.array_equal(MDAV1(k=k).fit_predict(X), slow)
    assert np.array_equal(in_order(kernel(X, k)), slow)


@pytest.mark.parametrize("n", [50, 51, 52, 53, 54, 55])
@pytest.mark.parametrize("k", [3, 4])
def test_the_kernel_agrees_with_the_slow_version_without_ties(n, k):
    X = np.random.default_rng(n).normal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    assert np.array_equal(MDAV1(k=k).fit_predict(X), in_order(mdav1(X, k)))


def test_all_leftovers_may_join_the_same_group():
    X = np.array([0, 1, 2, 50, 51, 52, 53, 54, 100, 101, 102.0])[:, None]
    assert sorted(MDAV1(k=3).fit(X).partition_.sizes) == [3, 3, 5]
