"""Superblocks are visited by decreasing bound; bounds over box and shell together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels.spatial.block_queue import (
    heapify_superblocks,
    pop_superblock,
    queue_best_superblock,
    queue_other_superblocks,
)
from shoal._kernels.spatial.score_bounds import NO_SCORE, far_score_bounds

superblock_bounds = st.lists(st.integers(-4, 4), min_size=1, max_size=40)


def bounds_in_order(bounds, required, step=0.0):
    """Return the bounds in the order in which the superblocks are visited."""
    queue = np.empty(len(bounds) + 1, np.int64)
    n_queued = heapify_superblocks(bounds, queue, np.float32(required))
    return bounds[visit_order(bounds, queue, n_queued, required, step)].tolist()


def visit_order(bounds, queue, n_queued, required, step=0.0):
    """Return the queued superblocks in the order in which they are visited."""
    visited = []
    while n_queued := pop_superblock(bounds, queue, n_queued, np.float32(required)):
        n_queued -= 1
        visited.append(int(queue[n_queued]))
        required += step
    assert len(set(visited)) == len(visited)
    return visited


@given(values=superblock_bounds, required=st.integers(-5, 5))
def test_superblocks_come_by_bound_and_none_below_the_required_score(values, required):
    bounds = np.array(values, np.float32)
    assert bounds_in_order(bounds, required) == sorted(
        (value for value in values if value >= required), reverse=True
    )


@given(values=superblock_bounds)
def test_superblocks_below_a_raised_required_score_are_not_visited(values):
    bounds, required, expected = np.array(values, np.float32), -4.0, []
    for value in sorted(values, reverse=True):
        if value < required:
            break
        expected.append(value)
        required += 0.5
    assert bounds_in_order(bounds, -4.0, step=0.5) == expected


@given(values=superblock_bounds, required=st.integers(-5, 5), increase=st.integers(0, 5))
def test_the_best_superblock_is_queued_first_then_those_above_the_score(values, required, increase):
    bounds, queue = np.array(values, np.float32), np.empty(len(values) + 1, np.int64)
    inner_bounds = np.zeros(16, np.float32)
    n_queued = queue_best_superblock(bounds, queue, inner_bounds)
    assert (inner_bounds == NO_SCORE).all()
    first = visit_order(bounds, queue, n_queued - 1, required)
    best = int(np.argmax(values))
    assert first == [best] * (values[best] >= required)

    inner_bounds[:] = 0
    n_queued = queue_other_superblocks(bounds, queue, np.float32(required + increase), inner_bounds)
    assert (inner_bounds == NO_SCORE).all()
    others = [
        value
        for superblock, value in enumerate(values)
        if superblock != best and value >= required + increase
    ]
    assert n_queued == len(others) + 1
    assert bounds[visit_order(bounds, queue, n_queued - 1, required + increase)].tolist() == sorted(
        others, reverse=True
    )


def test_an_empty_superblock_is_never_visited():
    bounds = np.array([NO_SCORE, 1, NO_SCORE], np.float32)
    assert bounds_in_order(bounds, NO_SCORE) == [1.0]


def boxes(rng, p, count):
    """Return faces of boxes around records as an index stores them, a query, and distances."""
    query = np.zeros(p + 2, np.float32)
    query[1:-1] = 0.3 * rng.normal(size=p)
    query[-1] = np.linalg.norm(query[1:-1])
    X = (0.1 * rng.normal(size=(count, 1, p)) + 0.1 * rng.normal(size=(count, 30, p))).astype("f4")
    rows = np.concatenate([X[:, :, :1] * 0, X, np.linalg.norm(X, axis=2)[:, :, None]], axis=2)
    farthest = ((X.astype(float) - query[1:-1]) ** 2).sum(axis=2).max(axis=1)
    low, high = (np.ascontiguousarray(f(axis=1).T, "f4") for f in (rows.min, rows.max))
    return low, high, query, farthest


@pytest.mark.parametrize("p", [1, 2, 13])
def test_box_and_shell_together_bound_the_farthest_and_better_than_each(p):
    low, high, query, farthest = boxes(np.random.default_rng(p), p, 200)
    bounds = np.empty(200, np.float32)
    far_score_bounds(low, high, query, bounds)
    shell = (high[-1] + query[-1]) ** 2
    corner = np.maximum(-query[1:-1, None] * low[1:-1], -query[1:-1, None] * high[1:-1])
    box = high[-1] ** 2 + query[-1] ** 2 + 2 * corner.sum(axis=0)
    assert (bounds >= farthest * (1 - 1e-6)).all()
    assert (bounds <= shell).all()
    if p == 13:
        assert bounds.mean() < np.minimum(shell, box).mean()


@pytest.mark.parametrize("scale", [0.0, 1e-30])
def test_a_box_without_extent_or_a_query_at_the_origin_has_a_bound(scale):
    low, high, query, farthest = boxes(np.random.default_rng(0), 3, 5)
    bounds = np.empty(5, np.float32)
    far_score_bounds(low, high, query * np.float32(scale), bounds)
    assert (bounds >= high[-1] ** 2 * (1 - 1e-6)).all()
    assert (bounds <= high[-1] ** 2 * (1 + 1e-3)).all()
    far_score_bounds(low * np.float32(scale), high * np.float32(scale), query, bounds)
    assert np.allclose(bounds, query[-1] ** 2, rtol=1e-3)
