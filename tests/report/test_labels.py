"""Labels of figures do not overlap and stay inside the figure."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.report.draw import RIGHT, TICK_LETTER, Plot
from shoal.report.figures import class_sizes
from shoal.report.labels import HEIGHT, LETTER, Dot, place_labels
from shoal.report.maps import MapPoint, release_map, risk_map, tradeoff_map


def boxes(marks, style="tick"):
    """Return the extent of every text of a style that is not rotated."""
    extents = []
    for mark in marks:
        attributes = mark.attributes
        if (
            mark.tag == "text"
            and attributes.get("class") == style
            and "transform" not in attributes
        ):
            width = TICK_LETTER * len(mark.text)
            share = {"start": 0, "middle": 0.5, "end": 1}[attributes.get("text-anchor", "start")]
            left = attributes["x"] - share * width
            extents.append((left, left + width, attributes["y"] - 9, attributes["y"], mark.text))
    return extents


def collisions(marks):
    return [
        (first[-1], second[-1])
        for first, second in combinations(boxes(marks), 2)
        if first[0] < second[1]
        and second[0] < first[1]
        and first[2] < second[3]
        and second[2] < first[3]
    ]


def assert_inside(figure):
    for left, right, top, bottom, text in boxes(figure.marks):
        assert left >= -1, text
        assert right <= figure.width + RIGHT, text
        assert top >= -1, text
        assert bottom <= figure.height, text


@given(
    st.dictionaries(st.integers(1, 10**6), st.integers(1, 10**7), min_size=1, max_size=40),
    st.integers(1, 20),
)
def test_labels_of_class_sizes_do_not_collide(sizes, k):
    figure = class_sizes(sizes, k)
    assert not collisions(figure.marks)
    assert_inside(figure)
    texts = {text for *_, text in boxes(figure.marks)}
    most = max(sizes.values())
    assert len(sizes) > 16 or f"{most:,}" in texts


ends = st.floats(-1e9, 1e9, allow_nan=False)


@given(ends, ends, ends, ends)
def test_ticks_do_not_collide_with_each_other_or_the_label_of_the_axis(a, b, c, d):
    plot = Plot((min(a, b), max(a, b)), (min(c, d), max(c, d)))
    plot.axes("across", "up")
    assert not collisions(plot.marks)
    label = 12 + 4  # right edge of the label of the vertical axis
    assert all(left >= label - 1 for left, *_ in boxes(plot.marks))


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 8)), min_size=8, max_size=30),
    st.data(),
)
def test_labels_that_are_not_needed_never_collide(points, data):
    dots = [
        Dot(60 + 17.0 * x, 30 + 13.0 * y, f"{i:02d}", is_required=data.draw(st.booleans()))
        for i, (x, y) in enumerate(points)
    ]
    centres = place_labels(dots, (52, 2, 640, 320))
    assert all(
        centre is not None for dot, centre in zip(dots, centres, strict=True) if dot.is_required
    )
    optional = [i for i, dot in enumerate(dots) if centres[i] is not None and not dot.is_required]
    for i in optional:
        for j, centre in enumerate(centres):
            if j != i and centre is not None:
                distances = abs(centres[i][0] - centre[0]), abs(centres[i][1] - centre[1])
                assert distances[0] >= 2 * LETTER or distances[1] >= HEIGHT
        for dot in dots:
            assert abs(centres[i][0] - dot.x) >= LETTER or abs(centres[i][1] - dot.y) >= HEIGHT / 2


def test_a_label_avoids_the_line_where_it_can():
    dots = [Dot(100, 100, "a"), Dot(200, 20, "b")]
    line = [(100.0, 100.0), (100.0, 20.0), (200.0, 20.0)]
    (x, y), _ = place_labels(dots, (0, 0, 300, 200), [line])
    assert (x, y) != (100, 86)
    assert place_labels(dots, (0, 0, 300, 200))[0] == (100, 86)


@pytest.mark.parametrize("risk", [0.15, 0.17, 0.19, 0.2])
def test_no_label_of_a_release_is_crossed_by_its_limit(risk):
    figure = release_map(1.2, 0.45, risk, 0.2)
    (limit,) = [mark for mark in figure.marks if mark.attributes.get("class") == "limit"]
    line = float(re.findall(r"[\d.]+", limit.attributes["points"])[1])
    labels = [box for box in boxes(figure.marks) if box[-1] in ("original", "release")]
    assert len(labels) == 2
    for _, _, top, bottom, text in labels:
        assert not top < line < bottom, text


@pytest.mark.parametrize("loss", [0.5, 12.0, 95.0])
def test_labels_of_a_release_stay_inside(loss):
    for figure in (release_map(loss, 1.0, 0.2, 1 / 5), release_map(loss, 0.01, 0.005, 1 / 200)):
        assert_inside(figure)
    near = {"dependence": [0.1], "distortion_x": loss / 100, "distortion_y": 0.2, "curve": []}
    figure = tradeoff_map(near)
    assert not collisions(figure.marks)
    assert_inside(figure)


def test_the_labels_of_the_front_are_always_there():
    rng = np.random.default_rng(0)
    map_points = [
        MapPoint(x, y, f"{i}", f"{i}", "best" if i < 3 else "other")
        for i, (x, y) in enumerate(rng.uniform(5, 6, (40, 2)))
    ]
    figure = risk_map(map_points, sorted(map_points[:3]), "", "risk", title="map", width=640)
    texts = [text for *_, text in boxes(figure.marks)]
    assert {"0", "1", "2"} <= set(texts)
    assert len(texts) < 40 + 12


def test_no_label_touches_the_ring_of_the_recommended_run():
    map_points = [
        MapPoint(10, 20, "03", "03", "best", ring=True),
        MapPoint(10, 20, "09", "09", "best"),
        MapPoint(10.05, 20, "11", "11"),
        MapPoint(2, 30, "01", "01", "best"),
    ]
    figure = risk_map(map_points, sorted(map_points[:2]), "", "risk", title="map", width=640)
    (ring,) = [mark.attributes for mark in figure.marks if mark.attributes.get("class") == "ring"]
    labels = [box for box in boxes(figure.marks) if box[-1] in {"03", "09", "11"}]
    assert len(labels) == 3
    for left, right, top, bottom, text in labels:
        across = max(left - ring["cx"], ring["cx"] - right, 0)
        down = max(top - ring["cy"], ring["cy"] - bottom, 0)
        assert np.hypot(across, down) >= ring["r"] + 2, text
