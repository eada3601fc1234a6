"""Small pictures as SVG inside the page, so that they follow its colours."""

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from shoal.report.labels import Dot, place_labels

Points = NDArray[np.float64]

WIDTH, HEIGHT, EDGE = 520.0, 380.0, 26.0
LABEL_SCALE = 0.8  # letters of figures in reports, in terms of those here
COLOURS = 7  # of groups; the style sheet names them


class Canvas:
    """Marks in the units of a table, on a picture of fixed size."""

    def __init__(self, points: Points, *, square: bool = True):
        low, high = points.min(axis=0), points.max(axis=0)
        span = np.where(high > low, high - low, 1.0)
        scale = np.array([WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE]) / span
        self._scale = np.full(2, scale.min()) if square else scale
        self._low = (low + high) / 2 - np.array([WIDTH, HEIGHT]) / self._scale / 2
        self.marks: list[str] = []

    def _at(self, point: Sequence[float] | Points) -> tuple[float, float]:
        x, y = (np.asarray(point) - self._low) * self._scale
        return round(float(x), 1), round(float(HEIGHT - y), 1)

    def _path(self, points: Iterable[Points]) -> str:
        return " ".join(f"{x},{y}" for x, y in map(self._at, points))

    def dot(self, point: Points, kind: str = "record", radius: float = 3.5) -> None:
        """Draw a dot."""
        x, y = self._at(point)
        self.marks.append(f'<circle class="{kind}" cx="{x}" cy="{y}" r="{radius}"/>')

    def ring(self, point: Points) -> None:
        """Draw a ring around a record."""
        self.dot(point, "ring", 9)

    def cross(self, point: Points, kind: str = "centre", size: float = 5) -> None:
        """Draw a cross."""
        x, y = self._at(point)
        arms = f"M{x - size},{y}H{x + size}M{x},{y - size}V{y + size}"
        self.marks.append(f'<path class="{kind}" d="{arms}"/>')

    def line(self, points: Iterable[Points], kind: str = "edge") -> None:
        """Draw a line through points."""
        self.marks.append(f'<polyline class="{kind}" points="{self._path(points)}"/>')

    def area(self, points: Points, kind: str) -> None:
        """Draw the hull of points."""
        self.marks.append(f'<polygon class="{kind}" points="{self._path(hull(points))}"/>')

    def text(self, point: Points, words: str, anchor: str = "start") -> None:
        """Write words beside a point."""
        x, y = self._at(point)
        self.marks.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>')

    def labels(self, points: Iterable[Points], words: Sequence[str]) -> None:
        """Write words beside points, and leave out those that would touch others."""
        places = [tuple(LABEL_SCALE * part for part in self._at(point)) for point in points]
        dots = [
            Dot(x, y, text, is_required=False) for (x, y), text in zip(places, words, strict=True)
        ]
        box = (0.0, 0.0, LABEL_SCALE * WIDTH, LABEL_SCALE * HEIGHT)
        for text, place in zip(words, place_labels(dots, box), strict=True):
            if place is not None:
                x, y = (round(part / LABEL_SCALE, 1) for part in place)
                middle = f'x="{x}" y="{y + 5}" text-anchor="middle"'
                self.marks.append(f"<text {middle}>{escape(text)}</text>")

    def svg(self, label: str) -> str:
        """Return the picture; ``label`` is read aloud."""
        box = f"0 0 {WIDTH:g} {HEIGHT:g}"
        opening = f'<svg class="shoal" viewBox="{box}" role="img" aria-label="{escape(label)}">'
        return opening + "".join(self.marks) + "</svg>"


def hull(points: Points) -> list[Points]:
    """Return the corners of the convex hull of points, in order."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return [np.array(point) for point in ordered]
    return [np.array(point) for point in [*_chain(ordered)[:-1], *_chain(ordered[::-1])[:-1]]]


def _chain(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return one side of the hull: the points where one always turns left."""
    chain: list[tuple[float, float]] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def groups(canvas: Canvas, X: Points, labels: NDArray[np.int64], kind: str = "group") -> None:
    """Draw the hull and the centre of every group, and the records."""
    means = np.array([X[labels == group].mean(axis=0) for group in range(labels.max() + 1)])
    angle = np.arctan2(*(means - X.mean(axis=0)).T)
    colour = np.argsort(np.argsort(angle)) % COLOURS  # neighbours differ
    for group in range(len(means)):
        canvas.area(X[labels == group], f"{kind} c{colour[group]}")
    if kind == "group":
        for point in X:
            canvas.dot(point)
        for mean in means:
            canvas.cross(mean)


def figure(picture: str, caption: str) -> str:
    """Return a picture with its caption, for a page in Markdown."""
    return (
        f"```{{raw}} html\n<figure>{picture}\n<figcaption>{escape(caption)}</figcaption>"
        "</figure>\n```"
    )
