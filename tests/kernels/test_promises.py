"""Groups of blocks come in the order of what they promise; box and shell bound together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.bounds import HOPELESS, hope_far
from shoal.kernels.promises import line_up, next_group

hopes_of_groups = st.lists(st.integers(-4, 4), min_size=1, max_size=40)


def drained(hopes, needed, rising=0.0):
    """Return the hopes in the order in which the groups come."""
    waiting, came = np.empty(len(hopes) + 1, np.int64), []
    left = line_up(hopes, waiting, np.float32(needed))
    while left := next_group(hopes, waiting, left, np.float32(needed)):
        left -= 1
        came.append(int(waiting[left]))
        needed += rising
    assert len(set(came)) == len(came)
    return hopes[came].tolist()


@given(values=hopes_of_groups, needed=st.integers(-5, 5))
def test_the_most_promising_group_comes_first_and_none_that_cannot_matter(values, needed):
    hopes = np.array(values, np.float32)
    assert drained(hopes, needed) == sorted((v for v in values if v >= needed), reverse=True)


@given(values=hopes_of_groups)
def test_groups_are_forgotten_when_more_is_needed(values):
    hopes, needed, wanted = np.array(values, np.float32), -4.0, []
    for value in sorted(values, reverse=True):
        if value < needed:
            break
        wanted.append(value)
        needed += 0.5
    assert drained(hopes, -4.0, rising=0.5) == wanted


def test_an_empty_group_never_comes():
    hopes = np.array([HOPELESS, 1, HOPELESS], np.float32)
    assert drained(hopes, HOPELESS) == [1.0]


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
    hopes = np.empty(200, np.float32)
    hope_far(low, high, query, hopes)
    shell = (high[-1] + query[-1]) ** 2
    corner = np.maximum(-query[1:-1, None] * low[1:-1], -query[1:-1, None] * high[1:-1])
    box = high[-1] ** 2 + query[-1] ** 2 + 2 * corner.sum(axis=0)
    assert (hopes >= farthest * (1 - 1e-6)).all()
    assert (hopes <= shell).all()
    if p == 13:
        assert hopes.mean() < np.minimum(shell, box).mean()


@pytest.mark.parametrize("scale", [0.0, 1e-30])
def test_a_box_without_extent_or_a_query_at_the_origin_has_a_bound(scale):
    low, high, query, farthest = boxes(np.random.default_rng(0), 3, 5)
    hopes = np.empty(5, np.float32)
    hope_far(low, high, query * np.float32(scale), hopes)
    assert (hopes >= high[-1] ** 2 * (1 - 1e-6)).all()
    assert (hopes <= high[-1] ** 2 * (1 + 1e-3)).all()
    hope_far(low * np.float32(scale), high * np.float32(scale), query, hopes)
    assert np.allclose(hopes, query[-1] ** 2, rtol=1e-3)
