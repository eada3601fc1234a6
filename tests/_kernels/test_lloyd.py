"""The auction of cells for records: the tree agrees with lists, on tables of many boxes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.lloyd import assign_nearest, open_auction, open_cells, run_auction
from shoal._kernels.spatial.box_tree import LEAF, build_tree
from tables import tables
from twins.lloyd import auction as slow
from twins.mdav import labels_of


def fill(X, centres, k, step, bids):
    """Return the cell of each record, or None if the bids did not suffice."""
    cells, centre_tree = open_cells(build_tree(X), centres)
    assign_nearest(X, cells, centre_tree, 0, len(X))
    open_auction(cells, k)
    return None if run_auction(X, cells, k, step, bids) else cells.labels


@pytest.mark.parametrize("n", [LEAF - 1, LEAF, LEAF + 1, 8 * LEAF - 1, 8 * LEAF + 1, 10 * LEAF])
@pytest.mark.parametrize("seed", range(3))
def test_the_cheapest_records_are_found_in_every_box(seed, n):
    rng = np.random.default_rng(seed)
    X, k = rng.lognormal(size=(n, 3)), 4
    centres = X[rng.permutation(len(X))[: len(X) // (k + 2)]].copy()
    step = 2.0**-4
    labels = fill(X, centres, k, step, 4000)
    assert np.bincount(labels).min() >= k
    assert np.array_equal(labels, labels_of(slow(X, centres, k, step, 4000), len(X)))


def test_a_box_with_one_distant_record_is_not_skipped():
    # The records at 2 to 3 lie far from their centre and come cheap, but share a box with
    # others that lie near theirs; those at 9 to 10 cost more, and are found before.
    half = np.linspace(0, 1, LEAF)
    X = np.concatenate([half, 2 + half, 9 + np.linspace(0, 1, 2 * LEAF)])[:, None]
    centres = np.array([[0.25], [0.75], [9.9], [6.0]])
    labels = fill(X, centres, 2, 2.0**-6, 100)
    assert np.array_equal(np.flatnonzero(labels == 3), [2 * LEAF - 2, 2 * LEAF - 1])


@given(X=tables(least=12, most=3 * LEAF), k=st.integers(1, 4), data=st.data())
def test_ties_between_records_go_to_the_lowest(X, k, data):
    count = data.draw(st.integers(1, len(X) // k))
    selected = data.draw(st.permutations(range(len(X))))[:count]
    expected = slow(X, X[selected], k, 0.25, 300)
    labels = fill(X, X[selected], k, 0.25, 300)
    if expected is None:
        assert labels is None
    else:
        assert np.array_equal(labels, labels_of(expected, len(X)))
