"""Places for the labels of dots, so that no two of them collide."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, hypot
from typing import NamedTuple

LETTER, HEIGHT = 6.6, 12.0  # size of a letter in a label, in units of a plot
RADIUS = 6.0  # of a dot with a margin
DIRECTIONS = ((0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1))
STEP = 4.0  # between the tried points of a line

Place = tuple[float, float]


class Dot(NamedTuple):
    """A dot of a plot, from the left and from the top, and its label."""

    x: float
    y: float
    label: str
    ring: float = 0.0  # radius of a circle around it
    needed: bool = True  # whether the label is shown in any case


def place_labels(
    dots: Sequence[Dot],
    box: tuple[float, float, float, float],
    lines: Sequence[Sequence[Place]] = (),
) -> list[Place | None]:
    """Return the centre of each label next to its dot.

    Labels avoid each other, the dots and lines. Those that are not needed are left out where
    they would collide with another label or with a dot.

    Parameters
    ----------
    dots : list of Dot
        The dots.
    box : (float, float, float, float)
        Left, top, right and bottom limit of labels.
    lines : list of list of (float, float)
        The corners of lines, such as one that connects some dots.

    Returns
    -------
    list of (float, float) or None
        The centre of each label; None for a label that is left out.
    """
    left, top, right, bottom = box
    along = [point for line in lines for point in _points(line)]
    placed: dict[int, tuple[float, float, float]] = {}  # centre and half the width
    places: list[Place | None] = [None] * len(dots)
    for i in sorted(range(len(dots)), key=lambda i: not dots[i].needed):
        dot, half = dots[i], LETTER * len(dots[i].label) / 2
        options = [
            (dot.x + dx * (half + reach), dot.y + dy * (reach + 4))
            for reach in (10 + dot.ring / 2, 18, *((28, 40) if dot.needed else ()))
            for dx, dy in DIRECTIONS
        ]
        inside = [
            (x, y)
            for x, y in options
            if left + half <= x <= right - half and top + HEIGHT / 2 <= y <= bottom - HEIGHT / 2
        ]
        costs = {
            place: (
                sum(abs(place[0] - x) < half + other + 3 and abs(place[1] - y) < HEIGHT
                    for x, y, other in placed.values()),
                sum(abs(place[0] - o.x) < half + max(RADIUS, o.ring)
                    and abs(place[1] - o.y) < HEIGHT / 2 + max(RADIUS, o.ring) for o in dots),
                sum(abs(place[0] - x) < half and abs(place[1] - y) < HEIGHT / 2 for x, y in along),
            )
            for place in inside or options
        }  # fmt: skip
        best = min(costs, key=lambda place: costs[place])
        if dot.needed or costs[best][:2] == (0, 0):
            placed[i] = (*best, half)
            places[i] = best
    return places


def _points(line: Sequence[Place]) -> Iterator[Place]:
    """Yield points along a line."""
    for (x, y), (a, b) in pairwise(line):
        count = max(1, ceil(hypot(a - x, b - y) / STEP))
        for i in range(count + 1):
            yield x + (a - x) * i / count, y + (b - y) * i / count
