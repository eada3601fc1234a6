"""``shoal inspect``: look at a file before masking it."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._session import say, session

Starter = Annotated[
    Path | None, typer.Option("--plan", help="Write a plan to start from here: .toml.")
]
ForPlan = Annotated[
    int | None, typer.Option("-k", min=1, help="The k of that plan; else it is left to fill in.")
]


def inspect(
    source: options.Source,
    plan: Starter = None,
    k: ForPlan = None,
    separator: options.Separator = None,
    decimal: options.Decimal = ".",
    encoding: options.Encoding = "utf-8",
    missing: options.Missing = "",
    sheet: options.Sheet = None,
    layout: options.Layout = None,
    table: options.Table = None,
    memory_limit: options.MemoryLimit = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Show the columns of SOURCE, how telling they are, and which roles they may have."""
    with session():
        from shoal.errors import FileError, ParameterError
        from shoal.frame.inspect import format_inspection
        from shoal.frame.inspect import inspect as look
        from shoal.frame.starter import starter_plan
        from shoal.io.database import redact_address as place
        from shoal.io.dialect import Dialect
        from shoal.io.files import read
        from shoal.io.publish import Publication

        if plan is not None and plan.suffix.lower() != ".toml":
            raise FileError(
                f"A plan to start from is a .toml file; {plan.name!r} is none.",
                code="plan-ending",
                file=plan.name,
            )
        if k is not None and plan is None:
            raise ParameterError(
                "-k is for the plan. Name its file with --plan.",
                code="option-needs-option",
                option="k",
            )
        dialect = Dialect(
            separator, decimal, encoding, missing, sheet, layout, table, memory_limit=memory_limit
        )
        found = look(read(source, dialect=dialect))
        text = f"{place(source)}\n{format_inspection(found)}"
        if plan is not None:
            name = table or Path(source).name
            with Publication(force=force) as publication:
                page = publication.add(plan)
                page.write_text(starter_plan(found, name, k), encoding="utf-8")
            text += f"\n{plan}: a plan to start from"
        say(found, text, as_json=json, quiet=False)
