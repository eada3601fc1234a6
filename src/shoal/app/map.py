"""The risk-utility map of the runs of a session."""

from shoal.app.sessions import Run
from shoal.comparison.pareto import pareto_front
from shoal.comparison.risks import DEFAULT, RISKS
from shoal.report import embedded
from shoal.report.draw import Figure
from shoal.report.maps import Spot, risk_map

RISK = RISKS[DEFAULT].label  # the word of reports and comparisons
MAX_LABEL = 24  # characters of a name on the map; the title of its point has all
MAX_NAMED = 12  # points from which on only numbers fit


def front_of(runs: list[Run]) -> set[int]:
    """Return the runs on the Pareto front of loss and risk."""
    return set(pareto_front(_measured_runs(runs)))


def draw_map(runs: list[Run], front: set[int]) -> str:
    """Return the map as SVG; empty if no run is done."""
    points = _measured_runs(runs)
    if not points:
        return ""
    titles = {run.number: run.title for run in runs}
    spots = {
        number: Spot(
            loss,
            risk,
            _shorten(titles[number]) if len(points) <= MAX_NAMED else str(number),
            f"{number}. {titles[number]}: loss {loss:.2f} %, records at risk {risk:.1f} %",
            "best" if number in front else "other",
            run=str(number),
        )
        for number, (loss, risk) in points.items()
    }
    best = sorted(spots[number] for number in front)
    description = (
        f"{len(spots)} run{'s' if len(spots) > 1 else ''} by information loss and by the share of"
        " the records that an attacker who links all of them links correctly. On the Pareto"
        f" front: {', '.join(spot.run for spot in best)}."
    )
    drawn = risk_map(
        list(spots.values()), best, description, RISK, title="Risk-utility map", width=640
    )
    legend = [("best", "on the Pareto front"), ("other", "dominated by another")]
    return embedded(
        Figure(drawn.title, description, drawn.width, drawn.height, drawn.marks, legend), "map"
    )


def _measured_runs(runs: list[Run]) -> dict[int, tuple[float, float]]:
    """Return loss and risk of the runs that have both."""
    return {
        run.number: (run.result["loss"], 100 * run.result["risk"])
        for run in runs
        if run.state == "done" and run.result["loss"] is not None
    }


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_LABEL else f"{text[: MAX_LABEL - 1]}…"
