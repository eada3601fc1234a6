"""A figure as SVG. The same figure gives the same bytes."""

from io import BytesIO
from itertools import cycle
from typing import Any

from reproduction.figure import Figure, Panel
from shoal.errors import MissingDependency

# Colours that colour-blind readers can distinguish.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
SETTINGS = {
    "svg.hashsalt": "shoal",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
}
WIDTH, HEIGHT = 4.4, 3.4  # size of a pair of axes, in inches


def check_plots() -> None:
    """Raise an error if matplotlib, which draws the figures, is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingDependency(
            "To draw the figures of the papers, the package matplotlib is needed. Install it with:"
            ' pip install "shoal[plots]".'
        ) from None


def draw(figure: Figure) -> bytes:
    """Return the figure as SVG."""
    from matplotlib import style
    from matplotlib.figure import Figure as Canvas

    n_columns = min(2, len(figure.panels))
    n_rows = -(-len(figure.panels) // n_columns)
    with style.context(["default", SETTINGS]):
        canvas = Canvas(figsize=(WIDTH * n_columns, HEIGHT * n_rows), layout="constrained")
        axes = canvas.subplots(n_rows, n_columns, squeeze=False).ravel()
        lines: dict[str, Any] = {}
        for axis, panel in zip(axes, figure.panels, strict=False):
            lines |= _draw_panel(axis, panel)
        for axis in axes[len(figure.panels) :]:
            axis.set_axis_off()
        canvas.legend(handles=list(lines.values()), loc="outside lower center", ncols=len(lines))
        content = BytesIO()
        canvas.savefig(content, format="svg", metadata={"Date": None, "Title": figure.title})
    return content.getvalue()


def _draw_panel(axis: Any, panel: Panel) -> dict[str, Any]:
    """Draw one pair of axes; return its lines by label, for the legend."""
    lines = {}
    unused_colours = cycle(COLOURS)
    for line in panel.series:
        colour = line.colour or next(unused_colours)
        style = {"color": colour, "lw": 1.3, "ms": 3.5, "label": line.label}
        (lines[line.label],) = axis.plot(line.x, line.y, line.style, **style)
    if panel.diagonal:
        style = {"color": "#555555", "lw": 1, "label": "gain = price"}
        (lines["gain = price"],) = axis.plot([0, 1], [0, -1], ":", **style)
    if panel.x_max and axis.get_xlim()[1] > panel.x_max:
        axis.set_xlim(-panel.x_max / 20, panel.x_max)
    axis.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    return lines
