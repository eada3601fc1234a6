"""Kernels that create no array borrow those of their caller; all others count references."""

import gc
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core import event
from numba.core.runtime import _nrt_python, rtsys

from shoal._kernels._compile import compiled
from shoal._kernels._pipeline import EntryCompiler


@compiled
def doubled(X):
    return 2.0 * X


@compiled
def first_of(X, column=0):
    return X[0, column]


class Row(NamedTuple):
    """A row and its number."""

    values: np.ndarray
    number: int


def sum_of_rows(X):
    total = 0.0
    for row in X:
        for value in row[1:]:
            total += value
    return total


def sum_of_views(X):
    both = X[1:], X[0]
    return both[0][0, 1] + both[1][0] + first_of(X)


def sum_of_named_tuples(X):
    total = 0.0
    for i in range(X.shape[0]):
        row = Row(X[i], i)
        total += row.values[1] * row.number
    return total


def new_row_in_a_named_tuple(X):
    row = Row(np.zeros(X.shape[1]), 1)
    row.values[:] = 2.0
    return row.values[0] + row.number


def row_with_space(X):
    row = np.empty(X.shape[1])
    for j in range(X.shape[1]):
        row[j] = X[0, j]
    return row[-1]


def view(X):
    return X[1]


def identity(X):
    return X


def pair(X):
    return X[0], 1


def chosen_rows(X):
    return X[np.array([0, 2])][1, 1]


def expression(X):
    return (X + X)[1, 1]


def overwritten_rows(X):
    X[1:, :] = X[:-1, :]
    return X[2, 0]


def from_another_kernel(X):
    return doubled(X)[1, 1]


BORROWING = [sum_of_rows, sum_of_views, sum_of_named_tuples]
COUNTING = [
    row_with_space, view, identity, pair, chosen_rows, expression, overwritten_rows,
    from_another_kernel, new_row_in_a_named_tuple,
]  # fmt: skip


def table():
    return np.arange(12.0).reshape(4, 3)


@cache
def entry_kernel(function):
    return njit(pipeline_class=EntryCompiler)(function)


@pytest.mark.parametrize("function", BORROWING + COUNTING)
def test_a_kernel_computes_what_python_does_and_counts_references_only_where_needed(function):
    kernel = entry_kernel(function)
    assert str(kernel(table())) == str(function(table()))
    assert made_and_not_freed(kernel) == 0
    (text,) = kernel.inspect_llvm().values()
    assert ("NRT_" in text) == (function in COUNTING)


def made_and_not_freed(kernel):
    """Return how many pieces of memory some calls leave behind."""
    gc.disable()  # so that no array of another test is freed meanwhile
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        for _ in range(5):
            kernel(table())
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
        gc.enable()
    return (after.mi_alloc - before.mi_alloc) - (after.mi_free - before.mi_free)


def test_rows_chosen_by_an_argument_are_a_copy():
    kernel = entry_kernel(lambda X, rows: X[rows][1, 1])
    assert kernel(table(), np.array([0, 2])) == 7.0
    (text,) = kernel.inspect_llvm().values()
    assert "NRT_" in text


def test_a_returned_array_outlives_the_arguments():
    row = entry_kernel(view)(table())
    gc.collect()
    assert row.tolist() == [3.0, 4.0, 5.0]


def test_python_can_call_an_inner_kernel_with_default_arguments():
    assert first_of(table()) == 0.0
    assert first_of(table(), 2) == 2.0


def test_garbage_collection_is_restored_after_compiling():
    was_collecting = []

    def step(x):
        return x + 1

    step.__module__ = "shoal._kernels.example"
    listener = event.RecordingListener()
    listener.on_start = lambda _: was_collecting.append(gc.isenabled())
    with event.install_listener("numba:compile", listener):
        njit(step)(1)
        assert gc.isenabled()
        gc.disable()
        try:
            njit(step)(1)
            assert not gc.isenabled()
        finally:
            gc.enable()
    assert was_collecting == [False, False]
