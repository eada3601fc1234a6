"""MDAV, twice: published figures and the slow twin."""

import numpy as np
import pytest
from hypothesis import given

from shoal.partitioners import MDAV
from shoal.partitioners._base import in_order
from tables import loss, tables_and_k
from twins.mdav import mdav

PUBLISHED = {
    "tarragona": {3: 16.9326, 4: 19.5460, 5: 22.4619, 10: 33.1929},
    "census": {3: 5.6922, 4: 7.4947, 5: 9.0884, 10: 14.1559},
    "eia": {3: 0.4829, 4: 0.6713, 5: 1.6667, 10: 3.8397},
}


@pytest.mark.parametrize(
    ("table", "k", "published"),
    [(table, k, figure) for table, figures in PUBLISHED.items() for k, figure in figures.items()],
)
def test_mdav_loses_what_the_literature_says(reference, table, k, published):
    Z = reference(table)
    assert round(loss(Z, MDAV(k=k).fit_predict(Z)), 4) == published


@given(case=tables_and_k())
def test_the_kernel_agrees_with_the_slow_version(case):
    X, k = case
    assert np.array_equal(MDAV(k=k).fit_predict(X), in_order(mdav(X, k)))


@pytest.mark.parametrize("n", [50, 51, 52, 53, 54, 55])
def test_the_kernel_agrees_with_the_slow_version_without_ties(n):
    X = np.random.default_rng(n).normal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    assert np.array_equal(MDAV(k=3).fit_predict(X), in_order(mdav(X, 3)))


@pytest.mark.parametrize("offset", [1e6, 1e12])
def test_the_centre_stays_exact_far_from_zero_as_records_leave(offset):
    X = np.random.default_rng(7).normal(size=(200, 3)) + offset
    assert np.array_equal(MDAV(k=2).fit_predict(X), in_order(mdav(X, 2)))
