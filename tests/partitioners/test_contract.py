"""The contract of every registered method."""

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn.utils.estimator_checks import parametrize_with_checks

import shoal.partitioners
from raising import raises
from shoal._params import signature_parameters
from shoal.errors import GuaranteeBroken, InputError, ParameterError
from shoal.partitioners import METHODS, Partition
from tables import EDGES, KINDS, tables_and_k

every_method = pytest.mark.parametrize("method", METHODS)

# What a method needs beside k, to accept tables of every width or to end soon.
NEEDS = {
    "univariate": {"order": "first-component"},
    "search": {"rounds": 1},
    "prove": {"budget": 0},  # with a longer one, groups differ from run to run
}


def partition(X, k, method, **options):
    return shoal.partitioners.partition(X, k, method, **NEEDS.get(method, {}), **options)


def accepted_k_and_rows(method, k, X=None):
    """Return ``k``, or 2 if the method accepts no other, and as many rows as it accepts."""
    cls = METHODS[method]
    k = k if signature_parameters(cls)["k"].accepts(k) else 2
    return k, X if X is None else X[: cls.facts.max_records]


@every_method
@given(case=tables_and_k(greatest=10))
def test_no_group_is_smaller_than_k(method, case):
    k, X = accepted_k_and_rows(method, case[1], case[0])
    assume(k <= len(X))
    result = partition(X, k, method)
    assert len(result.labels) == len(X)
    assert result.sizes.min() >= k


@every_method
@pytest.mark.parametrize("p", [1, 2, 40])
def test_every_length_and_width_keeps_k(method, p):
    for k in sorted({accepted_k_and_rows(method, k)[0] for k in (1, 2, 3, 7)}):
        for n in sorted({k, 2 * k - 1, 2 * k, 3 * k - 1, 3 * k, 50}):
            _, X = accepted_k_and_rows(method, k, np.random.default_rng(n * p).normal(size=(n, p)))
            assert partition(X, k, method).sizes.min() >= k, (k, n)


@every_method
@pytest.mark.parametrize("kind", ["ordinary", "tied"])
def test_lengths_around_block_and_pool_sizes_keep_k(method, kind):
    for n in [*EDGES, 1026, 1031, 2050]:
        k, X = accepted_k_and_rows(method, 4, KINDS[kind](np.random.default_rng(n), (n, 2)))
        assert partition(X, k, method).sizes.min() >= k, n


@every_method
@pytest.mark.parametrize("scale", [1e-200, 1e-310, 5e-324])
def test_values_whose_squares_vanish_are_grouped(method, scale):
    for n in (2, 7):
        k, X = accepted_k_and_rows(method, 2, scale * np.arange(-1.0, n - 1)[:, np.newaxis])
        assert partition(X, k, method).sizes.min() >= k


@every_method
def test_duplicates_and_constant_columns_are_grouped(method):
    k, X = accepted_k_and_rows(method, 3, np.column_stack([np.arange(20.0) % 2, np.full(20, 7.0)]))
    assert partition(X, k, method).sizes.min() >= k
    assert partition(np.zeros_like(X), k, method).sizes.min() >= k


@every_method
def test_the_input_is_not_modified(method):
    k, X = accepted_k_and_rows(method, 3, np.random.default_rng(0).normal(size=(40, 3)))
    before = X.copy()
    partition(X, k, method)
    assert np.array_equal(X, before)


@every_method
def test_the_same_table_gives_the_same_groups(method):
    k, X = accepted_k_and_rows(method, 4, np.random.default_rng(1).normal(size=(60, 3)))
    options = {"random_state": 5} if "random_state" in METHODS[method]._get_param_names() else {}
    first = partition(X, k, method, **options)
    assert np.array_equal(first.labels, partition(X, k, method, **options).labels)


@every_method
@pytest.mark.parametrize("k", [0, -1, 2.5, "3", None, True])
def test_k_must_be_a_whole_number_of_at_least_one(method, k):
    with raises(ParameterError, "parameter-not-accepted", parameter="k"):
        partition(np.zeros((9, 2)), k, method)


@every_method
def test_k_beyond_the_number_of_records_is_refused(method):
    k, _ = accepted_k_and_rows(method, 10)
    with raises(InputError, "too-few-records", k=k, records=k - 1):
        partition(np.zeros((k - 1, 2)), k, method)


@every_method
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_nan_and_infinity_are_refused(method, bad):
    X = np.zeros((9, 2))
    X[4, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity|beyond"):
        partition(X, accepted_k_and_rows(method, 3)[0], method)


@parametrize_with_checks(
    [cls(k=accepted_k_and_rows(name, 3)[0], **NEEDS.get(name, {})) for name, cls in METHODS.items()]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("labels", [[0, 0, 1], [0, 0, -1, 0], [], [0, 0, 2, 2]])
def test_a_partition_with_a_small_group_cannot_be_created(labels):
    with raises(GuaranteeBroken, "group-below-k", k=2):
        Partition(np.array(labels, dtype=np.int64), k=2)


def test_an_unknown_method_gets_a_suggestion():
    with raises(ParameterError, "unknown-method"):
        partition(np.zeros((9, 2)), 3, "mdva")


def test_an_unknown_option_is_named():
    with raises(ParameterError, "unknown-parameter", parameter="gama", of="MDAV"):
        partition(np.zeros((9, 2)), 3, "mdav", gama=2)
