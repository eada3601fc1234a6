"""Options that describe columns: their roles, kinds, hierarchies and missing codes."""

from typing import Annotated

import typer

from shoal.cli.options.declarations import column_option, columns_option, flag_option

Columns = Annotated[list[str], columns_option("-c", "--column", help="Columns to mask.")]
Confidential = Annotated[
    list[str] | None, columns_option("--confidential", help="Confidential columns.")
]
RequiredConfidential = Annotated[
    list[str], columns_option("--confidential", help="Confidential columns.")
]
Identifiers = Annotated[
    list[str] | None,
    columns_option("-i", "--identifier", help="Identifiers, which are not released."),
]
Within = Annotated[
    list[str] | None,
    columns_option(
        "--within", help="Columns that define strata; no group contains records of two strata."
    ),
]

# Commands that only measure have a version of these options whose help does not mention masking.
Weight = Annotated[
    str | None,
    column_option("--weight", help="Column of survey weights; drop it from the release with -i."),
]
SurveyWeight = Annotated[str | None, column_option("--weight", help="Column of survey weights.")]
Unit = Annotated[
    str | None,
    column_option(
        "--unit",
        help="Column whose values k counts, such as persons or firms; or record, to count records.",
    ),
]
UnitOfOriginal = Annotated[
    str | None,
    column_option("--unit", help="Column of persons or firms with several records in ORIGINAL."),
]
Household = Annotated[
    str | None, column_option("--household", help="Column of households; k then counts households.")
]
HouseholdOfSample = Annotated[
    str | None, column_option("--household", help="Column of households.")
]

Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="COLUMN=KIND",
        help="Kind of a column: numeric, nominal, boolean, date, date:format,"
        " ordinal:lowest,...,highest, prefix:length,..., interval:width,..., period:month,...,"
        " hierarchy:file or distances:file.",
    ),
]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=FILE",
        help="Hierarchy of a column: a file, prefix:length,..., interval:width,... or"
        " period:month,...; repeatable.",
    ),
]
MissingCodes = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-codes",
        metavar="COLUMN=CODE,...",
        help="Values of a column that stand for a missing value; repeatable.",
    ),
]
By = Annotated[
    list[str] | None,
    columns_option(
        "--by", help="Columns that define subgroups; the figures of each subgroup are printed too."
    ),
]
MinGroup = Annotated[
    int,
    typer.Option(
        "--min-group",
        metavar="INT",
        min=2,
        help="Smallest subgroup that is shown, at least the k of the release; others are merged.",
    ),
]
Aligned = Annotated[
    bool,
    flag_option(
        "--aligned",
        help="Treat the records of both tables as the same, in the same order; by default this is"
        " inferred from their values.",
    ),
]
