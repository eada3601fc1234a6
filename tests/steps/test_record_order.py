"""Released values of a group do not depend on the order of its records, to the last bit."""

from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from conftest import reference_matrix
from shoal import Microaggregate, Plan
from shoal.frame import tables
from shoal.partitioners import MDAV, METHODS
from shoal.steps import TopBottomCode
from shoal.steps.hybridise import rotate_at_random
from shoal.steps.microaggregation.aggregates import (
    AGGREGATES,
    group_low_median,
    group_mean,
    group_mode,
)

K = 3
EVERY = {
    **AGGREGATES,
    "trimmed-mean": partial(AGGREGATES["trimmed-mean"], trim=0.2),
    "low-median": group_low_median,
    "mode": group_mode,
}
cells = st.tuples(
    st.floats(1e-3, 1e9), st.sampled_from([0.1, 0.2, 0.3, 0.7, 1e6]), st.integers(0, 3)
)


def mean_from_first(values, labels):
    """Return means of groups whose last bits depend on the first record, as they should not."""
    first_values = values[np.unique(labels, return_index=True)[1]]
    excess = np.bincount(labels, values - first_values[labels]) / np.bincount(labels)
    return (first_values + excess)[labels]


def rows_tied_to_one_person(X, labels, aggregate):
    """Return the share of rows whose bits reveal the person to whom they belong.

    The attacker knows all values and the groups, tries every order in which a group's
    persons may stand in its rows, and keeps the orders that give the released bits.
    """
    tied = 0
    for group in np.unique(labels):
        members = X[labels == group]
        orders = np.array(list(permutations(range(len(members)))))
        trial = np.repeat(np.arange(len(orders)), len(members))
        tried = [aggregate(column[orders].ravel(), trial)[:: len(members)] for column in members.T]
        fits = (np.array(tried) == np.array(tried)[:, :1]).all(axis=0)  # the first order is true
        tied += sum(len(set(row)) == 1 for row in orders[fits].T)
    return tied / len(X)


@pytest.mark.parametrize("name", ["tarragona", "census"])
def test_bits_of_means_tie_no_row_to_a_person(name):
    X = reference_matrix(name)
    labels = MDAV(k=K).fit((X - X.mean(axis=0)) / X.std(axis=0)).labels_
    assert np.bincount(labels).max() < 7  # all orders can be tried
    assert rows_tied_to_one_person(X, labels, mean_from_first) > 0.1  # the attack works
    assert rows_tied_to_one_person(X, labels, group_mean) == 0


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("weighted", [False, True])
@given(table=st.lists(cells, min_size=1, max_size=25), seed=st.integers(0, 99))
def test_an_aggregate_does_not_depend_on_the_order_of_the_records(name, weighted, table, seed):
    values, weights, labels = (np.array(column) for column in zip(*table, strict=True))
    labels = np.unique(labels, return_inverse=True)[1]
    if name in ("low-median", "mode"):
        values = values.astype(np.int64) % 3
    order = np.random.default_rng(seed).permutation(len(values))
    options = {"weights": weights} if weighted and name != "trimmed-mean" else {}
    expected = EVERY[name](values, labels, **options)
    reordered_options = {key: weights[order] for key, weights in options.items()}
    assert (
        EVERY[name](values[order], labels[order], **reordered_options).tobytes()
        == expected[order].tobytes()
    )


@given(
    X=st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 3), min_size=3, max_size=7).map(np.array),
    seed=st.integers(0, 99),
)
def test_a_hybrid_group_does_not_depend_on_the_order_of_the_records(X, seed):
    turned = X[np.random.default_rng(seed).permutation(len(X))]
    first, second = (rotate_at_random(rows, np.random.default_rng(0)) for rows in (X, turned))
    assert first.tobytes() == second.tobytes()


def mixed(rng, n=60):
    """Return records of every kind in given groups of 3 to 5, with a unique name each."""
    return pd.DataFrame(
        {
            "name": rng.permutation(n),
            "group": np.minimum(np.arange(n) // 4, n // 4 - 1),
            "number": rng.normal(size=n) ** 3 + 1e3,
            "missing": np.where(rng.random(n) < 0.2, np.nan, rng.random(n)),
            "zero": rng.choice([0.0, -0.0], n),
            "written": rng.choice(["1", "1.0", "2", "2.50"], n),
            "signed": rng.choice([0.0, -0.0, 1.0], n),
            "date": rng.choice(["2024-01-31", "2024-01-31T00:00", "2024-02-01"], n),
            "weight": rng.choice([0.1, 0.2, 0.3, 0.7], n),
        }
    )


@pytest.mark.parametrize("aggregate", ["mean", "median", "trimmed-mean"])
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("seed", range(5))
def test_a_release_in_given_groups_does_not_depend_on_the_order_of_the_records(
    aggregate, weight, seed
):
    if weight and aggregate == "trimmed-mean":
        aggregate = "mean"
    rng = np.random.default_rng(seed)
    frame = mixed(rng)
    types = {"written": "ordinal", "signed": "nominal", "date": "date"}
    columns = ["number", "missing", "zero", *types]
    trim = {"trim": 0.25} if aggregate == "trimmed-mean" else {}
    step = Microaggregate(
        columns, MDAV(k=K), within="group", missing="impute", weight=weight, aggregate=aggregate,
        **trim,
    )  # fmt: skip
    plan = Plan({"name": "non-confidential"}, [step], types, other_columns="release")
    turned = frame.iloc[rng.permutation(len(frame))]
    with pytest.warns(shoal.errors.ShoalWarning):
        releases = [plan.run(table).data for table in (frame, turned)]
    released, released_reordered = (
        data.set_index("name").sort_index()[columns] for data in releases
    )
    for column in columns:
        assert released[column].map(repr).tolist() == released_reordered[column].map(repr).tolist()


@pytest.mark.parametrize("method", ["mdav", "cvmdav", "vmdav"])
def test_a_release_without_ties_does_not_depend_on_the_order_of_the_records(method):
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(rng.normal(size=(120, 3)) ** 3, columns=list("abc"))
    frame["name"] = rng.permutation(len(frame))
    order = rng.permutation(len(frame))
    plan = Plan.of(list("abc"), METHODS[method](k=K), other_columns="release")
    with pytest.warns(shoal.errors.ShoalWarning):
        released, released_reordered = (
            plan.run(table).data for table in (frame, frame.iloc[order])
        )
    assert released.iloc[order].to_numpy().tobytes() == released_reordered.to_numpy().tobytes()


def test_the_mean_of_coded_values_does_not_depend_on_the_order_of_the_records():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"surface": rng.random(20)})
    step = TopBottomCode(["surface"], top_share=0.4, replacement="mean")
    actual = {
        float(step.apply(tables.open_frame(turned), ()).values["surface"].max())
        for turned in (frame.iloc[rng.permutation(20)] for _ in range(30))
    }
    assert len(actual) == 1
