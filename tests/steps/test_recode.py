"""Recoding by hand: a mapping, bands, rare values; types, missing values and labels are kept."""

import datetime as dt
from bisect import bisect_right
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from shoal.errors import ColumnError, InputError, ParameterError, PlanError
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.deliver import deliver
from shoal.report.html import render
from shoal.report.summary import summarise
from shoal.steps import Microaggregate, Recode
from shoal.steps.recoding.bands import band_labels

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def recode(values, *, types=None, **options):
    """Return the recoded values of one column, None for missing values, and its Arrow type."""
    data = values if isinstance(values, pa.Table) else pa.table({"x": values})
    step = Recode(["x"], **options)
    column = pa.table(Plan({}, [step], types).run(data).data)["x"]
    return column.to_pylist(), column.type


def finding(data, step):
    release = Plan({}, [step], other_columns="release").run(data)
    return next(f for f in release.verdict.findings if f.code == "values-generalised")


def test_a_mapping_names_values_as_text_whatever_their_type():
    mapping = {"1": "3", "2": "3"}
    for column in ([1, 2, 3, None], [1.0, 2.0, 3.0, None], ["1", "2", "3", None]):
        new, kind = recode(pa.array(column), mapping=mapping)
        three = column[2]
        assert new == [three, three, three, None]
        assert kind == pa.array(column).type
    assert Recode(["x"], mapping={1: 3, 2.0: 3}).mapping == mapping
    assert recode(pa.array([True, False]), mapping={True: "a", False: "b"})[0] == ["a", "b"]


def test_new_numbers_in_a_numeric_column_are_numbers_and_other_values_are_text():
    new, kind = recode(pa.array([1, 2, 3]), mapping={1: 7, 2: 8})
    assert (new, kind) == ([7, 8, 3], pa.int64())
    new, kind = recode(pa.array([1, None, 3]), mapping={1: 7})
    assert (new, kind) == ([7, None, 3], pa.float64())
    new, kind = recode(pa.array([1, 2, 3]), mapping={1: 0.5})
    assert (new, kind) == ([0.5, 2, 3], pa.float64())
    assert recode(pa.array([1, 2, None]), mapping={1: "low"})[0] == ["low", "2", None]
    assert recode(pa.array([1, 2]), mapping={1: "007"})[0] == ["007", "2"]  # a code, no number


def test_ordered_categories_keep_their_order_where_values_join_others():
    grades = pd.Categorical(["low", "high", "mid"], ["low", "mid", "high"], ordered=True)
    data = pd.DataFrame({"x": grades})
    plan = Plan({}, [Recode(["x"], mapping={"mid": "high"})])
    released = plan.run(data).data["x"]
    assert released.tolist() == ["low", "high", "high"]
    assert list(released.cat.categories) == ["low", "high"]
    assert released.cat.ordered
    enum = pl.DataFrame({"x": pl.Series(["a", "b", "a"], dtype=pl.Enum(["a", "b"]))})
    assert Plan({}, [Recode(["x"], mapping={"a": "b"})]).run(enum).data["x"].to_list() == ["b"] * 3


@pytest.mark.parametrize(
    ("unmapped", "expected"), [("keep", ["n", "b", "c", None]), ("other", ["n", "o", "o", None])]
)
def test_values_that_the_mapping_does_not_name(unmapped, expected):
    column = pa.array(["a", "b", "c", None])
    assert recode(column, mapping={"a": "n"}, unmapped=unmapped, other="o")[0] == expected
    data = pa.table({"x": column})
    warning = finding(data, Recode(["x"], mapping={"a": "n"}, unmapped=unmapped))
    assert "2 cells that the mapping does not name" in warning.sentence
    with raises(InputError, "value-not-mapped", column="x", count=2, record=2) as caught:
        recode(column, mapping={"a": "n"}, unmapped="refuse")
    assert "'b'" not in str(caught.value)
    full = {text: "n" for text in "abc"}
    assert recode(column, mapping=full, unmapped="refuse")[0] == ["n", "n", "n", None]


@given(
    st.lists(st.one_of(st.none(), st.integers(-9, 9), st.floats(-9, 9)), min_size=1),
    st.lists(st.integers(-8, 8), min_size=1, max_size=5, unique=True).map(sorted),
)
def test_a_band_begins_at_its_lower_limit(values, limits):
    values = [None if value is None else float(value) for value in values]
    labels = ["under", *(f"from {limit}" for limit in limits)]
    new, _ = recode(pa.array(values, pa.float64()), bands=limits, labels=labels)
    bands = [None if v is None else labels[bisect_right(limits, v)] for v in values]
    assert new == bands


def test_labels_of_bands_can_be_read_and_follow_the_values():
    ages = pa.array([17, 18, 29, 30, 65, None])
    expected = ["under 18", "18-29", "18-29", "30-64", "65+", None]
    assert recode(ages, bands=[18, 30, 65])[0] == expected
    assert recode(pa.array([0.25, 1.5, 2.0]), bands=[0.5, 2])[0] == [
        "under 0.5", "[0.5, 2)", "2 or more"
    ]  # fmt: skip
    assert band_labels([-5, -4, 1234567], is_whole=True) == [
        "under -5", "-5", "-4 to 1234566", "1234567+"
    ]  # fmt: skip


def test_bands_of_dates():
    days = [dt.date(1999, 12, 31), dt.date(2000, 1, 1), None, dt.date(2015, 5, 5)]
    expected = ["before 2000-01-01", "2000-01-01 to 2009-12-31", None, "since 2010-01-01"]
    limits = ["2000-01-01", dt.date(2010, 1, 1)]
    assert recode(pa.array(days), bands=limits)[0] == expected
    moments = [None if d is None else dt.datetime(d.year, d.month, d.day, 23, 59) for d in days]
    assert recode(pa.array(moments), bands=limits)[0] == expected
    abroad = pa.array(moments, pa.timestamp("us")).cast(pa.timestamp("us", "Asia/Tokyo"))
    local = recode(abroad, bands=limits)[0]  # 23:59 UTC is the next morning in Tokyo
    assert local[:2] == ["2000-01-01 to 2009-12-31"] * 2
    texts = pa.array(["31/12/1999", "01/01/2000", None, "05/05/2015"])
    form = {"x": {"kind": "date", "format": "%d/%m/%Y"}}
    assert recode(texts, bands=limits, types=form)[0] == expected
    with raises(ColumnError, "not-a-date", column="x"):
        recode(pa.array([dt.time(3)]), bands=limits)


@given(st.lists(st.sampled_from(["a", "b", "c", "other", None]), min_size=1), st.integers(2, 6))
def test_no_category_but_other_is_rarer_than_min_count(values, least):
    new, _ = recode(pa.array(values, pa.string()), min_count=least)
    original_counts, new_counts = Counter(values), Counter(new)
    for old, now in zip(values, new, strict=True):
        assert now == (old if old is None or original_counts[old] >= least else "other")
    assert all(n >= least for text, n in new_counts.items() if text not in (None, "other"))
    step = Recode(["x"], min_count=least)
    merged = {
        text for text in values if text not in (None, "other") and original_counts[text] < least
    }
    warnings = step.apply(_frame(values), []).warnings
    assert [warning.attributes["merged"] for warning in warnings] == [len(merged)] * bool(merged)
    for warning in warnings:
        assert warning.attributes["too_small"] == (new_counts["other"] < least)


def _frame(values):
    from shoal.frame.tables import open_frame

    return open_frame(pa.table({"x": pa.array(values, pa.string())}))


def test_rare_categories_are_counted_after_the_mapping():
    column = pa.array(["a", "b", "c", "c", "d"])
    new, _ = recode(column, mapping={"a": "ab", "b": "ab"}, min_count=2)
    assert new == ["ab", "ab", "c", "c", "other"]
    numbers, kind = recode(pa.array([1, 1, 2, 2, 3]), min_count=2, other="99")
    assert (numbers, kind) == ([1, 1, 2, 2, 99], pa.int64())


def test_missing_codes_are_missing_and_no_category():
    data = pa.table({"x": [1, 1, 2, 99, 99, 99]})
    plan = Plan({}, [Recode(["x"], mapping={99: 1, 2: 1})], missing_codes={"x": [99]})
    assert plan.run(data).data["x"].to_pylist() == [1, 1, 1, None, None, None]


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_codes_of_a_labelled_file_keep_their_labels_and_new_texts_have_none(tmp_path, ending):
    data = pd.DataFrame({"job": [1.0, 2.0, 3.0, 2.0] * 9, "sex": [1.0, 2.0] * 18})
    labels = {"job": {1.0: "clerk", 2.0: "nurse", 3.0: "smith"}, "sex": {1.0: "f", 2.0: "m"}}
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    write, read = {
        "sav": (pyreadstat.write_sav, pyreadstat.read_sav),
        "dta": (pyreadstat.write_dta, pyreadstat.read_dta),
    }[ending]
    write(data, source, variable_value_labels=labels)
    steps = [Recode(["job"], mapping={3: 1}), Recode(["sex"], mapping={1: "woman", 2: "man"})]
    deliver(Plan({}, steps), source, target)
    released, meta = read(target)
    assert released["job"].tolist() == [1.0, 2.0, 1.0, 2.0] * 9
    assert meta.variable_value_labels["job"] == {1.0: "clerk", 2.0: "nurse"}
    assert released["sex"].tolist() == ["woman", "man"] * 18
    assert "sex" not in meta.variable_value_labels


def test_a_file_of_text_is_recoded_and_reads_back(tmp_path):
    ages = np.random.default_rng(0).integers(10, 90, 60)
    table = pd.DataFrame({"age": ages, "zip": ["0101", "0102", "0201"] * 20})
    table.to_csv(tmp_path / "in.csv", index=False)
    steps = [Recode(["age"], bands=[18, 65]), Recode(["zip"], mapping={"0102": "0101"})]
    delivery = deliver(Plan({}, steps), tmp_path / "in.csv", tmp_path / "out.csv")
    released = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert set(released["age"]) == {"under 18", "18-64", "65+"}
    assert set(released["zip"]) == {"0101", "0201"}
    assert delivery.release.verdict.k == released.value_counts().min()


def test_the_public_report_does_not_show_which_values_are_mapped():
    data = pd.DataFrame({"x": ["astronaut", "clerk", "clerk"], "y": [1, 2, 3]})
    step = Recode(["x"], mapping={"astronaut": "clerk"})
    release = Plan({"y": "confidential"}, [step]).run(data)
    assert "astronaut" not in render(summarise(release)) + str(summarise(release))
    assert "astronaut" in summarise(release, "internal")["plan"]


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({}, PlanError, "recode-nothing"),
        ({"mapping": {}}, PlanError, "recode-nothing"),
        ({"mapping": {"a": "b"}, "bands": [1]}, PlanError, "recode-twice"),
        ({"mapping": {1: "a", "1": "b"}}, PlanError, "mapping-contradicts"),
        ({"mapping": {"a": None}}, ParameterError, "parameter-not-accepted"),
        ({"mapping": ["a"]}, ParameterError, "parameter-not-accepted"),
        ({"bands": []}, PlanError, "bands-not-limits"),
        ({"bands": "12"}, ParameterError, "parameter-not-accepted"),
        ({"bands": [2, 1]}, PlanError, "bands-not-limits"),
        ({"bands": [1, 1]}, PlanError, "bands-not-limits"),
        ({"bands": [float("nan")]}, ParameterError, "parameter-not-accepted"),
        ({"bands": [1, "2000-01-01"]}, PlanError, "bands-not-limits"),
        ({"bands": ["1/1/2000"]}, PlanError, "bands-not-limits"),
        ({"bands": [1], "labels": ["a"]}, PlanError, "labels-not-bands"),
        ({"labels": ["a"], "min_count": 3}, PlanError, "option-without-effect"),
        ({"unmapped": "other", "min_count": 3}, PlanError, "option-without-effect"),
        ({"min_count": 0}, ParameterError, "parameter-not-accepted"),
    ],
)
def test_what_contradicts_itself_is_refused(options, error, code):
    with raises(error, code):
        Recode(["x"], **options)


def test_bands_of_text_and_of_infinite_values_are_refused():
    with raises(ColumnError, "text-among-numbers", column="x"):
        recode(pa.array(["a", "b"]), bands=[1])
    with raises(InputError, "infinite-values", column="x"):
        recode(pa.array([1.0, float("inf")]), bands=[1])


def test_dates_of_a_toml_plan_are_limits(tmp_path):
    (tmp_path / "plan.toml").write_text(
        'version = 1\n[[steps]]\nmethod = "recode"\ncolumns = ["x"]\n'
        "bands = [2000-01-01, 2010-01-01]\n"
    )
    plan = Plan.load(tmp_path / "plan.toml")
    assert plan.steps[0].bands == ["2000-01-01", "2010-01-01"]
    assert Plan.from_dict(plan.to_dict()) == plan


def test_a_recoded_column_may_be_microaggregated_with_dependence_and_reported():
    data = pd.DataFrame({"x": list("aabbc") * 8, "y": np.arange(40.0)})
    steps = [
        Recode(["x"], mapping={"c": "new"}),
        Microaggregate(["x"], MDAV(k=3), dependence=0.2),
    ]
    release = Plan({"y": "confidential"}, steps).run(data)
    assert "distortion_x" not in release.measures  # the column has other categories than before
    assert summarise(release)["tradeoff"] == {}
    assert "entropy_loss" in release.measures
