"""Objects as HTML for notebooks, made of the parts of the report.

Each output is self-contained, needs no script and styles nothing but itself. Like the public
report, it shows no value of a single record and no drawn seed.
"""

from collections.abc import Mapping
from itertools import count as counter
from typing import TYPE_CHECKING, Any

from shoal._text import count
from shoal.comparison import Comparison
from shoal.comparison.risks import RISKS
from shoal.errors import python_wording
from shoal.inspection.text import join_columns
from shoal.metrics.analyses.result import FIGURES, Utility, format_cell
from shoal.metrics.assessment import Assessment
from shoal.metrics.attacks.result import Attacks
from shoal.plan import Plan
from shoal.plan.definition import document
from shoal.plan.release import ReleaseLike
from shoal.plan.verdict import Verdict
from shoal.report.comparison import draw_trials, failures, recommendation, trial_rows
from shoal.report.html import page, report_figures
from shoal.report.layout import by_reason, numbers, tables
from shoal.report.scope import CLASS, scoped_styles
from shoal.report.summary import describe_measure, summarise
from shoal.report.text import one_line

if TYPE_CHECKING:
    from shoal.inspection import Inspection

MAX_COLUMNS = 12  # columns that are shown before and after; the report shows all
MAX_FIGURES = 6  # figures of columns before and after

_output_numbers = counter(1)  # so that the ids of several outputs in one page differ


def release_html(release: ReleaseLike) -> str:
    """Return a release: its verdict, its main figures, its columns before and after, its plan."""
    summary = summarise(release)
    values = {entry["name"]: entry["value"] for entry in summary["measures"]}
    sections = report_figures(summary)
    changed = summary["before_and_after"]
    return _render_output(
        "notebook/release.html",
        summary | _verdict_content(release.verdict),
        line=one_line(summary),
        facts=_main_figures(summary, values),
        changed=changed[:MAX_COLUMNS],
        others=len(changed) - MAX_COLUMNS,
        figures=[*sections.protection_and_loss, *sections.columns[:MAX_FIGURES]],
        **_measures_content(values, summary["remarks"]),
    )


def verdict_html(verdict: Verdict) -> str:
    """Return a verdict with its findings."""
    return _render_output("notebook/verdict.html", _verdict_content(verdict))


def plan_html(plan: Plan) -> str:
    """Return a plan: its k, its steps with their guarantees, its roles and its document."""
    roles: dict[str, list[str]] = {}
    for name, role in plan.roles.items():
        roles.setdefault(role, []).append(name)
    entries = plan.to_dict(drawn_seeds=False)
    steps = [
        {
            "name": step.name,
            "columns": step.columns,
            "method": entry.get("partition", {}).get("method", ""),
            "guarantee": guarantee,
        }
        for step, entry, guarantee in zip(
            plan.steps, entries["steps"], plan.guarantees, strict=True
        )
    ]
    return _render_output(
        "notebook/plan.html",
        k=plan.k,
        unit=plan.unit_column,
        roles=roles,
        steps=steps,
        text=document.dumps(entries),
    )


def comparison_html(comparison: Comparison) -> str:
    """Return a comparison: the recommended run, the map and the table of runs."""
    table = trial_rows(comparison)
    return _render_output(
        "notebook/comparison.html",
        table=table,
        figure=draw_trials(table, comparison.risk),
        risk=comparison.risk,
        about=RISKS[comparison.risk],
        recommendation=recommendation(comparison),
        failures=failures(table),
    )


def inspection_html(inspection: "Inspection", caveat: str) -> str:
    """Return an inspection: the columns with their suggested roles, and what else was found."""
    return _render_output(
        "notebook/inspection.html",
        source=inspection.source,
        size=f"{count(inspection.records, 'record')}, {count(len(inspection.columns), 'column')}",
        entries=inspection.columns,
        sentences=[sentence.text for sentence in inspection.sentences],
        combinations=inspection.combinations,
        join_columns=join_columns,
        caveat=caveat,
    )


def assessment_html(assessment: Assessment) -> str:
    """Return measures: numbers about the table, numbers by column, and remarks."""
    return _render_output(
        "notebook/assessment.html",
        _measures_content(assessment, assessment.remarks),
        groups=assessment.groups,
    )


def attacks_html(attacks: Attacks) -> str:
    """Return the results of attacks, and the reasons why others were not carried out."""
    return _render_output(
        "notebook/attacks.html",
        k=attacks.k,
        counted=attacks.counted,
        results=attacks.results,
        not_run=attacks.not_run,
        remarks=attacks.remarks,
        groups=attacks.groups,
    )


def utility_html(utility: Utility) -> str:
    """Return analyses before and after: figures, subgroups and the details of each analysis."""
    all_figures = utility.figures()
    figures = [
        (
            name,
            format_cell(all_figures[name]),
            f"{figure_info.meaning}; {figure_info.better} is better",
        )
        for name, figure_info in FIGURES.items()
        if name in all_figures
    ]
    return _render_output(
        "notebook/utility.html",
        records=utility.records,
        figures=figures,
        groups=utility.groups,
        analyses=[
            {"name": result.name, "remarks": result.remarks, **result.cells()}
            for result in utility.results
        ],
        not_run=utility.not_run,
        remarks=utility.remarks,
    )


def _render_output(template: str, *content: Mapping[str, Any], **variables: Any) -> str:
    """Return a template inside an element with the styles of notebooks."""
    number = next(_output_numbers)
    values = {name: value for context in content for name, value in context.items()}
    return page(
        template, {**values, **variables, "id": f"{CLASS}-{number}", "css": scoped_styles()}
    ).strip()


def _verdict_content(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict with its advice, options written as in Python."""
    return {"verdict": verdict.to_dict(wording=python_wording)}


def _main_figures(
    summary: Mapping[str, Any], values: Mapping[str, Any]
) -> list[tuple[str, Any, str]]:
    """Return the main figures of a release: name, number and unit."""
    promise = summary["promise"]
    facts = [
        ("k guaranteed", promise["k"] or "none", ""),
        ("Smallest class", promise["attained"], ""),
    ]
    if "information_loss" in values:
        facts.append(("Information loss", values["information_loss"], " %"))
    risk = 100 * values["reidentification"]["marketer"]
    facts.append((RISKS["reidentification"].short.removesuffix(", %"), risk, " %"))
    score = summary["scores"].get("overall")
    if score is not None:
        facts.append(("Similarity", score, ""))
    return [*facts, ("Method", ", ".join(summary["methods"]) or "no groups", "")]


def _measures_content(values: Mapping[str, Any], remarks: Mapping[str, str]) -> dict[str, Any]:
    measures = {name: value for name, value in values.items() if name != "class_sizes"}
    return {
        "numbers": numbers(measures),
        "tables": tables(measures),
        "about": {name: describe_measure(name) for name in measures},
        "unmeasured": by_reason(remarks),
    }
