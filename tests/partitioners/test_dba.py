"""DBA1 and DBA2, twice: published figures and the slow twins."""

import numpy as np
import pytest
from hypothesis import given, settings

from shoal.partitioners import DBA1, DBA2
from shoal.partitioners._base import in_order
from tables import loss, tables_and_k
from twins.dba1 import dba1
from twins.mdav1 import mdav1
from twins.second_phase import second_phase

PUBLISHED = {
    DBA1: {
        "tarragona": {3: 20.6995, 4: 23.8276, 5: 26.0013, 10: 35.3930},
        "census": {3: 6.1449, 4: 9.1279, 5: 10.8422, 10: 15.7855},
        "eia": {3: 1.0902, 4: 0.8435, 5: 1.8955, 10: 4.2658},
    },
    DBA2: {
        "tarragona": {3: 16.1527, 4: 22.6711, 5: 25.4504, 10: 34.8068},
        "census": {3: 5.5816, 4: 7.5913, 5: 9.0462, 10: 13.5214},
        "eia": {3: 0.4210, 4: 0.5598, 5: 0.8185, 10: 2.0810},
    },
}


@pytest.mark.parametrize(
    ("method", "table", "k", "published"),
    [
        (method, table, k, figure)
        for method, tables in PUBLISHED.items()
        for table, figures in tables.items()
        for k, figure in figures.items()
    ],
)
def test_dba_loses_what_the_literature_says(reference, method, table, k, published):
    Z = reference(table)
    assert round(loss(Z, method(k=k).fit_predict(Z)), 4) == published


def dba2(X, k):
    return second_phase(X, dba1(X, k), k, mdav1)


TWINS = pytest.mark.parametrize(("method", "twin"), [(DBA1, dba1), (DBA2, dba2)])


@TWINS
@given(case=tables_and_k())
def test_the_kernel_agrees_with_the_slow_version(method, twin, case):
    X, k = case
    assert np.array_equal(method(k=k).fit_predict(X), in_order(twin(X, k)))


@TWINS
@settings(max_examples=5)
@given(case=tables_and_k(greatest=4, least=65, most=100))
def test_lists_of_neighbours_that_run_short_are_filled_again(method, twin, case):
    X, k = case
    assert np.array_equal(method(k=k).fit_predict(X), in_order(twin(X, k)))


@TWINS
@pytest.mark.parametrize("n", [50, 51, 52, 53, 54, 55])
def test_the_kernel_agrees_with_the_slow_version_without_ties(method, twin, n):
    X = np.random.default_rng(n).normal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    assert np.array_equal(method(k=3).fit_predict(X), in_order(twin(X, 3)))


def test_a_density_may_rise_when_a_neighbour_leaves():
    # The record at 11 is denser with 12 and 12.5 than with 10 and 12; 10 leaves first.
    X = np.array([[9.8], [9.9], [10.0], [11.0], [12.0], [12.5], [20.0], [25.0], [31.0]])
    assert np.array_equal(DBA1(k=3).fit_predict(X), [0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert np.array_equal(dba1(X, 3), [0, 0, 0, 1, 1, 1, 2, 2, 2])
