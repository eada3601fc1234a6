"""Two tables, one masked by any software: measures, and reasons why some are missing."""

import numpy as np
import pandas as pd
import pytest

import shoal
from raising import raises
from shoal.errors import InputError, ParameterError
from shoal.metrics import MEASURE_INFO, MEASURES, needs
from shoal.metrics.assessment import Assessment, linear_cost_measures

KNOWN = ["surface", "employees"]
SECRET = ["turnover", "net_profit"]


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def kinds(request):
    """Return companies before and after masking, in each kind of table."""
    before = shoal.datasets.sme(kind=request.param)
    after = shoal.microaggregate(
        before, KNOWN, k=3, confidential=SECRET, identifiers=["company"]
    ).data
    return before, after


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_no_remark_on_missing_cells_for_a_scale_without_missing_cells():
    data = pd.DataFrame({"a": np.arange(12.0), "grade": np.arange(12) % 3})
    types = {"grade": {"kind": "ordinal", "order": ["0", "1", "2"]}}
    release = shoal.microaggregate(
        data, ["a"], k=3, method="mdav", confidential=["grade"], types=types
    )
    assert "t_closeness" not in release.remarks
    missing = data.assign(grade=data["grade"].where(data.index > 0))
    release = shoal.microaggregate(
        missing, ["a"], k=3, method="mdav", confidential=["grade"], types=types
    )
    assert "'grade'" in release.remarks["t_closeness"]


def test_everything_is_measured_and_named(kinds):
    measures = shoal.assess(*kinds, quasi_identifiers=KNOWN, confidential=SECRET)
    assert isinstance(measures, Assessment)
    lacking = {"certified_gap", "weighted_total_change", "fewest_units", "largest_unit_share"}
    lacking |= {name for name in MEASURES if "original_categories" in needs(name)}
    assert set(measures) == set(MEASURES) - lacking
    assert set(measures.remarks) == lacking
    for name, value in measures.items():
        columns = {"": None, "quasi-identifier": KNOWN, "confidential": SECRET}[
            MEASURE_INFO[name].per
        ]
        if columns is not None:
            parts = value.values() if name == "l_diversity" else [value]
            assert all(list(part) == columns for part in parts)
    assert measures["t_closeness"]["turnover"] == pytest.approx(
        shoal.MEASURES["t_closeness"](
            np.column_stack([np.asarray(kinds[1][name]) for name in KNOWN]),
            np.column_stack([np.asarray(kinds[0]["turnover"])]),
            [True],
        )[0]
    )


def test_totals_are_measured_under_weights():
    before = pd.DataFrame({"a": [1.0, 3.0, 5.0], "w": [3.0, 1.0, 1.0]})
    after = before.assign(a=[2.0, 2.0, 5.0])
    measures = shoal.assess(before, after, quasi_identifiers=["a"], weight="w")
    assert measures["weighted_total_change"] == {"a": pytest.approx(100 * 2 / 11)}
    assert (
        "'a' 11 in the original and 13 in the masked table"
        in measures.remarks["weighted_total_change"]
    )
    with raises(InputError, "weights-unusable"):
        shoal.assess(before.assign(w=[0, 1, 2]), after, quasi_identifiers=["a"], weight="w")


def test_a_release_measures_what_assess_does_but_searches():
    data = shoal.datasets.sme()
    release = shoal.microaggregate(data, KNOWN, k=3, confidential=SECRET, identifiers=["company"])
    measures = shoal.assess(data, release.data, quasi_identifiers=KNOWN, confidential=SECRET)
    assert set(measures) - set(release.measures) == {"linkage", "linkage_top2"}
    assert release.measures == {name: measures[name] for name in release.measures}
    assert release.remarks == {}
    assert "linkage" not in linear_cost_measures()


def test_values_are_plain_numbers(kinds):
    def check(value):
        if isinstance(value, dict):
            for entry in value.values():
                check(entry)
        else:
            assert type(value) in (int, float)

    check(shoal.assess(*kinds, quasi_identifiers=KNOWN, confidential=SECRET))


def test_measures_that_cannot_be_computed_are_named_with_the_reason():
    data = pd.DataFrame({"x": [1.0, 1, 3, 3], "sex": list("mmff"), "ill": list("ynyn")})
    measures = shoal.assess(data, data, quasi_identifiers=["x", "sex"], confidential=["ill"])
    assert "needs a numeric confidential column" in measures.remarks["average_diversity"]
    assert measures["distortion_y"] == 0.5  # of categories: the share that is not the most frequent
    remark = "Column 'sex' left out: not numeric and complete in both tables."
    assert measures.remarks["std_ratio"] == remark
    assert "information_loss" not in measures.remarks
    assert measures["information_loss"] == 0
    assert measures["p_sensitivity"] == 2
    assert measures["t_closeness"] == {"ill": 0}
    bare = shoal.assess(data, data, quasi_identifiers=["sex"])
    assert {"smallest_class", "class_sizes", "information_loss", "linkage"} <= set(bare)
    assert "numeric and complete in both tables" in bare.remarks["std_ratio"]
    named = shoal.assess(data.assign(sex=list("abcd")), data, quasi_identifiers=["sex"])
    of_categories = {"values_unchanged", "levels_lost", "entropy_loss"}
    assert set(named) == {"smallest_class", "class_sizes", "reidentification", *of_categories}
    assert (
        "left out: the kinds differ"
        in shoal.assess(
            data.assign(sex=list("abcd")), data, quasi_identifiers=["x", "sex"]
        ).remarks["information_loss"]
    )
    assert "needs a confidential column" in bare.remarks["l_diversity"]


def test_an_undefined_measure_is_reported_and_not_raised():
    before = pd.DataFrame({"a": [0.0, 0, 1, 1], "b": [0.0, 1, 0, 1]})
    measures = shoal.assess(before, before, quasi_identifiers=["a", "b"])
    assert "loadings_change" not in measures
    assert "not determined" in measures.remarks["loadings_change"]
    with raises(InputError, "measure-not-computable", measure="loadings_change"):
        shoal.assess(before, before, quasi_identifiers=["a", "b"], measures=["loadings_change"])


@pytest.mark.parametrize("missing", [None, np.nan])
def test_confidential_numbers_with_missing_values_count_as_categories(missing):
    data = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6], "income": [missing, 5, 5, 7, 7, 5], "tax": 1.0})
    data["tax"] = [1.0, 2, 3, 1, 2, 3]
    measures = shoal.assess(
        data, data.assign(x=1.0), quasi_identifiers=["x"], confidential=["income", "tax"]
    )
    assert measures["l_diversity"]["distinct"] == {"income": 3, "tax": 3}
    assert "'income' left out" in measures.remarks["distortion_y"]
    assert "'income' counted as categories" in measures.remarks["t_closeness"]
    release = shoal.microaggregate(data, ["x"], k=3, confidential=["income", "tax"])
    assert "'income' left out" in release.remarks["average_diversity"]


def test_a_single_name_is_accepted_instead_of_a_list():
    data = shoal.datasets.sme()
    measures = shoal.assess(data, data, quasi_identifiers="surface", confidential="turnover")
    assert list(measures["homogeneous_classes"]) == ["turnover"]


def test_a_column_is_quasi_identifier_or_confidential_not_both():
    data = shoal.datasets.sme()
    with raises(ParameterError, "two-roles", columns=("surface",)):
        shoal.assess(data, data, quasi_identifiers=KNOWN, confidential=["surface"])


def test_original_confidential_values_count():
    before = pd.DataFrame({"x": [1.0, 2, 3, 4], "ill": list("ynyn")})
    after = before.assign(x=[1.5, 1.5, 3.5, 3.5], ill="y")
    measures = shoal.assess(before, after, quasi_identifiers=["x"], confidential=["ill"])
    assert measures["homogeneous_classes"] == {"ill": 0}
