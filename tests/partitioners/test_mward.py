"""MWard, twice: published figures and the slow exact twin."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from raising import raises
from shoal._kernels.mward.extreme_groups import most_distant_rows
from shoal.errors import ParameterError
from shoal.partitioners import MWard, Sorted
from shoal.partitioners._base import in_order
from tables import loss, tables, tables_and_k
from twins.mward import mward, squared

# Tarragona: start -> k -> loss.
PUBLISHED = {
    "sum-of-z": {3: 19.16, 4: 24.31, 5: 27.60},
    "first-component": {3: 15.87, 4: 21.58, 5: 23.69},
}
MAX_DISTANCE = {False: 21.13, True: 21.24}  # k=4, either end first
COLUMNS = (16.23, 21.61)  # k=3, the best and the worst
INDIVIDUAL_RANKING = {4: 3.28, 5: 4.46}

STARTS = ["max-distance", "first-component", "sum-of-z", 0]
starts = pytest.mark.parametrize("start", STARTS)


@pytest.mark.parametrize(
    ("start", "k", "figure"),
    [(start, k, figure) for start, figures in PUBLISHED.items() for k, figure in figures.items()],
)
def test_scores_lose_what_the_paper_says(reference, start, k, figure):
    Z = reference("tarragona")
    assert round(loss(Z, MWard(k=k, start=start).fit_predict(Z)), 2) == figure


@pytest.mark.parametrize("descending", MAX_DISTANCE)
def test_the_most_distant_records_lose_what_the_paper_says(reference, descending):
    Z = reference("tarragona")
    labels = MWard(k=4, descending=descending).fit_predict(Z)
    assert round(loss(Z, labels), 2) == MAX_DISTANCE[descending]


@pytest.mark.parametrize(("k", "losses"), [(3, [16.21, 16.75]), (5, [21.83, 21.85])])
def test_growth_from_the_extreme_record_gives_further_figures_of_the_paper(reference, k, losses):
    Z = reference("tarragona")
    partitions = [
        MWard(k=k, grow="extreme", descending=descending).fit_predict(Z)
        for descending in (False, True)
    ]
    assert [round(loss(Z, labels), 2) for labels in partitions] == losses


@given(case=tables_and_k(most=20, values=5), descending=st.booleans())
def test_growth_from_the_extreme_record_agrees_with_the_slow_version(case, descending):
    X, k = case
    labels = MWard(k=k, descending=descending, grow="extreme").fit_predict(X)
    assert np.array_equal(labels, in_order(mward(X, k, descending=descending, grow="extreme")))


def test_the_best_and_worst_column_lose_what_the_paper_says(reference):
    Z = reference("tarragona")
    losses = [
        loss(Z, MWard(k=3, start=column, descending=descending).fit_predict(Z))
        for column in range(Z.shape[1])
        for descending in (False, True)
    ]
    assert (round(min(losses), 2), round(max(losses), 2)) == COLUMNS


@pytest.mark.parametrize("k", INDIVIDUAL_RANKING)
def test_individual_ranking_loses_what_the_paper_says(reference, k):
    Z = reference("tarragona")
    losses = [
        loss(Z[:, [column]], MWard(k=k, start=0).fit_predict(Z[:, [column]]))
        for column in range(13)
    ]
    assert round(np.mean(losses), 2) == INDIVIDUAL_RANKING[k]


@pytest.mark.parametrize("table", ["tarragona", "census"])
def test_mward_loses_less_than_blocks_of_the_same_score(reference, table):
    Z = reference(table)
    best = MWard(k=3, start="sum-of-z").fit_predict(Z)
    assert loss(Z, best) < loss(Z, Sorted(k=3, by="sum-of-z").fit_predict(Z))


@given(
    case=tables_and_k(most=30, values=5),
    start=st.sampled_from(STARTS),
    descending=st.booleans(),
)
@settings(max_examples=300)
# Single records lie at the centre of an end, before or behind it.
@example(case=(np.array([[1.0], [0], [2], [1], [1], [5], [6], [5]]), 2), start=0, descending=False)
@example(case=(np.array([[0.0], [2], [1], [1], [1], [5], [6], [5]]), 2), start=0, descending=False)
@example(case=(np.array([[1.0], [1], [0], [2], [1], [1], [4], [4]]), 3), start=0, descending=True)
def test_the_kernel_agrees_with_the_slow_version(case, start, descending):
    X, k = case
    labels = MWard(k=k, start=start, descending=descending).fit_predict(X)
    assert np.array_equal(labels, in_order(mward(X, k, start, descending)))


@pytest.mark.parametrize("seed", range(20))
def test_rounding_breaks_no_tie(seed):
    """Costs that are equal as fractions are equal here too, whichever way they came about."""
    rng = np.random.default_rng(seed)
    for k in range(2, 6):
        X = rng.integers(0, rng.integers(2, 6), (30, 3)).astype(float)
        labels = MWard(k=k, descending=True).fit_predict(X)
        assert np.array_equal(labels, in_order(mward(X, k, descending=True)))


@starts
@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_kernel_agrees_with_the_slow_version_without_ties(start, k):
    X = np.random.default_rng(k).normal(size=(60, 4)) * [1, 10, 0.1, 1]
    assert np.array_equal(MWard(k=k, start=start).fit_predict(X), in_order(mward(X, k, start)))


@pytest.mark.parametrize("k", [3, 4, 7, 12])
@pytest.mark.parametrize("p", [1, 2, 6])
def test_the_kernel_agrees_with_the_slow_version_on_long_tables(k, p):
    """Here groups lie in many boxes, lists run out and are shared."""
    X = np.random.default_rng(k * p).normal(size=(600, p)) ** 3
    assert np.array_equal(MWard(k=k, start=0).fit_predict(X), in_order(mward(X, k, 0)))


@pytest.mark.parametrize(("k", "values"), [(2, 6), (5, 20)])
def test_the_kernel_agrees_with_the_exact_version_over_many_boxes(k, values):
    X = np.random.default_rng(k).integers(0, values, (140, 3)).astype(float)
    assert np.array_equal(MWard(k=k).fit_predict(X), in_order(mward(X, k)))


def test_a_joined_group_searches_again_for_its_nearest_group():
    """Two records join; the group nearest to both is on the list of neither.

    The second record knows eight groups nearer to itself, the first seven and the
    second record. The whole must search again, though the first saw far.
    """
    first, second = [0.0, 0.0], [1.0, 0.0]
    nearest_to_both = [1 + 1.1 * 0.498, 1.1 * np.sqrt(1 - 0.498**2)]
    nearer = [[1.0 + cosine, np.sqrt(1 - cosine**2)] for cosine in np.linspace(0.782, 0.784, 8)]
    farther = [[-distance, 0.0] for distance in np.linspace(1.809, 1.811, 7)]
    triples = np.repeat([[-9.0, 0.0], [9.0, 0.0], nearest_to_both, *nearer, *farther], 3, axis=0)
    X = np.vstack([triples, first, second])
    labels = MWard(k=3, start=0).fit_predict(X)
    assert labels[-1] == labels[-2] == labels[6]
    assert np.array_equal(labels, in_order(mward(X, 3, 0)))


@starts
@pytest.mark.parametrize("k", [2, 5])
def test_short_tables_are_one_group_or_two(start, k):
    X = np.random.default_rng(k).normal(size=(3 * k - 1, 2))
    assert MWard(k=k, start=start).fit(X[: 2 * k - 1]).partition_.n_groups == 1
    for n in range(2 * k, 3 * k):
        assert MWard(k=k, start=start).fit(X[:n]).partition_.n_groups == 2


@starts
def test_equal_records_leave_their_last_k_until_few_are_left(start):
    labels = MWard(k=3, start=start).fit_predict(np.ones((11, 2)))
    assert np.array_equal(labels, [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert np.array_equal(labels, in_order(mward(np.ones((11, 2)), 3, start)))


@starts
def test_many_equal_records_are_grouped_quickly(start):
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [20_000, 300, 7], axis=0)
    partition = MWard(k=3, start=start).fit(X).partition_
    assert set(np.unique(partition.sizes)) <= {3, 4, 5}


@starts
def test_k_of_one_leaves_every_record_alone(start):
    X = np.random.default_rng(0).integers(0, 3, (20, 2)).astype(float)
    assert np.array_equal(MWard(k=1, start=start).fit_predict(X), np.arange(20))


@starts
@pytest.mark.parametrize("move", [(1e-150, 0.0), (1e130, 0.0), (1.0, 1e6)])
def test_units_and_origin_change_nothing(start, move):
    X = np.random.default_rng(1).normal(size=(100, 3))
    scale, offset = move
    labels = MWard(k=3, start=start).fit_predict(X * scale + offset)
    assert np.array_equal(labels, MWard(k=3, start=start).fit_predict(X))


@starts
def test_every_group_has_fewer_than_2k_records(start):
    X = np.random.default_rng(2).standard_cauchy(size=(3000, 3))
    assert MWard(k=4, start=start).fit(X).partition_.sizes.max() < 8


@given(X=tables(least=2, most=30, columns=4))
def test_the_farthest_pair_is_that_of_all_pairs(X):
    pairs = [(first, second) for first in range(len(X)) for second in range(first + 1, len(X))]
    expected = max(pairs, key=lambda pair: (squared(X[pair[0]], X[pair[1]]), -pair[0], -pair[1]))
    if np.ptp(X, axis=0).any():
        assert most_distant_rows(X) == expected


def test_an_unknown_start_is_refused():
    with raises(ParameterError, "parameter-not-accepted", parameter="start", of="MWard"):
        MWard(k=2, start="distance").fit(np.zeros((9, 2)))
    with raises(ParameterError, "no-such-column", parameter="start", column=5):
        MWard(k=2, start=5).fit(np.zeros((9, 2)))
