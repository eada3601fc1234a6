"""Histograms without a count of few records, with bins from the released values."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.metrics.chart_data.histogram import bars, histogram

columns = st.lists(st.integers(-6, 30).map(float), min_size=1, max_size=60).map(np.array)


def grouped(column, k):
    """Return the column with runs of k sorted values replaced by their mean."""
    order = np.argsort(column, kind="stable")
    masked = np.empty(len(column))
    for rows in np.array_split(order, max(1, len(column) // k)):
        masked[rows] = column[rows].mean()
    return masked


@given(column=columns, least=st.integers(1, 6), whole=st.booleans())
def test_no_count_of_few_records_can_be_derived_even_by_subtraction(column, least, whole):
    result = histogram(column, grouped(column, least), least, is_whole=whole)
    actual = [count for count in result.original if count is not None]
    assert all(count >= least for count in actual)
    assert sum(actual) + result.withheld == len(column)
    assert result.withheld == 0 or result.withheld >= min(least, len(column))


@given(column=columns, least=st.integers(1, 6), whole=st.booleans())
def test_published_counts_are_correct(column, least, whole):
    masked = grouped(column, least)
    result = histogram(column, masked, least, is_whole=whole)
    bounds = [-np.inf, *result.edges, np.inf]
    for at, (old, new) in enumerate(zip(result.original, result.masked, strict=True)):
        inside = (bounds[at] <= column) & (column < bounds[at + 1])
        assert old is None or old == inside.sum()
        assert new == ((bounds[at] <= masked) & (masked < bounds[at + 1])).sum()
    assert sum(result.masked) == len(masked)


@given(column=columns, least=st.integers(2, 5), shift=st.floats(-1e6, 1e6))
def test_edges_depend_on_the_masked_values_only(column, least, shift):
    masked = grouped(column, least)
    other = column.copy()
    other[0] = shift
    first = histogram(column, masked, least)
    second = histogram(other, masked, least)
    assert not set(first.edges) ^ set(second.edges) or _same_grid(first.edges, second.edges)


def _same_grid(one, other):
    """Return whether two rows of edges are cut from the same grid."""
    steps = np.diff(one)[:1].tolist() + np.diff(other)[:1].tolist()
    if not steps:
        return True
    shifts = (np.array([*one, *other]) - one[0]) / steps[0]
    return np.allclose(shifts, np.round(shifts))


def test_bins_of_whole_numbers_are_centred_on_them():
    column = np.repeat(np.arange(1.0, 9.0), 40)
    result = histogram(column, column, 3, is_whole=True)
    assert [edge % 1 for edge in result.edges] == [0.5] * len(result.edges)
    assert [count for count in result.original if count] == [40] * 8


def test_an_extreme_value_moves_no_edge():
    column = np.arange(200.0)
    masked = grouped(column, 5)
    extreme = column.copy()
    extreme[-1] = 123_456.0
    assert histogram(extreme, masked, 5).edges == histogram(column, masked, 5).edges
    assert "123456" not in str(histogram(extreme, masked, 5))


def test_a_long_tail_does_not_squeeze_the_rest_into_one_bin():
    column = np.sort(np.random.default_rng(0).lognormal(10, 1.2, 4000))
    result = histogram(column, grouped(column, 5), 5)
    assert sum(count is not None for count in result.original) > 8
    assert max(count or 0 for count in result.original) < 1800


def test_rare_values_beside_a_frequent_one_have_a_bin():
    before = np.repeat([0.0, 1.0], [96, 4])
    made = histogram(before, before, 3)
    assert made.edges[0] == 0.0
    assert made.edges[-1] == pytest.approx(1.1)
    assert [count for count in made.original if count] == [96, 4]


def test_a_constant_column_and_a_huge_one_can_be_counted():
    result = histogram(np.full(9, 2.5), np.full(9, 2.5), 3)
    assert sum(result.masked) == 9
    huge = np.linspace(-1e300, 1e300, 40)
    assert sum(histogram(huge, huge, 3).masked) == 40


words = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=40)


@given(before=words, after=words, least=st.integers(1, 6))
def test_rare_categories_are_combined(before, after, least):
    old, new = Counter(before), Counter(after)
    result = bars(old, new, least)
    for name, count, other in zip(result.categories, result.original, result.masked, strict=False):
        assert count == old[name] >= least
        assert other == new[name]
    assert sum(result.original) == len(before)
    assert sum(result.masked) == len(after)
    assert len(result.categories) + result.others == len(old | new)
    if result.others and result.categories:
        assert result.original[-1] == 0 or result.original[-1] >= least


def test_many_categories_are_limited_to_a_page():
    many = Counter({f"c{at}": 10 for at in range(100)})
    result = bars(many, many, 3)
    assert len(result.original) == 24
    assert result.others == 77


@pytest.mark.parametrize("least", [3, 10])
def test_the_last_bin_is_open(least):
    column = np.concatenate([np.arange(100.0), np.full(least, 1e6)])
    masked = np.clip(column, 0, 100)
    result = histogram(column, masked, least)
    assert result.original[-1] == least


@pytest.mark.parametrize("unit", [5e-324, 1e-310, 1e-301])
def test_values_too_close_for_a_power_of_ten_are_counted_in_one_place(unit):
    before = unit * np.arange(12.0)
    result = histogram(before, np.repeat(before[1::3], 3), min_count=3)
    assert sum(result.masked) == len(before)
    assert sum(count or 0 for count in result.original) + result.withheld == len(before)
