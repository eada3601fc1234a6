"""The dependence trade-off as text and as a plot."""

from collections.abc import Sequence
from pathlib import Path

from shoal.comparison.tradeoff import TradeoffPoint, by_k, knee, largest_relative_surplus
from shoal.report.plots import plot_tradeoff


def tradeoff_text(points: Sequence[TradeoffPoint]) -> str:
    """Return the sweep as a table with the knee and the relative choice of each k marked."""
    lines = ["  k  lambda     D_X     D_Y    D_X change  D_Y change"]
    for k, curve in by_k(points).items():
        marks = {id(largest_relative_surplus(curve)): "  <- relative"}
        marks[id(knee(curve))] = marks.get(id(knee(curve)), "") + "  <- knee"
        for point in curve:
            rise, fall = point.increments(curve[0])
            lines.append(
                f"{k:3d}  {point.dependence:6.3f}  {point.distortion_x:.4f}"
                f"  {point.distortion_y:.4f}  {100 * rise:+10.1f} %  {100 * fall:+8.1f} %"
                f"{marks.get(id(point), '')}"
            )
    lines.append(
        "At the knee, the share of the gain in dependence exceeds the share of the cost in"
        " distortion most; both are counted from the smallest to the largest lambda. At the"
        " relative choice, the change of D_Y in per cent exceeds the change of D_X most; it is the"
        " smaller lambda of the two, and the one to start from."
    )
    return "\n".join(lines)


def draw_tradeoff(points: Sequence[TradeoffPoint], path: Path, kind: str) -> None:
    """Draw the trade-off to a file; the same curves give the same bytes."""
    figure = plot_tradeoff(points)  # refuses if matplotlib is not installed
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "shoal"}):
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(path, format=kind, dpi=150, metadata=metadata)
