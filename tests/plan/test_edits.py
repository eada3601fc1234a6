"""Edits: their notation, violations, and repair."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from raising import raises
from shoal.errors import ColumnError, InputError, PlanError
from shoal.frame.edits import as_edits, parse_edit
from shoal.frame.tables import open_frame
from shoal.partitioners import MDAV
from shoal.plan import Plan
from shoal.plan.deliver import deliver
from shoal.steps import Microaggregate, Round

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")


def firms(n=60, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.lognormal(3, 1, n), rng.lognormal(2, 1, n)
    return pd.DataFrame(
        {
            "a": a,
            "b": b,
            "total": a + b,
            "exports": a * rng.random(n),
            "staff": rng.integers(1, 99, n),
        }
    )


def findings(release, code):
    return [finding for finding in release.verdict.findings if finding.code == code]


@pytest.mark.parametrize(
    ("text", "coefficients", "constant", "comparison"),
    [
        ("turnover >= exports", {"turnover": 1, "exports": -1}, 0, ">="),
        ("total == a + 2 * b", {"total": 1, "a": -1, "b": -2}, 0, "=="),
        ("age >= 0", {"age": 1}, 0, ">="),
        ("-(a - b) / 2 + 1 < 3 * 2", {"a": -0.5, "b": 0.5}, -5, "<"),
        ("`total sales` <= 1e3 - x", {"total sales": 1, "x": 1}, -1000, "<="),
        ("a + b > a", {"b": 1}, 0, ">"),
    ],
)
def test_an_edit_is_a_weighted_sum_compared_with_zero(text, coefficients, constant, comparison):
    edit = parse_edit(text)
    assert (dict(edit.coefficients), edit.constant, edit.comparison) == (
        coefficients, constant, comparison,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["a", "a = b", "a < b < c", "a * b > 0", "a / b > 1", "a ** 2 > 0", "f(a) > 0", "a > 'x'",
     "a.b > 0", "a != b", "", "a >", "a[0] > 0", "__import__('os') == 1", "a > True", "a / 0 > 1",
     "(" * 300 + "a" + ")" * 300 + " > 0", 3],
)  # fmt: skip
def test_anything_else_is_refused(text):
    with raises(PlanError, "edit-unreadable"):
        parse_edit(text)


def test_an_edit_without_columns_and_edits_that_are_no_list_are_refused():
    with raises(PlanError, "edit-without-columns"):
        parse_edit("a == a")
    with raises(PlanError, "edits-no-list"):
        as_edits("a > 0")


def test_violations_are_counted_up_to_rounding_and_never_where_a_value_is_missing():
    frame = open_frame(
        pd.DataFrame({"a": [0.1, 0.1, np.nan], "b": [0.2, 0.2, 1], "t": [0.3, 0.31, 9]})
    )
    assert parse_edit("t == a + b").violations(frame).tolist() == [False, True, False]
    assert parse_edit("t > a + b").violations(frame).tolist() == [True, False, False]
    assert parse_edit("t <= a + b").violations(frame).tolist() == [False, True, False]


@given(seed=st.integers(0, 999), k=st.integers(2, 6), method=st.sampled_from(["mdav", "mst"]))
def test_means_of_common_groups_obey_every_edit_of_the_records(seed, k, method):
    data = firms(40, seed)
    edits = ["total == a + b", "a >= exports", "staff >= 1"]
    release = shoal.microaggregate(data, list(data), k=k, method=method, edits=edits)
    assert not findings(release, "edit-broken")
    assert release.plan.to_dict()["edits"] == edits
    assert Plan.from_dict(release.plan.to_dict()) == release.plan


def test_broken_edits_qualify_the_verdict_and_name_the_step():
    data = firms()
    release = shoal.microaggregate(
        data,
        ["total", "a", "b"],
        k=5,
        confidential=["exports"],
        edits=["total == a + b", "a >= exports"],
        blocks=[["total"], ["a", "b"]],
    )
    broken = findings(release, "edit-broken")
    masked = release.data
    expected = [
        int((~np.isclose(masked["total"], masked["a"] + masked["b"])).sum()),
        int((masked["a"] < masked["exports"] * (1 - 1e-9)).sum()),
    ]
    assert [finding.figures["records"] for finding in broken] == expected
    assert all("step 1 (microaggregate)" in finding.sentence for finding in broken)
    assert {finding.severity for finding in broken} == {"qualifies"}
    assert min(expected) > 0


def test_records_that_broke_an_edit_before_are_counted_apart():
    data = firms()
    data.loc[:2, "total"] += 100
    release = shoal.microaggregate(data, ["staff"], k=5, confidential=["a", "b", "total"],
                                   edits=["total == a + b"])  # fmt: skip
    assert not findings(release, "edit-broken")
    (before,) = findings(release, "edit-violated-before")
    assert before.figures == {"records": 3}
    assert before.sentence.startswith("3 records of the original break the edit")


def test_one_record_breaks_an_edit_in_the_singular():
    data = firms()
    data.loc[0, "total"] += 100
    release = shoal.microaggregate(data, ["staff"], k=5, confidential=["a", "b", "total"],
                                   edits=["total == a + b"])  # fmt: skip
    (before,) = findings(release, "edit-violated-before")
    assert before.sentence.startswith("1 record of the original breaks the edit")


def test_columns_of_an_edit_are_regrouped_or_the_release_is_refused():
    data, edits = firms(), ["total == a + b"]
    options = {"k": 5, "edits": edits, "blocks": [["total"], ["a"], ["b"], ["staff"]]}
    columns = ["total", "a", "b", "staff"]
    with raises(InputError, "edit-broken", edit="total == a + b"):
        shoal.microaggregate(data, columns, repair="refuse", **options)
    release = shoal.microaggregate(data, columns, repair="regroup", **options)
    assert release.plan.steps[0].column_blocks == [["total", "a", "b"], ["staff"]]
    assert not findings(release, "edit-broken")
    with raises(InputError, "edit-broken"):  # the median obeys no sum
        shoal.microaggregate(data, columns, repair="regroup", aggregate="median", **options)
    for invalid in [{"edits": (), "repair": "refuse"}, {"repair": "mend"}]:
        with raises(PlanError, "plan-repair"):
            shoal.microaggregate(data, columns, **{**options, **invalid})


def test_an_edit_about_unknown_dropped_or_textual_columns():
    data = firms().assign(name=[f"f{i}" for i in range(60)])
    with raises(ColumnError, "no-such-column"):
        shoal.microaggregate(data, ["a"], k=3, edits=["nothing > 0"])
    with raises(ColumnError):
        shoal.microaggregate(data, ["a"], k=3, edits=["name > 0"])
    release = shoal.microaggregate(data, ["a"], k=3, identifiers=["b"], edits=["a > b"])
    (finding,) = findings(release, "edit-not-checked")
    assert finding.columns == ("b",)
    assert finding.sentence.endswith("'b' is not released.")


def test_edits_are_judged_on_the_file(tmp_path):
    data = firms().round(2)
    data["total"] = data["a"] + data["b"]
    data.to_csv(tmp_path / "in.csv", index=False)
    plan = Plan({"exports": "confidential", "staff": "non-confidential"},
                [Microaggregate(["a", "b"], MDAV(k=3)), Round(["total"], 50.0)],
                edits=["total == a + b", "a >= exports"])  # fmt: skip
    plan.save(tmp_path / "plan.toml")
    assert Plan.load(tmp_path / "plan.toml") == plan
    verdict = deliver(plan, tmp_path / "in.csv", tmp_path / "out.csv").release.verdict
    masked = pd.read_csv(tmp_path / "out.csv")
    counted = [
        int((~np.isclose(masked["total"], masked["a"] + masked["b"], rtol=1e-9)).sum()),
        int((masked["a"] < masked["exports"] - 1e-6).sum()),
    ]
    stated = [f.figures["records"] for f in verdict.findings if f.code == "edit-broken"]
    assert stated == [count for count in counted if count]
    (first, *_) = [f for f in verdict.findings if f.code == "edit-broken"]
    assert "step 1 (microaggregate) and step 2 (round)" in first.sentence
