"""Risks counted in units, against counts that pandas makes the slow way."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal import assess
from shoal.errors import InputError
from shoal.metrics import (
    fewest_units,
    homogeneous_classes,
    l_diversity,
    largest_unit_share,
    linkage,
    linkage_top2,
    p_sensitivity,
    reidentification,
    t_closeness,
)
from shoal.metrics._scaling import order_free_zscores
from shoal.metrics.class_tallies import divided_tally, tally
from shoal.metrics.findings.dominance import dominated_groups
from shoal.partitioners import Partition
from shoal.steps.constraints.homogeneity import count_homogeneous
from twins import units as twin


@st.composite
def classes(draw):
    n = draw(st.integers(2, 24))
    columns = {"class": 3, "unit": 6, "value": 4}
    return pd.DataFrame(
        {
            name: draw(st.lists(st.integers(0, most), min_size=n, max_size=n))
            for name, most in columns.items()
        }
    )


def arrays(data):
    return data[["class"]].to_numpy(), data[["value"]].to_numpy(), data["unit"].to_numpy()


@given(data=classes())
def test_units_of_a_class_are_counted(data):
    released, _, units = arrays(data)
    held = data.groupby("class")["unit"].nunique()
    assert fewest_units(released, units) == held.min()
    sizes = data["class"].map(held)
    risks = reidentification(released, units=units)
    assert risks["prosecutor"] == pytest.approx(1 / held.min())
    assert risks["marketer"] == pytest.approx((1 / sizes).mean())
    share = data.groupby("class")["unit"].value_counts(normalize=True).max()
    assert largest_unit_share(released, units) == pytest.approx(share)


@given(data=classes())
def test_each_unit_stands_for_one_value(data):
    released, values, units = arrays(data)
    kept = twin.one_value_per_unit(data)
    distinct = kept.groupby("class")["value"].nunique()
    diversity = l_diversity(released, values, units=units)
    assert diversity["distinct"] == [distinct.min()]
    entropy = kept.groupby("class")["value"].agg(twin.effective)
    assert diversity["entropy"] == pytest.approx([entropy.min()])
    assert p_sensitivity(released, values, units) == distinct.min()
    several = kept.groupby("class").size() > 1
    assert homogeneous_classes(released, values, units) == [(several & (distinct == 1)).sum()]


@given(data=classes())
def test_a_class_is_homogeneous_if_all_its_units_have_a_value_in_common(data):
    released, values, units = arrays(data)
    expected = 0
    for _, part in data.groupby("class"):
        held = [set(own["value"]) for _, own in part.groupby("unit")]
        expected += len(held) > 1 and bool(set.intersection(*held))
    assert homogeneous_classes(released, values, units) == [expected]
    labels = np.unique(released, return_inverse=True)[1].ravel()
    alone = sum(part["unit"].nunique() == 1 for _, part in data.groupby("class"))
    counts = count_homogeneous(Partition(labels, 1), values, ["value"], units)
    assert counts["value"].homogeneous == expected + alone


@given(data=classes(), ordered=st.booleans())
def test_closeness_counts_each_unit_once(data, ordered):
    released, values, units = arrays(data)
    closeness = t_closeness(released, values, [ordered], units)
    assert closeness == pytest.approx([twin.closeness(data, ordered)], abs=1e-9)


@given(data=classes())
def test_units_of_one_record_change_no_measure(data):
    released, values, _ = arrays(data)
    units = np.arange(len(data))[::-1].copy()
    for measure in (l_diversity, homogeneous_classes, p_sensitivity):
        plain, counted = measure(released, values), measure(released, values, units=units)
        assert repr(plain) == repr(counted)
    assert reidentification(released) == reidentification(released, units=units)
    plain, counted = (t_closeness(released, values, [True], *u) for u in ((), (units,)))
    assert counted == pytest.approx(plain)


@given(data=classes(), in_units=st.booleans(), counts=st.lists(st.integers(1, 5), min_size=24))
def test_a_row_is_tallied_as_often_as_the_records_it_stands_for(data, in_units, counts):
    counts = np.array(counts[: len(data)])
    _, labels = np.unique(data["class"], return_inverse=True)
    columns = labels, data["value"].to_numpy(), data["unit"].to_numpy() if in_units else None
    repeated = [None if column is None else np.repeat(column, counts) for column in columns]
    for count in (tally, divided_tally):
        actual, expected = count(*columns, counts), count(*repeated)
        for field in ("labels", "values", "counts", "class_sizes", "table_counts"):
            np.testing.assert_allclose(getattr(actual, field), getattr(expected, field), 1e-12)


@given(data=classes(), seed=st.integers(0, 5))
def test_a_link_is_right_where_it_leads_to_the_unit(data, seed):
    rng = np.random.default_rng(seed)
    original = rng.integers(0, 3, (len(data), 2)).astype(float)
    masked = rng.integers(0, 3, (len(data), 2)).astype(float)
    units = data["unit"].to_numpy()
    before, after = order_free_zscores(original), order_free_zscores(masked)
    for guesses, measure in ((1, linkage), (2, linkage_top2)):
        expected = twin.linked(before, after, units, guesses)
        assert measure(original, masked, units=units) == pytest.approx(expected)
        alone = np.arange(len(data))
        assert measure(original, masked, units=alone) == pytest.approx(measure(original, masked))


def test_one_unit_with_many_values_makes_no_class_diverse():
    units = np.array([0, 0, 0, 0, 0, 1, 2, 3])
    values = np.array([1, 2, 3, 4, 5, 1, 1, 1])[:, None]
    released = np.zeros((8, 1), np.int64)
    assert l_diversity(released, values)["distinct"] == [5]
    diversity = l_diversity(released, values, units=units)
    assert (diversity["distinct"], diversity["entropy"]) == ([1], [1.0])
    assert homogeneous_classes(released, values, units) == [1]


def test_contributions_of_a_unit_are_summed():
    values = np.array([[3.0], [3.0], [3.0], [2.0]])
    labels, units = np.zeros(4, np.int64), np.array([0, 0, 0, 1])
    assert dominated_groups(values, labels, 0.8) == [0]
    assert dominated_groups(values, labels, 0.8, units=units) == [1]
    holed = np.array([[np.nan], [3.0], [3.0], [2.0]])
    assert dominated_groups(holed, labels, 0.7, units=units) == [1]


def test_assess_counts_units_by_the_name_of_their_column():
    before = pd.DataFrame({"id": [1, 1, 2, 3], "age": [20, 22, 60, 62], "ill": [1, 2, 2, 2]})
    after = before.assign(age=[21, 21, 61, 61])
    options = {"quasi_identifiers": ["age"], "confidential": ["ill"]}
    measures = assess(before, after, unit="id", **options)
    assert (measures["smallest_class"], measures["fewest_units"]) == (2, 1)
    assert measures["l_diversity"]["distinct"] == {"ill": 1}
    assert measures["largest_unit_share"] == 1.0
    plain = assess(before, after, **options)
    assert "fewest_units" in plain.remarks
    holed = assess(before.assign(id=[None, None, 2, 3]), after, unit="id", **options)
    assert holed["fewest_units"] == 2
    with raises(InputError):
        fewest_units(np.zeros((3, 1)), np.zeros(2))


def test_entropy_of_the_twin_is_that_of_equally_frequent_values():
    assert twin.effective(pd.Series([1, 2, 3])) == pytest.approx(3)
    assert twin.effective(pd.Series([1, 1])) == 1.0
    assert math.isclose(twin.effective(pd.Series([1, 1, 2])), math.exp(0.6365141682948128))
