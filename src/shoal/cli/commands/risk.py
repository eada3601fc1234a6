"""``shoal risk``: the disclosure risk of a file that is a sample."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.command_limits import CommandLimits
from shoal.cli.console.session import print_result, session
from shoal.cli.console.terminal import echo
from shoal.cli.options.declarations import columns_option
from shoal.cli.parsing.column_options import missing_codes_of
from shoal.cli.parsing.columns import split_lists

if TYPE_CHECKING:
    from shoal.metrics.survey import SurveyRisk

QuasiIdentifiers = Annotated[list[str], columns_option("-c", "--column", help="Quasi-identifiers.")]
Population = Annotated[
    str | None,
    typer.Option(
        "--population",
        metavar="FILE",
        help="The whole population, in which combinations of quasi-identifiers are counted.",
    ),
]
SamplingFraction = Annotated[
    float | None,
    typer.Option(
        "--sampling-fraction", metavar="SHARE", help="Share of the population in the sample."
    ),
]
MaxSize = Annotated[
    int | None,
    typer.Option(
        "--max-size",
        metavar="INT",
        min=1,
        help="Maximum number of columns of a minimal sample unique; all by default.",
    ),
]
RecordRisks = Annotated[
    Path | None,
    typer.Option(
        "--records",
        metavar="FILE",
        help="File to write: the quasi-identifiers of each record with its risks, not for"
        " publication.",
    ),
]


def risk(
    source: options.Source,
    column: QuasiIdentifiers,
    read_options: options.ReadOptions,
    weight: options.SurveyWeight = None,
    population: Population = None,
    sampling_fraction: SamplingFraction = None,
    household: options.HouseholdOfSample = None,
    max_size: MaxSize = None,
    missing_codes: options.MissingCodes = None,
    by: options.By = None,
    min_group: options.MinGroup = 5,
    limits: options.LimitsOnFigures = None,
    records: RecordRisks = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Estimate the disclosure risk of SOURCE, a sample of a population.

    Prints figures for the file, and writes the risks of single records with --records. With
    --limits, shows whether each limit on a figure is met.
    """
    with session(quiet=quiet):
        from shoal.io.files import check_format, open_source, read_typed, typed_table, write
        from shoal.io.publish import Publication
        from shoal.metrics.survey import survey_risk

        command_limits = CommandLimits(limits, "risk")
        dialect = read_options.dialect()
        if records is not None:
            check_format(records)
        with Publication(force=force) as publication:
            temporary_path = None if records is None else publication.add(records, secret=True)
            opened_source = open_source(source, dialect=dialect, numbers=())
            codes = missing_codes_of(missing_codes, opened_source.table)
            table = typed_table(opened_source, {}, codes)
            population_table = (
                None if population is None else read_typed(population, {}, dialect, codes)
            )
            columns, by = split_lists([column, by], lambda: table.column_names)
            column = columns or []
            risks = survey_risk(
                table,
                quasi_identifiers=column,
                weight=weight,
                population=population_table,
                sampling_fraction=sampling_fraction,
                household=household,
                max_size=max_size,
                by=by,
                min_group=min_group,
            )
            if records is not None and temporary_path is not None:
                write(_with_risks(table.select(column), risks), temporary_path, target=records)
        command_limits.check(risks)
        _print_risks(risks, command_limits, records, as_json=json, quiet=quiet)
        command_limits.exit_if_not_met()


def _with_risks(table: Any, risks: "SurveyRisk") -> Any:
    """Return an Arrow table with a further column for each risk of its records."""
    for name, values in risks.by_record().items():
        table = table.append_column(name, [values])
    return table


def _print_risks(
    risks: "SurveyRisk",
    command_limits: CommandLimits,
    records: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print the figures, whether limits are met, and where the risks of records were written."""
    content = {**risks.to_dict(), **command_limits.content}
    content["remarks"] = list(risks.remarks)
    text = repr(risks) + command_limits.text
    if records is not None:
        content["records_file"] = str(records)
        text += f"\n{records}: the risks of single records, not for publication"
    print_result(content, text, as_json=as_json, quiet=quiet)
    for remark in risks.remarks:
        echo(f"warning: {remark}", colour="yellow", err=True)
