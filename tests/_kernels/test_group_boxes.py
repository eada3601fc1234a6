"""No group is nearer than the border of its box, however the groups move."""

from types import SimpleNamespace

import numpy as np
import pytest

from shoal._kernels.mward.group_boxes import (
    GROUPS_PER_BOX,
    is_mostly_empty,
    measure_box_distances,
    move_group,
    pack_boxes,
    remove_group,
    write_group_distances,
)


@pytest.fixture(
    params=[1, GROUPS_PER_BOX - 1, GROUPS_PER_BOX, GROUPS_PER_BOX + 1, 5 * GROUPS_PER_BOX + 3]
)
def groups(request):
    n = request.param
    centroids = np.random.default_rng(n).normal(size=(n, 3))
    return SimpleNamespace(centroids=centroids, sizes=np.arange(1, n + 1), parent=np.arange(n))


def distances(boxes, point):
    """Return the squared distance of each group, measured box by box."""
    measured = np.empty(GROUPS_PER_BOX)
    distance_of_group = {}
    for box in range(len(boxes.box_squares)):
        write_group_distances(boxes, box, point, measured)
        assert (boxes.box_squares[box] <= measured).all()
        distance_of_group |= dict(zip(boxes.groups[box], measured, strict=True))
    distance_of_group.pop(-1, None)
    return distance_of_group


def test_every_group_is_found_at_its_distance(groups):
    boxes = pack_boxes(groups)
    measure_box_distances(boxes, np.array([0.3, -1.0, 2.0]))
    actual = distances(boxes, np.array([0.3, -1.0, 2.0]))
    expected = ((groups.centroids - [0.3, -1.0, 2.0]) ** 2).sum(axis=1)
    assert len(actual) == len(expected)
    assert [actual[group] for group in range(len(expected))] == pytest.approx(expected)


def test_boxes_grow_with_the_groups_that_move(groups):
    boxes = pack_boxes(groups)
    rng = np.random.default_rng(0)
    for group in range(0, len(groups.parent), 7):
        point = 3 * rng.normal(size=3)
        move_group(boxes, group, point, 2.0)
        measure_box_distances(boxes, point)
        assert distances(boxes, point)[group] == 0
        assert boxes.box_squares[boxes.positions[group] // GROUPS_PER_BOX] == 0


def test_a_removed_group_is_infinitely_far(groups):
    boxes = pack_boxes(groups)
    remove_group(boxes, 0)
    measure_box_distances(boxes, groups.centroids[0])
    assert np.isinf(distances(boxes, groups.centroids[0])[0])


def test_boxes_are_packed_again_when_most_positions_are_empty(groups):
    boxes = pack_boxes(groups)
    assert not is_mostly_empty(groups, boxes)
    groups.parent[:] = 0
    assert is_mostly_empty(groups, boxes) == (len(groups.parent) > GROUPS_PER_BOX)
    assert np.array_equal(np.unique(pack_boxes(groups).groups), [-1, 0])
