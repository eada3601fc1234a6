"""``shoal compare``: many plans on one file, on the risk-utility map."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.console.session import print_result, session
from shoal.cli.options.declarations import flag_option, methods_option
from shoal.cli.parsing.column_options import parse_missing_codes, parse_types
from shoal.cli.parsing.settings import (
    RELEASE_ONLY,
    parse_numbers,
    parse_settings,
    split_commas,
)

if TYPE_CHECKING:
    from shoal.comparison import Comparison
    from shoal.io.source import Source
    from shoal.plan import Plan

Methods = Annotated[list[str], methods_option()]
Risk = Annotated[
    str,
    typer.Option(
        "--risk",
        metavar="RISK",
        help="Risk to compare: reidentification, linkage, linkage_top2 or smallest_class.",
    ),
]
Folder = Annotated[
    Path,
    typer.Option(
        "--to", metavar="FOLDER", help="Folder for the page, the map, the tables and the plans."
    ),
]
CacheFolder = Annotated[
    Path | None,
    typer.Option(
        "--cache", metavar="FOLDER", help="Folder in which the results of runs are cached."
    ),
]
NoCache = Annotated[
    bool,
    flag_option("--no-cache", help="Neither use nor write the cache."),
]


def compare(
    source: options.Source,
    k: options.KValues,
    plan_options: options.PlanOptions,
    read_options: options.ReadOptions,
    method: Methods = ["auto"],  # noqa: B006 (typer copies it)
    dependence: options.DependenceValues = ["0"],  # noqa: B006
    risk: Risk = "reidentification",
    to: Folder = Path("comparison"),
    cache: CacheFolder = None,
    no_cache: NoCache = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Run every combination of k, method and dependence on SOURCE; release nothing."""
    with session(quiet=quiet):
        from shoal.cli.lazy_imports import discard_placeholders
        from shoal.comparison import compare_plans
        from shoal.comparison.cache import user_folder
        from shoal.io.database.connection import is_database, redact_address
        from shoal.io.files import open_source

        discard_placeholders()
        plan_options = plan_options.with_split_lists(read_options.column_names_reader(source))
        plans = _plans(plan_options, k, split_commas(method), dependence)
        opened_source = open_source(source, dialect=read_options.dialect(), numbers=())
        plans = _with_inferred_types(plans, opened_source)
        opened_source = opened_source.without_codes(plans[0].missing_codes)
        comparison = compare_plans(
            opened_source.table_with_numbers(
                plans[0].numeric_columns, plans[0].categorical_columns
            ),
            plans,
            risk=risk,
            n_jobs=plan_options.n_jobs,
            cache=None if no_cache else cache or user_folder() / "compare",
        )
        location = redact_address(source)
        name = location if is_database(source) else Path(source).name
        comparison.save(to, source=name, force=force)
        text, result = _describe(comparison, to, location)
        content = {"folder": str(to), "risk": risk, **result}
        print_result(content, text, as_json=json, quiet=quiet)


def _with_inferred_types(plans: "list[Plan]", opened_source: "Source") -> "list[Plan]":
    """Return the plans completed with inferred kinds and missing codes of columns."""
    from shoal.plan.interpretation import interpret_source

    interpretations = [interpret_source(plan, opened_source) for plan in plans]
    return [
        plan.replace(types=interpretation.types, missing_codes=interpretation.missing_codes)
        for plan, interpretation in zip(plans, interpretations, strict=True)
    ]


def _describe(comparison: "Comparison", folder: Path, location: str) -> tuple[str, dict[str, Any]]:
    """Return a comparison as text, with the command to run next, and as content for JSON."""
    from shoal.report.comparison import comparison_text, trial_rows

    run_rows = trial_rows(comparison)
    recommended_rows = [row for row in run_rows if row["recommended"]]
    text = f"{comparison_text(comparison)}\n{folder / 'comparison.html'}: the map"
    for row in recommended_rows:
        text += f"\nTo release it: shoal run {folder / row['plan']} {location} TARGET"
    content = {
        "recommended": recommended_rows[0]["number"] if recommended_rows else None,
        "reason": comparison.reason,
        "runs": run_rows,
    }
    return text, content


def _plans(
    plan_options: options.PlanOptions,
    k: list[str],
    methods: list[str],
    dependence: list[str],
) -> "list[Plan]":
    """Return the plans of the grid; a ``--set`` parameter goes to the methods that have it."""
    from shoal import _params as parameters
    from shoal.comparison import grid
    from shoal.partitioners import METHODS

    step_and_method_options: dict[str, Any] = (
        {} if plan_options.seed is None else {"random_state": plan_options.seed}
    )
    for pair in plan_options.settings or []:
        name = pair.partition("=")[0]
        accepting_methods = [
            method
            for method in methods
            if method in METHODS and name in parameters.signature_parameters(METHODS[method])
        ]
        step_options, method_options = parse_settings(
            [pair], accepting_methods[0] if accepting_methods else methods[0], without=RELEASE_ONLY
        )
        step_and_method_options |= step_options | method_options
    step_and_method_options |= plan_options.step_parameters
    return grid(
        plan_options.column,
        k=parse_numbers(k, int, "-k"),
        method=methods,
        dependence=parse_numbers(dependence, float, "--dependence"),
        confidential=plan_options.confidential or [],
        identifiers=plan_options.identifier or [],
        types=parse_types(plan_options.types, plan_options.hierarchy),
        missing_codes=parse_missing_codes(plan_options.missing_codes),
        **step_and_method_options,
    )
