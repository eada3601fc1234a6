"""Which members may be partners of a move: single precision against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._kernels._compile import compiled
from shoal._kernels.lanes import SINGLE_LANES, store_lanes
from shoal._kernels.local_search.candidates import DISCOUNT, LeavingRecord, list_candidates
from shoal._kernels.local_search.change_bounds import (
    chain_changes,
    margin_of_bounds,
    swap_changes,
    write_differences,
    write_own_differences,
)
from shoal._kernels.local_search.descent import update_joins
from shoal._kernels.local_search.grouping import list_near_groups
from shoal._kernels.local_search.passes import open_grouping
from shoal._kernels.spatial.neighbours import neighbours
from tables import tables


@compiled
def changes_in_single_precision(grouping, record, target, sse_saved, changes):
    """Write the changes by swaps and chains with all members of a group; return the margin."""
    group, size = grouping.labels[record], grouping.sizes[target]
    share, weight = 1.0 / size, 1.0 / grouping.sizes[group] + 1.0 / size
    write_own_differences(grouping, record)
    square, product = write_differences(grouping, record, target, weight)
    for block in range(changes.shape[1] // SINGLE_LANES):
        swaps = swap_changes(grouping, target, block, weight, weight * square - product)
        chains = chain_changes(grouping, target, block, share, square - share * square - sse_saved)
        store_lanes(changes, (0, SINGLE_LANES * block), swaps)
        store_lanes(changes, (1, SINGLE_LANES * block), chains)
    own_square = grouping.squares[group, grouping.position[record]]
    return margin_of_bounds(grouping.X.shape[1], square + own_square + grouping.sse[target])


@compiled
def n_near_after_listing(grouping, k, record):
    """List the candidates of a record; return the number of near groups."""
    group = grouping.labels[record]
    size, square = grouping.sizes[group], grouping.squares[group, grouping.position[record]]
    may_leave = size > k
    sse_saved = square * (size / (size - 1.0)) if may_leave else 0.0
    n_near = list_near_groups(grouping, record, grouping.near_groups)
    list_candidates(grouping, LeavingRecord(record, group, may_leave, square, sse_saved), n_near)
    return n_near


def candidates_of(grouping, k, record):
    """Return the candidates of a record by their group, and which of them may be swapped."""
    lists, near = grouping.candidates, {}
    for i in range(n_near_after_listing(grouping, k, record)):
        items = slice(lists.starts[i], lists.starts[i + 1])
        positions = lists.positions[items].tolist()
        is_swap = np.isneginf(lists.chain_changes[items]).tolist()
        assert positions == sorted(set(positions))
        near[int(grouping.near_groups[i])] = dict(zip(positions, is_swap, strict=True))
    return near


def fractions(values):
    return [Fraction(float(value)) for value in values]


def dot(first, second):
    return sum(a * b for a, b in zip(first, second, strict=True))


def minus(first, second):
    return [a - b for a, b in zip(first, second, strict=True)]


def exact_changes(grouping, record, target, partner, sse_saved):
    """Return the change by a swap and that by a chain without the join, as fractions."""
    group = grouping.labels[record]
    x, y = fractions(grouping.X[record]), fractions(grouping.X[partner])
    own, other = (fractions(grouping.centroids[g][: len(x)]) for g in (group, target))
    size, target_size = int(grouping.sizes[group]), int(grouping.sizes[target])
    difference, u, z = minus(y, x), minus(x, other), minus(y, other)
    square = dot(difference, difference)
    weight = Fraction(1, size) + Fraction(1, target_size)
    swap = -2 * dot(difference, minus(own, other)) - weight * square
    return swap, dot(u, u) - dot(z, z) - square / target_size - Fraction(sse_saved)


def drawn(seed, kind, n=60):
    """Return a table that is hard to compute in single precision."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 14))
    X = rng.normal(size=(n, p))
    return {
        "plain": lambda: X,
        "offset": lambda: X + 1e9,
        "outliers": lambda: X * np.where(rng.random((n, 1)) < 0.1, 1e9, 1.0),
        "columns": lambda: X * 10.0 ** rng.integers(-30, 1, p),
        "records": lambda: X * 10.0 ** rng.integers(-60, 1, (n, 1)),
        "subnormal": lambda: X * 1e-42,
        "tiny": lambda: X * 1e-160,
        "large": lambda: X * 1e14,
        "squares overflow": lambda: X * 1e19,
        "huge": lambda: X * 1e35,
        "beyond": lambda: X * 1e60,
        "clusters": lambda: rng.integers(0, 3, (n, p)) + 1e-7 * X,
    }[kind]()


KINDS = ["plain", "offset", "outliers", "columns", "records", "subnormal", "tiny", "large"]
KINDS += ["squares overflow", "huge", "beyond", "clusters"]


def grouped(X, k, seed=0):
    """Return groups of k to 2k - 1 records, some of near records and some of any."""
    n = len(X)
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % (n // k)
    if seed % 2:
        labels[np.argsort(X[:, 0])] = np.arange(n) // k
        labels[labels == n // k] = 0
    else:
        labels = rng.permutation(labels)
    return open_grouping(X, neighbours(X, min(n - 1, 8)), labels, k)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 5, 9])
def test_errors_stay_below_half_of_the_margin(kind, k):
    n_checked = 0
    for seed in range(4):
        X = drawn(seed, kind)
        grouping = grouped(X, k, seed)
        for record in range(0, len(X), 5):
            group = grouping.labels[record]
            size = grouping.sizes[group]
            sse_saved = float(grouping.squares[group, grouping.position[record]] * 2.0)
            target = grouping.labels[(7 * record + 1) % len(X)]
            if target == group or size < 2:
                continue
            changes = np.zeros((2, SINGLE_LANES * grouping.blocks.shape[1]), np.float32)
            margin = changes_in_single_precision(grouping, record, target, sse_saved, changes)
            if np.isnan(margin):
                assert kind in ("squares overflow", "huge", "beyond", "large")
                continue
            for position in range(grouping.sizes[target]):
                partner = grouping.members[target, position]
                exact = exact_changes(grouping, record, target, partner, sse_saved)
                for change, expected in zip(changes[:, position], exact, strict=True):
                    assert abs(Fraction(float(change)) - expected) <= Fraction(margin) / 2
                    n_checked += 1
    assert n_checked > 100 or kind in ("squares overflow", "huge", "beyond", "large")


def missed(grouping, k, record):
    """Return the partners of moves that are no candidates although they lower the SSE enough."""
    group = grouping.labels[record]
    size, near, missing = grouping.sizes[group], candidates_of(grouping, k, record), []
    square = grouping.squares[group, grouping.position[record]]
    sse_saved = float(square * (size / (size - 1.0))) if size > k else 0.0
    for i, (target, candidates) in enumerate(near.items()):
        assert all(position < grouping.sizes[target] for position in candidates)
        u = grouping.X[record] - grouping.centroids[target, : grouping.X.shape[1]]
        assert grouping.candidates.squares[i] == pytest.approx((u * u).sum(), rel=1e-12, abs=1e-300)
        scale = grouping.candidates.squares[i] + square + grouping.sse[target]
        expected_margin = margin_of_bounds(grouping.X.shape[1], scale)
        np.testing.assert_equal(grouping.candidates.bound_margins[i], expected_margin)
        margin = Fraction(float(grouping.candidates.margins[i]))
        for position in range(grouping.sizes[target]):
            partner = grouping.members[target, position]
            swap, chain = exact_changes(grouping, record, target, partner, sse_saved)
            cost = grouping.joins.costs[partner, 0] if grouping.joins.groups[partner, 0] >= 0 else 0
            chain += Fraction(DISCOUNT) * Fraction(float(cost))
            if swap < -2 * margin and not candidates.get(position):
                missing.append(("swap", target, position))
            if size > k and chain < -2 * margin and position not in candidates:
                missing.append(("chain", target, position))
    return missing


@given(
    X=tables(least=30, most=60),
    k=st.integers(2, 9),
    seed=st.integers(0, 9),
    power=st.sampled_from([0, -600, -70, 30, 300]),
)
def test_no_partner_of_a_move_is_ruled_out(X, k, seed, power):
    X = np.ldexp(X, power)
    grouping = grouped(X, k, seed)
    for record in range(0, len(X), 3):
        update_joins(grouping, record)
    for record in range(len(X)):
        assert missed(grouping, k, record) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 5, 9])
def test_no_partner_is_ruled_out_in_tables_hard_for_single_precision(kind, k):
    for seed in range(2):
        X = drawn(seed, kind)
        grouping = grouped(X, k, seed)
        for record in range(0, len(X), 2):
            update_joins(grouping, record)
        for record in range(0, len(X), 3):
            assert missed(grouping, k, record) == []


def table_with_a_near_tie(seed, k, lane):
    """Return two groups and a table in which swapping record 0 hardly lowers the SSE.

    The other record is at position ``lane`` of the second group. It is moved along a line until the
    change of the SSE, almost 0, has just become negative.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * k, 3)) + 3.0 * (np.arange(2 * k) >= k)[:, None]
    labels, position = np.repeat([0, 1], k), k + lane

    def change(share):
        Y = X.copy()
        Y[position] = share * X[0] + (1 - share) * X[position]
        swapped = labels.copy()
        swapped[[0, position]] = 1, 0
        return sum(
            ((Y[new == g] - Y[new == g].mean(axis=0)) ** 2).sum() * sign
            for new, sign in ((swapped, 1), (labels, -1))
            for g in (0, 1)
        ), Y

    low, high = -1.0, 4.0  # far beyond the record, a swap lowers the SSE
    assert change(low)[0] > 0 > change(high)[0]
    while change(high)[0] < -2e-8:
        middle = (low + high) / 2
        low, high = (low, middle) if change(middle)[0] < -5e-9 else (middle, high)
    return change(high)[1], labels


@pytest.mark.parametrize("k", [3, 8, 11])
def test_a_partner_whose_swap_hardly_lowers_the_sse_is_not_ruled_out(k):
    n_above = 0
    for lane in range(k):
        for seed in range(6):
            X, labels = table_with_a_near_tie(seed, k, lane)
            grouping = open_grouping(X, neighbours(X, 2 * k - 1), labels, k)
            assert candidates_of(grouping, k, 0)[1].get(lane), (lane, seed)
            changes = np.zeros((2, SINGLE_LANES * grouping.blocks.shape[1]), np.float32)
            changes_in_single_precision(grouping, 0, 1, 0.0, changes)
            n_above += changes[0, lane] > 0
    assert n_above > 0  # which would be ruled out without a margin


@pytest.mark.parametrize(
    ("p", "scale"), [(2**20 + 1, 1.0), (3, 2.0**101), (3, np.inf), (3, np.nan)]
)
def test_nothing_is_ruled_out_where_there_is_no_margin(p, scale):
    assert np.isnan(margin_of_bounds(p, scale))
