"""The dependence trade-off as text and as a plot."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from shoal.comparison.tradeoff import Point, best_relative, knee
from shoal.errors import MissingDependency


def by_k(points: Sequence[Point]) -> dict[int, list[Point]]:
    """Return the points of each k."""
    return {k: list(group) for k, group in groupby(points, key=lambda point: point.k)}


def tradeoff_text(points: Sequence[Point]) -> str:
    """Return the sweep as a table with the knee and the relative choice of each k marked."""
    lines = ["  k  lambda     D_X     D_Y    D_X change  D_Y change"]
    for k, curve in by_k(points).items():
        marks = {id(best_relative(curve)): "  <- relative"}
        marks[id(knee(curve))] = marks.get(id(knee(curve)), "") + "  <- knee"
        for point in curve:
            rise, fall = point.increments(curve[0])
            lines.append(
                f"{k:3d}  {point.dependence:6.3f}  {point.distortion_x:.4f}"
                f"  {point.distortion_y:.4f}  {100 * rise:+10.1f}%  {100 * fall:+9.1f}%"
                f"{marks.get(id(point), '')}"
            )
    lines.append(
        "The knee is where the share of the gain in dependence exceeds the share of the cost in"
        " distortion most, both counted between the least and the greatest lambda. At the relative"
        " choice, the change of D_Y in per cent exceeds that of D_X most: it is the smaller lambda,"
        " and the one to start from."
    )
    return "\n".join(lines)


def draw_tradeoff(points: Sequence[Point], path: Path, kind: str) -> None:
    """Draw D_Y against D_X, and the relative increments, one curve for each k."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependency(
            'Pictures need matplotlib: pip install "shoal[plots]".',
            code="package-missing",
            extra="plots",
        ) from None
    matplotlib.rcParams["svg.hashsalt"] = "shoal"  # the same curves give the same bytes
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    plain, relative = figure.subplots(1, 2)
    for k, curve in by_k(points).items():
        best = knee(curve)
        x, y = [p.distortion_x for p in curve], [p.distortion_y for p in curve]
        (line,) = plain.plot(x, y, marker="o", markersize=3, label=f"k = {k}")
        shifts = [p.increments(curve[0]) for p in curve]
        rise, fall = [100 * r for r, _ in shifts], [100 * f for _, f in shifts]
        relative.plot(rise, fall, marker="o", markersize=3, color=line.get_color())
        at = curve.index(best)
        for axes, across, up in ((plain, x, y), (relative, rise, fall)):
            axes.plot(across[at], up[at], marker="o", markersize=9, fillstyle="none",
                      color=line.get_color())  # fmt: skip
            axes.annotate(f"λ = {best.dependence:g}", (across[at], up[at]), xytext=(6, 6),
                          textcoords="offset points", fontsize=8)  # fmt: skip
    plain.set(xlabel="$D_X$: lost of the quasi-identifiers",
              ylabel="$D_Y$: not explained of the confidential columns")  # fmt: skip
    reach = max(relative.get_xlim()[1], -relative.get_ylim()[0])
    relative.plot([0, reach], [0, -reach], linestyle=":", color="grey", linewidth=1)
    relative.set(xlabel="change of $D_X$ (%)", ylabel="change of $D_Y$ (%)",
                 xlim=(None, reach), ylim=(-100, 5))  # fmt: skip
    plain.legend(frameon=False)
    for axes in (plain, relative):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
