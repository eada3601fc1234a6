"""Positions for the labels of dots, so that labels do not overlap."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, hypot
from typing import NamedTuple

LETTER, HEIGHT = 6.6, 12.0  # size of a letter in a label, in units of a plot
RADIUS = 6.0  # radius of a dot with its margin
DIRECTIONS = ((0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1))
STEP = 4.0  # distance between the points of a line that labels are compared with

Position = tuple[float, float]


class Dot(NamedTuple):
    """A dot of a plot, from the left and from the top, and its label."""

    x: float
    y: float
    label: str
    ring: float = 0.0  # radius of a circle around it
    is_required: bool = True  # whether the label is shown even if it overlaps


def place_labels(
    dots: Sequence[Dot],
    box: tuple[float, float, float, float],
    lines: Sequence[Sequence[Position]] = (),
) -> list[Position | None]:
    """Return the centre of each label next to its dot.

    Labels avoid each other, the dots and the lines. A label that is not required is left out if it
    would collide with another label or with a dot.

    Parameters
    ----------
    dots : list of Dot
        The dots.
    box : (float, float, float, float)
        Left, top, right and bottom limit of labels.
    lines : list of list of (float, float)
        The corners of lines, such as a line that connects dots.

    Returns
    -------
    list of (float, float) or None
        The centre of each label, or None for a label that is left out.
    """
    left, top, right, bottom = box
    line_points = [point for line in lines for point in _points_along(line)]
    placed_boxes: list[tuple[float, float, float]] = []  # centre and half the width
    centres: list[Position | None] = [None] * len(dots)
    for i in sorted(range(len(dots)), key=lambda i: not dots[i].is_required):
        dot, half_width = dots[i], LETTER * len(dots[i].label) / 2
        candidates = [
            (dot.x + dx * (half_width + offset), dot.y + dy * (offset + 4))
            for offset in (10 + dot.ring / 2, 18, *((28, 40) if dot.is_required else ()))
            for dx, dy in DIRECTIONS
        ]
        inside = [
            (x, y)
            for x, y in candidates
            if left + half_width <= x <= right - half_width
            and top + HEIGHT / 2 <= y <= bottom - HEIGHT / 2
        ]
        costs = {
            centre: _collisions(centre, half_width, placed_boxes, dots, line_points)
            for centre in inside or candidates
        }
        best = min(costs, key=lambda centre: costs[centre])
        if dot.is_required or costs[best][:2] == (0, 0):
            placed_boxes.append((*best, half_width))
            centres[i] = best
    return centres


def _collisions(
    centre: Position,
    half_width: float,
    placed_boxes: Sequence[tuple[float, float, float]],
    dots: Sequence[Dot],
    line_points: Sequence[Position],
) -> tuple[int, int, int]:
    """Return the number of labels, of dots and of points of lines that a label would cover."""
    return (
        sum(
            abs(centre[0] - x) < half_width + placed_half_width + 3 and abs(centre[1] - y) < HEIGHT
            for x, y, placed_half_width in placed_boxes
        ),
        sum(
            abs(centre[0] - dot.x) < half_width + max(RADIUS, dot.ring)
            and abs(centre[1] - dot.y) < HEIGHT / 2 + max(RADIUS, dot.ring)
            for dot in dots
        ),
        sum(
            abs(centre[0] - x) < half_width and abs(centre[1] - y) < HEIGHT / 2
            for x, y in line_points
        ),
    )


def _points_along(line: Sequence[Position]) -> Iterator[Position]:
    """Yield points along a line."""
    for (x, y), (next_x, next_y) in pairwise(line):
        n_steps = max(1, ceil(hypot(next_x - x, next_y - y) / STEP))
        for i in range(n_steps + 1):
            yield x + (next_x - x) * i / n_steps, y + (next_y - y) * i / n_steps
