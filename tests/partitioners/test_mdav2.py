"""MDAV2, twice: published figures and the slow twin."""

import numpy as np
import pytest
from hypothesis import given

from shoal.partitioners import MDAV2
from shoal.partitioners._base import in_order
from tables import loss, tables_and_k
from twins.mdav1 import mdav1
from twins.second_phase import second_phase

PUBLISHED = {
    "tarragona": {3: 16.6826, 4: 19.0131, 5: 22.0797, 10: 33.1793},
    "census": {3: 5.6560, 4: 7.4096, 5: 9.0124, 10: 13.9441},
    "eia": {3: 0.4111, 4: 0.5874, 5: 0.9463, 10: 3.1609},
}


@pytest.mark.parametrize(
    ("table", "k", "published"),
    [(table, k, figure) for table, figures in PUBLISHED.items() for k, figure in figures.items()],
)
def test_mdav2_loses_what_the_literature_says(reference, table, k, published):
    Z = reference(table)
    assert round(loss(Z, MDAV2(k=k).fit_predict(Z)), 4) == published


def mdav2(X, k):
    return second_phase(X, mdav1(X, k), k, mdav1)


@given(case=tables_and_k())
def test_the_kernel_agrees_with_the_slow_version(case):
    X, k = case
    assert np.array_equal(MDAV2(k=k).fit_predict(X), in_order(mdav2(X, k)))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", [50, 51, 52, 53, 54, 95])
def test_the_kernel_agrees_with_the_slow_version_without_ties(n, k):
    X = np.random.default_rng(n).lognormal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    assert np.array_equal(MDAV2(k=k).fit_predict(X), in_order(mdav2(X, k)))
