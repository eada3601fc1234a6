"""The contract of every registered measure."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import scaled_examples
from raising import raises
from shoal.errors import InputError
from shoal.metrics import MEASURE_INFO, MEASURES, NEEDS, compute, needs
from tables import tables

few = settings(max_examples=scaled_examples(30))
every_measure = pytest.mark.parametrize("name", MEASURES)

# Ranges that the docstrings state for groups masked by their means; None is no upper end.
RANGES = {
    "information_loss": (0, 100), "euclidean_loss": (0, None), "distortion_x": (0, 1),
    "distortion_y": (0, 1), "il1s": (0, 2**-0.5), "std_ratio": (0, 1),
    "correlation_change": (0, 2), "loadings_change": (0, 2), "explained_change": (0, 100),
    "mean_change": (0, 0), "variance_change": (0, 1), "covariance_change": (0, None),
    "eigenvalue_change": (0, 1), "certified_gap": (0, None), "smallest_class": (1, None),
    "class_sizes": (1, None), "linkage": (0, 1), "linkage_top2": (0, 1),
    "interval_disclosure": (0, 1), "reidentification": (0, 1), "l_diversity": (1, None),
    "p_sensitivity": (1, None), "t_closeness": (0, 1), "average_diversity": (1, None),
    "homogeneous_classes": (0, None), "weighted_total_change": (0, None),
    "fewest_units": (1, None), "largest_unit_share": (0, 1), "mutual_information": (0, None),
    "delta_disclosure": (0, None), "values_unchanged": (0, 100), "levels_lost": (0, 100),
    "entropy_loss": (0, 100), "association_change": (0, 1), "one_way_change": (0, 1),
    "two_way_change": (0, 1),
}  # fmt: skip


def group_means(X, labels):
    return np.column_stack([np.bincount(labels, x) / np.bincount(labels) for x in X.T])[labels]


def all_inputs(X, labels, Y):
    """Return all inputs of measures: a table masked by group means, half its loss as a bound."""
    masked = group_means(X, labels)
    constant = (X[0] == X).all(axis=0)
    masked[:, constant] = X[:, constant]  # no rounding
    lost = (((X - masked) / np.where(constant, 1, X.std(axis=0))) ** 2).sum()
    return {
        "original": X,
        "masked": masked,
        "released": labels[:, np.newaxis],
        "confidential": Y,
        "confidential_codes": Y,
        "ordered": np.ones(Y.shape[1], bool),
        "weights": 1.0 + np.arange(len(X))[:, np.newaxis] % 3,
        "lower_bound": lost / 2,
        "units": np.arange(len(X)) // 2,
        "original_categories": ranks(X) - 1,  # the smallest value becomes missing
        "masked_categories": ranks(X)[first_of_group(labels)] - 1,
        "other_categories": ranks(Y),
    }


def ranks(X):
    """Return the rank of each value in its column, from 0 on."""
    return np.column_stack([np.unique(x, return_inverse=True)[1] for x in X.T])


def first_of_group(labels):
    """Return for each record the first record of its group."""
    return np.unique(labels, return_index=True)[1][np.unique(labels, return_inverse=True)[1]]


@st.composite
def releases(draw):
    X = draw(tables())
    n = len(X)
    labels = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    return all_inputs(
        X, np.unique(labels, return_inverse=True)[1], draw(tables(least=n, most=n, columns=2))
    )


def flat(value):
    """Return all numbers of a value in one list."""
    if isinstance(value, dict):
        return [number for entry in value.values() for number in flat(entry)]
    return np.asarray(value, float).ravel().tolist()


def computed(name, given):
    """Return the numbers; a component that is undetermined and a pair of one column are refused."""
    try:
        return flat(compute(name, given))
    except InputError:
        if name not in ("loadings_change", "association_change", "two_way_change"):
            raise
        return []


def test_every_measure_has_a_range_and_info():
    assert set(MEASURES) == set(MEASURE_INFO) == set(RANGES)


@every_measure
def test_every_measure_says_what_it_is_about(name):
    text = MEASURES[name].__doc__
    assert set(needs(name)) <= set(NEEDS)
    returns = text.split("Returns\n")[1].split("References\n")[0]
    assert "means that" in returns or MEASURE_INFO[name].better == "neither"


@few
@every_measure
@given(given=releases())
def test_numbers_stay_in_their_range(name, given):
    low, high = RANGES[name]
    for number in computed(name, given):
        assert number >= low - 1e-9
        assert high is None or number <= high + 1e-9


@few
@every_measure
@given(given=releases(), seed=st.integers(0, 99))
def test_the_order_of_records_does_not_matter(name, given, seed):
    order = np.random.default_rng(seed).permutation(len(given["original"]))
    tables = {need: v[order] if need in NEEDS_ROWS else v for need, v in given.items()}
    assert computed(name, tables) == pytest.approx(computed(name, given), abs=1e-9)


NEEDS_ROWS = (
    "original", "masked", "released", "confidential", "confidential_codes", "weights", "units",
    "original_categories", "masked_categories", "other_categories",
)  # fmt: skip


@few
@every_measure
@given(given=releases(), factor=st.sampled_from([1e-100, 0.1, 1e100]))
def test_rescaling_columns_changes_no_measure(name, given, factor):
    numbers = {"original", "masked", "confidential", "confidential_codes"}
    scaled = {need: v * factor if need in numbers else v for need, v in given.items()}
    assert computed(name, scaled) == pytest.approx(computed(name, given), abs=1e-6)


DEGENERATE = {
    "one record": (np.ones((1, 2)), [0], np.ones((1, 1))),
    "one class": (np.arange(12.0).reshape(6, 2) ** 2, [0] * 6, np.arange(6.0)[:, np.newaxis]),
    "all unique": (np.arange(12.0).reshape(6, 2) ** 2, range(6), np.arange(6.0)[:, np.newaxis]),
    "a constant column": (
        np.column_stack([np.arange(6.0), np.full(6, 0.1)]),
        [0, 0, 0, 1, 1, 1],
        np.arange(6.0)[:, np.newaxis],
    ),
    "constant columns alone": (np.full((6, 2), 0.1), [0, 0, 0, 1, 1, 1], np.full((6, 1), 0.1)),
    "one confidential value": (
        np.arange(12.0).reshape(6, 2) ** 2,
        [0, 0, 0, 1, 1, 1],
        np.full((6, 1), 7.0),
    ),
}


@every_measure
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_tables_give_numbers(name, case):
    X, labels, Y = DEGENERATE[case]
    given = all_inputs(X, np.array(labels), Y)
    numbers = computed(name, given)
    assert np.isfinite(numbers).all()


@every_measure
def test_tables_that_do_not_fit_are_refused(name):
    given = all_inputs(
        np.arange(12.0).reshape(6, 2), np.arange(6) // 2, np.arange(6.0).reshape(6, 1)
    )
    first = needs(name)[0]
    other_tables = [need for need in needs(name)[1:] if need in NEEDS_ROWS]
    for bad in (np.zeros((0, 2)), np.zeros((6, 0)), np.zeros(6)):
        with raises(InputError, "matrix-not-accepted"):
            compute(name, {**given, first: bad})
    if other_tables:
        with pytest.raises(InputError) as refused:
            compute(name, {**given, first: given[first][:4]})
        assert refused.value.code in ("shapes-differ", "matrix-not-accepted")
    for need in set(needs(name)) & {"original", "masked", "confidential", "weights"}:
        with_missing = given[need].copy()
        with_missing[0, 0] = np.nan
        with raises(InputError, "missing-values", count=1):
            compute(name, {**given, need: with_missing})


def test_measures_take_lists_and_keywords():
    actual = MEASURES["information_loss"](masked=[[1], [1]], original=[[0], [2]])
    assert actual == pytest.approx(100)
