"""Neighbours of every record: searches by block agree with sorting all distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from shoal._kernels.spatial import matrix_products as products_module
from shoal._kernels.spatial import neighbours as neighbours_module
from shoal._kernels.spatial.block_order import BLOCK, BLOCKS_PER_SUPERBLOCK
from shoal._kernels.spatial.index import open_index
from shoal._kernels.spatial.matrix_products import (
    extended_coordinates,
    product_limit,
    write_left_factors,
)
from shoal._kernels.spatial.neighbours import (
    find_in_strides,
    neighbours,
    neighbours_and_squares,
    neighbours_of_few,
)
from tables import KINDS, long_tables, tables
from twins import brute
from twins.neighbours import neighbours as slow

UNREACHED, ALWAYS = 10**30, -1.0


@pytest.fixture(autouse=True, params=["index", "products", "products without index"])
def search_method(request, monkeypatch):
    """Search every table, however short, by one of the methods."""
    monkeypatch.setattr(neighbours_module, "MAX_WITHOUT_INDEX", 0)
    min_differences = UNREACHED if request.param == "index" else 0
    monkeypatch.setattr(neighbours_module, "MIN_DIFFERENCES", min_differences)
    monkeypatch.setattr(neighbours_module, "PRODUCT_SHARE", ALWAYS)
    per_column = UNREACHED if request.param == "products without index" else 0
    monkeypatch.setattr(neighbours_module, "MIN_RECORDS_PER_COLUMN", per_column)
    return request.param


@given(X=tables(least=2, most=2 * BLOCK) | long_tables(), m=st.integers(0, 12))
def test_all_distances_of_a_short_table_give_the_same(X, m):
    if len(X) > 1:
        m = min(m, len(X) - 1)
        for from_all_distances, indexed in zip(
            neighbours_of_few(X, m), neighbours_and_squares(X, m), strict=True
        ):
            assert np.array_equal(from_all_distances, indexed)


@given(X=tables(least=2, most=2 * BLOCK), m=st.integers(1, 9))
def test_ties_go_to_the_lowest_record(X, m):
    m = min(m, len(X) - 1)
    assert np.array_equal(neighbours(X, m), slow(X, m))


def check(X, m, records):
    nearest, squares = neighbours_and_squares(X, m)
    for record in records:
        others = np.delete(np.arange(len(X)), record)
        assert np.array_equal(nearest[record], brute.nearest(X, others, X[record], m))
        assert np.array_equal(squares[record], brute.squared(X[nearest[record]], X[record]))


@settings(max_examples=60)
@given(X=long_tables(), m=st.integers(1, 30))
def test_neighbours_agree_with_all_distances_on_every_kind_of_table(X, m):
    if len(X) > 1:
        check(X, min(m, len(X) - 1), range(0, len(X), max(1, len(X) // 40)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "p"), [(3001, 1), (3000, 3), (2500, 20)])
def test_neighbours_agree_over_several_groups_of_blocks(kind, n, p):
    assert n > 2 * BLOCK * BLOCKS_PER_SUPERBLOCK
    X = KINDS[kind](np.random.default_rng(n + p), (n, p))
    check(X, 7, range(0, n, 50))


@pytest.mark.parametrize("extra", [-1, 0, 1, 2, 7, BLOCK - 1, BLOCK + 1])
@pytest.mark.parametrize("superblocks", [1, 2])
def test_a_last_superblock_with_empty_blocks_is_not_read_beyond_its_records(superblocks, extra):
    n = superblocks * BLOCK * BLOCKS_PER_SUPERBLOCK + extra
    check(np.random.default_rng(n).normal(size=(n, 2)), 8, range(0, n, 40))


@pytest.mark.parametrize("kind", ["ordinary", "tied", "clustered"])
def test_neighbours_agree_in_a_long_table(kind):
    X = KINDS[kind](np.random.default_rng(4), (20_000, 8))
    check(X, 15, range(0, 20_000, 400))


@pytest.mark.parametrize("n", [2, BLOCK, BLOCK + 1, 5 * BLOCK + 3])
def test_all_other_records_are_returned_when_as_many_are_requested(n):
    X = np.random.default_rng(n).normal(size=(n, 5)) * [1, 10, 0.1, 1e6, 1]
    check(X, n - 1, range(0, n, 20))


def test_strides_yield_the_number_of_completed_records(monkeypatch):
    monkeypatch.setattr(neighbours_module, "MIN_DIFFERENCES", UNREACHED)
    X = np.random.default_rng(1).normal(size=(1000, 2))
    actual, squares = np.empty((1000, 3), np.int64), np.empty((1000, 3))
    assert list(find_in_strides(open_index(X), actual, squares)) == [256, 512, 768, 1000]
    assert np.array_equal(actual, neighbours(X, 3))


def test_equal_records_are_found_without_measuring_all_of_them(search_method):
    # Only the index passes over blocks of equal records; products are formed of all pairs.
    n = 20_000 if search_method == "index" else 5 * BLOCK * BLOCKS_PER_SUPERBLOCK // 2
    X = np.zeros((n, 2))
    assert np.array_equal(neighbours(X, 3)[[0, 1, n // 2]], [[1, 2, 3], [0, 2, 3], [0, 1, 2]])


def test_zero_neighbours_can_be_requested():
    assert neighbours(np.zeros((3, 2)), 0).shape == (3, 0)


@given(X=long_tables(), m=st.integers(1, 9))
def test_tiles_of_any_size_give_the_same(X, m):
    if len(X) > 1:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(products_module, "TILE", 128)
            patch.setattr(products_module, "ROWS", 20)
            check(X, min(m, len(X) - 1), range(0, len(X), max(1, len(X) // 40)))


def test_products_use_one_thread(monkeypatch):
    matmul, n_threads = np.matmul, []

    def counted(*factors, out):
        pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
        n_threads.extend(pool["num_threads"] for pool in pools)
        return matmul(*factors, out=out)

    monkeypatch.setattr(np, "matmul", counted)
    X = np.random.default_rng(2).normal(size=(700, 3))
    scratch = np.empty((700, 2), np.int64), np.empty((700, 2))
    with threadpool_limits(limits=2, user_api="blas"):
        assert list(neighbours_module.find_without_index(X, *scratch)) == [700]
    assert set(n_threads) == {1}


@given(X=long_tables())
def test_no_product_exceeds_the_limit_of_its_own_distance(X):
    index, p = open_index(X), X.shape[1]
    right_factors = extended_coordinates(
        X, np.arange(len(X)), index.frame.origin, index.frame.scale
    )
    left_factors = np.empty_like(right_factors)
    write_left_factors(right_factors, left_factors)
    products, norms = left_factors @ right_factors.T, np.sqrt(right_factors[:, p + 1].astype(float))
    for record in range(0, len(X), max(1, len(X) // 10)):
        squares = brute.squared(X, X[record])
        limits = [product_limit(square, index.frame.scale, norms[record], p) for square in squares]
        assert (products[record] <= limits).all()


@pytest.mark.parametrize(("kind", "expected"), [("ordinary", True), ("clustered", False)])
def test_products_are_chosen_if_the_index_excludes_little(kind, expected, monkeypatch):
    monkeypatch.setattr(neighbours_module, "MIN_DIFFERENCES", 0)
    monkeypatch.setattr(neighbours_module, "PRODUCT_SHARE", 0.25)
    rng = np.random.default_rng(6)
    X = rng.normal(size=(5000, 13))
    if kind == "clustered":
        X = 0.1 * X + 3 * rng.normal(size=(50, 13))[rng.integers(50, size=5000)]
    scratch = np.empty((5000, 8), np.int64), np.empty((5000, 8))
    assert neighbours_module.excludes_little(open_index(X), *scratch) is expected


def test_only_large_and_wide_tables_need_no_index(monkeypatch):
    monkeypatch.undo()
    assert neighbours_module.needs_no_index(3000, 2000)
    assert not neighbours_module.needs_no_index(1001, 2000)
    assert not neighbours_module.needs_no_index(100_000, 48)
