"""The best move of a record against all moves, measured one by one."""

import numpy as np
import pytest

from shoal._kernels._compile import compiled
from shoal._kernels.constants import NONE
from shoal._kernels.local_search.descent import best_move
from shoal._kernels.local_search.passes import open_grouping
from shoal._kernels.spatial.neighbours import neighbours


@compiled
def move_of(grouping, k, record):
    return best_move(grouping, k, record)


def sse(X, labels, groups):
    """Return the SSE of some groups."""
    members = [X[labels == group] for group in groups]
    return sum(((rows - rows.mean(axis=0)) ** 2).sum() for rows in members)


def sse_changes(X, near, labels, k, record):
    """Yield the change of the SSE by each move of ``record``, and the kind of the move."""
    own_group = labels[record]
    sizes = np.bincount(labels)

    def change(moves):
        new_labels = labels.copy()
        for moved, group in moves:
            new_labels[moved] = group
        groups = {own_group, *(labels[moved] for moved, _ in moves), *(group for _, group in moves)}
        return sse(X, new_labels, groups) - sse(X, labels, groups)

    for near_group in set(labels[near[record]]) - {own_group}:
        if sizes[own_group] > k:
            yield change([(record, near_group)]), "relocate"
        for partner in np.flatnonzero(labels == near_group):
            yield change([(record, near_group), (partner, own_group)]), "swap"
            for third in (
                set(labels[near[partner]]) - {own_group, near_group} if sizes[own_group] > k else ()
            ):
                yield change([(record, near_group), (partner, third)]), "chain"


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("k", [2, 3, 4, 9])
def test_the_best_of_all_moves_is_chosen(k, columns):
    rng, n = np.random.default_rng([k, columns]), 12 * k
    X = rng.normal(size=(n, columns))
    labels = np.repeat(np.arange(8), k)
    labels = rng.permutation(np.concatenate([labels, rng.integers(0, 4, n - len(labels))]))
    near = neighbours(X, 8)
    grouping = open_grouping(X, near, labels, k)
    for i in range(n):
        move_of(grouping, k, i)  # computes the joins, whose costs exclude chains from then on
    kinds = []
    for i in range(n):
        best = move_of(grouping, k, i)
        change, kind = min(sse_changes(X, near, labels, k, i), default=(0.0, None))
        if change < -1e-9:
            assert best.target != NONE
            assert best.sse_change == pytest.approx(change, rel=1e-9, abs=1e-12)
            kinds.append(kind)
        else:
            assert best.target == NONE or best.sse_change == pytest.approx(change, abs=1e-9)
    assert {"swap", "chain"} <= set(kinds)
