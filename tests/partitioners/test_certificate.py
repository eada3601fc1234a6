"""Certificates of long tables: feasible duals, whatever ends the work, on any number of threads."""

from contextlib import suppress
from itertools import combinations, count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproduction.records.verifier import NotAPartition, check_duals, check_partition
from shoal import _progress as progress
from shoal._kernels.subset_enumeration import optimal_labels
from shoal.partitioners import MDAV, lower_bound
from shoal.partitioners._column_generation.prove import prove
from shoal.partitioners._dual_bound import certificate as module
from shoal.partitioners._dual_bound import corrections, pair_duals
from shoal.partitioners._dual_bound import long_table as tables_module
from shoal.partitioners._dual_bound.block_ascent import make_blocks
from shoal.partitioners._dual_bound.certificate import certify
from shoal.partitioners._dual_bound.executor import ThreadExecutor
from shoal.partitioners._local_search.refine import refine
from tables import KINDS, tables_and_k
from twins.optimal import groups_of, sse


def clock_by_calls():
    """Return a clock that is one second later at every call."""
    ticks = count()
    return lambda: float(next(ticks))


def one_thread(table):
    executor = ThreadExecutor(1)
    executor.share_table(table)
    return executor


def least_sse(X, k):
    return sse(X, groups_of(optimal_labels(X, k)))


def lowest_by_all_groups(X, k, duals):
    return min(sse(X, [g]) - duals[list(g)].sum() for g in combinations(range(len(X)), k))


@pytest.fixture(autouse=True, scope="module")
def small_blocks():
    """Let small tables have several blocks, and records beyond the listed neighbours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 5)
        patch.setattr(tables_module, "N_NEIGHBOURS", 1)
        patch.setattr(pair_duals, "N_NEIGHBOURS", 1)
        patch.setattr(corrections, "STRIDE", 40)
        yield


@st.composite
def cases(draw):
    """Draw a small table, tied or not, and a k that leaves a choice."""
    X, k = draw(tables_and_k(least=4, most=13, greatest=5))
    noise = draw(st.integers(0, 3))
    X = X + np.random.default_rng(noise).normal(size=X.shape) * (noise % 2)
    return X, max(2, min(k, len(X) // 2))


@given(case=cases(), start=st.booleans())
@settings(max_examples=40)
def test_duals_are_feasible_and_bound_the_optimum(case, start):
    X, k = case
    labels = MDAV(k=k).fit_predict(X) if start else None
    actual = certify(X, k, labels=labels, executor=ThreadExecutor(1))
    assert actual.complete
    assert lower_bound(X, k) * (1 - 1e-9) <= actual.bound <= least_sse(X, k) * (1 + 1e-14)
    assert actual.bound == pytest.approx(actual.duals.sum(), rel=1e-9, abs=1e-12)
    assert lowest_by_all_groups(X, k, actual.duals) >= -1e-9


class Stop(Exception):
    """The end of the work, at any time."""


@given(case=cases(), seed=st.integers(0, 99), height=st.sampled_from([0.5, 1.5, 4.0]))
@settings(max_examples=40)
def test_any_duals_are_corrected_wherever_the_work_ends(case, seed, height):
    X, k = case
    table = tables_module.long_table(X, k)
    duals = (
        height
        * table.neighbour_dual.mean()
        * np.random.default_rng(seed).choice([0, 1, 1, 5], len(X))
    )
    for stop in range(8):
        corrected, calls = corrections.Corrections(table, duals.astype(float)), count()

        def check(*_, calls=calls, stop=stop):
            if next(calls) == stop:
                raise Stop

        with pytest.MonkeyPatch.context() as patch, suppress(Stop):
            patch.setattr(corrections, "STRIDE", 5)
            groups = corrected.run(one_thread(table), check)
            assert len(groups) or (corrected.feasible == duals).all()
        assert lowest_by_all_groups(table.X, k, corrected.feasible) >= -1e-9
        assert (corrected.feasible <= duals).all()


def test_duals_fall_little_where_one_is_too_high():
    X = np.random.default_rng(4).normal(size=(60, 2))
    table = tables_module.long_table(X, 3)
    feasible = certify(X, 3, executor=ThreadExecutor(1)).duals[table.order] / 4.0**table.power
    raised = feasible.copy()
    raised[17] += 50 * feasible.mean()  # it violates many groups, which are found from many rows
    corrected = corrections.Corrections(table, raised)
    corrected.run(one_thread(table), lambda *_: None)
    assert corrected.feasible.sum() >= feasible.sum() * (1 - 1e-4)


def test_blocks_know_the_groups_that_reach_into_others(clustered):
    table = tables_module.long_table(clustered[0], 4)
    blocks = make_blocks(table, 30)
    assert len(blocks) == 10
    for block in blocks:
        for other in blocks:
            inside = (block.groups >= other.start) & (block.groups < other.stop)
            expected = block.groups[inside.any(axis=1)] if other is not block else None
            if expected is not None:
                np.testing.assert_array_equal(block.border_groups(other.number), expected)


@given(case=cases(), budget=st.integers(0, 40))
@settings(max_examples=20)
def test_a_certificate_holds_whenever_the_budget_ends(case, budget):
    X, k = case
    actual = certify(X, k, budget=budget, clock=clock_by_calls(), executor=ThreadExecutor(1))
    assert actual.complete or actual.seconds >= budget / (1 + module.RESERVE)
    assert lower_bound(X, k) * (1 - 1e-9) <= actual.bound
    assert lowest_by_all_groups(X, k, actual.duals) >= -1e-9


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_bounds_hold_on_degenerate_tables(kind):
    X = KINDS[kind](np.random.default_rng(7), (12, 3))
    bound = lower_bound(X, 3, "blocks", n_jobs=1)
    assert lower_bound(X, 3) * (1 - 1e-9) <= bound
    assert bound <= least_sse(X, 3) * (1 + 1e-9) + 1e-320  # below it, a float64 has few digits


@pytest.fixture(scope="module")
def clustered():
    """Return a table of 300 records with outliers, refined groups, and their certificate."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4)) * rng.choice([0.3, 1, 5], (300, 1))
    labels = refine(X, MDAV(k=4).fit_predict(X), 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 100)
        yield X, labels, certify(X, 4, executor=ThreadExecutor(1))


def test_the_independent_verifier_accepts_a_certificate(clustered):
    X, labels, certificate = clustered
    assert check_duals(X, 4, certificate.duals) == 0
    cost = check_partition(X, 4, labels)
    assert 1 < cost / certificate.bound < 1.08
    assert certificate.bound > 1.05 * lower_bound(X, 4)


@pytest.mark.parametrize("spread", [0.0, 0.4])
def test_a_certificate_agrees_with_a_proof_for_a_thousand_records(spread, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 300)
    monkeypatch.setattr(tables_module, "N_NEIGHBOURS", 48)
    X = np.random.default_rng(1).normal(size=(1000, 3))
    X *= np.exp(spread * X[:, :1])  # a few records far from all others
    certificate = certify(X, 3, executor=ThreadExecutor(1))
    proof = prove(X, refine(X, MDAV(k=3).fit_predict(X), 3), 3, budget=6.0)
    assert certificate.bound <= check_partition(X, 3, proof.labels)
    assert 0.96 * proof.bound < certificate.bound
    if proof.optimal:
        assert certificate.bound <= proof.bound * (1 + 1e-8)


def test_the_independent_verifier_refuses_duals_that_are_too_high(clustered):
    X, _, certificate = clustered
    for record in (0, int(certificate.duals.argmax())):
        raised = certificate.duals.copy()
        raised[record] *= 1.5
        assert check_duals(X, 4, raised) < 0


def test_the_independent_verifier_finds_the_lowest_of_all_groups():
    rng = np.random.default_rng(2)
    X, duals = rng.integers(0, 4, (11, 2)).astype(float), rng.uniform(0, 2, 11)
    for k in (2, 3, 4):
        lowest = lowest_by_all_groups(X, k, duals)
        assert check_duals(X, k, duals) == pytest.approx(min(0, lowest))


def test_the_independent_verifier_refuses_a_small_group():
    with pytest.raises(NotAPartition):
        check_partition(np.zeros((3, 1)), 2, [0, 0, 1])


def test_threads_do_not_change_a_certificate(clustered):
    X = clustered[0][:150]
    by_one, by_two = (certify(X, 4, executor=ThreadExecutor(n)) for n in (1, 2))
    np.testing.assert_array_equal(by_one.duals, by_two.duals)


@pytest.mark.parametrize("stop", [1, 12, 30])
def test_an_interrupt_keeps_the_bound_so_far(clustered, stop):
    X, _, full = clustered
    reports = []

    def listen(stage, done, total):
        if stage.startswith("bounding"):
            reports.append(stage)
            if len(reports) == stop:
                raise KeyboardInterrupt

    with progress.reporting_to(listen):
        actual = certify(X, 4, executor=ThreadExecutor(1))
    assert len(reports) == stop
    assert not actual.complete
    assert lower_bound(X, 4) * (1 - 1e-9) <= actual.bound <= full.bound
    assert "loss at least" in reports[-1]
    assert check_duals(X, 4, actual.duals) == 0


def test_progress_shows_the_gap_where_a_partition_is_known(clustered):
    X, labels, _ = clustered
    reports = []
    with progress.reporting_to(lambda stage, *_: reports.append(stage)):
        certify(X, 4, labels=labels, budget=3, clock=clock_by_calls(), executor=ThreadExecutor(1))
    assert ", gap " in reports[-1]


def test_a_long_table_is_proven_by_a_certificate(clustered, monkeypatch):
    X, labels, _ = clustered
    monkeypatch.setattr("shoal.partitioners._column_generation.prove.MAX_PROGRAMME_RECORDS", 200)
    proven = prove(X, labels, 4)
    cost = check_partition(X, 4, proven.labels)
    assert proven.sse == pytest.approx(cost)
    assert 0 < proven.gap < 0.08
    assert not proven.optimal
    assert proven.seconds > 0
    interrupted = prove(X, labels, 4, budget=0.0)
    assert interrupted.bound == pytest.approx(lower_bound(X, 4))
