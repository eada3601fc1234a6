"""``shoal risk``: the disclosure risk of a file that is a sample."""

from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._limits import CheckedLimits, LimitsFile
from shoal.cli._session import print_result, session
from shoal.cli._settings import parse_codes
from shoal.cli._terminal import echo

Keys = Annotated[
    list[str],
    typer.Option("-c", "--column", metavar="COLUMN", help="Quasi-identifier; repeat for more."),
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
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Estimate the disclosure risk of SOURCE, a sample of a population.

    Prints figures for the file; risks of single records are available in Python. With --limits,
    says of each limit on a figure whether it is met.
    """
    with session(quiet=quiet):
        from shoal.io.files import open_source, read_typed, typed_table
        from shoal.metrics.survey import survey_risk

        checked = CheckedLimits(limits, "risk")
        dialect = reading.dialect()
        opened = open_source(source, dialect=dialect, numbers=())
        codes = parse_codes(missing_codes, opened.table)
        risks = survey_risk(
            typed_table(opened, {}, codes),
            quasi_identifiers=column,
            weight=weight,
            population=None if population is None else read_typed(population, {}, dialect, codes),
            sampling_fraction=sampling_fraction,
            household=household,
            max_size=max_size,
            by=by,
            min_group=min_group,
        )
        checked.check(risks)
        content = {**risks.to_dict(), **checked.content}
        content["remarks"] = list(risks.remarks)
        print_result(content, repr(risks) + checked.text, as_json=json, quiet=quiet)
        for remark in risks.remarks:
            echo(f"warning: {remark}", colour="yellow", err=True)
        checked.exit()
