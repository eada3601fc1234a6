"""Unusual arguments and tables: refused with a message, or masked, but never a traceback."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import shoal
from raising import raises
from shoal import METHODS, Plan, inspect
from shoal.errors import ColumnError, ParameterError, PlanError, ShoalWarning
from shoal.frame.codes import codes
from shoal.frame.tables import open_frame
from shoal.report.draw import ticks
from shoal.steps import Microaggregate
from shoal.steps.constraints.strata import merge_small_strata, split_strata

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

DATA = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6], "b": [3.0, 1, 2, 6, 5, 4], "h": list("xxyyzz")})
ALL_MISSING = pd.DataFrame({"a": [np.nan] * 6, "b": [np.nan] * 6})
INVALID_K = [None, float("inf"), float("nan"), "3", 2.5, -1, 0, True, [3], np.float64(3)]


@pytest.mark.parametrize("k", INVALID_K, ids=repr)
@pytest.mark.parametrize(
    ("data", "options"),
    [
        (DATA, {}),
        (DATA, {"household": "h"}),
        (DATA, {"within": "h", "small_strata": "merge"}),
        (DATA, {"method": "mdav", "effort": "search", "budget": 0.01}),
        (ALL_MISSING, {"missing": "own-groups"}),
        (ALL_MISSING, {"missing": "impute"}),
    ],
    ids=["plain", "household", "strata", "effort", "own-groups", "impute"],
)
def test_an_invalid_k_is_refused_before_anything_is_done(data, options, k):
    with raises(ParameterError, "parameter-not-accepted", parameter="k"):
        shoal.microaggregate(data, ["a"], k=k, **options)


@pytest.mark.parametrize("k", INVALID_K, ids=repr)
@pytest.mark.parametrize("method", ["auto", "mdav", "blocked", "refine"])
def test_a_step_and_a_partition_refuse_an_invalid_k(method, k):
    with raises(ParameterError, "parameter-not-accepted", parameter="k"):
        shoal.partition([[0.0], [1], [2]], k, method)
    with raises(ParameterError, "parameter-not-accepted", parameter="k"):
        Microaggregate(["a"], METHODS[method](k=k))


PERIODS = pd.Series(pd.period_range("2020-01", periods=4, freq="M"))
WITHOUT_DISTANCE = {
    "list": pa.table({"x": [[1], [2], [1], [2]], "a": [1, 2, 3, 4]}),
    "struct": pa.table({"x": [{"u": 1}, {"u": 2}, {"u": 1}, {"u": 2}], "a": [1, 2, 3, 4]}),
    "period": pd.DataFrame({"x": PERIODS, "a": [1, 2, 3, 4]}),
    "interval": pd.DataFrame({"x": pd.interval_range(0, 4), "a": [1, 2, 3, 4]}),
    "complex": pd.DataFrame({"x": np.arange(4) + 1j, "a": [1, 2, 3, 4]}),
}
every_column_without_distance = pytest.mark.parametrize("name", WITHOUT_DISTANCE)


@every_column_without_distance
@pytest.mark.parametrize("kind", [None, "numeric", "nominal", "ordinal", "boolean", "date"])
def test_columns_without_a_distance_are_refused_whatever_is_declared(name, kind):
    types = {} if kind is None else {"x": kind}
    with raises(ColumnError) as caught:
        shoal.microaggregate(WITHOUT_DISTANCE[name], ["x"], k=2, types=types)
    assert "'x'" in str(caught.value)


@every_column_without_distance
def test_columns_without_a_distance_may_stand_beside_masked_ones(name):
    release = shoal.microaggregate(WITHOUT_DISTANCE[name], ["a"], k=2)
    assert release.measures["smallest_class"] == 2


@pytest.mark.parametrize("name", ["list", "struct", "period", "interval"])
def test_values_of_any_type_are_distinguished(name):
    table = WITHOUT_DISTANCE[name]
    code = codes(open_frame(table), ["x"])[:, 0]
    values = [repr(value) for value in open_frame(table)["x"].to_list()]
    assert len(set(code)) == len(set(values))
    assert len(set(zip(code, values, strict=True))) == len(set(values))


def document(**changes):
    step = {"method": "microaggregate", "columns": ["a"], "partition": {"method": "mdav", "k": 2}}
    return {"version": 1, "steps": [{**step, **changes}]}


@pytest.mark.parametrize("given", [["mdav"], {}, None, 3, {"a": 1}], ids=repr)
def test_a_method_that_is_no_name_is_refused(given):
    with raises(PlanError, "unknown-method"):
        Plan.from_dict(document(partition={"method": given, "k": 2}))
    with raises(ParameterError, "unknown-method"):
        shoal.partition([[0.0], [1]], 2, given)
    if given is not None:
        with raises(PlanError, "unknown-step"):
            Plan.from_dict(document(method=given))
    if given:
        with raises(ParameterError, "unknown-effort"):
            shoal.partition([[0.0], [1]], 2, effort=given)


def test_an_empty_block_is_refused():
    with raises(PlanError, "block-empty"):
        shoal.microaggregate(DATA, ["a", "b"], k=2, blocks=[["a", "b"], []])


@pytest.mark.parametrize("name", ["plan.json", "plan.toml"])
def test_a_plan_that_is_nested_too_deeply_is_refused(tmp_path, name):
    key = '{"version":' if name.endswith("json") else "version = "
    end = "}" if name.endswith("json") else ""
    (tmp_path / name).write_text(key + "[" * 100_000 + "]" * 100_000 + end)
    with raises(PlanError, "plan-unreadable", file=name):
        Plan.load(tmp_path / name)


def test_a_nested_dict_is_refused_as_a_plan():
    deep = inner = {}
    for _ in range(100_000):
        inner["a"] = inner = {}
    for entries in ({"roles": {"a": deep}}, {"other_columns": deep}, {"types": deep}):
        with raises(PlanError):
            Plan.from_dict({**document(), **entries})


@pytest.mark.parametrize("ordered", [True, False])
def test_an_arrow_dictionary_may_hold_an_entry_twice(ordered):
    entries = pa.array(["x", "x", "y"])
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0, 2, 1]), entries, ordered=ordered)
    table = pa.table({"d": twice, "a": [1, 2, 3, 4, 5, 6]})
    inspect(table)
    for columns, options in ((["d"], {}), (["a"], {"within": "d"}), (["a", "d"], {})):
        release = shoal.microaggregate(table, columns, k=2, **options)
        assert release.measures["smallest_class"] >= 2
    if ordered:
        release = shoal.microaggregate(table, ["d"], k=2, types={"d": "ordinal"})
        assert release.data["d"].to_pylist() == table["d"].to_pylist()


@pytest.mark.parametrize("value", [1e300, -1e300, 5e-324, 0.0, 1e17])
@pytest.mark.parametrize("ending", ["html", "txt", "json"])
def test_a_constant_column_of_any_size_can_be_reported(tmp_path, value, ending):
    data = pd.DataFrame({"a": [value] * 6, "b": [1.0, 2, 3, 4, 5, 6]})
    for columns in (["a"], ["a", "b"]):
        path = tmp_path / f"{len(columns)}.{ending}"
        shoal.microaggregate(data, columns, k=2).report(path)
        assert path.stat().st_size > 0


def test_nearly_constant_columns_can_be_reported(tmp_path):
    data = pd.DataFrame({"a": [0, 0, 0, 5e-324, 5e-324, 5e-324], "b": [1e300] * 5 + [9.9e299]})
    shoal.microaggregate(data, ["a", "b"], k=2).report(tmp_path / "r.html")


def test_ticks_of_huge_spans():
    assert [value for value, _ in ticks((-1e300, 1e300))] == [-1e300, -5e299, 0, 5e299, 1e300]


@pytest.mark.parametrize("huge", [1e200, 1e300, np.inf])
def test_a_small_stratum_is_never_joined_with_itself(huge):
    table = pd.DataFrame({"s": list("aabbcc")})
    Z = np.array([[huge], [-huge], [huge], [huge], [-huge], [-huge]])
    with np.errstate(over="ignore", invalid="ignore"):
        merged = merge_small_strata(split_strata(open_frame(table), ["s"]), 3, Z)
    assert sorted(np.concatenate(merged.rows)) == list(range(6))
    assert min(map(len, merged.rows)) >= 3


def test_huge_values_are_merged_with_the_nearest_stratum():
    data = pd.DataFrame({"a": [1e299, -1e299, 1e299, -1e299, 1e298, 3], "s": list("aabbcc")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        release = shoal.microaggregate(data, ["a"], within="s", small_strata="merge", k=3)
    assert release.measures["smallest_class"] >= 3
