"""``shoal assess``: compare a masked file with its original."""

from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._limits import CheckedLimits, LimitsFile
from shoal.cli._original import read_original
from shoal.cli._session import print_result, session

QuasiIdentifiers = Annotated[
    list[str] | None,
    typer.Option(
        "-c",
        "--column",
        metavar="COLUMN",
        help="Quasi-identifier; repeat for more. By default every column that differs.",
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option("--measure", metavar="MEASURE", help="Measure to compute; all by default."),
]


def assess(
    original: options.Original,
    masked: options.Masked,
    reading: options.ReadOptions,
    column: QuasiIdentifiers = None,
    confidential: options.Confidential = None,
    measure: Measures = None,
    weight: options.Weight = None,
    unit: options.UnitOfOriginal = None,
    types: options.Types = None,
    missing_codes: options.MissingCodes = None,
    masked_table: options.MaskedTable = None,
    by: options.By = None,
    min_group: options.MinGroup = 5,
    aligned: options.Aligned = False,
    limits: LimitsFile = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Measure utility and risk of MASKED against ORIGINAL.

    With --limits, says of each limit on a measure whether it is met.
    """
    with session(quiet=quiet):
        from shoal.metrics.assessment import assess as assess_tables
        from shoal.metrics.assessment import changed_columns
        from shoal.report import table

        checked = CheckedLimits(limits, "assess")
        before = read_original(original, reading.dialect(), types, missing_codes)
        after = before.read_alike(masked, masked_table)
        quasi_identifiers = column or [
            name
            for name in changed_columns(before.table, after)
            if name not in (confidential or ())
        ]
        measures = assess_tables(
            before.table,
            after,
            quasi_identifiers=quasi_identifiers,
            confidential=confidential or (),
            measures=measure,
            types=before.types,
            weight=weight,
            unit=unit,
            by=by,
            min_group=min_group,
            aligned=aligned or None,
        )
        checked.check(measures)
        content = {
            "quasi_identifiers": quasi_identifiers,
            "measures": measures,
            "remarks": measures.remarks,
            **({} if measures.groups is None else {"groups": measures.groups.to_dict()}),
            **checked.content,
        }
        assessed = [*quasi_identifiers, *(confidential or ())]
        others = [name for name in after.column_names if name not in assessed]
        text = f"quasi-identifiers: {', '.join(quasi_identifiers)}\n"
        if others:
            text += f"not assessed: {', '.join(others)}\n"
        text += table(measures, measures.remarks)
        if measures.groups is not None:
            text += f"\n\n{measures.groups}"
        text += checked.text
        print_result(content, text, as_json=json, quiet=quiet)
        checked.exit()
