"""``shoal assess``: compare a masked file with its original."""

from dataclasses import replace
from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._session import say, session

Known = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--column",
        help="Quasi-identifier; repeat for more. By default every column that differs.",
    ),
]
Measures = Annotated[
    list[str] | None, typer.Option("--measure", help="Measure to compute; all by default.")
]

MaskedTable = Annotated[
    str | None, typer.Option("--masked-table", help="Masked table, where it is in a database.")
]


def assess(
    original: options.Source,
    masked: options.Source,
    column: Known = None,
    confidential: options.Confidential = None,
    measure: Measures = None,
    weight: options.Weight = None,
    type_: options.Types = None,
    separator: options.Separator = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = "utf-8",
    missing: options.Missing = "",
    sheet: options.Sheet = None,
    layout: options.Layout = None,
    table: options.Table = None,
    memory_limit: options.MemoryLimit = None,
    masked_table: MaskedTable = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Measure what masking ORIGINAL into MASKED cost and what it protects."""
    with session(quiet=quiet):
        from shoal.frame.types import as_types, parse_type_options
        from shoal.io.dialect import Dialect
        from shoal.io.files import read_typed
        from shoal.metrics.assessment import assess as measure_both
        from shoal.metrics.assessment import changed_columns
        from shoal.report import table as lines

        dialect = Dialect(
            separator, decimal, encoding, missing, sheet, layout, table, memory_limit=memory_limit
        )
        types = as_types(parse_type_options(type_ or []))
        before = read_typed(original, types, dialect)
        after = read_typed(masked, types, replace(dialect, table=masked_table))
        known = column or [
            name for name in changed_columns(before, after) if name not in (confidential or ())
        ]
        found = measure_both(
            before,
            after,
            quasi_identifiers=known,
            confidential=confidential or (),
            measures=measure,
            types=types,
            weight=weight,
        )
        content = {"quasi_identifiers": known, "measures": found, "remarks": found.remarks}
        seen = [*known, *(confidential or ())]
        passed = [name for name in after.column_names if name not in seen]
        line = f"quasi-identifiers: {', '.join(known)}\n"
        if passed:
            line += f"not looked at: {', '.join(passed)}\n"
        line += lines(found, found.remarks)
        say(content, line, as_json=json, quiet=quiet)
