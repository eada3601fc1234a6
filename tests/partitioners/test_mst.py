"""MST: published figures, the slow twin, and the tree by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.mst import grow_tree, open_tree
from shoal._kernels.spatial.pool import open_pool
from shoal.partitioners import MST
from shoal.partitioners._base import in_order
from tables import loss, tables, tables_and_k
from twins.mst import SPLITS, mst, spanning_tree

PUBLISHED = {
    "tarragona": {3: 16.63, 4: 19.66, 5: 24.50, 10: 38.58},
    "census": {3: 6.11, 4: 8.24, 5: 10.30, 10: 17.17},
}


@pytest.mark.parametrize(
    ("table", "k", "published"),
    [(table, k, figure) for table, figures in PUBLISHED.items() for k, figure in figures.items()],
)
def test_mst_loses_what_the_literature_says(reference, table, k, published):
    Z = reference(table)
    lost = loss(Z, MST(k=k).fit_predict(Z))
    assert lost == pytest.approx(published, rel=0.001)
    if table == "tarragona":
        assert round(lost, 2) == published


@given(X=tables())
def test_the_tree_is_minimal_and_ties_are_broken_by_record(X):
    tree = open_tree(len(X))
    pool = open_pool(X)
    while grow_tree(pool, tree, X, 1):
        pass
    edges = {
        (min(i, parent), max(i, parent)) for i, parent in enumerate(tree.parent) if parent >= 0
    }
    assert edges == set(spanning_tree(X))


@given(case=tables_and_k(most=30), split=st.sampled_from(list(SPLITS)))
def test_the_kernel_agrees_with_the_slow_version(case, split):
    X, k = case
    assert np.array_equal(MST(k=k, split=split).fit_predict(X), in_order(mst(X, k, split)))


@pytest.mark.parametrize("n", [50, 53, 55])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_kernel_agrees_with_the_slow_version_without_ties(n, k):
    X = np.random.default_rng(n).normal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    assert np.array_equal(MST(k=k).fit_predict(X), in_order(mst(X, k)))


def test_groups_follow_the_gaps():
    X = np.concatenate([np.arange(4), 100 + np.arange(5), 200 + np.arange(3)])[:, None]
    assert list(MST(k=3).fit_predict(X)) == [0] * 4 + [1] * 5 + [2] * 3
