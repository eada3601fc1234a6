"""``shoal advise``: the plan of least loss within limits."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import _options as options
from shoal.cli._session import print_result, session
from shoal.cli._settings import (
    RELEASE_ONLY,
    parse_numbers,
    parse_settings,
    parse_types,
    split_commas,
)

if TYPE_CHECKING:
    from shoal.comparison.candidates import PlanFamily
    from shoal.metrics.limits import Limits
    from shoal.plan import Plan
    from shoal.plan.release import Release

LimitsToMeet = Annotated[
    Path, typer.Option("--limits", metavar="FILE", help="Limits that the release must keep: .toml.")
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--method",
        metavar="METHOD,...",
        help="Methods to try, see 'shoal methods'.",
    ),
]
Steps = Annotated[
    list[str] | None,
    typer.Option(
        "--step",
        metavar="STEP,...",
        help="Steps to try: microaggregate (by default), rank-swap or add-noise. The last two"
        " guarantee no k.",
    ),
]
KToTry = Annotated[
    list[str] | None,
    typer.Option("-k", metavar="INT,...", help="Values of k to try; by default a search over k."),
]
NPlans = Annotated[
    int, typer.Option("--plans", metavar="INT", min=1, help="Greatest number of plans to try.")
]
PlanToWrite = Annotated[
    Path | None,
    typer.Option("--plan", metavar="FILE", help="Plan to write: .toml or .json, for 'shoal run'."),
]


def advise(
    source: options.Source,
    limits: LimitsToMeet,
    plan: options.PlanOptions,
    reading: options.ReadOptions,
    method: Methods = None,
    step: Steps = None,
    k: KToTry = None,
    plans: NPlans = 30,
    write: PlanToWrite = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Search for the plan of least loss whose release of SOURCE meets limits; release nothing.

    The exit code is 1 if no plan does. Then the closest is shown, with the limits that bind.
    """
    with session(quiet=quiet):
        from shoal.cli._lazy_imports import discard_placeholders
        from shoal.comparison.limit_search import check_steps, search
        from shoal.io.files import open_source
        from shoal.io.publish import Publication
        from shoal.metrics.limits import Limits
        from shoal.plan.analysed_columns import AnalysedColumns
        from shoal.plan.definition import document
        from shoal.plan.guarantees import judge
        from shoal.plan.interpretation import interpret_source

        discard_placeholders()
        plan = plan.split(reading.column_names_of(source))
        methods = split_commas(method) if method else None
        step_options, method_options = parse_settings(
            plan.settings or [], (methods or ["auto"])[0], without=RELEASE_ONLY
        )
        other_options: dict[str, Any] = {**step_options, **method_options, **plan.step_parameters}
        opened_source = open_source(source, dialect=reading.dialect(), numbers=())
        candidates = _candidates(
            plan,
            opened_source.table.num_rows,
            Limits.load(limits),
            k=parse_numbers(k, int, "-k") if k else None,
            method=methods,
            steps=check_steps(split_commas(step) if step else "microaggregate"),
            **other_options,
        )
        first_plan = candidates[0].make_plan(candidates[0].scale[0])
        interpretation = interpret_source(first_plan, opened_source)
        opened_source = opened_source.without_codes(interpretation.missing_codes)
        types = interpretation.types
        table = opened_source.with_numbers(
            first_plan.numeric_columns_by(types), first_plan.categorical_columns_by(types)
        )
        analysed_columns = (
            AnalysedColumns.from_source(opened_source, interpretation)
            if first_plan.limits.by("utility")
            else None
        )

        def run(candidate: "Plan", data: Any) -> "Release":
            decimals = interpretation.with_decimals(candidate, opened_source, data)
            draft = candidate.draft(data, decimals)
            draft = draft.with_analysed_columns(analysed_columns)
            return draft.to_release(judge(draft.evidence))

        with Publication(force=force) as publication:
            if write is not None:
                document.dumps({}, write.suffix.lower())  # refuses other suffixes before the search
            temporary_path = None if write is None else publication.add(write)
            advice = search(table, candidates, n_plans=plans, n_jobs=plan.n_jobs, run=run)
            content, text = {**advice.to_dict(), "plan": None}, str(advice)
            if advice.plan is not None and write is not None and temporary_path is not None:
                entries = advice.plan.to_dict(drawn_seeds=False)
                temporary_path.write_text(
                    document.dumps(entries, write.suffix.lower()), encoding="utf-8"
                )
                content["plan"], text = str(write), f"{text}\n{write}: the plan"
            print_result(content, text, as_json=json, quiet=quiet)
            if advice.plan is None:
                raise typer.Exit(1)  # nothing is published


def _candidates(
    plan_options: options.PlanOptions, n_records: int, limits: "Limits", **search_options: Any
) -> "list[PlanFamily]":
    """Return the families of plans to search, with the columns and roles of the command line."""
    from shoal.comparison.candidates import plan_families
    from shoal.frame.missing_codes import parse_missing_codes

    return plan_families(
        plan_options.column,
        n_records,
        limits=limits,
        confidential=plan_options.confidential or [],
        identifiers=plan_options.identifier or [],
        random_state=plan_options.seed or 0,
        types=parse_types(plan_options.types, plan_options.hierarchy),
        missing_codes=parse_missing_codes(plan_options.missing_codes or []),
        **search_options,
    )
