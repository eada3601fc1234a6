"""Options that commands share, each named once."""

from pathlib import Path
from typing import Annotated

import typer

Source = Annotated[
    str, typer.Argument(help="File or database to read; docs/files.md lists the formats.")
]
Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE...",
        help="File or database to read; docs/files.md lists the formats. Several Parquet files, or"
        " a folder of them, are masked on a cluster.",
    ),
]
Target = Annotated[
    str, typer.Argument(help="File to write; its ending names the format. Or a database.")
]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", help="Dask scheduler for large tables, like tcp://host:8786."),
]
ChunkSize = Annotated[
    int | None,
    typer.Option(
        "--chunk-size", min=1, help="Records that a worker holds at a time; asks for a cluster."
    ),
]
PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="Plan to run: .toml or .json.")]

K = Annotated[int, typer.Option("-k", min=1, help="Least number of records in a group.")]
Columns = Annotated[
    list[str], typer.Option("-c", "--column", help="Column to mask; repeat for more.")
]
Method = Annotated[str, typer.Option("-m", "--method", help="See 'shoal methods'.")]
Effort = Annotated[
    str | None,
    typer.Option("--effort", help="After the method: quick, refine, search or prove."),
]
Budget = Annotated[
    float | None, typer.Option("--budget", min=0, help="Seconds for --effort search or prove.")
]
Identifiers = Annotated[
    list[str] | None, typer.Option("-i", "--identifier", help="Column to drop; repeat for more.")
]
Confidential = Annotated[
    list[str] | None, typer.Option("--confidential", help="Confidential column; repeat for more.")
]
Within = Annotated[
    list[str] | None, typer.Option("--within", help="Column of strata that no group crosses.")
]
Unit = Annotated[
    str | None,
    typer.Option("--unit", help="Column of persons or firms: k counts them. Or: record."),
]
Household = Annotated[
    str | None, typer.Option("--household", help="Column of households: k counts them.")
]
Weight = Annotated[
    str | None, typer.Option("--weight", help="Column of survey weights; -i drops it too.")
]
MissingValues = Annotated[
    str | None,
    typer.Option("--missing", help="What is done about missing values: see 'shoal steps'."),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="COLUMN=KIND",
        help="What a column holds: numeric, nominal, boolean, date, ordinal:least,...,most,"
        " hierarchy:file or distances:file.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any other parameter of step or method."),
]
Shuffle = Annotated[bool, typer.Option("--shuffle", help="Release the records in random order.")]
Seed = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="For methods that draw, --shuffle, and large tables."),
]

Separator = Annotated[
    str | None, typer.Option("--separator", help="Between two cells of a text table.")
]
Decimal = Annotated[str, typer.Option("--decimal", help="Decimal mark of a text table.")]
Encoding = Annotated[str, typer.Option("--encoding", help="Character set of a text table.")]
Missing = Annotated[
    str, typer.Option("--missing-text", help="What stands for a missing number, like NA.")
]
Sheet = Annotated[str | None, typer.Option("--sheet", help="Sheet of an Excel file.")]
Layout = Annotated[
    Path | None, typer.Option("--layout", help="Column map of fixed-width text: .toml.")
]
Table = Annotated[str | None, typer.Option("--table", help="Table to read from a database.")]
TargetTable = Annotated[
    str | None, typer.Option("--target-table", help="Table to write to a database.")
]
KeepNotes = Annotated[
    bool, typer.Option("--keep-notes", help="Release the file's label, notes and other free text.")
]

MemoryLimit = Annotated[
    float | None,
    typer.Option(
        "--memory-limit", min=0, help="GB of memory that a file may take when it is read."
    ),
]
MarkFormulas = Annotated[
    bool,
    typer.Option(
        "--mark-formulas", help="Put ' in front of text that a spreadsheet takes for a formula."
    ),
]

Report = Annotated[
    Path | None,
    typer.Option("--report", help="Write a report here: .html, .json or .txt; - shows it."),
]
Audience = Annotated[
    str, typer.Option("--audience", help="Who reads the report: public or internal.")
]
Curve = Annotated[
    bool,
    typer.Option("--curve", help="Let the report show other values of dependence: 11 more runs."),
]
Manifest = Annotated[
    Path | None,
    typer.Option(
        "--manifest", help="Write a manifest for auditors here: .json. It holds the seed."
    ),
]
Sign = Annotated[
    Path | None,
    typer.Option(
        "--sign",
        metavar="KEY",
        help="Sign the manifest with this private key: .pem, see 'shoal keygen'."
        " SHOAL_PASSPHRASE holds its passphrase, or a prompt asks.",
    ),
]
HashKey = Annotated[
    Path | None,
    typer.Option(
        "--hash-key",
        help="Secret that keys the original's hash in the manifest; made if it does not exist."
        " Beside the manifest by default.",
    ),
]
AllowNotKept = Annotated[
    bool,
    typer.Option(
        "--allow-not-kept",
        help="Write a release whose verdict is 'not kept'; exits 1 all the same.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files and tables that exist.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing but warnings and errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
