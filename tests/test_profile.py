"""The data of figures: correct, and none of it about a single record."""

import gc
import json
import weakref
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import shoal
from shoal.errors import KindInferred
from shoal.frame.tables import open_frame
from shoal.metrics.chart_data.projection import project_groups
from shoal.plan.deliver import deliver
from shoal.plan.profile import profile

KNOWN = ["age", "height", "weight"]  # to an attacker


@pytest.fixture(scope="module")
def survey():
    return shoal.datasets.survey(300)[[*KNOWN, "income", "blood_pressure"]]


@pytest.fixture(scope="module")
def release(survey):
    return shoal.microaggregate(
        survey, KNOWN, k=4, method="mdav", confidential=["income", "blood_pressure"]
    )


def test_correlations_are_those_of_numpy(survey, release):
    actual = release.profile["correlations"]
    assert actual["columns"] == [*KNOWN, "income", "blood_pressure"]
    before = np.corrcoef(survey[actual["columns"]].to_numpy(float).T)
    after = np.corrcoef(release.data[actual["columns"]].to_numpy(float).T)
    assert np.allclose(actual["before"], before, atol=6e-4)
    assert np.allclose(actual["after"], after, atol=6e-4)
    assert np.allclose(actual["difference"], after - before, atol=6e-4)


def test_the_risk_of_the_original_is_counted_on_what_is_known(survey, release):
    sizes = survey[KNOWN].value_counts()
    assert release.profile["before"] == {
        "smallest_class": int(sizes.min()),
        "unique": round((sizes == 1).sum() / 300, 3),
        "marketer": round(len(sizes) / 300, 3),
    }


def test_groups_lie_where_their_means_are(survey, release):
    (actual,) = release.profile["groups"]
    X = survey[KNOWN].to_numpy(float)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    vectors = np.linalg.svd(Z)[2][:2].T
    vectors = vectors * np.where(vectors.sum(axis=0) < 0, -1, 1)
    labels = release.labels
    for group in range(actual["n_groups"]):
        scores = Z[labels == group] @ vectors
        assert np.allclose(actual["centres"][group], scores.mean(axis=0))
        squared_distances = ((scores - scores.mean(axis=0)) ** 2).sum(axis=1)
        assert actual["spread"][group] == pytest.approx(np.sqrt(squared_distances.mean()))
        assert actual["sizes"][group] == (labels == group).sum()
    assert actual["explained"] == pytest.approx(
        np.linalg.svd(Z)[1][:2] @ np.linalg.svd(Z)[1][:2] / (Z**2).sum()
    )


def test_many_groups_are_picked_evenly():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    projection = project_groups(X, np.arange(3000) // 3)
    assert len(projection.centres) == len(projection.spread) == len(projection.sizes) == 400
    assert projection.n_groups == 1000


def test_no_original_value_is_in_the_profile():
    # Values with many digits: no edge of a bin and no share equals them by chance.
    rng = np.random.default_rng(3)
    data = pd.DataFrame(rng.normal(size=(60, 3)) * 97.31, columns=list("abc"))
    release = shoal.microaggregate(data, ["a", "b"], k=3, method="mdav", confidential=["c"])
    text = json.dumps(release.profile)
    assert not any(repr(value)[:9] in text for value in data.to_numpy().ravel().tolist())


def test_a_release_does_not_keep_the_original_alive():
    data = shoal.datasets.survey(60)[KNOWN]
    reference = weakref.ref(data)
    release = shoal.microaggregate(data, KNOWN, k=3, method="mdav")
    del data
    gc.collect()
    assert reference() is None
    assert release.profile["distributions"]


def test_text_and_missing_values_are_counted_too():
    before = pd.DataFrame({"town": list("aaaabbbbc"), "size": [1.0, 2, np.nan, *range(6)]})
    after = before.assign(town=list("aaaabbbbb"))
    names = ["town", "size"]
    plan = SimpleNamespace(
        k=3, steps=[], roles={}, types={}, masked=names, recoded=[], quasi_identifiers=names
    )
    summary = profile(plan, open_frame(before), open_frame(after), [])
    town, size = summary["distributions"]
    assert (town["categories"], town["others"]) == (["a"], 2)
    assert (town["before"], town["after"]) == ([4, 5], [4, 5])
    assert sum(size["after"]) == 8
    assert summary["correlations"] == {}


def test_constant_columns_have_no_correlation(survey):
    data = survey.assign(flat=1.0)
    with pytest.warns(shoal.errors.ConstantColumn):
        release = shoal.microaggregate(data[[*KNOWN, "flat"]], [*KNOWN, "flat"], k=3, method="mdav")
    assert release.profile["correlations"]["columns"] == KNOWN
    assert release.profile["distributions"][3]["column"] == "flat"


def test_codes_that_are_declared_nominal_are_counted_as_categories(survey):
    data = survey.assign(town=np.arange(300) % 4)
    release = shoal.microaggregate(
        data[[*KNOWN, "town"]], [*KNOWN, "town"], k=4, method="mdav", types={"town": "nominal"}
    )
    town = release.profile["distributions"][3]
    assert sorted(town["categories"]) == ["0", "1", "2", "3"]
    assert town["before"] == [75] * 4
    assert release.profile["correlations"]["columns"] == KNOWN
    assert release.profile["groups"][0]["columns"] == KNOWN


def test_groups_of_huge_and_tiny_values_lie_where_moderate_ones_do():
    X = np.random.default_rng(0).normal(size=(12, 2))
    labels = np.repeat(np.arange(4), 3)
    expected = project_groups(X, labels)
    for unit in (2.0**970, 2.0**-970):
        projection = project_groups(X * [unit, 1.0], labels)
        assert np.allclose(projection.centres, expected.centres)
        assert np.allclose(projection.spread, expected.spread)


def test_categories_of_a_labelled_file_are_named_by_their_labels(tmp_path):
    codes = np.arange(60) % 3
    data = pd.DataFrame({"age": np.arange(60.0), "town": codes})
    labels = {"town": {0: "Aford", 1: "Beville", 2: "Ceton"}}
    pyreadstat.write_sav(data, tmp_path / "in.sav", variable_value_labels=labels)
    plan = shoal.Plan.of(["age", "town"], shoal.partitioners.MDAV(k=3))
    with pytest.warns(KindInferred):
        delivery = deliver(plan, tmp_path / "in.sav", tmp_path / "out.sav")
    town = delivery.release.profile["distributions"][1]
    assert sorted(town["categories"]) == ["Aford", "Beville", "Ceton"]
