"""Boxes of neighbouring groups, so that a search can skip the far ones.

No group is nearer than the border of its box. The groups of a box are stored column by column,
so that measuring them is a run of vector instructions. A group that moves widens its box; one
that is removed leaves a position at infinity.
"""

from typing import Any, NamedTuple

import numpy as np

from shoal._kernels._compile import compiled
from shoal._kernels.distances import write_squared_distances
from shoal._kernels.spatial.block_order import BLOCK, locality_order

GROUPS_PER_BOX = BLOCK


class GroupBoxes(NamedTuple):
    """The groups, box by box; sizes are numbers of records.

    ``centres[box, column]`` are the values of the groups in a box, ``sizes[box]`` their sizes and
    ``groups[box]`` their numbers. ``low`` and ``high`` are the borders, one row per column;
    ``box_squares`` are the squared distances of the boxes to the point of the last search.
    ``positions`` are the positions of the groups: box * GROUPS_PER_BOX + slot.
    """

    centres: np.ndarray  # (n_boxes, n_columns, GROUPS_PER_BOX)
    sizes: np.ndarray  # (n_boxes, GROUPS_PER_BOX), as floats
    groups: np.ndarray  # (n_boxes, GROUPS_PER_BOX)
    low: np.ndarray  # (n_columns, n_boxes)
    high: np.ndarray  # (n_columns, n_boxes)
    box_squares: np.ndarray  # (n_boxes,)
    positions: np.ndarray  # (n_groups,)


def unjoined_groups(groups: Any) -> np.ndarray:
    """Return the numbers of the groups that were not joined into others."""
    return np.flatnonzero(groups.parent == np.arange(len(groups.parent)))


def is_mostly_empty(groups: Any, boxes: GroupBoxes) -> bool:
    """Return whether most positions are empty, so that repacking is worthwhile."""
    return 2 * len(unjoined_groups(groups)) < boxes.groups.size - GROUPS_PER_BOX


def pack_boxes(groups: Any) -> GroupBoxes:
    """Return boxes of neighbouring ``groups`` that are not joined into others."""
    numbers = unjoined_groups(groups)
    ordered_numbers = numbers[locality_order(groups.centroids[numbers])]
    n_boxes = -(-len(ordered_numbers) // GROUPS_PER_BOX)
    padded_numbers = np.append(
        ordered_numbers, np.full(n_boxes * GROUPS_PER_BOX - len(ordered_numbers), -1)
    ).reshape(n_boxes, GROUPS_PER_BOX)
    is_empty = (padded_numbers < 0)[:, None, :]
    centres = np.ascontiguousarray(groups.centroids[padded_numbers].transpose(0, 2, 1))
    positions = np.full(len(groups.parent), -1)  # joined groups have none
    positions[ordered_numbers] = np.arange(len(ordered_numbers))
    return GroupBoxes(
        centres=np.where(is_empty, np.inf, centres),
        sizes=groups.sizes[padded_numbers].astype(np.float64),
        groups=padded_numbers,
        low=np.where(is_empty, np.inf, centres).min(axis=2).T.copy(),
        high=np.where(is_empty, -np.inf, centres).max(axis=2).T.copy(),
        box_squares=np.empty(n_boxes),
        positions=positions,
    )


@compiled
def move_group(boxes, group, point, size):
    """Move ``group`` to ``point`` with ``size`` records, and widen its box."""
    box, slot = divmod(boxes.positions[group], GROUPS_PER_BOX)
    boxes.sizes[box, slot] = size
    for column in range(point.shape[0]):
        boxes.centres[box, column, slot] = point[column]
        boxes.low[column, box] = min(boxes.low[column, box], point[column])
        boxes.high[column, box] = max(boxes.high[column, box], point[column])


@compiled
def remove_group(boxes, group):
    """Remove ``group`` by moving it to infinity."""
    box, slot = divmod(boxes.positions[group], GROUPS_PER_BOX)
    for column in range(boxes.centres.shape[1]):
        boxes.centres[box, column, slot] = np.inf


@compiled
def measure_box_distances(boxes, point):
    """Set ``box_squares`` to the squared distances from ``point`` to the boxes."""
    for box in range(boxes.box_squares.shape[0]):
        boxes.box_squares[box] = 0.0
    for column in range(point.shape[0]):
        value = point[column]
        for box in range(boxes.box_squares.shape[0]):
            above, below = boxes.low[column, box] - value, value - boxes.high[column, box]
            difference = max(max(above, below), 0.0)
            boxes.box_squares[box] += difference * difference


@compiled
def write_group_distances(boxes, box, point, squares):
    """Fill ``squares`` with the squared distances from ``point`` to the groups of ``box``."""
    write_squared_distances(boxes.centres[box], 0, GROUPS_PER_BOX, point, squares)
