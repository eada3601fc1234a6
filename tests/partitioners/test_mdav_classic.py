"""MDAVClassic, twice: published figures and the slow twin."""

import numpy as np
import pytest
from hypothesis import given

from shoal.partitioners import MDAV, MDAV1, MDAVClassic
from shoal.partitioners._base import in_order
from shoal.partitioners.mdav import mdav_groups
from tables import loss, tables_and_k
from twins.mdav_classic import mdav_classic

PUBLISHED = {
    "tarragona": {3: 16.932588, 4: 19.545786, 5: 22.461479, 10: 33.192885},
    "census": {3: 5.692186, 4: 7.494700, 5: 9.088435, 10: 14.155930},
    "eia": {3: 0.482939, 4: 0.671345, 5: 1.666657, 10: 3.839670},
}


@pytest.mark.parametrize(
    ("table", "k", "published"),
    [(table, k, figure) for table, figures in PUBLISHED.items() for k, figure in figures.items()],
)
def test_mdav_classic_loses_what_the_literature_says(reference, table, k, published):
    Z = reference(table)
    assert round(loss(Z, MDAVClassic(k=k).fit_predict(Z)), 6) == published


@given(case=tables_and_k())
def test_the_kernel_agrees_with_the_slow_version(case):
    X, k = case
    assert np.array_equal(MDAVClassic(k=k).fit_predict(X), in_order(mdav_classic(X, k)))


@pytest.mark.parametrize("n", [50, 51, 52, 53, 54, 55])
@pytest.mark.parametrize("k", [3, 4])
def test_the_kernel_agrees_with_the_slow_version_without_ties(n, k):
    X = np.random.default_rng(n).normal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    assert np.array_equal(MDAVClassic(k=k).fit_predict(X), in_order(mdav_classic(X, k)))


def test_leftovers_join_the_nearest_record_not_the_nearest_mean():
    X = np.array([0, 0, 8, 30, 31, 32, 12.0])[:, None]  # 12 is nearest to 8, and to a mean of 2.7
    assert (
        list(MDAVClassic(k=3).fit_predict(X)) == list(mdav_classic(X, 3)) == [0, 0, 0, 1, 1, 1, 0]
    )
    X[:, 0] = [0, 0, 9, 20, 21, 22, 13]  # 13 is nearest to 9, but to a mean of 21
    assert MDAVClassic(k=3).fit_predict(X)[-1] == 0
    assert MDAV1(k=3).fit_predict(X)[-1] == 1


def test_three_endings_of_mdav_give_three_partitions(reference):
    Z = reference("tarragona")
    partitions = {tuple(cls(k=5).fit_predict(Z)) for cls in (MDAV, MDAV1, MDAVClassic)}
    assert len(partitions) == 3


def join_last(X, labels):
    labels[labels < 0] = labels.max()


@given(case=tables_and_k())
def test_leftovers_to_the_last_group_give_mdav_generic(case):
    """The ending of MDAV in the paper on dependence forms the groups of ``mdav``."""
    X, k = case
    labels = mdav_groups(X, k, 2 * k, 2 * k, join_last)
    assert np.array_equal(in_order(labels), MDAV(k=k).fit_predict(X))
