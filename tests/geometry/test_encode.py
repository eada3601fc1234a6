"""Columns of every kind as axes, at the declared distances."""

import datetime as dt

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from raising import raises
from shoal.errors import InputError
from shoal.frame.columns import read_column
from shoal.frame.types import as_types
from shoal.geometry import zscore
from shoal.geometry.encode import (
    PROJECTED_AXES,
    embed_distances,
    project_categories,
    simplex_points,
)
from shoal.steps.microaggregation.distance_space import build_distance_space
from twins.mixed import climb, squared_distances


def squares(points):
    return ((points[:, np.newaxis] - points) ** 2).sum(axis=2)


@pytest.mark.parametrize("number", [1, 2, 3, 7, 40])
def test_any_two_categories_are_equally_far_apart_on_one_axis_less_than_there_are(number):
    points = simplex_points(number)
    assert points.shape == (number, max(1, number - 1))
    assert squares(points) == pytest.approx(1 - np.eye(number))


@st.composite
def trees(draw):
    """Draw a hierarchy: rows of a value and its ancestors."""
    depth = draw(st.integers(1, 4))
    paths = draw(
        st.lists(
            st.lists(st.integers(0, 2), min_size=depth, max_size=depth), min_size=1, max_size=8
        )
    )
    return [
        [f"v{number}", *("/".join(map(str, path[: depth - level])) for level in range(depth))]
        for number, path in enumerate(paths)
    ]


@given(rows=trees())
def test_a_hierarchy_is_embedded_exactly(rows):
    path = {row[0]: row for row in rows}
    distances = np.array([[climb(value, other, path) for other in path] for value in path])
    points = embed_distances(distances)
    assert points.shape[1] <= max(1, len(rows) - 1)
    assert squares(points) == pytest.approx(distances**2, abs=1e-9)


@pytest.mark.parametrize("levels", [1, 2, 4])
def test_many_categories_are_nearly_at_their_distances(levels):
    number = 700
    ancestors = np.column_stack([np.arange(number) // 5**level for level in range(levels)])
    path = {row[0]: list(row) for row in ancestors}
    points = squares(project_categories(ancestors))
    expected = np.array([[climb(value, other, path) for other in path] for value in path]) ** 2
    ratio = points[expected > 0] / expected[expected > 0]
    assert points[expected == 0] == pytest.approx(0, abs=1e-12)
    assert ratio.mean() == pytest.approx(1, abs=0.02)
    assert np.sqrt(((ratio - 1) ** 2).mean()) < 1.1 * np.sqrt(2 / PROJECTED_AXES)


@pytest.mark.parametrize("hierarchy", [False, True])
def test_thousands_of_categories_are_grouped_with_near_ones(hierarchy):
    towns = np.array([f"{region:02}-{town:03}" for region in range(25) for town in range(80)])
    values = np.repeat(towns, 3)[np.random.default_rng(0).permutation(6000)]
    rows = [(town, town[:2]) for town in towns]
    types = {"town": {"kind": "nominal", **({"hierarchy": rows} if hierarchy else {})}}
    release = shoal.microaggregate(
        pd.DataFrame({"town": values}), ["town"], k=3, method="mdav", types=types
    )
    assert (release.data["town"].to_numpy() == values).all()
    other = (
        shoal.microaggregate(
            pd.DataFrame({"town": values}), ["town"], k=6, method="mdav", types=types
        )
        .data["town"]
        .to_numpy()
    )
    assert set(other) <= set(towns)
    share_unchanged = np.mean([a == b for a, b in zip(other, values, strict=True)])
    assert share_unchanged > 0.45  # about two towns to a group
    share_in_region = np.mean([a[:2] == b[:2] for a, b in zip(other, values, strict=True)])
    assert share_in_region > 0.99 if hierarchy else share_in_region < 0.7


@given(seed=st.integers(0, 999), number=st.integers(1, 9), axes=st.integers(1, 4))
def test_points_of_a_euclidean_space_are_recovered_on_as_few_axes(seed, number, axes):
    known = np.random.default_rng(seed).normal(size=(number, axes))
    points = embed_distances(np.sqrt(squares(known)))
    assert points.shape[1] <= max(1, min(axes, number - 1))
    assert squares(points) == pytest.approx(squares(known), abs=1e-7)


def test_distances_that_are_not_euclidean_are_refused_with_a_constant_to_add():
    corners = 1.0 - np.eye(4)
    corners[0, 1:] = corners[1:, 0] = 0.55  # nearer to all three corners than their centre
    with raises(InputError, "distances-not-euclidean", column="town") as raised:
        embed_distances(corners, "town")
    constant = float(str(raised.value).split("d * d + ")[1].split(")")[0])
    corrected = np.where(np.eye(4) > 0, 0, np.sqrt(corners**2 + constant * 1.001))
    assert squares(embed_distances(corrected)) == pytest.approx(corrected**2, abs=1e-6)


ORDER = ["none", "school", "college"]
TREE = [["Porto", "north"], ["Braga", "north"], ["Faro", "south"], ["Beja", "south"]]
TABLE = [["x", "y", 1.0], ["y", "z", 1.0], ["x", "z", 1.6]]
DAY = dt.datetime(2000, 1, 1)

records = st.tuples(
    st.integers(0, 3),
    st.sampled_from(ORDER),
    st.sampled_from("abc"),
    st.sampled_from([row[0] for row in TREE]),
    st.sampled_from("xyz"),
    st.integers(0, 3).map(lambda days: DAY + dt.timedelta(days=days)),
    st.booleans(),
)
DECLARED = {
    "number": {"kind": "numeric"},
    "school": {"kind": "ordinal", "order": ORDER},
    "letter": {"kind": "nominal"},
    "town": {"kind": "nominal", "hierarchy": TREE},
    "point": {"kind": "nominal", "distances": TABLE},
    "day": {"kind": "date"},
    "yes": {"kind": "boolean"},
}


@given(rows=st.lists(records, min_size=1, max_size=15))
def test_squared_distances_of_mixed_records_are_the_defined_ones(rows):
    table = pd.DataFrame(rows, columns=list(DECLARED))
    frame, types = nw.from_native(table), as_types(DECLARED)
    space = build_distance_space(
        [read_column(frame, name, types[name]) for name in DECLARED], "zscore", 0.0, []
    )
    slow = squared_distances(
        [
            ([row[position] for row in rows], declared)
            for position, declared in enumerate(DECLARED.values())
        ]
    )
    assert squares(space.Z) == pytest.approx(np.array(slow), abs=1e-6)


def test_every_column_weighs_the_same_whatever_its_axes():
    rng = np.random.default_rng(0)
    blocks = [rng.normal(5, 3, (50, 1)), simplex_points(6)[rng.integers(0, 6, 50)]]
    Z = zscore(np.hstack(blocks), np.array([0, 1, 1, 1, 1, 1]))
    assert Z.mean(axis=0) == pytest.approx(np.zeros(6), abs=1e-12)
    assert [Z[:, :1].var(), Z[:, 1:].var(axis=0).sum()] == pytest.approx([1, 1])


def test_confidential_columns_weigh_by_their_number_not_by_their_axes():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "letter": rng.choice([*"abcd"], 40),
            "town": rng.choice([*"xyz"], 40),
            "pay": rng.random(40),
        }
    )
    letter, town, pay = (read_column(nw.from_native(table), name) for name in table)
    for quasi_identifiers, confidential in (([letter], [town, pay]), ([letter, pay], [town])):
        Z = build_distance_space(quasi_identifiers, "zscore", 0.3, confidential).coordinates(
            np.arange(40), [column.name for column in quasi_identifiers]
        )
        variance = Z[:, : 3 + len(quasi_identifiers) - 1].var(axis=0).sum()
        assert variance == pytest.approx(len(quasi_identifiers))
        assert Z.var(axis=0).sum() == pytest.approx(variance / 0.7)


@given(
    values=st.lists(st.one_of(st.none(), st.integers(-5, 5)), min_size=1, max_size=20),
    unit=st.sampled_from([1.0, 1e-200, 1e200]),
)
def test_missing_values_take_no_part_in_the_scores_and_stand_at_the_mean(values, unit):
    column = np.array([np.nan if value is None else value * unit for value in values])
    present = np.array([value for value in values if value is not None], float)
    scores = zscore(column[:, np.newaxis])[:, 0]
    assert (scores[np.isnan(column)] == 0).all()
    expected = zscore(present[:, np.newaxis])[:, 0] if len(present) else present
    assert scores[~np.isnan(column)] == pytest.approx(expected, abs=1e-9)
