"""The index agrees with passes over all remaining records, on every kind of table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import scaled_examples
from shoal._kernels.constants import NONE, ZERO
from shoal._kernels.spatial import index as spatial_index
from shoal._kernels.spatial.block_order import BLOCK, BLOCKS_PER_SUPERBLOCK
from shoal._kernels.spatial.coordinate_frame import power_of_two, principal_frame
from shoal._kernels.spatial.index import open_index, rebuild_if_needed, remove_record
from shoal._kernels.spatial.score_bounds import NO_SCORE, required_score, score_bounds
from shoal._kernels.spatial.search import (
    FARTHEST,
    NEAREST,
    BestRecords,
    measure_block,
    search,
    write_query,
)
from shoal._progress import reporting_to
from shoal.partitioners import (
    CVMDAV,
    DBA1,
    MDAV,
    MDAV1,
    TFRP,
    VMDAV,
    CentroidMDAV,
    _base,
    partition,
)
from shoal.partitioners import _base as base_module
from shoal.partitioners import mdav as mdav_module
from shoal.partitioners._base import in_order
from tables import KINDS, long_tables, tables_and_k
from twins import brute
from twins.centroid_mdav import centroid_mdav
from twins.cvmdav import cvmdav
from twins.dba1 import dba1
from twins.mdav import mdav
from twins.mdav1 import mdav1
from twins.tfrp import first_phase
from twins.vmdav import vmdav


def set_max_pool(monkeypatch, records, per_k_and_column=0):
    """Index tables of more than some records."""
    monkeypatch.setattr(mdav_module, "MAX_POOL", records)
    monkeypatch.setattr(mdav_module, "MAX_POOL_PER_K", 0)
    monkeypatch.setattr(mdav_module, "MAX_POOL_PER_K_AND_COLUMN", per_k_and_column)


@pytest.fixture(autouse=True)
def index_short_tables_and_rebuild_often(monkeypatch):
    """Index short tables too, and rebuild whenever many records were removed."""
    monkeypatch.setattr(spatial_index, "REBUILD_COST", (0, 0))
    monkeypatch.setattr(spatial_index, "READ_SHARE", np.inf)
    set_max_pool(monkeypatch, 0)


def search_records(index, point, sign, m):
    actual, squares = np.empty(m, np.int64), np.empty(m)
    count = search(index, point, sign, NONE, BestRecords(actual, squares), ZERO)
    return actual[:count], squares[:count]


def remove_all(index, records):
    for record in records:
        index.labels[record] = 0
        remove_record(index, record)


def check_searches(index, X, remaining, point, m):
    actual, squares = search_records(index, point, NEAREST, m)
    assert np.array_equal(actual, brute.nearest(X, remaining, point, m))
    assert np.array_equal(squares, brute.squared(X[actual], point))
    assert search_records(index, point, FARTHEST, 1)[0] == brute.farthest(X, remaining, point)


@settings(max_examples=60)
@given(X=long_tables(), seed=st.integers(0, 1000), m=st.integers(1, 9), from_outside=st.booleans())
def test_every_search_agrees_with_a_pass_over_all_records(X, seed, m, from_outside):
    rng = np.random.default_rng(seed)
    index, remaining = open_index(X), np.arange(len(X))
    indexed_records = remaining
    while len(remaining) > 0:
        centre = index.total[:, 0] / len(remaining)
        expected = X[remaining].mean(axis=0)
        assert np.allclose(centre, expected, rtol=1e-9, atol=1e-12 * np.abs(X).max())
        check_searches(index, X, remaining, X[rng.choice(indexed_records)], m)
        check_searches(index, X, remaining, centre, m)
        n_removed = rng.integers(1, 2 + len(remaining) // 6)
        order = (
            np.argsort(-brute.squared(X[remaining], centre))
            if from_outside
            else rng.permutation(len(remaining))
        )
        remove_all(index, remaining[order[:n_removed]])
        remaining = np.sort(remaining[order[n_removed:]])
        if len(remaining) > 0 and rebuild_if_needed(index) is not index:
            index, indexed_records = rebuild_if_needed(index), remaining


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "p"), [(3000, 1), (3000, 3), (2500, 20)])
def test_searches_agree_over_several_groups_of_blocks(kind, n, p):
    rng = np.random.default_rng(n + p)
    X = KINDS[kind](rng, (n, p))
    assert n > 2 * BLOCK * BLOCKS_PER_SUPERBLOCK
    index, remaining = open_index(X), np.arange(n)
    for removed in (0, 900, 1500):
        remove_all(index, remaining[:removed])
        remaining = remaining[removed:]
        for record in rng.integers(n, size=15):
            check_searches(index, X, remaining, X[record], 5)
        check_searches(index, X, remaining, X[remaining].mean(axis=0), 5)


@pytest.mark.parametrize("extra", [-1, 0, 1, 5, BLOCK - 1, BLOCK, BLOCK + 1])
@pytest.mark.parametrize(
    "size", [BLOCK, BLOCK * BLOCKS_PER_SUPERBLOCK, 2 * BLOCK * BLOCKS_PER_SUPERBLOCK]
)
def test_searches_agree_at_the_borders_of_full_blocks_and_groups_of_blocks(size, extra):
    n = size + extra
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2))
    index, remaining = open_index(X), np.arange(n)
    for _ in range(3):
        for record in rng.integers(n, size=5):
            check_searches(index, X, remaining, X[record], 9)
        removed = rng.permutation(len(remaining))[: len(remaining) // 2]
        remove_all(index, remaining[removed])
        remaining = np.delete(remaining, removed)
    index = rebuild_if_needed(index)
    check_searches(index, X, remaining, X[remaining[0]], 9)


@settings(max_examples=30)
# Faint tables mirror themselves: two means lie equally far from the middle, up to rounding.
@given(X=long_tables(most=90, columns=4, excluded=["faint"]), k=st.integers(1, 6))
def test_mdav_methods_agree_with_the_slow_versions(X, k):
    k = min(k, len(X))
    for method, slow in [
        (MDAV(k=k), mdav(X, k)),
        (MDAV1(k=k), mdav1(X, k)),
        (CentroidMDAV(k=k), centroid_mdav(X, k)),
        (VMDAV(k=k, gamma=1.1), vmdav(X, k, 1.1)),
        (CVMDAV(k=k, gamma=1.1), cvmdav(X, k, 1.1)),
        (TFRP(k=k, phases=1), first_phase(X, k)),
    ]:
        assert np.array_equal(method.fit_predict(X), in_order(slow)), method


@settings(max_examples=scaled_examples(30))
@given(case=tables_and_k(most=90))
def test_dba1_agrees_with_the_slow_version_while_the_index_is_rebuilt(case):
    X, k = case
    assert np.array_equal(DBA1(k=k).fit_predict(X), in_order(dba1(X, k)))


@settings(max_examples=30)
@given(X=long_tables(most=150, excluded=["faint"]), k=st.integers(1, 6), short=st.integers(1, 200))
def test_a_pool_continues_where_the_index_stopped(X, k, short):
    k = min(k, len(X))
    with pytest.MonkeyPatch.context() as patch:
        set_max_pool(patch, short)
        assert np.array_equal(MDAV(k=k).fit_predict(X), in_order(mdav(X, k)))


@pytest.mark.parametrize(("columns", "is_indexed"), [(33, True), (34, False)])
def test_wide_tables_need_no_index(monkeypatch, columns, is_indexed):
    pools, open_pool = [], base_module.open_pool
    set_max_pool(monkeypatch, 0, 1.5)
    monkeypatch.setattr(base_module, "open_pool", lambda X: pools.append(X) or open_pool(X))
    X = np.random.default_rng(columns).normal(size=(200, columns))
    assert np.array_equal(MDAV(k=4).fit_predict(X), in_order(mdav(X, 4)))
    assert bool(pools) is not is_indexed


@settings(max_examples=30)
@given(
    X=long_tables(most=150, excluded=["faint"]), k=st.integers(1, 6), stride=st.integers(1, 2000)
)
def test_a_pool_replaces_an_index_that_skips_nothing(X, k, stride):
    k = min(k, len(X))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spatial_index, "READ_SHARE", 0.0)
        patch.setattr(_base, "STRIDE", stride)
        assert np.array_equal(MDAV(k=k).fit_predict(X), in_order(mdav(X, k)))


@pytest.mark.parametrize(
    ("kind", "columns", "cache", "has_pool"),
    [
        ("gaussian", 40, 12_000_000, True),
        ("gaussian", 40, 1_000_000, False),
        ("clustered", 40, 12_000_000, False),
        ("gaussian", 3, 12_000_000, False),
    ],
)
def test_an_index_that_skips_few_records_is_given_up(monkeypatch, kind, columns, cache, has_pool):
    monkeypatch.setattr(spatial_index, "READ_SHARE", 0.6)
    monkeypatch.setattr(spatial_index, "MAX_POOL_BYTES", cache)
    pools, to_pool = [], _base.to_pool
    monkeypatch.setattr(_base, "to_pool", lambda index: pools.append(to_pool(index)) or pools[-1])
    rng = np.random.default_rng(columns)
    X = rng.normal(size=(4000, columns))
    if kind == "clustered":
        X += 20 * rng.normal(size=(40, columns))[rng.integers(40, size=4000)]
    monkeypatch.setattr(_base, "STRIDE", 100_000)
    MDAV(k=5).fit(X)
    sizes = [len(pool.records) for pool in pools]
    assert (max(sizes, default=0) > 3500) is has_pool


LONG = {
    "gaussian": lambda rng: rng.normal(size=(20_000, 8)),
    "clustered": lambda rng: (
        rng.normal(size=(40, 6))[rng.integers(40, size=20_000)] * 5 + rng.normal(size=(20_000, 6))
    ),
    "heavy-tailed": lambda rng: np.exp(rng.normal(size=(20_000, 3)) @ rng.normal(size=(3, 8))),
    "whole numbers": lambda rng: rng.integers(0, 10, size=(20_000, 4)).astype(float),
    "two columns": lambda rng: rng.normal(size=(20_000, 2)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LONG)
def test_mdav_of_a_long_table_agrees_with_passes_over_all_records(kind, monkeypatch):
    monkeypatch.setattr(spatial_index, "REBUILD_COST", (4, 10_000))
    X = LONG[kind](np.random.default_rng(20))
    assert np.array_equal(MDAV(k=20).fit_predict(X), in_order(brute.mdav(X, 20)))


FAMILY = ["mdav", "mdav1", "centroid-mdav", "vmdav", "cvmdav"]


@pytest.mark.parametrize("method", FAMILY)
def test_the_length_of_a_stride_does_not_matter(method, monkeypatch):
    X = np.random.default_rng(7).normal(size=(300, 2)).round(1)
    whole = partition(X, 3, method).labels
    monkeypatch.setattr(_base, "STRIDE", 1)
    assert np.array_equal(partition(X, 3, method).labels, whole)


@pytest.mark.parametrize("method", FAMILY)
def test_an_interrupt_is_raised_within_a_run(method, monkeypatch):
    reports = []

    def interrupt(stage, done, total):
        reports.append((done, total))
        if done > total / 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(_base, "STRIDE", 2000)
    X = np.random.default_rng(8).normal(size=(400, 2))
    with reporting_to(interrupt), pytest.raises(KeyboardInterrupt):
        partition(X, 3, method)
    assert reports == sorted(reports)
    assert len(reports) > 3
    assert reports[-1][0] < reports[-1][1]


@given(X=long_tables())
def test_boxes_contain_the_remaining_records_and_bounds_are_never_too_low(X):
    index = open_index(X)
    remove_all(index, range(0, len(X), 3))
    boxes, query = index.boxes, index.scratch.query
    for sign in NEAREST, FARTHEST:
        write_query(X[-1], index.frame, sign, query)
        bounds = np.empty(boxes.outer_low.shape[1], np.float32)
        score_bounds(boxes.outer_low, boxes.outer_high, query, sign, bounds)
        inner_bounds, squares = (
            np.empty(BLOCKS_PER_SUPERBLOCK, np.float32),
            np.empty(BLOCK, np.float32),
        )
        for number, block in enumerate(index.blocks):
            superblock, offset = divmod(number, BLOCKS_PER_SUPERBLOCK)
            score_bounds(boxes.low[superblock], boxes.high[superblock], query, sign, inner_bounds)
            is_remaining = ~np.isnan(block[0])
            assert is_remaining.sum() == index.n_remaining[number]
            if not is_remaining.any():
                continue
            assert (block[:, is_remaining].min(axis=1) >= boxes.low[superblock, :, offset]).all()
            assert (block[:, is_remaining].max(axis=1) <= boxes.high[superblock, :, offset]).all()
            measure_block(block, query, index.frame.n_leading, sign, NO_SCORE, squares)
            best = (sign * squares[is_remaining]).max()
            margin = 1e-5 * max(abs(float(best)), query[-1] ** 2) + 1e-30
            assert inner_bounds[offset] >= best - margin
            assert bounds[superblock] >= inner_bounds[offset] - margin


@given(X=long_tables())
def test_single_precision_never_excludes_a_record_that_is_as_far(X):
    """The margins: a record's own squared distance never requires more than its stored score."""
    index = open_index(X)
    frame, query = index.frame, index.scratch.query
    block_squares, p = np.empty(BLOCK, np.float32), X.shape[1]
    for sign in NEAREST, FARTHEST:
        for point in X[:: max(1, len(X) // 5)]:
            norm = write_query(point, frame, sign, query)
            squares = brute.squared(X, point)
            for number, block in enumerate(index.blocks):
                measure_block(block, query, frame.n_leading, sign, NO_SCORE, block_squares)
                for slot in range(index.n_remaining[number]):
                    square = squares[index.records[number, slot]]
                    assert sign * block_squares[slot] >= required_score(
                        square, sign, frame.scale, norm, p
                    )


def test_squares_below_the_range_of_single_precision_are_not_ruled_out():
    """Three of them round up by a third each, while their sum, demanded, rounds down."""
    X = np.outer([0.0, 3.2e-23, -3.2e-23, 1.0, -1.0], np.ones(3))
    index = open_index(X)
    for record in range(5):
        check_searches(index, X, np.arange(5), X[record], 3)
    difference = np.float32(3.2e-23)
    assert required_score(3 * float(difference) ** 2, NEAREST, 1.0, 0.0, 3) < -(
        difference * difference + difference * difference + difference * difference
    )


def test_records_equal_in_single_precision_are_distinguished():
    steps = np.random.default_rng(9).permutation(300)
    X = np.concatenate([1 + 1e-12 * steps, -1 - 1e-12 * steps])[:, np.newaxis]
    index = open_index(X)
    for record in range(0, 600, 40):
        check_searches(index, X, np.arange(600), X[record], 4)
    assert not index.all_equal[index.n_remaining > 0].any()


def test_the_axes_of_a_frame_are_the_principal_axes():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 1)) @ [[3.0, 4.0, 0.0, 0.0]] + 0.01 * rng.normal(size=(500, 4))
    frame = principal_frame(X, np.arange(500, dtype=np.int32), X.mean(axis=0))
    assert frame.n_leading == 1
    assert np.allclose(np.abs(frame.axes[:, 0]), [0.6, 0.8, 0, 0], atol=0.01)
    assert np.allclose(frame.axes.T @ frame.axes, np.eye(4))


@pytest.mark.parametrize("greatest", [0.0, 5e-324, 1e-200, 0.7, 1.0, 3e150])
def test_the_scale_is_a_power_of_two_that_brings_the_greatest_below_one(greatest):
    scale = power_of_two(greatest)
    assert np.frexp(scale)[0] == 0.5
    assert greatest * scale < 1
    assert greatest * scale >= 0.5 or greatest < 1e-300
