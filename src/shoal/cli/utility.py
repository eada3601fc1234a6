"""``shoal utility``: the same analyses of an original and a masked file."""

from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._limits import CheckedLimits, LimitsFile
from shoal.cli._original import read_original
from shoal.cli._session import print_result, session
from shoal.cli._settings import split_commas

Columns = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--column",
        metavar=options.COLUMNS,
        help="Columns to analyse; by default all that both files have.",
    ),
]
Formulas = Annotated[
    list[str] | None,
    typer.Option(
        "--formula",
        metavar="FORMULA",
        help="Regression model, such as 'wage ~ education + experience'; repeat for more.",
    ),
]
Targets = Annotated[
    list[str] | None,
    typer.Option("--target", metavar=options.COLUMNS, help="Columns to predict from the others."),
]
Weight = Annotated[
    str | None, typer.Option("--weight", metavar="COLUMN", help="Column of survey weights.")
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="ANALYSIS,...",
        help="propensity, prediction, regression, range-counts, group-by or estimates; all by"
        " default.",
    ),
]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="INT", min=0, help="Random state of the draws.")
]


def utility(
    original: options.Original,
    masked: options.Masked,
    reading: options.ReadOptions,
    column: Columns = None,
    formula: Formulas = None,
    target: Targets = None,
    weight: Weight = None,
    by: options.By = None,
    min_group: options.MinGroup = 5,
    aligned: options.Aligned = False,
    measure: Measures = None,
    types: options.Types = None,
    missing_codes: options.MissingCodes = None,
    masked_table: options.MaskedTable = None,
    seed: Seed = None,
    limits: LimitsFile = None,
    n_jobs: options.NJobs = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Compare analyses of ORIGINAL and MASKED.

    Propensity scores, models trained on masked records, regressions, random queries and survey
    estimates, each before and after masking. The exit code is 1 if a limit of --limits is not met.
    """
    with session(quiet=quiet):
        from shoal.metrics.analyses import utility as compare_analyses

        checked_limits = CheckedLimits(limits, "utility")
        original_data = read_original(original, reading.dialect(), types, missing_codes)
        column, target, by = original_data.split(column, target, by)
        result = compare_analyses(
            original_data.table,
            original_data.read_alike(masked, masked_table),
            columns=column,
            target=target or checked_limits.limits.targets or None,
            formula=formula or checked_limits.limits.formulas or None,
            weight=weight,
            by=by,
            min_group=min_group,
            aligned=aligned or None,
            measures=split_commas(measure) if measure else None,
            types=original_data.types,
            random_state=seed,
            n_jobs=n_jobs,
        )
        checked_limits.check(result)
        content = {**result.to_dict(), **checked_limits.content}
        print_result(content, repr(result) + checked_limits.text, as_json=json, quiet=quiet)
        checked_limits.exit()
