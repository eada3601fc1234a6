"""Reports on a comparison: map, page, tables, and a plan for every trial."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal._text import align_in_columns, align_rows, count, wrap_text
from shoal.comparison import Comparison
from shoal.comparison.risks import RISKS
from shoal.errors import FileError
from shoal.io.publish import Publication
from shoal.plan.definition import document
from shoal.report.draw import Figure
from shoal.report.html import page
from shoal.report.layout import short_number
from shoal.report.maps import MapPoint, comparison_map, points_on_front

PLANS = "plans"  # folder of the plans behind the trials
WIDTHS = 640, 360  # widths of the map for wide and for narrow screens
LARGER_K = "If a rule requires a larger k, choose among the runs with that k."


def trial_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Return a row for every trial: its decisions, its measures and the file of its plan."""
    front = {id(trial) for trial in comparison.front}
    best = comparison.recommended
    digits = max(2, len(str(len(comparison.trials))))
    risks = list(dict.fromkeys(["smallest_class", comparison.risk]))
    entries = []
    for i, trial in enumerate(comparison.trials, start=1):
        number = f"{i:0{digits}d}"
        entries.append(
            {
                "number": number,
                "method": trial.method or trial.planned_method,
                "k": trial.plan.k,
                "dependence": trial.dependence,
                "information_loss": trial.measures.get("information_loss"),
                **{name: trial.measures.get(name) for name in risks},
                "verdict": trial.verdict,
                "front": id(trial) in front,
                "recommended": trial is best,
                "plan": f"{PLANS}/{number}.toml",
                "reason": str(trial.error) if trial.error else "",
            }
        )
    return entries


def draw_trials(rows: Sequence[Mapping[str, Any]], risk: str) -> Figure:
    """Draw the risk-utility map of the trials in ``rows``."""
    risk_info = RISKS[risk]
    points = [
        MapPoint(
            row["information_loss"],
            risk_info.scale * row[risk],
            row["number"],
            f"{row['number']}: {describe_row(row)}",
            "best" if row["front"] else "other",
            row["recommended"],
        )
        for row in rows
        if not row["reason"]
    ]
    front = points_on_front(points)
    recommended = next((point.label for point in front if point.ring), "")
    description = (
        f"{count(len(points), 'run')} by information loss and risk."
        f" {'Runs' if len(front) > 1 else 'Run'} {', '.join(point.label for point in front)}"
        f" {'are' if len(front) > 1 else 'is'} on the Pareto front: every other run has at least"
        " as much loss and as much risk as one of these."
        f"{f' Run {recommended} is recommended.' if recommended else ''}"
    )
    heading = ["run", "information loss in %", risk_info.label]
    numbers = [
        [point.label, short_number(point.loss), short_number(point.risk)] for point in points
    ]
    figure = comparison_map(points, description, risk_info.label, widths=WIDTHS)
    return replace(figure, rows=[heading, *numbers])


def comparison_text(comparison: Comparison) -> str:
    """Return the trials for a terminal, with the Pareto front marked, and the failed runs.

    Dependence and verdict are shown if the trials differ in them.
    """
    rows = trial_rows(comparison)
    successful = [row for row in rows if not row["reason"]]
    columns = {
        "run": [row["number"] for row in successful],
        "method": [row["method"] for row in successful],
        "k": [str(row["k"] or "-") for row in successful],
        "dependence": [f"{row['dependence']:g}" for row in successful],
        "loss %": [f"{row['information_loss']:.2f}" for row in successful],
    }
    for name in dict.fromkeys(["smallest_class", comparison.risk]):
        risk_info = RISKS[name]
        heading = risk_info.short.replace(", %", " %").lower()
        decimals = 1 if risk_info.scale == 100 else 0
        columns[heading] = [f"{risk_info.scale * row[name]:,.{decimals}f}" for row in successful]
    columns["front"] = [
        "recommended" if row["recommended"] else "*" if row["front"] else "" for row in successful
    ]
    columns["verdict"] = [row["verdict"] for row in successful]
    columns["plan"] = [row["plan"] for row in successful]
    shown_columns = {
        name: cells
        for name, cells in columns.items()
        if name not in ("dependence", "verdict") or len(set(cells)) > 1
    }
    text = align_in_columns(_rows_of(shown_columns))
    if text is None:  # too wide; the last line names the plan of the recommended run
        del shown_columns["plan"]
        text = align_rows(_rows_of(shown_columns))
    failed = [f"not run: {', '.join(runs)}: {reason}" for reason, runs in failures(rows).items()]
    note = "* on the Pareto front: no other run has less loss without more risk."
    return "\n".join([text, note, wrap_text(recommendation(comparison)), *failed])


def _rows_of(columns: Mapping[str, list[str]]) -> list[list[str]]:
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


def recommendation(comparison: Comparison) -> str:
    """Return the recommended run with its reason, in one or two sentences."""
    row = next((row for row in trial_rows(comparison) if row["recommended"]), None)
    if row is None:
        return comparison.reason
    return f"Recommended: run {row['number']} ({describe_row(row)}). {comparison.reason} {LARGER_K}"


def describe_row(row: Mapping[str, Any]) -> str:
    """Return the method, k and dependence of a row as text."""
    share = f", dependence {row['dependence']:g}" if row["dependence"] else ""
    k = f", k = {row['k']}" if row["k"] else ""
    return f"{row['method']}{k}{share}"


def failures(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the failed runs by reason."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        if row["reason"]:
            by_reason.setdefault(row["reason"], []).append(f"{row['number']} ({describe_row(row)})")
    return by_reason


def write_comparison(
    comparison: Comparison, folder: Path, *, source: str = "", force: bool = False
) -> None:
    """Write all files into ``folder``; they appear together or not at all.

    The page names the ``source`` of the table.
    """
    rows = trial_rows(comparison)
    _check_folder(folder, {Path(row["plan"]).name for row in rows})
    figure = draw_trials(rows, comparison.risk)
    text_by_name = {
        "comparison.html": page(
            "comparison.html",
            source=source,
            table=rows,
            figure=figure,
            risk=comparison.risk,
            about=RISKS[comparison.risk],
            recommendation=recommendation(comparison),
            failures=failures(rows),
        ),
        "map.svg": page("map.svg", figure=figure),
        "table.csv": _csv(rows),
        "table.json": json.dumps(rows, indent=1, ensure_ascii=False) + "\n",
    }
    for trial, row in zip(comparison.trials, rows, strict=True):
        if not row["reason"]:
            text_by_name[row["plan"]] = document.dumps(trial.plan.to_dict())
    (folder / PLANS).mkdir(parents=True, exist_ok=True)
    with Publication(force=force) as publication:
        for name, text in text_by_name.items():
            publication.add(folder / name).write_text(text, encoding="utf-8")


def _check_folder(folder: Path, names: set[str]) -> None:
    """Refuse a folder with plans of another comparison."""
    plan_folder = folder / PLANS
    other_plans = (
        {path.name for path in plan_folder.glob("*")} - names if plan_folder.is_dir() else set()
    )
    if other_plans:
        raise FileError(
            f"{str(plan_folder)!r} contains {count(len(other_plans), 'file')} of another"
            " comparison. Name another folder.",
            code="files-of-another-comparison",
            folder=str(plan_folder),
            count=len(other_plans),
        )


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
