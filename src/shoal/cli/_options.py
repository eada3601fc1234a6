"""Arguments and options that commands share, each declared once."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli._columns import column_names_of, split_lists

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect

FLAG = ""  # metavar of an option without a value
COLUMNS = "COLUMN,..."  # metavar of a list of columns

READING = "Reading the source"
WRITING = "Writing the release"
DOCUMENTS = "Report and manifest"
LARGE = "Tables larger than memory"

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="File or database to read; docs/files.md lists the formats."
    ),
]
Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="File or database to read; docs/files.md lists the formats. Several Parquet files, or"
        " a folder of them, are masked on a cluster.",
    ),
]
Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET", help="File to write, in the format of its suffix; or a database."
    ),
]
PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="Plan to run: .toml or .json.")]

K = Annotated[
    int, typer.Option("-k", metavar="INT", min=1, help="Smallest number of records in a group.")
]
DependenceValues = Annotated[
    list[str],
    typer.Option(
        "--dependence",
        metavar="SHARE,...",
        help="Shares of the confidential columns in the distance to try, in [0, 1].",
    ),
]
KValues = Annotated[
    list[str],
    typer.Option("-k", metavar="INT,...", help="Values of k to try."),
]
Columns = Annotated[
    list[str],
    typer.Option("-c", "--column", metavar=COLUMNS, help="Columns to mask."),
]
Method = Annotated[
    str, typer.Option("-m", "--method", metavar="METHOD", help="See 'shoal methods'.")
]
Confidential = Annotated[
    list[str] | None,
    typer.Option("--confidential", metavar=COLUMNS, help="Confidential columns."),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight",
        metavar="COLUMN",
        help="Column of survey weights; drop it from the release with -i.",
    ),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="COLUMN=KIND",
        help="Kind of a column: numeric, nominal, boolean, date, date:format,"
        " ordinal:least,...,most, prefix:length,..., interval:width,..., period:month,...,"
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
Shuffle = Annotated[
    bool, typer.Option("--shuffle", metavar=FLAG, help="Release the records in random order.")
]
Original = Annotated[
    str, typer.Argument(metavar="ORIGINAL", help="File or database before masking.")
]
Masked = Annotated[str, typer.Argument(metavar="MASKED", help="File or database after masking.")]
MaskedTable = Annotated[
    str | None,
    typer.Option("--masked-table", metavar="TABLE", help="Masked table in a database."),
]
Aligned = Annotated[
    bool,
    typer.Option(
        "--aligned",
        metavar=FLAG,
        help="Both tables have the same records in the same order; else this is judged by values.",
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar=COLUMNS,
        help="Columns of subgroups, for which all figures are printed too.",
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
NJobs = Annotated[
    int | None,
    typer.Option("--n-jobs", metavar="INT", help="Jobs to run in parallel; all cores by default."),
]
Layout = Annotated[
    Path | None,
    typer.Option(
        "--layout",
        metavar="FILE",
        help="Column map of fixed-width text: .toml.",
        rich_help_panel=READING,
    ),
]
Table = Annotated[
    str | None,
    typer.Option(
        "--table", metavar="TABLE", help="Table to read from a database.", rich_help_panel=READING
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask scheduler, for instance tcp://host:8786; processes:4 needs no Dask.",
        rich_help_panel=LARGE,
    ),
]
Force = Annotated[
    bool, typer.Option("--force", metavar=FLAG, help="Replace files and tables that exist.")
]
Quiet = Annotated[
    bool, typer.Option("-q", "--quiet", metavar=FLAG, help="Print only warnings and errors.")
]
Json = Annotated[bool, typer.Option("--json", metavar=FLAG, help="Print the result as JSON.")]


Effort = Annotated[
    str | None,
    typer.Option(
        "--effort",
        metavar="EFFORT",
        help="Improve the groups of the method: quick, refine, search or prove.",
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget", metavar="SECONDS", min=0, help="CPU seconds for --effort search or prove."
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        "--unit",
        metavar="COLUMN",
        help="Column of persons or firms, which k then counts; or: record.",
    ),
]
UnitOfOriginal = Annotated[
    str | None,
    typer.Option(
        "--unit",
        metavar="COLUMN",
        help="Column of persons or firms with several records in ORIGINAL.",
    ),
]
Household = Annotated[
    str | None,
    typer.Option(
        "--household", metavar="COLUMN", help="Column of households, which k then counts."
    ),
]
Within = Annotated[
    list[str] | None,
    typer.Option("--within", metavar=COLUMNS, help="Columns of strata, which groups do not cross."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Any other parameter of the step or the method."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="INT",
        min=0,
        help="Random state of methods that draw, of --shuffle and of large tables.",
    ),
]
Identifiers = Annotated[
    list[str] | None,
    typer.Option("-i", "--identifier", metavar=COLUMNS, help="Columns to drop."),
]
MissingCodes = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-codes",
        metavar="COLUMN=CODE,...",
        help="Values of a column that stand for a missing value; repeatable.",
    ),
]
SavePlan = Annotated[
    Path | None,
    typer.Option(
        "--save-plan",
        metavar="FILE",
        help="Plan to write, which 'shoal run' runs: .toml or .json.",
        rich_help_panel=DOCUMENTS,
    ),
]


@dataclass(frozen=True)
class PlanOptions:
    """Columns, their roles and the parameters that `mask`, `compare` and `advise` share."""

    column: Columns
    within: Within = None
    unit: Unit = None
    household: Household = None
    weight: Weight = None
    confidential: Confidential = None
    identifier: Identifiers = None
    hierarchy: Hierarchies = None
    types: Types = None
    missing_codes: MissingCodes = None
    settings: Settings = None
    seed: Seed = None
    n_jobs: NJobs = None

    def split(self, names: Callable[[], Collection[str]]) -> "PlanOptions":
        """Return the options with lists of columns separated; ``names`` returns all columns."""
        lists = [self.column, self.within, self.confidential, self.identifier]
        column, within, confidential, identifier = split_lists(lists, names)
        return replace(
            self,
            column=column or [],
            within=within,
            confidential=confidential,
            identifier=identifier,
        )

    @property
    def step_parameters(self) -> dict[str, Any]:
        """The parameters of the step that have a dedicated option here and are given."""
        parameters = {
            "within": self.within or None,
            "unit": self.unit,
            "household": self.household,
            "weight": self.weight,
        }
        return {name: value for name, value in parameters.items() if value is not None}


@dataclass(frozen=True)
class RoleOptions:
    """Roles and types of columns, for the commands of single steps."""

    confidential: Confidential = None
    identifier: Identifiers = None
    unit: Unit = None
    hierarchy: Hierarchies = None
    types: Types = None
    missing_codes: MissingCodes = None

    def split(self, names: Callable[[], Collection[str]]) -> "RoleOptions":
        """Return the options with lists of columns separated; ``names`` returns all columns."""
        confidential, identifier = split_lists([self.confidential, self.identifier], names)
        return replace(self, confidential=confidential, identifier=identifier)


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file that does not describe itself."""

    separator: Annotated[
        str | None,
        typer.Option(
            "--separator",
            metavar="CHARACTER",
            help="Cell separator of a text table.",
            rich_help_panel=READING,
        ),
    ] = None
    decimal: Annotated[
        str,
        typer.Option(
            "--decimal",
            metavar="CHARACTER",
            help="Decimal mark of a text table.",
            rich_help_panel=READING,
        ),
    ] = "."
    encoding: Annotated[
        str,
        typer.Option(
            "--encoding",
            metavar="NAME",
            help="Character encoding of a text table.",
            rich_help_panel=READING,
        ),
    ] = "utf-8"
    missing_text: Annotated[
        str,
        typer.Option(
            "--missing-text",
            metavar="TEXT",
            help="Text that stands for a missing value, for instance NA.",
            rich_help_panel=READING,
        ),
    ] = ""
    sheet: Annotated[
        str | None,
        typer.Option(
            "--sheet", metavar="NAME", help="Sheet of an Excel file.", rich_help_panel=READING
        ),
    ] = None
    layout: Layout = None
    table: Table = None
    memory_limit: Annotated[
        float | None,
        typer.Option(
            "--memory-limit",
            metavar="GB",
            min=0,
            help="Memory that the file may take once it is read, in GB.",
            rich_help_panel=READING,
        ),
    ] = None

    def column_names_of(self, *sources: str) -> Callable[[], list[str]]:
        """Return a function that returns the names of the columns of a source."""
        return lambda: column_names_of(sources, self.dialect())

    def dialect(self, **more: Any) -> "Dialect":
        """Return the dialect that these options describe, with ``more`` fields."""
        from shoal.io.dialect import Dialect

        return Dialect(
            separator=self.separator,
            decimal=self.decimal,
            encoding=self.encoding,
            missing=self.missing_text,
            sheet=self.sheet,
            layout=self.layout,
            table=self.table,
            memory_limit=self.memory_limit,
            **more,
        )
