"""Groups that share a confidential value: warned of, merged or refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from raising import raises
from shoal import Microaggregate, Plan
from shoal.errors import HomogeneousGroup, InputError, ParameterError, PlanError
from shoal.metrics import homogeneous_classes
from shoal.metrics._ranks import dense_ranks
from shoal.metrics.findings.shared_values import SharedCounts, count_shared
from shoal.partitioners import MDAV, Partition
from shoal.report.summary import summarise
from shoal.steps.constraints.homogeneity import count_homogeneous, describe_homogeneity
from tables import tables_and_k


@pytest.fixture
def patients():
    """Return three groups of two by age; the first two share an illness, the second a town."""
    return pd.DataFrame(
        {
            "age": [20, 21, 40, 41, 80, 81],
            "illness": ["flu", "flu", "gout", "gout", "flu", "gout"],
            "town": [1, 2, 3, 3, 1, 2],
        }
    )


SECRET = {"confidential": ["illness", "town"]}


def test_the_release_warns_and_names_columns_and_groups(patients):
    with pytest.warns(HomogeneousGroup) as caught:
        release = shoal.microaggregate(patients, ["age"], k=2, method="mdav", **SECRET)
    message = str(caught[0].message)
    assert "In some of 3 classes" in message
    assert "'illness' in 2 classes, 'town' in 1 class." in message
    assert 'homogeneity="merge"' in message
    assert release.warnings == (message,)
    assert release.measures["homogeneous_classes"] == {"illness": 2, "town": 1}
    assert "flu" not in message


def test_merging_leaves_no_such_group_and_keeps_k(patients):
    release = shoal.microaggregate(
        patients, ["age"], k=2, method="mdav", homogeneity="merge", **SECRET
    )
    # {20, 21} fails and joins {40, 41}, the nearest group; together they have two values of each.
    assert release.labels.tolist() == [0, 0, 0, 0, 1, 1]
    assert release.data["age"].tolist() == [30.5] * 4 + [80.5] * 2
    assert release.measures["homogeneous_classes"] == {"illness": 0, "town": 0}
    assert release.measures["p_sensitivity"] == 2
    assert release.warnings == ()


def test_refusing_names_columns_and_groups_and_a_way_out(patients):
    with raises(InputError, "homogeneous-groups") as caught:
        shoal.microaggregate(patients, ["age"], k=2, method="mdav", homogeneity="refuse", **SECRET)
    assert 'homogeneity="merge"' in str(caught.value)
    assert "flu" not in str(caught.value)
    fine = {"confidential": ["town"], "homogeneity": "refuse"}
    release = shoal.microaggregate(patients.drop(columns="illness"), ["age"], k=3, **fine)
    assert release.warnings == ()


def test_refusing_looks_at_the_released_classes_too():
    """With rounding and blocks, classes differ from groups; the released classes count."""
    data = pd.DataFrame(
        {
            "a": [0, 0, 0, 0, 9, 9, 9, 9],
            "b": [0, 0, 9, 9, 0, 0, 9, 9],
            "ill": [1, 1, 2, 2, 3, 3, 4, 4],
        }
    )
    options = {"k": 4, "blocks": 1, "confidential": ["ill"], "homogeneity": "refuse"}
    with raises(InputError, "homogeneous-classes"):
        shoal.microaggregate(data, ["a", "b"], **options)


def test_groups_are_merged_inside_their_stratum():
    data = pd.DataFrame(
        {
            "x": [0, 1, 10, 11, 1, 2, 12, 13],
            "s": ["n"] * 4 + ["s"] * 4,
            "ill": [1, 1, 2, 1, 1, 2, 1, 2],
        }
    )
    release = shoal.microaggregate(
        data, ["x"], k=2, within="s", confidential=["ill"], homogeneity="merge"
    )
    assert release.labels.tolist() == [0, 0, 0, 0, 1, 1, 2, 2]


def test_values_that_no_merging_can_hide_are_refused():
    data = pd.DataFrame({"x": range(6), "s": list("aaabbb"), "ill": [1, 1, 1, 1, 2, 2]})
    options = {"confidential": ["ill"], "homogeneity": "merge"}
    with raises(InputError, "constant-confidential", column="ill"):
        shoal.microaggregate(data, ["x"], k=3, within="s", **options)
    flat = pd.DataFrame({"x": range(6), "ill": "yes"})
    with raises(InputError, "constant-confidential", column="ill"):
        shoal.microaggregate(flat, ["x"], k=3, **options)


@pytest.mark.parametrize("choice", ["merge", "refuse"])
def test_without_confidential_columns_nothing_is_checked(choice):
    data = pd.DataFrame({"x": range(6)})
    with raises(PlanError, "confidential-needed"):
        shoal.microaggregate(data, ["x"], k=3, homogeneity=choice)
    with raises(ParameterError, "parameter-not-accepted", parameter="homogeneity"):
        Microaggregate(["x"], MDAV(k=3), homogeneity="ignore")


def test_the_plan_document_holds_the_choice(patients):
    roles = {"illness": "confidential", "town": "confidential"}
    plan = Plan(roles, [Microaggregate(["age"], MDAV(k=2), homogeneity="merge")])
    assert plan.to_dict()["steps"][0]["homogeneity"] == "merge"
    assert Plan.from_dict(plan.to_dict()) == plan
    assert plan.run(patients).partitions[0].n_groups == 2


@given(case=tables_and_k(least=2), data=st.data())
def test_merged_groups_attain_k_and_two_values(case, data):
    X, k = case
    ill = data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X)))
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]).assign(ill=ill)
    step = Microaggregate(list(table.columns[:-1]), MDAV(k=k), homogeneity="merge")
    frame = shoal.frame.tables.open_frame(table)
    if len(set(ill)) == 1:
        with raises(InputError, "constant-confidential"):
            step.apply(frame, ["ill"])
        return
    (groups,) = step.apply(frame, ["ill"]).partitions
    assert groups.sizes.min() >= max(k, 2)
    assert count_homogeneous(groups, np.array(ill)[:, np.newaxis], ["ill"])["ill"] == (0, 0, 0)


def test_constant_columns_are_counted_by_group():
    groups = Partition(np.array([1, 0, 1, 0, 2]), k=1)
    codes = np.array([[5, 1], [6, 2], [5, 3], [7, 2], [5, 4]])
    assert count_homogeneous(groups, codes, ["a", "b"]) == {"a": (2, 0, 2), "b": (2, 0, 2)}
    assert describe_homogeneity({"a": SharedCounts(0, 0, 0), "b": SharedCounts(2, 2, 0)}, 3) == ""


@given(st.data())
def test_shared_values_are_counted_as_sets_do(data):
    n = data.draw(st.integers(1, 20))
    numbers = [st.lists(st.integers(0, most), min_size=n, max_size=n) for most in (3, 4)]
    labels = dense_ranks(np.array(data.draw(numbers[0])))
    units = np.array(data.draw(numbers[1]))
    column = np.array(data.draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n)))
    for unit_of in (None, units):
        members = np.arange(n) if unit_of is None else unit_of
        homogeneous = missing = every = 0
        for label in range(labels.max() + 1):
            is_in_group = labels == label
            values_of_units = [
                set(column[is_in_group & (members == unit)]) for unit in set(members[is_in_group])
            ]
            common = set.intersection(*values_of_units)
            if len(values_of_units) > 1 and common:
                homogeneous += 1
                missing += common == {-1}
                every += common != {-1} and len(set(column[is_in_group])) == 1
        assert count_shared(labels, column, unit_of) == (homogeneous, missing, every)
        measured = homogeneous_classes(labels[:, None], column[:, None], units=unit_of)
        assert measured.tolist() == [homogeneous]


def test_groups_without_any_value_are_not_merged():
    """Missing cells disclose no value, in a group or in all records with a pattern."""
    data = pd.DataFrame(
        {
            "x": [1.0, 2, 3, 4, 11, 12, None, None],
            "y": [1.0, 2, 3, 4, 11, 12, 5, 6],
            "ill": [None, None, "a", "b", "a", "b", None, None],
        }
    )
    options = {"k": 2, "method": "mdav", "missing": "own-groups", "confidential": ["ill"]}
    release = shoal.microaggregate(data, ["x", "y"], homogeneity="merge", **options)
    assert pd.Series(release.labels).value_counts().tolist() == [2] * 4
    assert release.verdict.codes().count("homogeneous-group") == 0
    (note,) = [f for f in release.verdict.findings if f.code == "missing-in-class"]
    assert (note.severity, note.figures) == ("informs", {"classes": 4, "missing": {"ill": 2}})
    shoal.microaggregate(data, ["x", "y"], homogeneity="refuse", **options)
    # A group that shares a value is merged with a neighbour, here the group without any value.
    data.loc[2:3, "ill"] = "a"
    release = shoal.microaggregate(data, ["x", "y"], homogeneity="merge", **options)
    assert release.labels[0] == release.labels[2] != release.labels[4]
    data.loc[:5, "ill"] = "a"  # of the records without missing cells
    with raises(InputError, "constant-confidential", column="ill"):
        shoal.microaggregate(data, ["x", "y"], homogeneity="merge", **options)


@pytest.mark.filterwarnings("ignore::shoal.errors.RevealingOrder")
def test_units_that_share_only_missing_cells_are_not_merged():
    data = pd.DataFrame(
        {
            "person": [0, 0, 1, 1, 2, 2, 3, 3],
            "x": [1.0, 1, 2, 2, 11, 11, 12, 12],
            "ill": ["a", None, "b", None, "c", "a", "c", "b"],
        }
    )
    options = {"k": 2, "method": "mdav", "unit": "person", "confidential": ["ill"]}
    release = shoal.microaggregate(data.loc[:3], ["x"], homogeneity="refuse", **options)
    (finding,) = [f for f in release.verdict.findings if f.code == "missing-in-class"]
    assert finding.figures["missing"] == {"ill": 1}
    with raises(InputError, "homogeneous-groups") as caught:
        shoal.microaggregate(data, ["x"], homogeneity="refuse", **options)
    assert "'ill' in 2 classes (1 by missing cells; in 1 some records" in str(caught.value)
    assert "'person'" in str(caught.value)
    merged = shoal.microaggregate(data, ["x"], homogeneity="merge", **options)
    assert len(set(merged.labels)) == 1


def test_noise_leaves_no_such_group_and_the_verdict_says_what_stays(patients):
    release = shoal.microaggregate(
        patients, ["age"], k=2, method="mdav", homogeneity="noise", random_state=1, **SECRET
    )
    groups = release.data.groupby(release.labels)[["illness", "town"]].nunique()
    assert (groups > 1).all(axis=None)
    assert release.data["illness"].isin(["flu", "gout"]).all()
    assert release.data["town"].between(1, 3).all()
    # The groups that vary already are left as they are.
    assert release.data.loc[4:, ["illness", "town"]].equals(patients.loc[4:, ["illness", "town"]])
    assert release.data.loc[:1, "town"].tolist() == [1, 2]
    codes = release.verdict.codes()
    assert "homogeneous-before-masking" in codes
    assert "homogeneous-group" not in codes
    finding = next(f for f in release.verdict.findings if f.code == "homogeneous-before-masking")
    assert finding.figures["homogeneous"] == {"illness": 2, "town": 1}
    assert release.verdict.status == "qualified"
    step = release.plan.steps[0]
    assert "noise was added (amount" in step.guarantee
    (former,) = step.former_guarantees
    assert "got noise of" in former
    text = str(summarise(release)["attacker"]["can"])
    assert "Learn the" not in text
    assert "Estimate the illness of every person in 2 of 3 classes: " in text


def test_noise_is_the_same_for_the_same_seed_and_its_seed_is_recorded(patients):
    options = {"k": 2, "method": "mdav", "homogeneity": "noise", **SECRET}
    first_release = shoal.microaggregate(patients, ["age"], random_state=5, **options)
    second_release = shoal.microaggregate(patients, ["age"], random_state=5, **options)
    assert first_release.data.equals(second_release.data)
    release_with_drawn_seed = shoal.microaggregate(patients, ["age"], **options)
    assert release_with_drawn_seed.plan.run(patients).data.equals(release_with_drawn_seed.data)
    assert release_with_drawn_seed.drawn_seeds


def test_noise_on_numbers_has_their_decimals_and_stays_in_their_range():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"x": np.arange(60.0), "wage": np.repeat(rng.integers(10, 99, 20), 3) / 10})
    release = shoal.microaggregate(
        data, ["x"], k=3, method="mdav", homogeneity="noise", noise=0.5, random_state=0,
        confidential=["wage"],
    )  # fmt: skip
    wage = release.data["wage"]
    assert (wage.groupby(release.labels).nunique() > 1).all()
    assert np.array_equal(wage, wage.round(1))
    assert wage.between(data["wage"].min(), data["wage"].max()).all()
    # The variance of the noise is at most the amount requested, because it is clipped.
    assert 0.1 < (wage - data["wage"]).var() / data["wage"].var() < 0.6


def test_noise_cannot_hide_a_constant_column(patients):
    with raises(InputError, "constant-confidential", column="same"):
        shoal.microaggregate(
            patients.assign(same=1), ["age"], k=2, method="mdav", homogeneity="noise",
            confidential=["same"],
        )  # fmt: skip


@given(tables_and_k(), st.integers(0, 3))
def test_noise_varies_every_group_and_changes_no_other(case, seed):
    X, k = case
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"x": X[:, 0], "ill": rng.choice(["a", "b"], len(X))})
    data.loc[: len(X) // 2, "ill"] = "a"
    if data["ill"].nunique() < 2 or data["x"].nunique() < 2 or k < 2:
        return
    release = shoal.microaggregate(
        data,
        ["x"],
        k=k,
        method="mdav",
        homogeneity="noise",
        random_state=seed,
        confidential=["ill"],
    )
    n_values_before, n_values_after = (
        table["ill"].groupby(release.labels).nunique() for table in (data, release.data)
    )
    assert (n_values_after > 1).all()
    changed = (data["ill"] != release.data["ill"]).groupby(release.labels).any()
    assert changed.equals(n_values_before == 1)
