"""Rendering of a session with templates."""

import shlex
from functools import cache
from typing import Any

from shoal.app import form as forms
from shoal.app.sessions import Run, Session, release_name
from shoal.datasets import CATALOGUE
from shoal.io.formats import FORMATS
from shoal.report import embedded
from shoal.report.draw import Figure
from shoal.report.maps import Spot, risk_map

EXAMPLES = ("survey", "sme")
UNSUPPORTED = "fixed-width text"  # needs a second file, its column map
RISK = "records linked correctly in %"


def whole_page(session: Session, limit: int) -> str:
    """Return the page of a session: without a file, while it is read, or with a table."""
    inspection = session.inspection
    if inspection is None or inspection.state in ("failed", "cancelled"):
        reason = inspection.reason if inspection else ""
        return page(
            "start.html",
            message=session.message or reason,
            limit=limit,
            formats=[(form.name, form.endings) for form in FORMATS if form.name != UNSUPPORTED],
            examples={name: CATALOGUE[name].line for name in EXAMPLES},
        )
    if inspection.under_way:
        return page("reading.html", name=session.name, work=inspection, message="")
    return page(
        "table.html",
        message=session.message,
        name=session.name,
        inspection=inspection.result,
        settings=session.settings,
        undo=bool(session.past),
        redo=bool(session.future),
        **forms.catalogue(),
        **_runs(session),
    )


def runs(session: Session) -> str:
    """Return the part of the page that shows the runs."""
    return page("runs.html", **_runs(session))


def state(session: Session) -> dict[str, Any]:
    """Return the progress that a waiting page polls."""
    works = [session.inspection, *session.runs]
    return {
        "reading": session.inspection is not None and session.inspection.under_way,
        "works": [
            {"stage": work.stage, "done": work.done, "total": work.total, "state": work.state}
            for work in works
            if work is not None
        ],
    }


def command(session: Session, run: Run) -> str:
    """Return the command that repeats a run."""
    dialect = session.dialect
    options = {
        "--separator": dialect.separator,
        "--decimal": dialect.decimal if dialect.decimal != "." else None,
        "--encoding": dialect.encoding if dialect.encoding != "utf-8" else None,
        "--missing-text": dialect.missing or None,
        "--sheet": dialect.sheet,
    }
    arguments = ["shoal", "run", plan_name(run), session.name, release_name(session.name)]
    arguments += [word for name, value in options.items() if value for word in (name, value)]
    return shlex.join(arguments)


def plan_name(run: Run) -> str:
    """Return the file name of the plan of a run."""
    return f"plan-{run.number}.toml"


def _runs(session: Session) -> dict[str, Any]:
    front = _front(session.runs)
    return {
        "runs": session.runs[::-1],
        "front": front,
        "map": _map(session.runs, front),
        "commands": {run.number: command(session, run) for run in session.runs},
        "under_way": any(run.under_way for run in session.runs),
    }


def _measured(runs: list[Run]) -> dict[int, tuple[float, float]]:
    """Return loss and risk of the runs that have both."""
    return {
        run.number: (run.result["loss"], 100 * run.result["risk"])
        for run in runs
        if run.state == "done" and run.result["loss"] is not None
    }


def _front(runs: list[Run]) -> set[int]:
    """Return the runs on the Pareto front of loss and risk."""
    points = _measured(runs)
    return {
        number
        for number, (loss, risk) in points.items()
        if not any(
            one <= loss and other <= risk and (one, other) != (loss, risk)
            for one, other in points.values()
        )
    }


def _map(runs: list[Run], front: set[int]) -> str:
    """Return the risk-utility map; empty if no run is done."""
    points = _measured(runs)
    if not points:
        return ""
    words = {run.number: run.words for run in runs}
    spots = {
        number: Spot(
            loss,
            risk,
            str(number),
            f"run {number}: {words[number]}",
            "best" if number in front else "other",
        )
        for number, (loss, risk) in points.items()
    }
    best = sorted(spots[number] for number in front)
    description = (
        f"{len(spots)} run{'s' if len(spots) > 1 else ''} by information loss and by the share of"
        " the records that an attacker who links all of them links correctly. On the Pareto"
        f" front: {', '.join(spot.label for spot in best)}."
    )
    drawn = risk_map(
        list(spots.values()), best, description, RISK, title="Risk-utility map", width=640
    )
    legend = [("best", "on the Pareto front"), ("other", "dominated by another")]
    heading = ["run", "information loss in %", RISK]
    rows = [[s.label, f"{s.loss:.3f}", f"{s.risk:.3f}"] for s in spots.values()]
    figure = Figure(
        drawn.title, description, drawn.width, drawn.height, drawn.marks, legend, [heading, *rows]
    )
    return embedded(figure, "map")


def page(template: str, **content: Any) -> str:
    """Return a rendered template; all data are escaped."""
    return str(_environment().get_template(template).render(**content))


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("shoal.app"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
