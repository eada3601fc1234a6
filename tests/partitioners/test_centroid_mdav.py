"""CentroidMDAV, twice: published figures and the slow twin."""

import numpy as np
import pytest
from hypothesis import given

from shoal.partitioners import CentroidMDAV
from shoal.partitioners._base import in_order
from tables import loss, tables_and_k
from twins.centroid_mdav import centroid_mdav


def total(Z):
    return ((Z - Z.mean(axis=0)) ** 2).sum()


def test_tarragona_loses_what_the_literature_says(reference):
    Z = reference("tarragona")
    lost = loss(Z, CentroidMDAV(k=2).fit_predict(Z))
    assert round(lost, 6) == 9.274991
    assert round(lost / 100 * total(Z), 4) == 1005.5945


def test_the_first_records_of_eia_lose_what_the_literature_says(reference):
    Z = reference("eia")[:600, 1:]
    assert round(total(Z), 4) == 5541.4688
    assert round(loss(Z, CentroidMDAV(k=2).fit_predict(Z)) / 100 * total(Z), 4) == 59.2535


@given(case=tables_and_k())
def test_the_kernel_agrees_with_the_slow_version(case):
    X, k = case
    assert np.array_equal(CentroidMDAV(k=k).fit_predict(X), in_order(centroid_mdav(X, k)))


@pytest.mark.parametrize("n", [50, 51, 52, 53, 54, 55])
def test_the_kernel_agrees_with_the_slow_version_without_ties(n):
    X = np.random.default_rng(n).normal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    assert np.array_equal(CentroidMDAV(k=3).fit_predict(X), in_order(centroid_mdav(X, 3)))
