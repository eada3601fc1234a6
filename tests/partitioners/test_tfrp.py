"""TFRP, twice: published figures and the slow twin."""

import numpy as np
import pytest
from hypothesis import given

from shoal.partitioners import TFRP
from shoal.partitioners._base import in_order
from tables import loss, tables_and_k
from twins.tfrp import first_phase, tfrp

PUBLISHED = {
    1: {3: 17.228, 4: 19.396, 5: 22.110, 10: 33.186},
    2: {3: 16.881, 4: 19.181, 5: 21.847, 10: 33.088},
}


@pytest.mark.parametrize(
    ("phases", "k", "published"),
    [(phases, k, figure) for phases, figures in PUBLISHED.items() for k, figure in figures.items()],
)
def test_tfrp_loses_what_the_literature_says(reference, phases, k, published):
    Z = reference("tarragona")
    assert round(loss(Z, TFRP(k=k, phases=phases).fit_predict(Z)), 3) == published


@pytest.mark.parametrize(("phases", "twin"), [(1, first_phase), (2, tfrp)])
@given(case=tables_and_k())
def test_the_kernel_agrees_with_the_slow_version(phases, twin, case):
    X, k = case
    assert np.array_equal(TFRP(k=k, phases=phases).fit_predict(X), in_order(twin(X, k)))


@pytest.mark.parametrize(("phases", "twin"), [(1, first_phase), (2, tfrp)])
@pytest.mark.parametrize("n", [50, 51, 52, 53, 54, 95])
def test_the_kernel_agrees_with_the_slow_version_without_ties(phases, twin, n):
    X = np.random.default_rng(n).lognormal(size=(n, 5)) * [1, 10, 0.1, 2, 1]
    assert np.array_equal(TFRP(k=3, phases=phases).fit_predict(X), in_order(twin(X, 3)))
