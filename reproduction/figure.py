"""A figure of a page, as plain data: axes with lines."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Series:
    """One line of a plot; without a colour it takes the next one."""

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
    x : str
        What is shown across.
    y : str
        What is shown upwards.
    series : tuple of Series
        The lines.
    diagonal : bool
        Whether to draw where a gain equals its price.
    up_to : float
        Where to end across, if the lines go further; 0 shows all.
    """

    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    diagonal: bool = False
    up_to: float = 0.0


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, drawn from our numbers."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
