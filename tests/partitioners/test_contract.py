"""What every registered method promises, whatever it does inside."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.utils.estimator_checks import parametrize_with_checks

import shoal.partitioners
from shoal.errors import GuaranteeBroken, InputError, ParameterError
from shoal.partitioners import METHODS, Partition
from tables import tables_and_k

every_method = pytest.mark.parametrize("method", METHODS)

# What a method needs beside k to take tables of every width.
NEEDS = {"univariate": {"order": "first-component"}}


def partition(X, k, method, **options):
    return shoal.partitioners.partition(X, k, method, **NEEDS.get(method, {}), **options)


@every_method
@given(case=tables_and_k(greatest=10))
def test_no_group_is_smaller_than_k(method, case):
    X, k = case
    result = partition(X, k, method)
    assert len(result.labels) == len(X)
    assert result.sizes.min() >= k


@every_method
@pytest.mark.parametrize("p", [1, 2, 40])
@pytest.mark.parametrize("k", [1, 2, 3, 7])
@pytest.mark.parametrize("extra", ["k", "2k-1", "2k", "3k-1", "3k", "50"])
def test_every_length_and_width_keeps_k(method, p, k, extra):
    n = {"k": k, "2k-1": 2 * k - 1, "2k": 2 * k, "3k-1": 3 * k - 1, "3k": 3 * k, "50": 50}[extra]
    X = np.random.default_rng(n * p).normal(size=(n, p))
    assert partition(X, k, method).sizes.min() >= k


@every_method
def test_duplicates_and_constant_columns_are_grouped(method):
    X = np.column_stack([np.repeat([0.0, 1.0], 10), np.full(20, 7.0)])
    assert partition(X, 3, method).sizes.min() >= 3
    assert partition(np.zeros((20, 2)), 3, method).sizes.min() >= 3


@every_method
def test_the_table_is_left_as_it_was(method):
    X = np.random.default_rng(0).normal(size=(40, 3))
    before = X.copy()
    partition(X, 3, method)
    assert np.array_equal(X, before)


@every_method
def test_the_same_table_gives_the_same_groups(method):
    X = np.random.default_rng(1).normal(size=(60, 3))
    options = {"random_state": 5} if "random_state" in METHODS[method]._get_param_names() else {}
    first = partition(X, 4, method, **options)
    assert np.array_equal(first.labels, partition(X, 4, method, **options).labels)


@every_method
@pytest.mark.parametrize("k", [0, -1, 2.5, "3", None, True])
def test_k_must_be_a_whole_number_of_at_least_one(method, k):
    with pytest.raises(ParameterError, match="'k' parameter"):
        partition(np.zeros((9, 2)), k, method)


@every_method
def test_k_beyond_the_number_of_records_is_refused(method):
    with pytest.raises(InputError, match="k=10 .* n_samples=9"):
        partition(np.zeros((9, 2)), 10, method)


@every_method
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_values_that_have_no_distance_are_refused(method, bad):
    X = np.zeros((9, 2))
    X[4, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity|beyond"):
        partition(X, 3, method)


@parametrize_with_checks([cls(k=3, **NEEDS.get(name, {})) for name, cls in METHODS.items()])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("labels", [[0, 0, 1], [0, 0, -1, 0], [], [0, 0, 2, 2]])
def test_a_partition_cannot_be_made_broken(labels):
    with pytest.raises(GuaranteeBroken, match="k=2"):
        Partition(np.array(labels, dtype=np.int64), k=2)


def test_an_unknown_method_is_met_with_a_suggestion():
    with pytest.raises(ParameterError, match="Did you mean 'mdav'"):
        partition(np.zeros((9, 2)), 3, "mdva")


def test_an_unknown_option_is_named():
    with pytest.raises(ParameterError, match="MDAV has no parameter 'gama'"):
        partition(np.zeros((9, 2)), 3, "mdav", gama=2)
