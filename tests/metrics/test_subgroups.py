"""Figures by subgroup: membership of groups, merged groups, and the worst-off group."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import InputError, ParameterError
from shoal.frame import tables
from shoal.metrics.subgroups import OTHER_GROUPS, Subgroups, split_subgroups

RNG = np.random.default_rng(0)
BEFORE = pd.DataFrame(
    {
        "sex": ["f"] * 30 + ["m"] * 20 + ["x"] * 3,
        "age": RNG.integers(20, 60, 53).astype(float),
        "size": RNG.normal(170, 10, 53).round(1),
        "ill": RNG.choice(["no", "yes"], 53),
    }
)
# The values of men are masked much more than those of women.
AFTER = BEFORE.assign(age=np.where(BEFORE["sex"] == "m", 40.0, BEFORE["age"].round(-1)))
KNOWN = {"quasi_identifiers": ["age", "size"], "confidential": ["ill"]}


def groups_of(values, min_group, units=None):
    frame = tables.open_frame(pd.DataFrame({"g": values}))
    return split_subgroups([frame], "g", min_group, None, units)


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=40), st.integers(2, 6))
def test_no_group_is_smaller_than_min_group(values, least):
    sizes = sorted(map(values.count, set(values)))
    if sizes[0] < least and (sizes[-1] < least or sum(sizes[:-1]) < least):
        # All groups are too small, or all but one together are.
        with pytest.raises(InputError) as caught:
            groups_of(values, least)
        assert caught.value.code == "groups-too-small"
        return
    split = groups_of(values, least)
    assert all(group.size >= least for group in split.groups)
    rows = np.sort(np.concatenate([group.rows[0] for group in split.groups]))
    assert rows.tolist() == list(range(len(values)))
    for group in split.groups:
        assert group.size == len(group.rows[0])
        if group.label != OTHER_GROUPS:
            assert {f"g={values[row]}" for row in group.rows[0]} == {group.label}
    merged = {values[row] for g in split.groups if g.label == OTHER_GROUPS for row in g.rows[0]}
    assert split.n_merged == len(merged)
    assert {value for value in values if values.count(value) < least} <= merged


def test_a_single_small_group_is_merged_with_another():
    """Otherwise the figures of its three records could be derived by subtraction."""
    split = groups_of(["a"] * 9 + ["b"] * 6 + ["c"] * 3, 5)
    assert [(group.label, group.size) for group in split.groups] == [
        ("g=a", 9),
        (OTHER_GROUPS, 9),
    ]
    assert split.n_merged == 2


def test_groups_of_persons_count_persons():
    units = np.array([0, 0, 0, 1, 1, 2, 3, 4, 5, 6])
    values = ["a"] * 5 + ["b"] * 5
    assert [group.size for group in groups_of(values, 2, units).groups] == [2, 5]
    with pytest.raises(InputError) as caught:
        groups_of(values, 3, units)
    assert caught.value.code == "groups-too-small"


def test_persons_of_several_merged_groups_count_once():
    values = [*"aabbcccc", *"dddddd"]
    units = np.array([0, 1, 0, 1, 2, 3, 4, 5, *range(6, 12)])
    split = groups_of(values, 3, units)  # a and b are the same two persons, so c joins them
    assert [(g.label, g.size) for g in split.groups] == [("g=d", 6), (OTHER_GROUPS, 6)]


def test_numbers_of_many_values_are_labelled_by_quarters_without_values():
    split = groups_of(np.arange(100.0), 5)
    assert [group.size for group in split.groups] == [25] * 4
    assert split.groups[0].label == "g=first quarter"


def test_missing_values_are_a_group():
    labels = {group.label for group in groups_of(["a", None] * 6, 5).groups}
    assert labels == {"g=a", "g missing"}


def test_combinations_of_columns_are_groups():
    frame = tables.open_frame(pd.DataFrame({"g": ["a", "b"] * 10, "h": [1] * 10 + [2] * 10}))
    labels = {group.label for group in split_subgroups([frame], ["g", "h"], 5).groups}
    assert labels == {"g=a, h=1", "g=a, h=2", "g=b, h=1", "g=b, h=2"}


@pytest.mark.parametrize(
    ("better", "worst"), [("lower", "g=c"), ("higher", "g=a"), ("near one", "g=c")]
)
def test_the_worst_off_group_comes_first(better, worst):
    split = groups_of(["a", "b", "c"] * 5, 5)
    figures = tuple({"figure": value} for value in (0.5, 1.0, 2.0))
    groups = Subgroups(split, figures, {"figure": better})
    assert groups.ordered("figure")[0][0].label == worst
    assert groups.worst()["figure"][0] == worst
    assert groups.to_dict()["figures"]["figure"][0]["group"] == worst
    assert str(groups).splitlines()[2].split()[1] == worst


def test_assess_by_group_is_assess_of_the_group():
    result = shoal.assess(BEFORE, AFTER, **KNOWN, by="sex", min_group=3)
    assert set(result) == set(shoal.assess(BEFORE, AFTER, **KNOWN))
    for label, rows in (("f", slice(0, 30)), ("m", slice(30, 50))):
        alone = shoal.assess(BEFORE[rows], AFTER[rows], **KNOWN)
        assert result.groups[f"sex={label}"].figures() == alone.figures()
    assert result.groups.ordered("information_loss")[0][0].label == "sex=m"
    losses = [value for _, value in result.groups.ordered("information_loss")]
    assert losses == sorted(losses, reverse=True)
    smallest = [value for _, value in result.groups.ordered("smallest_class")]
    assert smallest == sorted(smallest)
    assert result.figures()["information_loss_worst_group"] == losses[0]


def test_attack_by_group_targets_its_members_in_the_whole_release():
    options = {**KNOWN, "attacks": ["linkage-distance", "inference"], "random_state": 0}
    result = shoal.attack(BEFORE, AFTER, by="sex", min_group=3, **options)
    whole = shoal.attack(BEFORE, AFTER, **options)
    for name in whole:
        assert result[name] == whole[name]
        parts = [result.groups[f"sex={label}"][name] for label in "fmx"]
        assert sum(part.successes for part in parts) == pytest.approx(whole[name].successes)
        assert [part.trials for part in parts] == [30, 20, 3]
    rates = result.groups.ordered("linkage_distance")
    assert rates[0][0].label != "sex=m"  # all men have the same age in the release
    limit = shoal.Limits({"max_linkage_distance_worst_group": 0.0}).check(result)
    assert not limit.passed


def test_attack_by_group_uses_the_control_records_of_the_group():
    options = {**KNOWN, "attacks": ["membership"], "random_state": 0}
    result = shoal.attack(BEFORE, AFTER, control=BEFORE, by="sex", min_group=3, **options)
    assert [group["membership"].trials for group in result.groups.results] == [60, 40, 6]
    without = BEFORE.drop(columns="sex")
    result = shoal.attack(BEFORE, AFTER, control=without, by="sex", min_group=3, **options)
    assert [group["membership"].trials for group in result.groups.results] == [60, 40, 6]


def test_utility_by_group_is_utility_of_the_group():
    options = {"measures": ["estimates", "group-by"], "random_state": 0, "min_group": 3}
    result = shoal.utility(BEFORE, AFTER, by="sex", **options)
    alone = shoal.utility(BEFORE[:30], AFTER[:30], **options)
    assert result.groups["sex=f"].figures() == alone.figures()
    assert result.groups.worst()["mean_error"][0] == "sex=m"
    assert result.to_dict()["groups"]["estimates"]["sex=f"] == list(alone["estimates"].rows)


@pytest.mark.parametrize("function", [shoal.assess, shoal.attack, shoal.utility])
def test_small_groups_are_never_shown(function):
    options = KNOWN if function is not shoal.utility else {"measures": ["estimates"]}
    if function is shoal.attack:
        options = {**KNOWN, "attacks": ["linkage-distance"]}
    result = function(BEFORE, AFTER, by="sex", min_group=5, **options)
    shown = [repr(result), str(result.groups), str(result.groups.to_dict())]
    assert not any("sex=x" in text for text in shown)
    assert not any("sex=m" in text for text in shown[1:])  # merged with the smaller one
    assert result.groups.to_dict()["sizes"] == {"sex=f": 30, OTHER_GROUPS: 23}
    assert "2 groups" in result.groups.remark


@pytest.mark.parametrize("function", [shoal.assess, shoal.attack])
def test_wrong_groups_are_refused(function):
    with pytest.raises(ParameterError) as caught:
        function(BEFORE, AFTER, by="sex", min_group=1, **KNOWN)
    assert caught.value.parameter == "min_group"
    with pytest.raises(InputError) as missing:
        function(BEFORE, AFTER, by="nobody", **KNOWN)
    assert missing.value.code == "no-such-column"


def test_quantiles_of_small_groups_are_not_computed():
    before = pd.DataFrame({"g": ["a"] * 6 + ["b"] * 12, "x": np.arange(18.0)})
    result = shoal.utility(before, before, by="g", measures=["estimates"])
    names = {
        label: {row["estimate"] for row in rows if row["column"] == "x"}
        for label, rows in result.to_dict()["groups"]["estimates"].items()
    }
    assert names == {"g=a": {"total", "mean", "gini"}, "g=b": {"total", "mean", "median", "gini"}}
