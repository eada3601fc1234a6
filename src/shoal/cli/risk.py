"""``shoal risk``: the disclosure risk of a file that is a sample."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._columns import split_lists
from shoal.cli._limits import CheckedLimits, LimitsFile
from shoal.cli._session import print_result, session
from shoal.cli._settings import parse_codes
from shoal.cli._terminal import echo

Keys = Annotated[
    list[str],
    typer.Option("-c", "--column", metavar=options.COLUMNS, help="Quasi-identifiers."),
]
Population = Annotated[
    str | None,
    typer.Option("--population", metavar="FILE", help="The whole population, to count keys in."),
]
Fraction = Annotated[
    float | None,
    typer.Option(
        "--sampling-fraction", metavar="SHARE", help="Share of the population in the sample."
    ),
]
Weight = Annotated[
    str | None, typer.Option("--weight", metavar="COLUMN", help="Column of survey weights.")
]
Household = Annotated[
    str | None, typer.Option("--household", metavar="COLUMN", help="Column of households.")
]
MaxSize = Annotated[
    int | None,
    typer.Option(
        "--max-size",
        metavar="INT",
        min=1,
        help="Greatest number of columns of a minimal sample unique; all by default.",
    ),
]
Records = Annotated[
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
    column: Keys,
    reading: options.ReadOptions,
    weight: Weight = None,
    population: Population = None,
    sampling_fraction: Fraction = None,
    household: Household = None,
    max_size: MaxSize = None,
    missing_codes: options.MissingCodes = None,
    by: options.By = None,
    min_group: options.MinGroup = 5,
    limits: LimitsFile = None,
    records: Records = None,
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

        checked_limits = CheckedLimits(limits, "risk")
        dialect = reading.dialect()
        if records is not None:
            check_format(records)
        with Publication(force=force) as publication:
            temporary_path = None if records is None else publication.add(records, secret=True)
            opened_source = open_source(source, dialect=dialect, numbers=())
            codes = parse_codes(missing_codes, opened_source.table)
            table = typed_table(opened_source, {}, codes)
            population_table = (
                None if population is None else read_typed(population, {}, dialect, codes)
            )
            keys, by = split_lists([column, by], lambda: table.column_names)
            column = keys or []
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
                record_table = table.select(column)
                for name, values in risks.by_record().items():
                    record_table = record_table.append_column(name, [values])
                write(record_table, temporary_path, target=records)
        checked_limits.check(risks)
        content = {**risks.to_dict(), **checked_limits.content}
        content["remarks"] = list(risks.remarks)
        text = repr(risks) + checked_limits.text
        if records is not None:
            content["records_file"] = str(records)
            text += f"\n{records}: the risks of single records, not for publication"
        print_result(content, text, as_json=json, quiet=quiet)
        for remark in risks.remarks:
            echo(f"warning: {remark}", colour="yellow", err=True)
        checked_limits.exit()
