"""Scatter plots with a point for every run, release or group."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from shoal.comparison.risks import DEFAULT_RISK, RISKS
from shoal.frame.roles import RECORD_UNIT
from shoal.report.draw import WIDTH, Figure, Plot
from shoal.report.labels import Dot, place_labels

RING_RADIUS = 9  # radius of the circle around the recommended run


class MapPoint(NamedTuple):
    """A run on a map: its information loss, its risk and its labels."""

    loss: float
    risk: float
    label: str
    title: str
    style: str = "other"
    ring: bool = False  # around the recommended run
    run: str = ""  # identifies it for scripts; by default the label


def risk_map(
    points: Sequence[MapPoint],
    front: Sequence[MapPoint],
    description: str,
    risk: str,
    *,
    title: str,
    width: int = WIDTH,
    limit: float | None = None,
) -> Figure:
    """Draw loss against risk, with lines for the Pareto front and for a limit."""
    x_max = 1.1 * max(*(point.loss for point in points), 1e-9)
    y_max = 1.15 * max(*(point.risk for point in points), limit or 0, 1e-9)
    plot = Plot((0, x_max), (0, y_max), width=width, height=260 + (width - WIDTH) // 2)
    plot.axes("information loss in %", risk)
    if limit is not None:
        plot.path([(0, limit), (x_max, limit)], "limit")
        plot.text(
            f"at most {limit:.3g}", plot.left + 6, plot.y_position(limit) - 5, "start", "tick"
        )
    if len(front) > 1:
        plot.path([(point.loss, point.risk) for point in front], "front")
    for point in sorted(points, key=lambda point: point.style != "other"):  # the front on top
        plot.dot(point.loss, point.risk, 5, point.style, point.title, point.run or point.label)
        if point.ring:
            plot.dot(point.loss, point.risk, RING_RADIUS, "ring", point.title)
    ring_positions = [plot.position(point.loss, point.risk) for point in points if point.ring]
    dots = []
    for point in points:
        x, y = plot.position(point.loss, point.risk)
        ring = RING_RADIUS if _is_near_ring(ring_positions, x, y) else 0
        dots.append(Dot(x, y, point.label, ring, point.style != "other"))
    lines = [[plot.position(point.loss, point.risk) for point in front]]
    if limit is not None:
        lines.append([plot.position(0, limit), plot.position(x_max, limit)])
    for dot, label_position in zip(dots, place_labels(dots, plot.label_area, lines), strict=True):
        if label_position is not None:
            plot.text(dot.label, label_position[0], label_position[1] + 4, style="tick")
    return Figure(title, description, plot.width, plot.height, plot.marks)


def _is_near_ring(ring_positions: Sequence[tuple[float, float]], x: float, y: float) -> bool:
    """Return whether a point lies in the square around one of the rings."""
    return any(
        abs(x - ring_x) <= RING_RADIUS and abs(y - ring_y) <= RING_RADIUS
        for ring_x, ring_y in ring_positions
    )


def comparison_map(
    points: Sequence[MapPoint],
    description: str,
    risk: str,
    *,
    widths: tuple[int, int],
    narrow_points: Sequence[MapPoint] | None = None,
) -> Figure:
    """Draw the runs of a comparison, with a legend and a second map for narrow screens.

    Parameters
    ----------
    points : list of MapPoint
        The runs; runs of the style ``"best"`` are on the Pareto front.
    description : str
        What the map shows, for readers who cannot see it.
    risk : str
        Label of the vertical axis.
    widths : (int, int)
        Width of the map, and of the map for narrow screens.
    narrow_points : list of MapPoint, optional
        The runs with the labels of the narrow map, if these differ.

    Returns
    -------
    Figure
        The map, with the map for narrow screens as ``narrow``.
    """
    wide, narrow = (
        risk_map(
            labelled_points,
            points_on_front(labelled_points),
            description,
            risk,
            title="Risk-utility map",
            width=width,
        )
        for labelled_points, width in zip((points, narrow_points or points), widths, strict=True)
    )
    legend = [("best", "on the Pareto front"), ("other", "dominated by another")]
    legend += [("ring", "recommended")] if any(point.ring for point in points) else []
    return replace(wide, legend=legend, narrow=narrow)


def points_on_front(points: Sequence[MapPoint]) -> list[MapPoint]:
    """Return the points on the Pareto front, by loss."""
    return sorted(point for point in points if point.style == "best")


def release_map(
    loss: float,
    original_risk: float,
    release_risk: float,
    ceiling: float | None,
    unit: str = RECORD_UNIT,
    *,
    in_classes: bool = True,
) -> Figure:
    """Draw the original and the release on the risk-utility map.

    ``ceiling`` is the highest chance for a single record, or None if there is no such limit.
    Without ``in_classes``, as after swapping, a person need not be in the class of its released
    values; the risk is then described as a mean of counts, not as the chance of an attacker.
    """
    label = RISKS[DEFAULT_RISK].label if in_classes else "mean of 1 / size of the class, in %"
    points = [
        MapPoint(
            0, 100 * original_risk, "original", f"original: {100 * original_risk:.1f} %", "origin"
        ),
        MapPoint(
            loss, 100 * release_risk, "release", f"release: {100 * release_risk:.1f} %", "best"
        ),
    ]
    risk_description, ceiling_clause = _describe_risk(unit, in_classes=in_classes)
    ceiling_sentence = "" if ceiling is None else f" {ceiling_clause} {100 * ceiling:.3g} %."
    description = (
        f"{risk_description}: {100 * original_risk:.1f} % in the original, {100 * release_risk:.1f}"
        f" % in the release, for an information loss of {loss:.1f} %.{ceiling_sentence}"
    )
    return risk_map(
        points,
        (),
        description,
        label,
        title="Loss against risk",
        limit=None if ceiling is None else 100 * ceiling,
    )


def _describe_risk(unit: str, *, in_classes: bool) -> tuple[str, str]:
    """Return what the risk of a release is, and how a sentence on its ceiling begins."""
    if not in_classes:
        counted = "records" if unit == RECORD_UNIT else f"units of {unit!r}"
        return (
            f"Mean of 1 / (number of {counted} with the same values in the masked columns) over the"
            " records"
        ), ""
    if unit == RECORD_UNIT:
        return (
            "Share of the records that are linked correctly by an attacker who tries to link all of"
            " them",
            "For a single record it is at most",
        )
    return (
        "Share of the records linked to the right unit by an attacker who guesses, for each record,"
        f" among the units of {unit!r} that look alike",
        "Of the records of a class, the share of a single unit is at most",
    )


def group_plane(entry: Mapping[str, Any]) -> Figure:
    """Draw the centres of the groups on the first two components, sized by spread."""
    centres, spread = entry["centres"], entry["spread"]
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*centres, strict=True))
    x_margin, y_margin = (right - left) / 20, (high - low) / 20
    plot = Plot(
        (left - x_margin, right + x_margin),
        (low - y_margin, high + y_margin),
        width=600,
        height=420,
    )
    plot.axes("first component", "second component")
    widest = max(*spread, 1e-9)
    for (x, y), radius, size in zip(centres, spread, entry["sizes"], strict=True):
        title = f"{size:,} records, spread {radius:.2f}"
        plot.dot(x, y, 1.5 + 9 * radius / widest, "group", title)
    n_drawn, n_groups = len(centres), entry["n_groups"]
    is_complete = n_drawn == n_groups
    groups_phrase = (
        f"All {n_groups:,} groups"
        if is_complete
        else f"{n_drawn:,} of {n_groups:,} groups, evenly picked,"
    )
    description = (
        f"{groups_phrase} on the two directions that show {100 * entry['explained']:.0f} % of the"
        f" variation of {', '.join(entry['columns'])}. A larger dot means less similar records and"
        " a greater loss."
    )
    return Figure(
        "Groups on the first two components", description, plot.width, plot.height, plot.marks
    )


def tradeoff_map(entry: Mapping[str, Any]) -> Figure:
    """Draw distortion against preserved dependence: this release, and the curve if given."""
    curve = entry["curve"]
    losses = (entry["distortion_x"], entry["distortion_y"])
    points = [(point["distortion_x"], point["distortion_y"]) for point in curve]
    x_max = 1.1 * max(x for x, _ in [*points, losses])
    y_max = 1.1 * max(y for _, y in [*points, losses])
    plot = Plot((0, x_max), (0, y_max), height=260)
    plot.axes("loss of the quasi-identifiers", "confidential not explained")
    if points:
        plot.path(points, "front")
    for point, (x, y) in zip(curve, points, strict=True):
        plot.dot(x, y, 3, "other", f"dependence {point['dependence']:g}")
    share = ", ".join(f"{value:g}" for value in entry["dependence"])
    plot.dot(*losses, 6, "best", f"this release: dependence {share}")
    dots = [Dot(*plot.position(*losses), f"dependence {share}")]
    dots += [Dot(*plot.position(*point), "", is_required=False) for point in points]
    line = [plot.position(*point) for point in points]
    label_position, *_ = place_labels(dots, plot.label_area, [line])
    x, y = label_position or (0, 0)
    plot.text(f"dependence {share}", x, y + 4, style="tick")
    description = (
        f"The confidential columns have a share of {share} in the distances. The groups lose"
        f" {100 * losses[0]:.1f} % of the variation of the quasi-identifiers and leave"
        f" {100 * losses[1]:.1f} % of the variation of the confidential columns unexplained."
        " The less is left unexplained, the better the dependence is kept."
    )
    title = "Distortion against preserved dependence"
    return Figure(title, description, plot.width, plot.height, plot.marks)
