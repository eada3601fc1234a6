"""MHM: the slow twin, and what the cuts of a path promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.partitioners import MDAV, MHM, CentroidMDAV
from shoal.partitioners._base import in_order
from tables import loss, tables_and_k
from twins.mhm import mhm

PATHS = ["nearest-point", "mdav", "centroid-mdav"]


@given(case=tables_and_k(most=25, greatest=4), path=st.sampled_from(PATHS))
def test_the_kernel_agrees_with_the_slow_version(case, path):
    X, k = case
    assert np.array_equal(MHM(k=k, path=path).fit_predict(X), in_order(mhm(X, k, path)))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("n", [50, 53])
def test_the_kernel_agrees_with_the_slow_version_without_ties(n, path):
    X = np.random.default_rng(n).normal(size=(n, 3)) * [1, 10, 0.1]
    assert np.array_equal(MHM(k=3, path=path).fit_predict(X), in_order(mhm(X, 3, path)))


@pytest.mark.parametrize("table", ["tarragona", "census"])
@pytest.mark.parametrize(("path", "start"), [("mdav", MDAV), ("centroid-mdav", CentroidMDAV)])
def test_a_path_over_groups_never_loses_more_than_the_groups(reference, table, path, start):
    Z = reference(table)
    for k in (3, 5):
        lost = loss(Z, MHM(k=k, path=path).fit_predict(Z))
        assert lost <= loss(Z, start(k=k).fit_predict(Z)) * (1 + 1e-12)
