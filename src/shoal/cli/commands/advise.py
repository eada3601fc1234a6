"""``shoal advise``: the plan of least loss within limits."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.console.session import print_result, session
from shoal.cli.options.declarations import limits_option, methods_option
from shoal.cli.parsing.column_options import parse_missing_codes, parse_types
from shoal.cli.parsing.settings import (
    RELEASE_ONLY,
    parse_numbers,
    parse_settings,
    split_commas,
)

if TYPE_CHECKING:
    from shoal.comparison.plan_families import PlanFamily
    from shoal.io.source import Source
    from shoal.plan import Plan
    from shoal.plan.release import Release

LimitsToKeep = Annotated[Path, limits_option(help="Limits that the release must keep: .toml.")]
Methods = Annotated[list[str] | None, methods_option()]
Steps = Annotated[
    list[str] | None,
    typer.Option(
        "--step",
        metavar="STEP,...",
        help="Steps to try: microaggregate (by default), rank-swap or add-noise. The last two"
        " guarantee no k.",
    ),
]
KValuesToTry = Annotated[
    list[str] | None,
    typer.Option("-k", metavar="INT,...", help="Values of k to try; by default k is searched for."),
]
MaxPlans = Annotated[
    int, typer.Option("--plans", metavar="INT", min=1, help="Maximum number of plans to try.")
]
PlanToWrite = Annotated[
    Path | None,
    typer.Option("--plan", metavar="FILE", help="Plan to write: .toml or .json, for 'shoal run'."),
]


def advise(
    source: options.Source,
    limits: LimitsToKeep,
    plan_options: options.PlanOptions,
    read_options: options.ReadOptions,
    method: Methods = None,
    step: Steps = None,
    k: KValuesToTry = None,
    plans: MaxPlans = 30,
    plan_file: PlanToWrite = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Search for the plan of least loss whose release of SOURCE meets limits; release nothing.

    If there is no such plan, the exit code is 1, and the closest plan is shown with the limits that
    it does not meet.
    """
    with session(quiet=quiet):
        from shoal.cli.lazy_imports import discard_placeholders
        from shoal.comparison.plan_search import search_plans
        from shoal.io.files import open_source
        from shoal.io.publish import Publication
        from shoal.plan.definition import document

        discard_placeholders()
        plan_options = plan_options.with_split_lists(read_options.column_names_reader(source))
        opened_source = open_source(source, dialect=read_options.dialect(), numbers=())
        families = _plan_families(
            plan_options,
            opened_source.table.num_rows,
            limits,
            k=parse_numbers(k, int, "-k") if k else None,
            methods=split_commas(method) if method else None,
            steps=split_commas(step) if step else None,
        )
        table, run = _table_and_runner(opened_source, families[0])
        with Publication(force=force) as publication:
            temporary_path = None
            if plan_file is not None:
                document.dumps({}, plan_file.suffix.lower())  # refuses a wrong suffix at once
                temporary_path = publication.add(plan_file)
            advice = search_plans(
                table, families, n_plans=plans, n_jobs=plan_options.n_jobs, run=run
            )
            content, text = {**advice.to_dict(), "plan": None}, str(advice)
            if advice.plan is not None and plan_file is not None and temporary_path is not None:
                entries = advice.plan.to_dict(drawn_seeds=False)
                temporary_path.write_text(
                    document.dumps(entries, plan_file.suffix.lower()), encoding="utf-8"
                )
                content["plan"], text = str(plan_file), f"{text}\n{plan_file}: the plan"
            print_result(content, text, as_json=json, quiet=quiet)
            if advice.plan is None:
                raise typer.Exit(1)  # nothing is published


def _plan_families(
    plan_options: options.PlanOptions,
    n_records: int,
    limits: Path,
    *,
    k: list[int] | None,
    methods: list[str] | None,
    steps: list[str] | None,
) -> "list[PlanFamily]":
    """Return the families of plans to search, from the options."""
    from shoal.comparison.plan_families import plan_families
    from shoal.comparison.plan_search import check_steps
    from shoal.metrics.limits import Limits

    step_options, method_options = parse_settings(
        plan_options.settings or [], (methods or ["auto"])[0], without=RELEASE_ONLY
    )
    return plan_families(
        plan_options.column,
        n_records,
        limits=Limits.load(limits),
        k=k,
        method=methods,
        steps=check_steps(steps or "microaggregate"),
        confidential=plan_options.confidential or [],
        identifiers=plan_options.identifier or [],
        random_state=plan_options.seed or 0,
        types=parse_types(plan_options.types, plan_options.hierarchy),
        missing_codes=parse_missing_codes(plan_options.missing_codes),
        **step_options,
        **method_options,
        **plan_options.step_parameters,
    )


def _table_and_runner(
    opened_source: "Source", family: "PlanFamily"
) -> "tuple[Any, Callable[[Plan, Any], Release]]":
    """Return the table as the plans read it, and the function that runs a plan on it."""
    from shoal.plan.analysed_columns import AnalysedColumns
    from shoal.plan.guarantees import judge
    from shoal.plan.interpretation import interpret_source

    first_plan = family.make_plan(family.first_strengths[0])
    interpretation = interpret_source(first_plan, opened_source)
    source = opened_source.without_codes(interpretation.missing_codes)
    types = interpretation.types
    table = source.table_with_numbers(
        first_plan.numeric_columns_by(types), first_plan.categorical_columns_by(types)
    )
    analysed_columns = (
        AnalysedColumns.from_source(source, interpretation)
        if first_plan.limits.by("utility")
        else None
    )

    def run(plan: "Plan", data: Any) -> "Release":
        decimals = interpretation.with_decimals(plan, source, data)
        draft = plan.draft(data, decimals).with_analysed_columns(analysed_columns)
        return draft.to_release(judge(draft.evidence))

    return table, run
