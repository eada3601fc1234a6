"""Bounds: below the true optimum always, however early the work stops."""

from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.subsets import best_groups
from shoal.partitioners import lower_bound
from tables import tables_and_k
from twins.optimal import groups_of, sse

NEVER = 1e9  # seconds of a clock that counts looks


def least_sse(X, k):
    return sse(X, groups_of(best_groups(X, k)))


def looks():
    """Return a clock that is one second later at every look."""
    ticks = count()
    return lambda: float(next(ticks))


@st.composite
def cases(draw):
    """Draw a small table, tied or not, and a k that leaves a choice."""
    X, k = draw(tables_and_k(least=4, most=13, greatest=5))
    k = max(2, min(k, len(X) // 2))
    noise = draw(st.integers(0, 3))
    return X + np.random.default_rng(noise).normal(size=X.shape) * (noise % 2), k


@given(case=cases())
@settings(max_examples=60)
def test_no_partition_is_below_a_bound(case):
    X, k = case
    least = least_sse(X, k)
    quick, strong = lower_bound(X, k), lower_bound(X, k, "prove", budget=NEVER, clock=looks())
    assert 0 <= quick <= strong <= least * (1 + 1e-14)
    assert strong == pytest.approx(least, rel=1e-8)


@given(case=cases(), budget=st.integers(0, 60))
@settings(max_examples=40)
def test_a_bound_holds_whenever_the_budget_ends(case, budget):
    X, k = case
    bound = lower_bound(X, k, "prove", budget=budget, clock=looks())
    assert lower_bound(X, k) * (1 - 1e-9) <= bound <= least_sse(X, k) * (1 + 1e-14)
