"""The risk-utility map of the runs of a session."""

from shoal._text import shorten
from shoal.app.sessions import Run
from shoal.comparison.pareto import nearest_to_ideal, pareto_front, reason_to_recommend
from shoal.comparison.risks import DEFAULT_RISK, RISKS
from shoal.report.comparison import LARGER_K
from shoal.report.html import embedded
from shoal.report.maps import MapPoint, comparison_map, points_on_front

RISK = RISKS[DEFAULT_RISK].label  # the label in reports and comparisons
MAX_LABEL = 24  # characters of a name on the map; the tooltip of the point shows all
WIDTHS = (480, 360)  # pixels, the second on narrow screens
MAX_NAMED_POINTS = 12  # with more points, only the numbers of runs fit


def front_of(runs: list[Run]) -> set[int]:
    """Return the numbers of the runs on the Pareto front, or none if fewer than two are done."""
    points = _measured_runs(runs)
    return set(pareto_front(points)) if len(points) > 1 else set()


def recommend(runs: list[Run]) -> tuple[int | None, str]:
    """Return the number of the recommended run and why, or None and why there is none."""
    points = _measured_runs(runs)
    if len(points) < 2:
        return None, ""
    run_by_number = {run.number: run for run in runs if run.number in points}
    first_roles, *other_roles = (run.plan.get("roles") for run in run_by_number.values())
    if any(roles != first_roles for roles in other_roles):
        return None, "The columns of these runs have different roles, so none is recommended."
    front = pareto_front(points)
    recommendable_points = {
        number: points[number]
        for number in front
        if run_by_number[number].result["status"] != "not kept"
    }
    if not recommendable_points:
        return None, "No run on the Pareto front keeps its guarantee."
    best = nearest_to_ideal(recommendable_points)
    reason = reason_to_recommend(len({points[number] for number in front}))
    return best, f"Recommended: run {best} ({run_by_number[best].title}). {reason}. {LARGER_K}"


def draw_runs(runs: list[Run], front: set[int], best: int | None = None) -> str:
    """Return the map as SVG with the run ``best`` marked, or "" for fewer than two runs."""
    points = _measured_runs(runs)
    if len(points) < 2:
        return ""
    titles = {run.number: run.title for run in runs}
    map_points = [
        MapPoint(
            loss,
            risk,
            shorten(titles[number], MAX_LABEL) if len(points) <= MAX_NAMED_POINTS else str(number),
            f"{number}. {titles[number]}: loss {loss:.2f} %, records at risk {risk:.1f} %",
            "best" if number in front else "other",
            number == best,
            run=str(number),
        )
        for number, (loss, risk) in points.items()
    ]
    numbered_points = [point._replace(label=point.run) for point in map_points]
    description = (
        f"{len(map_points)} runs by information loss and by the share of the records that an"
        " attacker who tries to link all of them would link correctly. On the Pareto front:"
        f" {', '.join(point.run for point in points_on_front(map_points))}."
    )
    figure = comparison_map(
        map_points, description, RISK, widths=WIDTHS, narrow_points=numbered_points
    )
    return embedded(figure, "map")


def _measured_runs(runs: list[Run]) -> dict[int, tuple[float, float]]:
    """Return loss and risk, in per cent, of the finished runs that have both, by run number."""
    return {
        run.number: (run.result["loss"], 100 * run.result["risk"])
        for run in runs
        if run.state == "done" and run.result["loss"] is not None
    }
