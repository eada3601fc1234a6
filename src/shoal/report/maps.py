"""Plots with a point for every run, release or group."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from shoal.comparison.risks import DEFAULT_RISK, RISKS
from shoal.plan.verdict import RECORD_UNIT
from shoal.report.draw import WIDTH, Figure, Plot
from shoal.report.labels import Dot, place_labels


class MapPoint(NamedTuple):
    """A run on a map: its information loss, its risk and its labels."""

    loss: float
    risk: float
    label: str
    title: str
    style: str = "other"
    ring: bool = False  # around the recommended run
    run: str = ""  # identifies it for scripts; by default the label


def _is_near(places: Sequence[tuple[float, float]], x: float, y: float) -> bool:
    """Return whether a dot lies inside a ring, or on it."""
    return any(abs(x - left) <= 9 and abs(y - top) <= 9 for left, top in places)


def risk_map(
    points: Sequence[MapPoint],
    front: Sequence[MapPoint],
    words: str,
    risk: str,
    *,
    title: str,
    width: int = WIDTH,
    limit: float | None = None,
) -> Figure:
    """Draw loss against risk, with lines for the Pareto front and for a limit."""
    reach = 1.1 * max(*(point.loss for point in points), 1e-9)
    top = 1.15 * max(*(point.risk for point in points), limit or 0, 1e-9)
    plot = Plot((0, reach), (0, top), width=width, height=260 + (width - WIDTH) // 2)
    plot.axes("information loss in %", risk)
    if limit is not None:
        plot.path([(0, limit), (reach, limit)], "limit")
        plot.words(
            f"at most {limit:.3g}", plot.left + 6, plot.y_position(limit) - 5, "start", "tick"
        )
    if len(front) > 1:
        plot.path([(point.loss, point.risk) for point in front], "front")
    for point in sorted(points, key=lambda point: point.style != "other"):  # the front on top
        plot.dot(point.loss, point.risk, 5, point.style, point.title, point.run or point.label)
        if point.ring:
            plot.dot(point.loss, point.risk, 9, "ring", point.title)
    ring_places = [plot.place(point.loss, point.risk) for point in points if point.ring]
    dots = [
        Dot(x, y, point.label, 9.0 * _is_near(ring_places, x, y), point.style != "other")
        for point in points
        for x, y in [plot.place(point.loss, point.risk)]
    ]
    lines = [[plot.place(point.loss, point.risk) for point in front]]
    if limit is not None:
        lines.append([plot.place(0, limit), plot.place(reach, limit)])
    for dot, place in zip(dots, place_labels(dots, plot.inside, lines), strict=True):
        if place is not None:
            plot.words(dot.label, place[0], place[1] + 4, style="tick")
    return Figure(title, words, plot.width, plot.height, plot.marks)


def one_release(
    loss: float,
    before: float,
    after: float,
    ceiling: float | None,
    unit: str = RECORD_UNIT,
    *,
    in_classes: bool = True,
) -> Figure:
    """Draw the original and the release on the risk-utility map.

    ``ceiling`` is the greatest chance for a single record, None if there is no such limit.
    Unless persons are known to be ``in_classes``, as after swapping they are not, the risk is
    described as the count that it is.
    """
    label = RISKS[DEFAULT_RISK].label if in_classes else "mean of 1 / size of the class, in %"
    points = [
        MapPoint(0, 100 * before, "original", f"original: {100 * before:.1f} %", "origin"),
        MapPoint(loss, 100 * after, "release", f"release: {100 * after:.1f} %", "best"),
    ]
    most = ""
    if not in_classes:
        counted = (
            f"Mean of 1 / (number of {'records' if unit == RECORD_UNIT else f'units of {unit!r}'}"
            " with the same values in the masked columns) over the records"
        )
    elif unit == RECORD_UNIT:
        counted = "Share of the records that an attacker who links all of them links correctly"
        most = "For a single record it is at most"
    else:
        counted = (
            "Share of the records that an attacker links to the right unit who names for each"
            f" record one of the units of {unit!r} that look alike, all with the same probability"
        )
        most = "Of the records of a class, the share of a single unit is at most"
    limit = "" if ceiling is None else f" {most} {100 * ceiling:.3g} %."
    words = (
        f"{counted}: {100 * before:.1f} % in the original, {100 * after:.1f} % in the release, for"
        f" an information loss of {loss:.1f} %.{limit}"
    )
    return risk_map(
        points,
        (),
        words,
        label,
        title="Loss against risk",
        limit=None if ceiling is None else 100 * ceiling,
    )


def plane(entry: Mapping[str, Any]) -> Figure:
    """Draw the centres of the groups on the first two components, sized by spread."""
    centres, spread = entry["centres"], entry["spread"]
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*centres, strict=True))
    x, y = (right - left) / 20, (high - low) / 20
    plot = Plot((left - x, right + x), (low - y, high + y), width=600, height=420)
    plot.axes("first component", "second component")
    widest = max(*spread, 1e-9)
    for (x, y), radius, size in zip(centres, spread, entry["sizes"], strict=True):
        title = f"{size} records, spread {radius:.2f}"
        plot.dot(x, y, 1.5 + 9 * radius / widest, "group", title)
    drawn, groups = len(centres), entry["n_groups"]
    words = (
        f"{'All' if drawn == groups else f'{drawn} evenly picked of'} {groups:,} groups on the two"
        f" directions that show {100 * entry['explained']:.0f} % of the variation of"
        f" {', '.join(entry['columns'])}. The larger a dot, the less alike its records: the more is"
        " lost there."
    )
    return Figure("Groups on the first two components", words, plot.width, plot.height, plot.marks)


def trade_off(entry: Mapping[str, Any]) -> Figure:
    """Draw distortion against preserved dependence: this release, and the curve if given."""
    curve = entry["curve"]
    losses = (entry["distortion_x"], entry["distortion_y"])
    points = [(point["distortion_x"], point["distortion_y"]) for point in curve]
    reach = 1.1 * max(x for x, _ in [*points, losses])
    top = 1.1 * max(y for _, y in [*points, losses])
    plot = Plot((0, reach), (0, top), height=260)
    plot.axes("loss of the quasi-identifiers", "confidential not explained")
    if points:
        plot.path(points, "front")
    for point, (x, y) in zip(curve, points, strict=True):
        plot.dot(x, y, 3, "other", f"dependence {point['dependence']:g}")
    share = ", ".join(f"{value:g}" for value in entry["dependence"])
    plot.dot(*losses, 6, "best", f"this release: dependence {share}")
    dots = [Dot(*plot.place(*losses), f"dependence {share}")]
    dots += [Dot(*plot.place(*point), "", needed=False) for point in points]
    x, y = place_labels(dots, plot.inside, [[plot.place(*point) for point in points]])[0] or (0, 0)
    plot.words(f"dependence {share}", x, y + 4, style="tick")
    words = (
        f"The confidential columns have a share of {share} in the distances. The groups lose"
        f" {100 * losses[0]:.1f} % of the variation of the quasi-identifiers and leave"
        f" {100 * losses[1]:.1f} % of the variation of the confidential columns unexplained; less"
        " of the second means that their dependence is kept better."
    )
    title = "What dependence costs and keeps"
    return Figure(title, words, plot.width, plot.height, plot.marks)
