"""``shoal utility``: the same analyses of an original and a masked file."""

from typing import Annotated

import typer

from shoal.cli import options
from shoal.cli.command_limits import CommandLimits
from shoal.cli.console.session import print_result, session
from shoal.cli.options.declarations import columns_option, measures_option
from shoal.cli.original import read_original
from shoal.cli.parsing.settings import split_commas

Columns = Annotated[
    list[str] | None,
    columns_option(
        "-c", "--column", help="Columns to analyse; by default all that both files have."
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
    columns_option("--target", help="Columns to predict from the others."),
]
Analyses = Annotated[
    list[str] | None,
    measures_option(
        metavar="ANALYSIS,...",
        help="propensity, prediction, regression, range-counts, group-by or estimates; all by"
        " default.",
    ),
]


def utility(
    original: options.Original,
    masked: options.Masked,
    read_options: options.ReadOptions,
    column: Columns = None,
    formula: Formulas = None,
    target: Targets = None,
    weight: options.SurveyWeight = None,
    by: options.By = None,
    min_group: options.MinGroup = 5,
    aligned: options.Aligned = False,
    measure: Analyses = None,
    types: options.Types = None,
    missing_codes: options.MissingCodes = None,
    masked_table: options.MaskedTable = None,
    seed: options.Seed = None,
    limits: options.LimitsOnFigures = None,
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

        command_limits = CommandLimits(limits, "utility")
        original_data = read_original(original, read_options.dialect(), types, missing_codes)
        column, target, by = original_data.split(column, target, by)
        result = compare_analyses(
            original_data.table,
            original_data.read_alike(masked, masked_table),
            columns=column,
            target=target or command_limits.limits.targets or None,
            formula=formula or command_limits.limits.formulas or None,
            weight=weight,
            by=by,
            min_group=min_group,
            aligned=aligned or None,
            measures=split_commas(measure) if measure else None,
            types=original_data.types,
            random_state=seed,
            n_jobs=n_jobs,
        )
        command_limits.check(result)
        content = {**result.to_dict(), **command_limits.content}
        print_result(content, repr(result) + command_limits.text, as_json=json, quiet=quiet)
        command_limits.exit_if_not_met()
