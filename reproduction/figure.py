"""A figure of a page, as plain data: axes with lines."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Series:
    """One line of a plot, in the next free colour if it has none of its own."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    style: str = "-"
    colour: str = ""


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Parameters
    ----------
    title : str
        Title.
    x_label : str
        Label of the horizontal axis.
    y_label : str
        Label of the vertical axis.
    series : tuple of Series
        The lines.
    diagonal : bool
        Whether to draw the line on which a gain equals its price.
    x_max : float
        End of the horizontal axis, if the lines extend beyond it; 0 shows whole lines.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    diagonal: bool = False
    x_max: float = 0.0


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, drawn from our numbers."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
