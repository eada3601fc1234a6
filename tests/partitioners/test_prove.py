"""Prove: the best groups known, and a bound that holds, however early the work ends."""

from dataclasses import replace
from itertools import combinations, count
from math import comb
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from example_counts import scaled_examples
from shoal import _progress as progress
from shoal._kernels.subset_enumeration import optimal_labels
from shoal.geometry import squared_errors
from shoal.partitioners import MDAV, Sorted
from shoal.partitioners._budget import Budget, OutOfTime
from shoal.partitioners._column_generation import integrality_gap
from shoal.partitioners._column_generation import proof as proof_module
from shoal.partitioners._column_generation import restarts as restarts_module
from shoal.partitioners._column_generation.anchor_search import PricingEffort
from shoal.partitioners._column_generation.columns import Columns
from shoal.partitioners._column_generation.larger_groups import cluster_excess_share
from shoal.partitioners._column_generation.master_problem import Duals, MasterSolution
from shoal.partitioners._column_generation.pricing import Pricing
from shoal.partitioners._column_generation.proof import Proof
from shoal.partitioners._column_generation.prove import prove
from shoal.partitioners._local_search.refine import refine
from shoal.partitioners._local_search.search import SearchResult, search
from tables import tables_and_k
from twins.optimal import groups_of, sse
from twins.pricing import pairs_and_triples

UNLIMITED = 1e9


def clock_by_calls():
    """Return a clock that is one second later at every call."""
    ticks = count()
    return lambda: float(next(ticks))


def proven(X, k, budget=UNLIMITED):
    return prove(X, MDAV(k=k).fit_predict(X), k, budget=budget, clock=clock_by_calls())


def least_sse(X, k):
    return sse(X, groups_of(optimal_labels(X, k)))


@st.composite
def cases(draw, most=13):
    """Draw a small table, tied or not, and a k that leaves a choice."""
    X, k = draw(tables_and_k(least=4, most=most, greatest=5))
    noise = draw(st.integers(0, 3))
    X = X + np.random.default_rng(noise).normal(size=X.shape) * (noise % 2)
    return X, max(2, min(k, len(X) // 2))


@given(case=cases())
@settings(max_examples=scaled_examples(40))
def test_a_small_table_is_proven_to_the_end(case):
    X, k = case
    actual, least = proven(X, k), least_sse(X, k)
    assert actual.optimal
    assert np.bincount(actual.labels).min() >= k
    assert sse(X, groups_of(actual.labels)) == pytest.approx(least, rel=1e-8, abs=1e-12)
    assert actual.bound <= least * (1 + 1e-14)
    assert actual.gap <= 1e-8


@given(case=cases(most=10))
@settings(max_examples=20)
def test_pairs_and_triples_have_the_optimum_of_an_exhaustive_search(case):
    X, _ = case
    assert proven(X, 2).sse == pytest.approx(pairs_and_triples(X), rel=1e-8, abs=1e-12)


@given(case=cases(), budget=st.integers(0, 60))
@settings(max_examples=40)
def test_the_bound_holds_and_nothing_is_worse_whenever_the_budget_ends(case, budget):
    X, k = case
    start = Sorted(k=k, by="sum-of-z").fit_predict(X)
    proof = prove(X, start, k, budget=budget, clock=clock_by_calls())
    assert proof.bound <= least_sse(X, k) * (1 + 1e-14)
    assert np.bincount(proof.labels).min() >= k
    assert sse(X, groups_of(proof.labels)) <= sse(X, groups_of(start)) * (1 + 1e-12)


@given(case=cases(), work=st.integers(0, 30), most=st.integers(1, 6))
@settings(max_examples=scaled_examples(40))
def test_a_search_that_ends_early_gives_a_weaker_valid_bound(case, work, most):
    X, k = case
    with pytest.MonkeyPatch.context() as patch:
        few = PricingEffort(max(most, k), work, include_larger=False)
        phases = tuple((temperature, few) for temperature, _ in proof_module.PHASES)
        patch.setattr(proof_module, "PHASES", phases)
        patch.setattr(proof_module, "GROUPS_OF_K", few)
        patch.setattr(proof_module, "LONG_PRICING", few._replace(include_larger=True))
        patch.setattr(integrality_gap, "GROUP_LIMITS", ())
        patch.setattr(restarts_module, "MAX_RESTARTS", 0)
        assert proven(X, k).bound <= least_sse(X, k) * (1 + 1e-14)


def clusters_of(rng, n, k, count):
    """Return clusters of k to 2k - 1 records, padded with -1."""
    clusters = np.full((count, 2 * k - 1), -1)
    for cluster in clusters:
        size = min(n, rng.integers(k, 2 * k))
        cluster[:size] = np.sort(rng.choice(n, size, replace=False))
    return clusters


@given(case=cases(most=11), seed=st.integers(0, 10**6), high=st.sampled_from([0.2, 1, 5]))
@settings(max_examples=80)
def test_any_duals_give_a_valid_bound(case, seed, high):
    X, k = case
    rng, n = np.random.default_rng(seed), len(X)
    least = least_sse(X, k)
    record_dual = least / n * rng.uniform(-0.2, high, n)
    triples = np.array([rng.choice(n, 3, replace=False) for _ in range(seed % 9)], np.int64)
    triples = triples.reshape(-1, 3)
    triple_dual = least / n * rng.uniform(0, high, len(triples))
    clusters = clusters_of(rng, n, k, seed % 5)
    cluster_dual = least / n * rng.uniform(0, 2 * high, len(clusters))
    divisors, group_dual = rng.integers(2, k + 2, len(clusters)), float(seed % 3) * least / n
    duals = Duals(record_dual, triples, triple_dual, group_dual, clusters, cluster_dual, divisors)
    pricing = Pricing(X, k)
    for effort in (PricingEffort(10**6, 10**6), PricingEffort(10**6, 10**6, include_larger=False)):
        assert pricing.price(duals, least, effort, lambda: None).bound <= least


@pytest.mark.parametrize(("size", "k", "divisor"), [(4, 3, 2), (6, 4, 3), (7, 4, 2), (7, 5, 3)])
def test_subsets_count_a_cluster_more_often_by_the_greatest_share(size, k, divisor):
    """The subsets of k of a group have the weight with which they cover each record once."""
    weight, shares = 1 / comb(size - 1, k - 1), []
    for h in range(1, size + 1):
        subsets = combinations(range(size), k)
        counted = sum(
            weight * (sum(record < h for record in subset) // divisor) for subset in subsets
        )
        shares.append((counted - h // divisor) / h)
    assert cluster_excess_share(size, k, divisor) == pytest.approx(max(0, *shares))


def test_few_records_with_unfinished_searches_are_searched_longer():
    X = np.random.default_rng(9).normal(size=(60, 3))
    pricing, n = Pricing(X, 4), len(X)
    record_dual = np.full(n, 1.2 * pricing.table.square_sums[:, 3].mean() / 8)
    duals = Duals(record_dual)

    def n_incomplete(effort):
        priced = pricing.search(duals, effort, lambda: None)
        return sum(int((~result.is_complete).sum()) for _, result in priced)

    steps = next(
        steps for steps in range(1, 10**5) if 0 < n_incomplete(PricingEffort(100, steps)) <= n // 10
    )
    assert n_incomplete(PricingEffort(100, steps, max_steps_on_retry=10**9)) == 0

    def lowest(effort):
        results = list(pricing.search(duals, effort, lambda: None))
        records = np.concatenate([anchors for anchors, _ in results])
        costs = np.concatenate([result.reduced_cost_bound for _, result in results])
        assert sorted(records.tolist()) == list(range(n))  # a bound needs every record
        return costs[np.argsort(records)]

    retried = lowest(PricingEffort(100, steps, include_larger=False, max_steps_on_retry=10**9))
    np.testing.assert_array_equal(retried, lowest(PricingEffort(100, 10**9, include_larger=False)))


def test_a_search_without_steps_ends():
    X = np.random.default_rng(9).normal(size=(60, 3))
    pricing, duals = Pricing(X, 4), Duals(np.zeros(len(X)))
    duals.record_dual[[0, *pricing.table.near[0, :3]]] = pricing.table.square_sums[0, 3]
    effort = PricingEffort(100, 0)
    complete = [result.is_complete for _, result in pricing.search(duals, effort, lambda: None)]
    assert 0 < sum(int((~is_complete).sum()) for is_complete in complete) <= 6


@pytest.mark.parametrize("with_clusters", [False, True])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_groups_above_k_are_searched_where_duals_make_them_cheap(k, with_clusters):
    """At these duals no group of k has a negative reduced cost, but one of k + 1 or more has."""
    n_with_larger_groups = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(3 * k + 1, 2))
        least = least_sse(X, k)
        n = len(X)
        triples = np.array([rng.choice(n, 3, replace=False) for _ in range(8)], np.int64)
        record_dual, triple_dual = np.full(n, 1.3 * least / n), np.full(8, 2 * least / n)
        duals = Duals(record_dual, triples, triple_dual, (seed % 2) * least / n)
        if with_clusters:
            clusters = clusters_of(rng, n, k, 4)
            divisors, cluster_dual = rng.integers(2, k + 1, 4), np.full(4, 2 * least / n)
            duals = Duals(
                record_dual, clusters=clusters, cluster_dual=cluster_dual, divisors=divisors
            )
        pricing = Pricing(X, k)
        results = list(pricing.search(duals, PricingEffort(10**6, 10**6), lambda: None))
        n_with_larger_groups += any(
            result.groups.shape[1] > k and len(result.groups) for _, result in results
        )
        reduced_cost = np.zeros(n)
        for anchors, result in results:
            reduced_cost[anchors] = np.minimum(reduced_cost[anchors], result.reduced_cost_bound)
        assert pricing.bound(reduced_cost, duals, least) <= least
    assert n_with_larger_groups


@pytest.mark.parametrize(
    ("table", "n", "k", "expected"),
    [("tarragona", 200, 3, 66.823453), ("census", 60, 5, 97.892005)],
)
def test_parts_of_reference_tables_are_proven_optimal(reference, table, n, k, expected):
    proof = prove(reference(table)[:n], MDAV(k=k).fit_predict(reference(table)[:n]), k)
    assert proof.optimal
    assert proof.sse == pytest.approx(expected, rel=1e-7)
    assert proof.bound == pytest.approx(expected, rel=1e-7)


def test_a_bound_moves_with_the_units_and_not_with_the_origin():
    X = np.random.default_rng(3).normal(size=(24, 3))
    bound = proven(X, 3).bound
    assert proven(X * 3, 3).bound == pytest.approx(9 * bound, rel=1e-7)
    assert proven(X + 100, 3).bound == pytest.approx(bound, rel=1e-7)
    assert proven(X * 2.0**-400, 3).bound == pytest.approx(2.0**-800 * bound, rel=1e-7)


def test_equal_records_cost_nothing():
    X = np.repeat(np.random.default_rng(0).normal(size=(6, 2)), 4, axis=0)
    proof = proven(X, 4)
    assert proof.optimal
    assert proof.sse == pytest.approx(0, abs=1e-12)


def test_groups_that_are_too_large_to_be_best_are_divided_first():
    X = np.random.default_rng(1).normal(size=(20, 2))
    proof = prove(X, np.zeros(20, np.int64), 3, budget=0, clock=clock_by_calls())
    assert np.bincount(proof.labels).max() < 6
    assert not proof.optimal


def test_ctrl_c_keeps_the_best_so_far():
    X = np.random.default_rng(2).normal(size=(60, 3))
    stages = []

    def interrupt(stage, done, total):
        stages.append(stage)
        if len(stages) == 30:
            raise KeyboardInterrupt

    with progress.reporting_to(interrupt):
        proof = proven(X, 3)
    assert len(stages) == 30
    assert "gap" in stages[-1]
    assert not proof.complete
    assert 0 < proof.bound <= proof.sse
    assert np.bincount(proof.labels).min() >= 3


def test_the_same_table_gives_the_same_proof():
    X = np.random.default_rng(5).normal(size=(50, 3))
    first, second = proven(X, 4), proven(X, 4)
    assert (first.labels == second.labels).all()
    assert first.bound == second.bound


def best_members(labels):
    """Return the records of each group."""
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def proof_with_duals(X, k, seed):
    """Return a proof with duals near the optimum, groups far from it, and the least SSE."""
    rng, n, best = np.random.default_rng(seed), len(X), optimal_labels(X, k)
    errors = squared_errors(X, best)
    least = float(errors.sum())
    assume(least > 0)
    record_dual, triple_dual = (
        errors * rng.uniform(0.9, 1.02, n),
        least / n * rng.uniform(0, 2, seed % 9),
    )
    triples = []
    for dual in triple_dual:  # two of a group of the best and any third, so that the dual counts
        first = rng.integers(n)
        second = rng.choice(np.flatnonzero((best == best[first]) & (np.arange(n) != first)))
        triples.append([first, second, rng.choice(np.setdiff1d(np.arange(n), [first, second]))])
        record_dual[[first, second]] += dual / 2
    group_dual = float(seed % 3) * least / n
    record_dual += group_dual / np.bincount(best)[best]
    bad_labels = rng.permutation(np.minimum(np.arange(n) // k, n // k - 1))
    proof = proof_module.Proof(X, k, bad_labels, Budget(UNLIMITED, clock_by_calls()))
    proof.columns.triples = np.array(triples, np.int64).reshape(-1, 3)
    clusters = clusters_of(rng, n, k, seed % 4)
    cluster_dual = least / n * rng.uniform(0, 1, len(clusters))
    divisors = rng.integers(2, k + 1, len(clusters))
    for group in best_members(best):
        for cluster, divisor, dual in zip(clusters, divisors, cluster_dual, strict=True):
            n_counted = np.isin(group, cluster).sum() // divisor
            record_dual[group] += n_counted * dual / len(group)
    proof.columns.clusters = np.full((len(clusters), 4 * k - 1), -1)
    proof.columns.clusters[:, : clusters.shape[1]] = clusters
    proof.columns.divisors = divisors
    proof.duals = Duals(
        record_dual,
        proof.columns.triples,
        triple_dual,
        group_dual,
        proof.columns.clusters,
        cluster_dual,
        divisors,
    )
    complete_effort = PricingEffort(10**6, 10**6)
    priced = proof.pricing.price(proof.duals, least, complete_effort, proof.report_progress)
    proof.dual_bound = proof.bound = priced.bound
    return proof, least


def with_leading_record(proof, columns, is_leading):
    """Return the known partition and the groups with a leading record."""
    kept_columns = Columns(columns.X, proof.k)
    kept_columns.add_partition(proof.labels)
    for row in columns.members:
        group = row[row >= 0]
        if is_leading[group].any():
            kept_columns.add(group[None])
    return kept_columns


@given(case=cases(most=9), seed=st.integers(0, 10**6), part=st.sampled_from([0.3, 1.0]))
@settings(max_examples=scaled_examples(60))
def test_a_choice_that_covers_only_the_leading_records_bounds_all_partitions(case, seed, part):
    """Any records may be leading, and the cutoff may be smaller than the gap."""
    proof, least = proof_with_duals(*case, seed)
    draws = np.random.default_rng(seed).random(len(case[0]))
    for share in (0.4, 0.7, 0.9, 1.0):
        cutoff = part * (proof.sse - proof.dual_bound)
        columns, is_all_leading = integrality_gap.enumerate_groups(proof, cutoff, 10_000)
        assert is_all_leading.all()
        is_leading = draws < share
        integrality_gap.bound_by_listed_groups(
            proof, cutoff, with_leading_record(proof, columns, is_leading), is_leading
        )
        assert proof.bound <= least * (1 + 1e-14)
        assert proof.sse >= least * (1 - 1e-12)
    if part == 1:
        assert proof.sse == pytest.approx(least, rel=1e-8, abs=1e-12)


@given(case=cases(most=11), seed=st.integers(0, 10**6), most=st.integers(5, 30))
@settings(max_examples=scaled_examples(40))
def test_closing_the_gap_repeatedly_keeps_the_bound_valid(case, seed, most):
    """A bound from integer programmes must not be taken for that of the duals."""
    proof, least = proof_with_duals(*case, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integrality_gap, "GROUP_LIMITS", (most, 2 * most))
        patch.setattr(integrality_gap, "improve_from_pool", lambda proof: None)
        for _ in range(3):
            integrality_gap.close_gap(proof)
            assert proof.bound <= least * (1 + 1e-14)


def relaxed(X, k):
    """Return a proof after the linear programme."""
    labels = refine(X, MDAV(k=k).fit_predict(X), k)
    proof = proof_module.Proof(X, k, labels, Budget(UNLIMITED, clock_by_calls()))
    proof.run_dual_ascent()
    proof.solve_relaxation()
    return proof


@pytest.fixture
def no_clusters(monkeypatch):
    """Leave out the inequalities of clusters."""
    monkeypatch.setattr(
        proof_module,
        "violated_clusters",
        lambda columns, *_: (columns.clusters[:0], columns.divisors[:0]),
    )


def far_clusters():
    """Return three clusters of 8 records, far apart: two groups of at least 3 each, not 8 / 3."""
    rng = np.random.default_rng(8)
    return np.vstack([rng.normal(size=(8, 2)) + 100 * i for i in range(3)])


def test_clusters_that_are_no_multiple_of_k_are_proven_optimal():
    proof = relaxed(far_clusters(), 3)
    assert proof.bound == pytest.approx(proof.sse, rel=1e-6)
    assert len(proof.columns.clusters) >= 3


def test_without_clusters_the_linear_programme_is_weaker(no_clusters):
    proof = relaxed(far_clusters(), 3)
    assert proof.bound < 0.95 * proof.sse


def test_a_few_expensive_records_close_much_of_the_gap(no_clusters):
    """Groups of the many records close by are too many to be listed, and need not be."""
    X = np.vstack([far_clusters(), np.random.default_rng(5).normal(size=(120, 2)) / 100 - 1000])
    proof = relaxed(X, 3)
    integrality_gap.improve_from_pool(proof)
    gap = proof.sse - proof.bound
    columns, is_leading = integrality_gap.enumerate_groups(proof, gap, 3000)
    assert 0 < is_leading.sum() < 25
    integrality_gap.bound_by_listed_groups(proof, gap, columns, is_leading)
    assert proof.sse - proof.bound < 0.7 * gap


def test_time_that_is_left_goes_to_searches_with_other_draws(monkeypatch):
    X = np.random.default_rng(6).normal(size=(40, 3))
    seeds, rounds_of_searches = [], []

    def recorded_search(*args, seed, rounds):
        seeds.append(seed)
        rounds_of_searches.append(rounds)
        return search(*args, seed=seed, rounds=rounds)

    monkeypatch.setattr(restarts_module, "search", recorded_search)
    monkeypatch.setattr(restarts_module, "MAX_RESTARTS", 2)
    monkeypatch.setattr(integrality_gap, "GROUP_LIMITS", ())
    monkeypatch.setattr(restarts_module, "is_closed", lambda proof: False)
    result = prove(X, MDAV(k=3).fit_predict(X), 3, budget=UNLIMITED, clock=clock_by_calls(), seed=5)
    assert result.complete
    assert seeds == [6, 7, 8]
    assert rounds_of_searches[0] == restarts_module.FIRST_SEARCH * 3**2 * 40
    assert rounds_of_searches[-1] == restarts_module.MAX_ROUNDS * 40


@pytest.mark.parametrize(("budget", "rounds"), [(1e-9, 400), (0.1, 400), (0.2, 800), (9, 20_000)])
def test_a_small_budget_shortens_searches_whatever_the_clock_says(budget, rounds):
    X = np.random.default_rng(6).normal(size=(40, 3))
    start = MDAV(k=3).fit_predict(X)
    proof = Proof(X, 3, start, Budget(budget, clock_by_calls()))
    restarts = restarts_module.Restarts(proof, 0)
    assert restarts.affordable_rounds(restarts_module.MAX_ROUNDS * 40) == rounds


def test_a_search_that_runs_out_of_time_leaves_its_groups_to_the_proof(monkeypatch):
    X = np.random.default_rng(6).normal(size=(60, 3))
    start, now = MDAV(k=3).fit_predict(X), [0.0]
    proof = Proof(X, 3, start, Budget(9.0, lambda: now[0]))
    before = proof.sse

    def late(*args, **kwargs):
        result = search(*args, **kwargs)
        now[0] = 10.0
        return replace(result, complete=False)

    monkeypatch.setattr(restarts_module, "search", late)
    with pytest.raises(OutOfTime):
        restarts_module.Restarts(proof, 0).search_first()
    assert proof.sse < before


def test_progress_after_the_end_of_the_budget_ends_a_search():
    X = np.random.default_rng(6).normal(size=(60, 3))
    start, now = MDAV(k=3).fit_predict(X), iter(range(1_000))
    proof = Proof(X, 3, start, Budget(5.0, lambda: next(now)))
    before = proof.sse
    with pytest.raises(OutOfTime):
        restarts_module.Restarts(proof, 0).search_first()
    assert proof.sse < before  # the groups that it had by then


def test_ctrl_c_in_a_further_search_ends_the_proof_and_keeps_what_it_found(monkeypatch):
    X = np.random.default_rng(7).normal(size=(30, 2))
    calls = []

    def cut(X, labels, k, *, seed, rounds):
        calls.append(seed)
        return SearchResult(labels, rounds, (0, 0), complete=False)

    monkeypatch.setattr(restarts_module, "search", cut)
    start = Sorted(k=3, by="sum-of-z").fit_predict(X)
    proof = prove(X, start, 3, budget=UNLIMITED, clock=clock_by_calls())
    assert calls == [1]
    assert sse(X, groups_of(proof.labels)) <= sse(X, groups_of(MDAV(k=3).fit_predict(X))) + 1e-9
    assert not proof.optimal


def test_a_search_within_a_proof_reports_progress_of_the_proof():
    X = np.random.default_rng(8).normal(size=(40, 3))
    reports = []
    with progress.reporting_to(lambda *report: reports.append(report)):
        prove(X, MDAV(k=3).fit_predict(X), 3, budget=400, clock=clock_by_calls())
    stages = {stage.partition(",")[0] for stage, _, _ in reports}
    assert "proving" in stages
    assert "searching" not in stages


@pytest.mark.parametrize(
    ("is_leading", "bound", "shares"),
    [
        ([True, True, True, True], 0.0, [integrality_gap.TIME_SHARE, 1.0]),
        ([True, True, True, True], 4.0, [integrality_gap.TIME_SHARE]),  # the gap is closed
        ([True, True, True, False], 0.0, [integrality_gap.TIME_SHARE]),
    ],
)
def test_a_programme_of_all_groups_may_take_the_time_that_is_left(
    monkeypatch, is_leading, bound, shares
):
    allowed = []

    class Master:
        def __init__(self, *arguments):
            pass

        def solve_integer(self, start, seconds, seconds_left, on_progress):
            allowed.append(seconds / seconds_left)
            return MasterSolution(None, bound, None)

    monkeypatch.setattr(integrality_gap, "MasterProblem", Master)
    monkeypatch.setattr(integrality_gap, "charge_remaining_duals", lambda *arguments: 0.0)
    columns = SimpleNamespace(X=np.zeros((4, 1)))
    proof = SimpleNamespace(
        labels=np.array([0, 0, 1, 1]), k=2, sse=4.0, dual_bound=1.0, bound=1.0, seconds_left=60.0,
        report_progress=None,
    )  # fmt: skip
    integrality_gap.bound_by_listed_groups(proof, 5.0, columns, np.array(is_leading))
    assert allowed == pytest.approx(shares)
