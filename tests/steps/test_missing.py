"""Patterns of missing cells, and what a step does with them."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import shoal
from raising import raises, warns
from shoal.errors import InputError, MissingValues, ShoalWarning
from shoal.steps.microaggregation.missing_patterns import group_by_pattern, join_patterns


@st.composite
def patterns(draw):
    n, p = draw(st.integers(1, 14)), draw(st.integers(1, 3))
    is_missing = draw(arrays(bool, (n, p)))
    Z = draw(arrays(np.float64, (n, p), elements=st.integers(0, 3).map(float)))
    return is_missing, Z, draw(st.integers(1, n))


@given(case=patterns())
def test_every_pattern_of_missing_cells_gets_k_records_and_no_cell_is_filled(case):
    is_missing, Z, k = case
    copy = is_missing.copy()
    labels = join_patterns(is_missing, Z, np.arange(is_missing.shape[1]), k)
    assert np.array_equal(is_missing, copy)
    assert (labels | ~is_missing).all()
    assert np.unique(labels, axis=0, return_counts=True)[1].min() >= k
    if np.unique(is_missing, axis=0, return_counts=True)[1].min() >= k:
        assert np.array_equal(labels, is_missing)


def fewest_cells(is_missing, k):
    """Return the least number of cells to suppress, by trying all ways."""
    free = np.argwhere(~is_missing)
    for number in range(len(free) + 1):
        for chosen in itertools.combinations(free, number):
            tried = is_missing.copy()
            for i, j in chosen:
                tried[i, j] = True
            if np.unique(tried, axis=0, return_counts=True)[1].min() >= k:
                return number
    return None


@pytest.mark.parametrize("seed", range(30))
def test_few_cells_are_suppressed(seed):
    rng = np.random.default_rng(seed)
    is_missing, k = rng.random((7, 2)) < 0.3, int(rng.integers(2, 4))
    labels = join_patterns(is_missing, rng.normal(size=(7, 2)), np.arange(2), k)
    least = fewest_cells(is_missing, k)
    assert (labels & ~is_missing).sum() <= 2 * least  # greedy, so not always the minimum


def test_a_rare_pattern_takes_the_nearest_records_it_needs_and_no_more():
    is_missing = np.zeros((9, 2), bool)
    is_missing[0, 1] = True
    Z = np.column_stack([[0.0, 9, 8, 1, 7, 2, 6, 5, 4], np.zeros(9)])
    labels = join_patterns(is_missing, Z, np.arange(2), 3)
    assert np.flatnonzero(labels[:, 1]).tolist() == [0, 3, 5]


def test_missing_cells_distinguish_records():
    is_missing = np.array([[0, 1], [0, 0], [0, 1], [1, 1]], bool)
    assert sorted(sorted(rows.tolist()) for rows in group_by_pattern(is_missing)) == [
        [0, 2],
        [1],
        [3],
    ]


@pytest.fixture
def survey():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 80).astype(float),
            "town": rng.choice(["Porto", "Faro", "Beja"], 80),
            "born": pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 9000, 80), "D"),
            "member": rng.choice([True, False], 80),
            "area": np.repeat(["n", "s"], 40),
        }
    )
    for name in ("age", "town", "born"):
        table[name] = table[name].where(rng.random(80) > 0.15)
    return table


COLUMNS = ["age", "town", "born", "member"]


def mask(table, columns=COLUMNS, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = shoal.microaggregate(table, columns, **{"k": 4, "confidential": [], **options})
    assert all(issubclass(w.category, ShoalWarning) for w in caught)
    return release


def classes(data, columns=COLUMNS):
    """Count the records that look alike; a missing value is a value like any other."""
    return data.groupby(columns, dropna=False).size()


def test_missing_values_are_refused_with_their_number_in_each_column(survey):
    counts = survey[COLUMNS].isna().sum()
    by_column = {name: int(count) for name, count in counts.items() if count}
    with raises(InputError, "missing-values", column="age", counts=by_column):
        mask(survey)


@pytest.mark.parametrize(
    "options", [{}, {"within": "area"}, {"blocks": 2}, {"aggregate": "median"}]
)
@pytest.mark.parametrize("missing", ["own-groups", "impute", "drop"])
def test_no_class_falls_below_k_in_the_strict_reading(survey, missing, options):
    release = mask(survey, missing=missing, **options)
    blocks = [COLUMNS[:2], COLUMNS[2:]] if "blocks" in options else [COLUMNS]
    for block in blocks:
        assert (
            classes(
                release.data, [*block, *([] if len(options) != 1 else release.plan.steps[0].strata)]
            ).min()
            >= 4
        )


def test_own_groups_never_fill_a_missing_cell_and_report_suppression(survey):
    release = mask(survey, missing="own-groups")
    was_missing, is_missing = survey[COLUMNS].isna(), release.data[COLUMNS].isna()
    assert (is_missing | ~was_missing).all(axis=None)
    n_suppressed = int((is_missing & ~was_missing).sum().sum())
    (actual,) = [text for text in release.warnings if "suppressed" in text]
    assert actual.startswith(f"{n_suppressed} cells (")
    for group in range(release.partitions[0].n_groups):
        assert (is_missing[release.labels == group].nunique() == 1).all()


def test_missing_values_do_not_affect_a_mean(survey):
    for missing in ("own-groups", "impute"):
        release = mask(survey, missing=missing)
        for _, rows in survey.groupby(release.labels):
            released = release.data.loc[rows.index, "age"]
            if released.notna().all():
                assert released.tolist() == pytest.approx([rows["age"].mean()] * len(rows))


def test_imputed_cells_and_groups_with_few_known_values_are_counted(survey):
    release = mask(survey, missing="impute")
    filled = survey[COLUMNS].isna() & release.data[COLUMNS].notna()
    actual = [text for text in release.warnings if "now have" in text][0]
    assert actual.startswith(f"{int(filled.sum().sum())} cells ('age' {int(filled['age'].sum())},")
    assert any("from fewer than k known values" in text for text in release.warnings)


def test_a_group_of_missing_values_keeps_them():
    table = pd.DataFrame({"x": [1.0, 2, 50, 51], "y": [np.nan, np.nan, 3.0, 5.0]})
    release = mask(table, ["x", "y"], k=2, missing="impute")
    assert release.data["y"].tolist()[2:] == [4.0, 4.0]
    assert release.data["y"].isna().tolist() == [True, True, False, False]
    assert release.provenance["missing"] == {"y": 2}


def test_a_table_of_missing_values_is_one_group():
    table = pd.DataFrame({"x": [None] * 4, "y": [1.0, 2.0, 3.0, 4.0]})
    release = mask(table, ["x"], k=2, missing="own-groups")
    assert release.data["x"].isna().all()
    assert release.measures["smallest_class"] == 4


def test_too_few_records_are_refused_whatever_is_missing():
    table = pd.DataFrame({"x": [1.0, None], "y": [None, 2.0]})
    for missing in ("own-groups", "impute"):
        with raises(InputError, "too-few-records", k=3):
            mask(table, ["x", "y"], k=3, missing=missing)


def test_dropped_records_leave_the_others_in_their_order_with_their_index(survey):
    table = survey.set_axis([f"r{i}" for i in range(80)])
    release = mask(table, missing="drop")
    is_complete = survey[COLUMNS].notna().all(axis=1).to_numpy()
    assert release.data.index.tolist() == table.index[is_complete].tolist()
    assert np.array_equal(release.rows, np.flatnonzero(is_complete))
    assert release.provenance["records"] == is_complete.sum() == len(release.labels)
    assert any(
        text.startswith(f"{(~is_complete).sum()} of 80 records were dropped")
        for text in release.warnings
    )
    assert release.data["area"].tolist() == survey["area"][is_complete].tolist()


def test_nothing_of_a_dropped_record_leaves_in_a_list_of_categories():
    names = pd.Categorical(["rare", "b", "b", "c"])
    table = pd.DataFrame({"x": [None, 1.0, 2.0, 3.0], "name": names})
    for data in (table, pa.Table.from_pandas(table)):
        release = mask(data, ["x"], k=3, missing="drop", confidential=["name"])
        assert "rare" not in str(pa.table(release.data)["name"].chunk(0).dictionary.to_pylist())


def test_a_table_without_a_whole_record_is_not_dropped():
    table = pd.DataFrame({"x": [1.0, None], "y": [None, 2.0]})
    with raises(InputError, "no-record-complete"):
        mask(table, ["x", "y"], k=1, missing="drop")


def test_complete_tables_are_masked_alike_whatever_the_missing_option(survey):
    complete = survey.dropna().reset_index(drop=True)
    release = mask(complete)
    for missing in ("own-groups", "impute", "drop"):
        pd.testing.assert_frame_equal(mask(complete, missing=missing).data, release.data)


def test_the_report_states_how_missing_cells_are_counted(survey, tmp_path):
    release = mask(survey, missing="own-groups")
    release.report(tmp_path / "report.html")
    assert "counts as a value of its own" in (tmp_path / "report.html").read_text()
    release = mask(survey, missing="drop")
    release.report(tmp_path / "whole.html")
    assert "counts as a value of its own" not in (tmp_path / "whole.html").read_text()


def test_the_losses_say_how_missing_values_were_counted(survey):
    release = mask(survey, missing="own-groups")
    assert "suppressed ones as the mean" in release.remarks["information_loss"]
    assert 0 < release.measures["information_loss"] <= 100


def test_losses_count_what_was_suppressed_as_the_mean_and_what_came_missing_not_at_all():
    original = pd.DataFrame({"x": [0.0, 2.0, np.nan, 1.0], "s": ["a", "b", "a", "b"]})
    for x, loss in {(1, 1, 50, 1): 100, (0, np.nan, np.nan, 1): 50, (0, 2, 7, 1): 0}.items():
        masked = original.assign(x=np.array(x, float))
        measures = shoal.assess(
            original, masked, quasi_identifiers=["x"], measures=["information_loss"]
        )
        assert measures["information_loss"] == pytest.approx(loss)
        measures = shoal.assess(original, masked, quasi_identifiers=["x", "s"])
        assert measures["information_loss"] == pytest.approx(loss / 2)


def test_dependence_needs_every_confidential_value(survey):
    table = survey.assign(pay=[None, *range(79)])
    with raises(InputError, "missing-values", column="pay", count=1):
        mask(table, ["member"], confidential=["pay"], dependence=0.5)
    release = mask(
        table.fillna({"pay": 0}), confidential=["pay"], dependence=0.5, missing="own-groups"
    )
    assert classes(release.data).min() >= 4


def test_a_method_that_numbers_columns_refuses_to_leave_some_out(survey):
    with raises(InputError, "sorts-by-missing-columns"):
        mask(survey, ["age", "member"], method="sorted", by=0, missing="own-groups")
    release = mask(survey, ["age", "member"], method="univariate", blocks=1, missing="own-groups")
    assert classes(release.data, ["age"]).min() >= 4


def test_homogeneous_groups_are_merged_among_records_with_the_same_missing_cells(survey):
    table = survey.assign(
        ill=["no", "no", "no", "yes"] * 20, town="Faro", born=survey["born"].max()
    )
    release = mask(table, confidential=["ill"], missing="own-groups", homogeneity="merge")
    assert classes(release.data).min() >= 4
    assert not release.measures["homogeneous_classes"]["ill"]
    table.loc[table["age"].isna(), "ill"] = "no"
    with raises(InputError, "constant-confidential"):
        mask(table, confidential=["ill"], missing="own-groups", homogeneity="merge")


def test_warnings_about_missing_values_have_a_class_of_their_own(survey):
    with warns(MissingValues):
        shoal.microaggregate(survey[COLUMNS], COLUMNS, k=4, missing="drop")
