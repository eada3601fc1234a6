"""Plots with matplotlib, which the extra ``plots`` installs: figures to edit, save and print."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from shoal._text import shorten
from shoal.comparison import Comparison
from shoal.comparison.risks import RISKS
from shoal.comparison.tradeoff import TradeoffPoint, by_k, knee
from shoal.errors import MissingDependency
from shoal.plan.release import ReleaseLike
from shoal.report.comparison import trial_rows
from shoal.report.draw import format_tick
from shoal.report.figures import size_bars
from shoal.report.labels import Dot, place_labels
from shoal.report.maps import RING_RADIUS
from shoal.report.palette import CURVES, LIGHT
from shoal.report.summary import summarise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from shoal.report.matplotlib_figure import ShownFigure

PANEL = (3.6, 2.7)  # inches
PANELS_PER_ROW = 3
MAX_COLUMNS = 11  # columns that, with the class sizes, fill four rows
MAX_NAME = 16  # characters of a category
MAX_TITLE = 34  # characters of the name of a column
LINEAR = 100  # per cent up to which the axis of relative changes is linear
TICKS = (0, 25, 50, 75, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000)
TITLE_STYLE: dict[str, Any] = {
    "loc": "left",
    "fontsize": 10,
    "fontweight": "bold",
    "parse_math": False,
}


def new_figure(width: float, height: float) -> "ShownFigure":
    """Return an empty figure that notebooks show; refuse if matplotlib is not installed."""
    try:
        from shoal.report.matplotlib_figure import ShownFigure
    except ImportError:
        raise MissingDependency(
            'Plots need matplotlib: pip install "shoal[plots]".',
            code="package-missing",
            extra="plots",
        ) from None
    return ShownFigure(figsize=(width, height), layout="constrained", facecolor=LIGHT["paper"])


def plot_release(release: ReleaseLike) -> "ShownFigure":
    """Draw the sizes of the classes and each masked column before and after."""
    summary = summarise(release)
    values = {entry["name"]: entry["value"] for entry in summary["measures"]}
    columns = summary["pictures"].get("distributions", [])[:MAX_COLUMNS]
    n_columns = min(PANELS_PER_ROW, 1 + len(columns))
    n_rows = -(-(1 + len(columns)) // n_columns)
    figure = new_figure(PANEL[0] * n_columns, PANEL[1] * n_rows)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    _draw_class_sizes(panels[0], values["class_sizes"], summary["promise"]["k"] or 1)
    for axes, entry in zip(panels[1:], columns, strict=False):
        (_draw_categories if "categories" in entry else _draw_numbers)(axes, entry)
    for axes in panels[1 + len(columns) :]:
        axes.remove()
    if columns:
        handles = dict(zip(*reversed(panels[1].get_legend_handles_labels()), strict=True))
        figure.legend(
            [handles["before"], handles["after"]], ["before", "after"], loc="outside lower right",
            ncols=2, frameon=False,
        )  # fmt: skip
    return figure


def plot_comparison(comparison: Comparison) -> "ShownFigure":
    """Draw the risk-utility map: loss against risk, the Pareto front and the recommended run."""
    table = [row for row in trial_rows(comparison) if not row["reason"]]
    risk_info = RISKS[comparison.risk]
    points = {
        row["number"]: (row["information_loss"], risk_info.scale * row[comparison.risk])
        for row in table
    }
    figure = new_figure(6.8, 4.6)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.11, 0.2, 0.86, 0.77))
    axes.set_xlim(0, 1.1 * max(*(x for x, _ in points.values()), 1e-9))
    axes.set_ylim(0, 1.15 * max(*(y for _, y in points.values()), 1e-9))
    front = sorted(points[row["number"]] for row in table if row["front"])
    dominated = [points[row["number"]] for row in table if not row["front"]]
    if dominated:
        axes.plot(*zip(*dominated, strict=True), "o", mfc=LIGHT["paper"], mec=LIGHT["faint"],
                  label="dominated by another")  # fmt: skip
    axes.plot(*zip(*front, strict=True), "o--", color=LIGHT["deep"], label="on the Pareto front")
    for row in table:
        if row["recommended"]:
            x, y = points[row["number"]]
            axes.plot(x, y, "o", markersize=13, fillstyle="none", color=LIGHT["deep"],
                      linestyle="none", label="recommended")  # fmt: skip
    _label_points(axes, figure.bbox.height, points, table)
    axes.set(xlabel="information loss in %", ylabel=risk_info.label)
    figure.legend(loc="lower center", ncols=3, frameon=False)
    _style(axes)
    return figure


def _label_points(
    axes: "Axes",
    height: float,
    points: Mapping[str, tuple[float, float]],
    table: Sequence[Mapping[str, Any]],
) -> None:
    """Write the number of each run beside its point, as in the map of the report."""
    pixels = {label: axes.transData.transform(point) for label, point in points.items()}
    dots = [
        Dot(
            pixels[row["number"]][0],
            height - pixels[row["number"]][1],
            row["number"],
            RING_RADIUS * row["recommended"],
            row["front"],
        )
        for row in table
    ]
    line = sorted((dot.x, dot.y) for dot in dots if dot.is_required)
    box = axes.bbox
    centres = place_labels(dots, (box.x0, height - box.y1, box.x1, height - box.y0), [line])
    to_points = 72 / axes.figure.dpi
    for dot, centre in zip(dots, centres, strict=True):
        if centre is not None:
            shift = ((centre[0] - dot.x) * to_points, (dot.y - centre[1]) * to_points)
            axes.annotate(dot.label, points[dot.label], xytext=shift, ha="center", va="center",
                          textcoords="offset points", fontsize=8, color=LIGHT["faint"])  # fmt: skip


def plot_tradeoff(points: Sequence[TradeoffPoint]) -> "ShownFigure":
    """Draw D_Y against D_X, and their relative changes, one curve for each k."""
    figure = new_figure(10, 4.5)
    distortion_axes, change_axes = figure.subplots(1, 2)
    for i, (k, curve) in enumerate(by_k(points).items()):
        colour = CURVES[i % len(CURVES)]
        knee_point = knee(curve)
        changes = [point.increments(curve[0]) for point in curve]
        distortions = [(point.distortion_x, point.distortion_y) for point in curve]
        for axes, coordinates in ((distortion_axes, distortions), (change_axes, changes)):
            x_values, y_values = (
                [100 * value for value in axis] for axis in zip(*coordinates, strict=True)
            )
            axes.plot(x_values, y_values, marker="o", markersize=3, color=colour,
                      label=f"k = {k}, knee at λ = {knee_point.dependence:g}")  # fmt: skip
            knee_position = curve.index(knee_point)
            axes.plot(
                x_values[knee_position],
                y_values[knee_position],
                marker="o",
                markersize=9,
                fillstyle="none",
                color=colour,
            )
    distortion_axes.set(xlabel="$D_X$: loss of the quasi-identifiers (%)",
              ylabel="$D_Y$: unexplained share of the confidential columns (%)")  # fmt: skip
    (low, high), right = change_axes.get_ylim(), change_axes.get_xlim()[1]
    left = min(-0.08 * LINEAR, change_axes.dataLim.x0)
    change_axes.plot([0, -low], [0, low], linestyle=":", color=LIGHT["faint"], linewidth=1,
                  label="as much lost as gained")  # fmt: skip
    change_axes.set_xscale("symlog", linthresh=LINEAR)  # the last points are far away
    change_axes.set(xlabel="change of $D_X$ (%)", ylabel="change of $D_Y$ (%)", xlim=(left, right),
                 ylim=(low, high))  # fmt: skip
    tick_values = [tick for tick in TICKS if tick <= right]
    change_axes.set_xticks(tick_values, [f"{tick:,}" for tick in tick_values], minor=False)
    change_axes.xaxis.minorticks_off()
    change_axes.legend(frameon=False)
    for axes in (distortion_axes, change_axes):
        _style(axes)
    return figure


def _draw_class_sizes(axes: "Axes", sizes: Mapping[int, int], k: int) -> None:
    """Draw how many classes there are of each size."""
    bars = size_bars(sizes, k)
    labels = [str(low) if low == high else f"{low}–{high}" for low, high, _ in bars]
    colours = [LIGHT["deep"] if low >= k else LIGHT["bad"] for low, _, _ in bars]
    axes.bar(labels, [count for *_, count in bars], color=colours)
    axes.set(xlabel="records that look alike", ylabel="classes")
    axes.set_title("How many records look alike", **TITLE_STYLE)
    if sum(map(len, labels)) > 30:
        axes.tick_params(axis="x", rotation=90)
    _style(axes)


def _draw_numbers(axes: "Axes", entry: Mapping[str, Any]) -> None:
    """Draw a numeric column before and after."""
    edges = entry["edges"]
    step = edges[1] - edges[0] if len(edges) > 1 else 1.0
    bounds = [edges[0] - step, *edges, edges[-1] + step]
    records = sum(entry["after"])
    original_shares, released_shares = (
        [100 * (count or 0) / records for count in entry[name]] for name in ("before", "after")
    )
    widths = [high - low for low, high in pairwise(bounds)]
    axes.bar(bounds[:-1], original_shares, widths, align="edge", color=LIGHT["before"], alpha=0.55,
             label="before")  # fmt: skip
    axes.stairs(released_shares, bounds, color=LIGHT["deep"], linewidth=1.6, label="after")
    axes.set(ylabel="% of the records")
    axes.set_title(shorten(entry["column"], MAX_TITLE), **TITLE_STYLE)
    axes.locator_params(axis="x", nbins=5)
    if max(map(abs, bounds)) >= 1e4:
        axes.xaxis.set_major_formatter(lambda value, _: format_tick(value, 0))
    _style(axes)


def _draw_categories(axes: "Axes", entry: Mapping[str, Any]) -> None:
    """Draw a categorical column before and after."""
    names = [*entry["categories"], *([f"{entry['others']} others"] if entry["others"] else [])]
    short_names = [shorten(name, MAX_NAME) for name in names]
    records = max(1, sum(entry["after"]))
    for name, shift, colour in (("before", -0.2, "before"), ("after", 0.2, "deep")):
        shares = [100 * count / records for count in entry[name]]
        positions = [i + shift for i in range(len(names))]
        opacity = 0.55 if name == "before" else 1.0
        axes.barh(positions, shares, 0.4, color=LIGHT[colour], alpha=opacity, label=name)
    axes.set_yticks(range(len(names)), short_names)
    axes.invert_yaxis()
    axes.set(xlabel="% of the records")
    axes.set_title(shorten(entry["column"], MAX_TITLE), **TITLE_STYLE)
    _style(axes)


def _style(axes: "Axes") -> None:
    """Give a plot the lines and the colours of reports."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(LIGHT["faint"])
    axes.tick_params(colors=LIGHT["faint"], labelsize=8)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set(color=LIGHT["ink"], fontsize=9)
