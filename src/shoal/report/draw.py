"""Plots as SVG marks, styled by the page and accessible to screen readers.

Marks have CSS classes instead of colours, so that light, dark and printed pages can choose their
own. All texts are data, which the template escapes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any

from shoal._text import shorten

LEFT, RIGHT, TOP, BOTTOM = 52, 14, 14, 42  # margins with room for ticks and labels
WIDTH = 400  # so that two pictures fit side by side
MAX_LABEL = 16  # characters of a label; the full text is in the title of the mark
TICK_LETTER = 6.2  # width of a letter of a tick


@dataclass(frozen=True)
class Mark:
    """One shape or text; ``title`` is its tooltip."""

    tag: str
    attributes: dict[str, Any]
    text: str = ""
    title: str = ""


@dataclass(frozen=True)
class Figure:
    """A plot with its heading, a text alternative and the numbers behind it.

    Parameters
    ----------
    title : str
        Heading.
    description : str
        Text alternative for screen readers.
    width, height : int
        Size, in the units of the marks.
    marks : list of Mark
        What is drawn, in order.
    legend : list of pairs of str
        Class of a mark and what it stands for.
    rows : list of list of str
        The numbers behind the picture; the first row is the heading.
    narrow : Figure or None
        The same for narrow screens, on which the letters of a wide picture would be too small.
    """

    title: str
    description: str
    width: int
    height: int
    marks: list[Mark]
    legend: list[tuple[str, str]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    narrow: "Figure | None" = None


class Plot:
    """Marks on two linear axes.

    Parameters
    ----------
    x, y : pair of float
        Smallest and largest value shown.
    width, height : int
        Size of the picture.
    left : int
        Margin for the labels of the vertical axis.
    years : bool
        Whether the horizontal axis shows years, which have no thousands separator.
    """

    def __init__(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        width: int = WIDTH,
        height: int = 250,
        left: int = LEFT,
        years: bool = False,
    ):
        self.x, self.y = _widen(x), _widen(y)
        self.width, self.height, self.years = width, height, years
        self.left = max(left, self._tick_margin())
        self.marks: list[Mark] = []

    def x_position(self, value: float) -> float:
        """Return the horizontal position of ``value``, from the left."""
        share = (value - self.x[0]) / (self.x[1] - self.x[0])
        return round(self.left + share * (self.width - self.left - RIGHT), 2)

    def y_position(self, value: float) -> float:
        """Return the vertical position of ``value``, from the top."""
        share = (value - self.y[0]) / (self.y[1] - self.y[0])
        return round(self.height - BOTTOM - share * (self.height - TOP - BOTTOM), 2)

    def position(self, x: float, y: float) -> tuple[float, float]:
        """Return the position of a point, from the left and from the top."""
        return self.x_position(x), self.y_position(y)

    @property
    def label_area(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the area for labels."""
        return float(self.left), 2.0, float(self.width), float(self.height - BOTTOM)

    def _tick_margin(self) -> int:
        """Return the margin that the ticks of the vertical axis and its label need."""
        if self.y[0] >= self.y[1]:
            return 0  # an axis of names
        return ceil(26 + TICK_LETTER * max(len(label) for _, label in ticks(self.y)))

    def _x_ticks(self) -> list[tuple[float, str]]:
        """Return as many ticks of the horizontal axis as fit beside each other."""
        for n_ticks in (5, 4, 3, 2):
            marks = ticks(self.x, n_ticks)
            if self.years:
                marks = [(value, label.replace(",", "")) for value, label in marks]
            ends = [
                (self.x_position(value), TICK_LETTER * len(label) / 2 + 4) for value, label in marks
            ]
            if all(
                next_position - position >= half_width + next_half_width
                for (position, half_width), (next_position, next_half_width) in pairwise(ends)
            ):
                return marks
        return marks[:1]

    def box(self, x: tuple[float, float], y: tuple[float, float], style: str, title: str) -> None:
        """Draw a bar between two values on either axis."""
        left, right = sorted(map(self.x_position, x))
        top, bottom = sorted(map(self.y_position, y))
        self.add_mark(
            "rect",
            {
                "x": left,
                "y": top,
                "width": round(right - left, 2),
                "height": round(bottom - top, 2),
            },
            style,
            title=title,
        )

    def path(self, points: Sequence[tuple[float, float]], style: str) -> None:
        """Draw a line through points."""
        coordinates = " ".join(f"{self.x_position(x)},{self.y_position(y)}" for x, y in points)
        self.add_mark("polyline", {"points": coordinates}, style)

    def dot(self, x: float, y: float, radius: float, style: str, title: str, run: str = "") -> None:
        """Draw a circle with a radius in units of the plot; ``run`` identifies it for scripts."""
        attributes: dict[str, Any] = {
            "cx": self.x_position(x),
            "cy": self.y_position(y),
            "r": round(radius, 2),
        }
        if run:
            attributes["data-run"] = run
        self.add_mark("circle", attributes, style, title=title)

    def text(self, text: str, x: float, y: float, anchor: str = "middle", style: str = "") -> None:
        """Write text at a position in units of the plot."""
        attributes = {"x": round(x, 2), "y": round(y, 2), "text-anchor": anchor}
        self.add_mark("text", attributes, style, text=text)

    def label(self, text: str, x: float, y: float, anchor: str = "end") -> None:
        """Write a label, truncated if it is too long; the tooltip shows it in full."""
        short = shorten(text, MAX_LABEL)
        attributes = {"x": round(x, 2), "y": round(y, 2), "text-anchor": anchor}
        self.add_mark("text", attributes, "", text=short, title=text if short != text else "")

    def axes(
        self, x_label: str, y_label: str, *, x_ticks: bool = True, y_ticks: bool = True
    ) -> None:
        """Draw both axes with ticks and labels."""
        bottom, right = self.height - BOTTOM, self.width - RIGHT
        if y_ticks:
            for value, label in ticks(self.y):
                position = self.y_position(value)
                self.add_mark(
                    "line", {"x1": self.left, "x2": right, "y1": position, "y2": position}, "grid"
                )
                self.text(label, self.left - 9, position + 4, "end", "tick")
        if x_ticks:
            for value, label in self._x_ticks():
                position = self.x_position(value)
                self.add_mark(
                    "line", {"x1": position, "x2": position, "y1": bottom, "y2": bottom + 4}, "axis"
                )
                self.text(label, position, bottom + 17, style="tick")
        self.add_mark("line", {"x1": self.left, "x2": right, "y1": bottom, "y2": bottom}, "axis")
        self.text(x_label, (self.left + right) / 2, self.height - 6)
        if y_label:
            middle = (TOP + bottom) / 2
            attributes = {"x": 12, "y": middle, "text-anchor": "middle"}
            attributes["transform"] = f"rotate(-90 12 {middle})"
            self.add_mark("text", attributes, "", text=y_label)

    def add_mark(
        self, tag: str, attributes: dict[str, Any], style: str, *, text: str = "", title: str = ""
    ) -> None:
        """Add a mark."""
        self.marks.append(
            Mark(tag, {**attributes, "class": style} if style else attributes, text, title)
        )


def ticks(span: tuple[float, float], n_ticks: int = 5) -> list[tuple[float, str]]:
    """Return round numbers within ``span`` and their labels.

    Examples
    --------
    >>> ticks((0, 9))
    [(0.0, '0'), (2.0, '2'), (4.0, '4'), (6.0, '6'), (8.0, '8')]
    """
    low, high = span
    min_step = (high - low) / n_ticks
    power = 10.0 ** floor(log10(min_step))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= min_step * (1 - 1e-9))
    multiples = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    values = [i * step for i in multiples]
    decimals = max(0, -floor(log10(step) + 1e-9))
    return [(value, format_tick(value, decimals)) for value in values]


def format_tick(value: float, decimals: int) -> str:
    """Write a number on an axis: 0.25, 1,500, 2M.

    Examples
    --------
    >>> format_tick(1500, 0), format_tick(2_500_000, 0), format_tick(3e15, 0)
    ('1,500', '2.5M', '3e+15')
    """
    if abs(value) >= 1e12 or decimals > 6:
        return f"{value:.3g}"
    text = f"{value / 1e6:,.4g}M" if abs(value) >= 1e6 else f"{value:,.{decimals}f}"
    return text.replace("-", "−")


def _widen(span: tuple[float, float]) -> tuple[float, float]:
    """Return a span wide enough for ticks, even if a column is constant or nearly so."""
    low, high = span
    min_width = max(1e-300, 1e-9 * max(abs(low), abs(high)))  # less is lost in the last digits
    if high - low > min_width:
        return low, high
    return low - max(0.5, min_width), high + max(0.5, min_width)
