"""Limits: read, compared with the worst figure, and failed if a figure is missing."""

import math
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from raising import raises
from shoal import Limits
from shoal.errors import FileError, ParameterError
from shoal.metrics.limits.figure_names import command_by_figure
from shoal.metrics.survey import survey_risk

BEFORE = pd.DataFrame(
    {"age": [20, 22, 60, 62], "size": [1, 2, 3, 8], "ill": list("yxyy"), "w": [4, 4, 5, 6]}
)
AFTER = BEFORE.assign(age=[21, 21, 61, 61], size=[1.5, 1.5, 5.5, 5.5])
KNOWN = {"quasi_identifiers": ["age", "size"], "confidential": ["ill"]}


class Figures:
    """A result of given figures and reasons."""

    def __init__(self, figures, reasons=None):
        self._figures, self._reasons = figures, reasons or {}

    def figures(self):
        return self._figures

    def reasons(self):
        return self._reasons


@pytest.mark.parametrize(
    ("limits", "figures", "passed"),
    [
        ({"max_linkage": 0.1}, {"linkage": 0.1}, True),
        ({"max_linkage": 0.1}, {"linkage": 0.1 + 1e-13}, True),
        ({"max_linkage": 0.1}, {"linkage": 0.1001}, False),
        ({"min_smallest_class": 5}, {"smallest_class": 5}, True),
        ({"min_smallest_class": 5}, {"smallest_class": 4}, False),
        ({"max_linkage": 0}, {"linkage": 0}, True),
        ({"max_linkage": 0}, {"linkage": 1e-6}, False),
        ({"max_linkage": 0.1}, {"linkage": math.nan}, False),
        ({"min_linkage": 0.1}, {"linkage": math.inf}, False),
        ({"max_linkage": 0.1}, {"linkage_top2": 0.05}, False),
        ({"max_t_closeness": 0.3}, {"t_closeness:a": 0.1, "t_closeness:b": 0.4}, False),
        ({"min_t_closeness": 0.3}, {"t_closeness:a": 0.1, "t_closeness:b": 0.4}, False),
        ({"min_t_closeness": 0.1}, {"t_closeness:a": 0.1, "t_closeness:b": 0.4}, True),
        ({"max_t_closeness": {"a": 0.3}}, {"t_closeness:a": 0.1, "t_closeness:b": 0.4}, True),
        ({"max_t_closeness": {"c": 0.3}}, {"t_closeness:a": 0.1}, False),
    ],
)
def test_the_worst_figure_counts(limits, figures, passed):
    results = Limits(limits).check(Figures(figures))
    assert [result.passed for result in results] == [passed]
    assert results.passed == passed == (results.failed == ())
    assert (results[0].excess == 0) == passed


@given(st.dictionaries(st.sampled_from("abc"), st.integers(-3, 3), min_size=1), st.integers(-3, 3))
def test_a_limit_of_columns_is_that_of_each(values, bound):
    result = Figures({f"std_ratio:{name}": value for name, value in values.items()})
    for side, within in (
        ("max", max(values.values()) <= bound),
        ("min", min(values.values()) >= bound),
    ):
        whole = Limits({f"{side}_std_ratio": bound}).check(result)
        each = Limits({f"{side}_std_ratio": dict.fromkeys(values, bound)}).check(result)
        assert whole.passed == each.passed == within
        name = whole[0].figure.removeprefix("std_ratio:")
        assert values[name] == (max if side == "max" else min)(values.values())


def test_a_figure_that_could_not_be_computed_fails_with_the_reason():
    measures = shoal.assess(BEFORE, AFTER, **KNOWN)
    limits = Limits({"max_certified_gap": 9, "max_membership": 1, "max_levels_lost": 9})
    gap, membership, levels = limits.check(measures)
    assert not gap.passed
    assert gap.reason == measures.remarks["certified_gap"]
    assert not membership.passed
    assert "shoal.attack" in membership.reason
    assert levels.reason == measures.remarks["levels_lost"]
    attacks = shoal.attack(BEFORE, AFTER, **KNOWN, attacks=["membership"], random_state=0)
    assert limits.check(measures, attacks)[1].reason == attacks.not_run["membership"]


def test_every_result_has_figures_that_limits_know():
    results = [
        shoal.assess(BEFORE, AFTER, **KNOWN, weight="w"),
        shoal.attack(BEFORE, AFTER, **KNOWN, random_state=0),
        survey_risk(BEFORE, quasi_identifiers=["age"], weight="w"),
    ]
    for result, command in zip(results, ("assess", "attack", "risk"), strict=True):
        assert result.figures()
        for name in (*result.figures(), *result.reasons()):
            assert command_by_figure()[name.partition(":")[0]] == command
    measures, attacks, risk = (result.figures() for result in results)
    assert measures["smallest_class"] == 2
    assert measures["homogeneous_classes:ill"] == 1
    assert attacks["linkage_distance"] == results[1]["linkage-distance"].rate
    assert attacks["inference_excess:ill"] == results[1]["inference:ill"].excess
    assert risk["k_map"] == 4
    assert risk["greatest_risk"] == results[2].risk.max()


def test_figures_of_a_census_have_a_reason():
    census = survey_risk(BEFORE, quasi_identifiers=["age"], population=BEFORE)
    result = Limits({"max_suda_dis": 1, "max_reidentification_rate": 1}).check(census)
    assert [one.passed for one in result] == [False, True]
    assert result[0].reason


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"max_linkag": 0.1}, "unknown-limit"),
        ({"linkage": 0.1}, "unknown-limit"),
        ({"most_linkage": 0.1}, "unknown-limit"),
        ({"max_class_sizes": 3}, "unknown-limit"),
        ({"max_linkage": "0.1"}, "limit-not-a-number"),
        ({"max_linkage": True}, "limit-not-a-number"),
        ({"max_linkage": math.nan}, "limit-not-a-number"),
        ({"max_t_closeness": {"a": []}}, "limit-not-a-number"),
        ([0.1], "limits-no-mapping"),
    ],
)
def test_malformed_limits_are_refused(wrong, code):
    with raises(ParameterError, code):
        Limits(wrong)


def test_a_misspelt_name_is_corrected():
    with raises(ParameterError, "unknown-limit", limit="max_linkag") as caught:
        Limits({"max_linkag": 0.1})
    assert "'max_linkage'" in str(caught.value)


def test_files_contain_limits_or_a_table_of_limits(tmp_path):
    entries = 'max_linkage = 0.1\nmin_l_diversity.distinct."my column" = 2\n'
    (tmp_path / "a.toml").write_text(entries)
    (tmp_path / "b.toml").write_text(f"version = 1\n[limits]\n{entries}")
    loaded = Limits.load(tmp_path / "a.toml")
    assert loaded == Limits.load(tmp_path / "b.toml")
    assert loaded.to_dict() == {"max_linkage": 0.1, "min_l_diversity:distinct:my column": 2}
    assert Limits(loaded.to_dict()) == loaded
    assert loaded.figures == ("linkage", "l_diversity")


@pytest.mark.parametrize(
    ("text", "cls", "code"),
    [
        (None, FileError, "file-unreadable"),
        ("max_linkage 0.1", FileError, "limits-unreadable"),
        ("", ParameterError, "limits-empty"),
        ("[limits]\n", ParameterError, "limits-empty"),
    ],
)
def test_files_without_limits_are_refused(tmp_path, text, cls, code):
    path = Path(tmp_path / "limits.toml")
    if text is not None:
        path.write_text(text)
    with raises(cls, code):
        Limits.load(path)


def test_the_stricter_of_two_limits_counts():
    first = Limits({"max_linkage": 0.1, "min_smallest_class": 3, "max_il1s": 2})
    second = Limits({"max_linkage": 0.2, "min_smallest_class": 5, "max_membership": 0.6})
    merged = {"max_linkage": 0.1, "min_smallest_class": 5, "max_il1s": 2, "max_membership": 0.6}
    assert first.merged(second).to_dict() == merged
    assert first.merged(second).by("attack").to_dict() == {"max_membership": 0.6}
