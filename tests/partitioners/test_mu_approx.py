"""Mu-Approx: published figures in their bands, the slow twin, the bounds and the factors."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import scaled_examples
from shoal.partitioners import MDAV, MuApprox, Optimal
from shoal.partitioners._base import in_order
from shoal.partitioners.mu_approx import halve_large_groups
from tables import loss, tables_and_k
from twins.mdav import labels_of
from twins.mu_approx import lower_bound, mu_approx
from twins.optimal import groups_of, optimal_sse, sse
from twins.univariate import partitions

# The mean over 20 seeds, and the standard deviation of one seed: the band of the mean.
FIGURES = {
    "tarragona": {3: (17.8, 0.5), 4: (21.2, 1.0), 5: (26.4, 1.5), 10: (39.5, 3.3)},
    "census": {3: (6.35, 0.12), 4: (8.59, 0.19), 5: (10.42, 0.30), 10: (17.11, 0.70)},
    "eia": {3: (0.408, 0.006), 4: (0.585, 0.016), 5: (0.970, 0.06), 10: (2.23, 0.06)},
}
SME = np.array(
    [[790, 55], [710, 44], [730, 32], [810, 17], [950, 3], [510, 25]]
    + [[400, 45], [330, 50], [510, 5], [760, 52], [50, 12]]
)
SME = (SME - SME.mean(axis=0)) / SME.std(axis=0)


def slow(X, k, seed):
    rng = np.random.default_rng(seed)
    order, rank = rng.permutation(len(X)), rng.permutation(len(X))
    return in_order(mu_approx(X, k, order, rank))


@pytest.mark.parametrize(
    ("table", "k", "mean", "band"),
    [(table, k, *figures) for table in FIGURES for k, figures in FIGURES[table].items()],
)
def test_the_mean_loss_has_not_changed(reference, table, k, mean, band):
    Z = reference(table)
    losses = [loss(Z, MuApprox(k=k, random_state=seed).fit_predict(Z)) for seed in range(20)]
    assert np.mean(losses) == pytest.approx(mean, abs=band)


def test_the_paper_s_example_has_the_groups_of_its_table_4_for_most_seeds():
    counts = Counter()
    for seed in range(50):
        labels = MuApprox(k=3, random_state=seed).fit_predict(SME)
        counts[round(sse(SME, groups_of(labels)), 4)] += 1
    (value, times), *_ = counts.most_common()
    assert value == 8.6826
    assert times > 25


@given(case=tables_and_k(greatest=7, most=30), seed=st.integers(0, 99))
def test_the_kernel_agrees_with_the_slow_version(case, seed):
    X, k = case
    assert np.array_equal(MuApprox(k=k, random_state=seed).fit_predict(X), slow(X, k, seed))


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6, 8])
@pytest.mark.parametrize("n", [40, 61])
def test_the_kernel_agrees_with_the_slow_version_without_ties(n, k):
    X = np.random.default_rng(n).normal(size=(n, 3)) * [1, 10, 1e6]
    for seed in range(3):
        assert np.array_equal(MuApprox(k=k, random_state=seed).fit_predict(X), slow(X, k, seed))


@pytest.mark.parametrize("n", [13, 26])
@pytest.mark.parametrize("k", [3, 4, 5, 6, 8])
def test_hubs_with_many_small_parts_are_divided(n, k):
    """All records are nearest to the middle: the tree is a star, whose parts are single."""
    X = np.concatenate([np.zeros((1, 25)), np.eye(25) * np.arange(20, 45)[:, None]])[:n]
    for seed in range(10):
        assert np.array_equal(MuApprox(k=k, random_state=seed).fit_predict(X), slow(X, k, seed))


@given(case=tables_and_k(least=2, most=11, greatest=4), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_the_sse_is_within_the_factor_of_the_paper(case, seed):
    X, k = case
    fitted = MuApprox(k=k, random_state=seed).fit(X)
    assert fitted.factor_ == 2 * (2 * k - 1) * max(2 * k - 1, 3 * k - 5) ** 2
    assert sse(X, groups_of(fitted.labels_)) <= fitted.factor_ * optimal_sse(X, k) + 1e-9


@pytest.mark.parametrize("table", ["tarragona", "census", "eia"])
@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_the_factor_holds_on_whole_tables(reference, table, k):
    """The squared distances to the k - 1 nearest, over 2k, are never more than the least SSE."""
    Z = reference(table)
    fitted = MuApprox(k=k, random_state=0).fit(Z)
    within = loss(Z, fitted.labels_) / 100 * ((Z - Z.mean(axis=0)) ** 2).sum()
    assert fitted.bound_ <= within <= 5 * fitted.bound_ <= fitted.factor_ * fitted.bound_


@given(case=tables_and_k(least=2, most=10, greatest=4))
@settings(max_examples=30)
def test_the_bound_is_never_above_the_least_sse(case):
    X, k = case
    bound = MuApprox(k=k, random_state=0).fit(X).bound_
    assert bound == pytest.approx(lower_bound(X, k), abs=1e-9)
    assert bound <= optimal_sse(X, k) + 1e-9


def gaps(tables, k):
    """Return how far mu-Approx and MDAV are above the least SSE, relative, on average."""
    losses = []
    for seed, X in enumerate(tables):
        least = sse(X, groups_of(Optimal(k=k).fit_predict(X)))
        ours = MuApprox(k=k, random_state=seed).fit_predict(X)
        losses.append([sse(X, groups_of(labels)) for labels in (ours, MDAV(k=k).fit_predict(X))])
        assert min(losses[-1]) >= least * (1 - 1e-9)
        losses[-1] = [value / least - 1 for value in losses[-1]]
    return np.mean(losses, axis=0)


def clumps(sizes, apart):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        yield np.concatenate(
            [rng.normal(apart * number, 1, (size, 13)) for number, size in enumerate(sizes)]
        )


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_without_clumps_mdav_is_closer_to_the_least_as_in_the_paper_s_table_6(k):
    ours, mdav = gaps((np.random.default_rng(s).normal(size=(16, 13)) for s in range(20)), k)
    assert 0 < ours < 0.4
    assert 0 < mdav < 0.2
    assert mdav < ours or k == 6


@pytest.mark.parametrize("k", [2, 3])
def test_on_five_clumps_mu_approx_is_closer_as_in_the_paper_s_table_7(k):
    ours, mdav = gaps(clumps((2, 2, 3, 4, 5), 3), k)
    assert ours < 0.1 < 0.3 < mdav


@pytest.mark.parametrize("k", [2, 3, 4, 6])
def test_on_four_clumps_mu_approx_is_closer_as_in_the_paper_s_table_8(k):
    ours, mdav = gaps(clumps((3, 4, 4, 5), 4), k)
    assert ours < mdav
    assert k != 3 or ours < 1e-9  # the clumps are the groups


def test_a_seed_repeats_the_groups_and_none_does_not():
    X = np.random.default_rng(0).normal(size=(200, 2))
    first = MuApprox(k=3, random_state=7).fit_predict(X)
    assert np.array_equal(first, MuApprox(k=3, random_state=7).fit_predict(X))
    unseeded = [tuple(MuApprox(k=3).fit_predict(X)) for _ in range(5)]
    assert len(set(unseeded)) > 1


def distances(X, labels):
    """Return the sum of the distances of records to the means of their groups."""
    groups = [X[labels == group] for group in range(labels.max() + 1)]
    return sum(np.sqrt(((rows - rows.mean(axis=0)) ** 2).sum(axis=1)).sum() for rows in groups)


def test_restarts_keep_the_best_of_so_many_draws(reference):
    Z = reference("tarragona")[:200]
    for criterion, lost in (("sse", loss), ("euclidean", distances)):
        actual = [
            lost(Z, MuApprox(5, 3, criterion, restarts).fit_predict(Z)) for restarts in (1, 2, 8)
        ]
        assert actual == sorted(actual, reverse=True)
        assert actual[2] < actual[0]


@pytest.mark.parametrize("k", [5, 7])
def test_with_distances_as_criterion_a_division_never_makes_them_longer(k):
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(60, 2)) ** 3
        short = MuApprox(k=k, random_state=seed, criterion="euclidean").fit(X)
        complete = MuApprox(k=k, random_state=seed).fit(X)
        assert distances(X, short.labels_) <= distances(X, complete.labels_) * (1 + 1e-12)
        assert short.partition_.sizes.max() <= max(2 * k - 1, 3 * k - 5)


def test_a_group_whose_division_makes_distances_longer_stays_whole():
    X = np.array([-10.0, 0, 0, 0, 0, 10])[:, None]
    assert halve_large_groups(X, np.zeros(6, np.int64), 3, "sse").max() > 0
    assert halve_large_groups(X, np.zeros(6, np.int64), 3, "euclidean").max() == 0


@given(case=tables_and_k(least=2, most=9, greatest=4))
@settings(max_examples=scaled_examples(30))
def test_the_distance_bound_is_never_above_the_least_sum_of_distances(case):
    X, k = case
    fitted = MuApprox(k=k, random_state=0, criterion="euclidean").fit(X)
    assert fitted.factor_ == (2 * k - 1) * max(2 * k - 1, 3 * k - 5)
    least = min(
        distances(X, labels_of(groups, len(X))) for groups in partitions(list(range(len(X))), k)
    )
    assert fitted.distance_bound_ <= least + 1e-9
    assert distances(X, fitted.labels_) <= fitted.factor_ * least + 1e-9


def test_records_that_are_all_alike_are_grouped():
    for k in (1, 2, 3, 5, 9):
        sizes = MuApprox(k=k, random_state=0).fit(np.zeros((500, 2))).partition_.sizes
        assert k <= sizes.min() <= sizes.max() <= 2 * k - 1


def test_with_k_1_every_record_is_a_group():
    X = np.random.default_rng(0).normal(size=(20, 2))
    assert MuApprox(k=1).fit(X).partition_.n_groups == 20
