"""Weights of columns in distances: their effect on the groups, and the reported losses."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import shoal
from raising import raises
from shoal import Microaggregate, Plan
from shoal.cli import app
from shoal.errors import ParameterError, PlanError
from shoal.frame.tables import open_frame
from shoal.geometry import zscore
from shoal.partitioners import MDAV, partitioner
from tables import tables

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def frame(X):
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])


def weighted(data, weights, k=3, method="mdav", **options):
    column_weights = dict(zip(data.columns, weights, strict=False))
    return shoal.microaggregate(
        data, list(data), k=k, method=method, column_weights=column_weights, **options
    )


def people(n=90, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n, 3)), columns=["age", "pay", "size"])


@given(
    X=tables(least=6, columns=3),
    weights=st.lists(st.sampled_from([0.25, 1.0, 3.0, 10.0]), min_size=3, max_size=3),
)
def test_groups_are_those_of_the_multiplied_columns(X, weights):
    data = frame(X)
    column_weights = dict(zip(data.columns, weights, strict=False))
    step = Microaggregate(list(data), MDAV(k=3), column_weights=column_weights)
    (groups,) = step.apply(open_frame(data), []).partitions
    expected = MDAV(k=3).fit(zscore(X) * weights[: X.shape[1]])
    np.testing.assert_array_equal(groups.labels, expected.labels_)


@pytest.mark.parametrize("method", ["mdav", "vmdav", "auto"])
@pytest.mark.parametrize("dependence", [0.0, 0.5])
@pytest.mark.parametrize("exponent", [-9, 1, 6])
def test_a_common_power_of_two_changes_nothing(method, dependence, exponent):
    data = people(40).assign(town=["a", "b"] * 20)
    columns, weights = ["age", "pay", "town"], np.array([1.5, 0.7, 3.0])
    releases = [
        shoal.microaggregate(
            data, columns, k=3, method=method, confidential=["size"], dependence=dependence,
            column_weights=dict(zip(columns, (weights * factor).tolist(), strict=True)),
        )
        for factor in (1.0, 2.0**exponent)
    ]  # fmt: skip
    pd.testing.assert_frame_equal(releases[0].data, releases[1].data)


def test_equal_weights_and_none_are_the_same():
    data = people()
    plain = shoal.microaggregate(data, list(data), k=4, method="mdav")
    for weights in ([1.0, 1.0, 1.0], [4.0, 4.0, 4.0]):
        pd.testing.assert_frame_equal(weighted(data, weights, k=4).data, plain.data)


def test_an_important_column_loses_less_and_the_others_more():
    data = people(300)
    plain = shoal.microaggregate(data, list(data), k=5)
    heavy = weighted(data, [8.0], k=5, method="auto")
    lost = [((release.data - data) ** 2).sum() for release in (plain, heavy)]
    assert lost[1]["age"] < lost[0]["age"] / 4
    assert lost[1]["pay"] > lost[0]["pay"]
    assert heavy.measures["information_loss"] > plain.measures["information_loss"]


def test_both_losses_are_stated():
    data = people()
    release = weighted(data, [5.0, 1.0], k=4)
    Z, labels = zscore(data.to_numpy()), release.labels
    means = np.array([Z[labels == label].mean(axis=0) for label in range(labels.max() + 1)])
    lost = ((Z - means[labels]) ** 2).sum(axis=0)
    factors = np.array([25.0, 1.0, 1.0])
    with_weights = 100 * (lost * factors).sum() / (len(Z) * factors.sum())
    (finding,) = [f for f in release.verdict.findings if f.code == "columns-weighted"]
    assert f"the groups lose {with_weights:.4g} %" in finding.sentence
    assert "'age' 5, 'pay' 1, all others 1" in finding.sentence
    assert release.measures["information_loss"] == pytest.approx(100 * lost.sum() / Z.size)
    plain = shoal.microaggregate(data, list(data), k=4)
    assert "columns-weighted" not in [f.code for f in plain.verdict.findings]


def test_a_proven_bound_is_stated_only_for_the_unweighted_loss():
    data = people(9)[["age", "pay"]]
    proving = partitioner("auto", {"k": 3, "effort": "prove", "budget": 5.0})
    for weights in (None, {"age": 1}, {"age": 2}, {"age": 2, "pay": 2}):
        step = Microaggregate(list(data), proving, column_weights=weights)
        bound = step.apply(open_frame(data), []).bound
        assert (bound is not None) == (weights in (None, {"age": 1}))
        assert ("certified_gap" in Plan({}, [step]).run(data).measures) == (bound is not None)


def test_blocks_and_missing_values_are_weighted_too():
    data = people()
    data.loc[:9, "size"] = np.nan
    release = weighted(data, [5.0], missing="own-groups", blocks=[["age", "size"], ["pay"]])
    assert release.verdict.k >= 1
    assert any(f.code == "columns-weighted" for f in release.verdict.findings)


def test_function_plan_and_command_line_agree(tmp_path):
    data = people().round(3)
    release = weighted(data, [2.0], k=4)
    step = Microaggregate(list(data), MDAV(k=4), column_weights={"age": 2})
    plan = Plan({}, [step])
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    pd.testing.assert_frame_equal(plan.run(data).data, release.data)
    data.to_csv(tmp_path / "in.csv", index=False)
    common = ["mask", str(tmp_path / "in.csv"), "-c", "age", "-c", "pay", "-c", "size", "-k", "4",
              "-m", "mdav", "--quiet", "--set", "round=none"]  # fmt: skip
    for name, option in {
        "a": ["--column-weight", "age=2"], "b": ["--set", "column_weights=age=2"]
    }.items():  # fmt: skip
        result = CliRunner().invoke(app, [*common, *option, str(tmp_path / f"{name}.csv")])
        assert result.exit_code == 0, result.output
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / f"{name}.csv"), release.data)
    repeated_option = ["--column-weight", "age=2", "--set", "column_weights=age=2"]
    for refused_options in (
        ["--column-weight", "age"],
        ["--column-weight", "age=x"],
        repeated_option,
    ):
        result = CliRunner().invoke(app, [*common, *refused_options, str(tmp_path / "c.csv")])
        assert result.exit_code != 0
        assert not (tmp_path / "c.csv").exists()


@pytest.mark.parametrize("weight", [0, -1, float("inf"), 1e7, "2"])
def test_weights_are_positive_numbers(weight):
    with raises(ParameterError, "parameter-not-accepted", parameter="column_weights"):
        Microaggregate(["a"], MDAV(k=3), column_weights={"a": weight})


def test_a_weight_of_another_column_is_refused():
    with raises(PlanError, "option-of-another-column", columns=("b",), option="column_weights"):
        Microaggregate(["a"], MDAV(k=3), column_weights={"b": 2})
