"""Long tables in blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.partitioners import MDAV, VMDAV, Blocked, Search, partitioner, to_entry
from shoal.partitioners._base import in_order
from shoal.partitioners._record_blocks import split_into_blocks
from tables import loss, tables_and_k


def table(n, p, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


@given(case=tables_and_k(greatest=4), size=st.integers(2, 12), first=st.sampled_from([0.5, 1 / 3]))
def test_blocks_contain_each_record_once_and_never_too_few(case, size, first):
    X, k = case
    blocks = split_into_blocks(X, size, k, first)
    assert sorted(row for rows in blocks for row in rows) == list(range(len(X)))
    assert min(map(len, blocks)) >= k


@given(case=tables_and_k(greatest=4), size=st.integers(2, 12))
def test_equal_records_share_a_block(case, size):
    X, k = case
    block = np.empty(len(X), np.int64)
    for number, rows in enumerate(split_into_blocks(X, size, k)):
        block[rows] = number
    for row in range(len(X)):
        assert len(set(block[(X[row] == X).all(axis=1)])) == 1


@given(size=st.integers(2, 40), seed=st.integers(0, 5))
def test_a_block_without_ties_is_no_larger_than_asked(size, seed):
    assert max(map(len, split_into_blocks(table(120, 3, seed), size, 1))) <= size


@given(seed=st.integers(0, 20))
def test_the_order_of_the_rows_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (60, 2)).astype(float)
    order = rng.permutation(60)

    def as_sets(X):
        return sorted(sorted(map(tuple, X[rows])) for rows in split_into_blocks(X, 10, 3))

    assert as_sets(X) == as_sets(X[order])


@pytest.mark.parametrize("seams", ["keep", "refine"])
@pytest.mark.parametrize("method", [None, VMDAV(k=3), Search(k=3, rounds=1, random_state=0)])
def test_the_number_of_workers_changes_nothing(method, seams):
    X = table(500, 3)
    by_one, by_three = (
        Blocked(k=3, method=method, block_size=60, seams=seams, n_jobs=n_jobs).fit_predict(X)
        for n_jobs in (1, 3)
    )
    assert np.array_equal(by_one, by_three)


def test_a_table_of_one_block_is_grouped_as_without_blocks():
    X = table(200, 3)
    assert np.array_equal(Blocked(k=3, block_size=200).fit_predict(X), MDAV(k=3).fit_predict(X))


@settings(max_examples=20)
@given(case=tables_and_k(greatest=4))
def test_each_block_is_grouped_by_the_method(case):
    X, k = case
    labels = Blocked(k=k, block_size=8, seams="keep").fit_predict(X)
    for rows in split_into_blocks(X, 8, k):
        assert np.array_equal(in_order(labels[rows]), MDAV(k=k).fit_predict(X[rows]))


def test_refining_seams_recovers_the_cost_of_borders():
    X = table(4000, 4)
    whole = loss(X, MDAV(k=4).fit_predict(X))
    kept = loss(X, Blocked(k=4, block_size=300, seams="keep").fit_predict(X))
    refined = loss(X, Blocked(k=4, block_size=300).fit_predict(X))
    assert refined < whole < kept


def test_a_block_smaller_than_k_is_never_made():
    assert Blocked(k=7, block_size=2).fit(table(100, 2)).partition_.sizes.min() >= 7


def test_progress_covers_both_passes():
    from shoal import _progress as progress

    reports = []
    with progress.reporting_to(lambda *report: reports.append(report)):
        Blocked(k=3, block_size=50).fit(table(300, 2))
    assert {report[0] for report in reports} >= {"grouping blocks", "refining borders"}


def test_blocks_are_named_by_an_option_of_any_method():
    model = partitioner("vmdav", {"k": 3, "gamma": 0.5, "block_size": 50, "effort": "refine"})
    assert repr(model) == repr(
        Blocked(k=3, method=partitioner("vmdav", {"k": 3, "gamma": 0.5, "effort": "refine"}),
                block_size=50)
    )  # fmt: skip
    written = to_entry(model)
    assert written == {
        "method": "vmdav", "k": 3, "gamma": 0.5, "effort": "refine", "block_size": 50,
    }  # fmt: skip
    assert repr(partitioner(written.pop("method"), written)) == repr(model)
