"""``shoal inspect``: look at a file before masking it."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options
from shoal.cli.console.session import print_result, session

StarterPlan = Annotated[
    Path | None, typer.Option("--plan", metavar="FILE", help="Starter plan to write: .toml.")
]
PlanK = Annotated[
    int | None,
    typer.Option(
        "-k", metavar="INT", min=1, help="The k of the starter plan; left open by default."
    ),
]


def inspect(
    source: options.Source,
    read_options: options.ReadOptions,
    plan: StarterPlan = None,
    k: PlanK = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Show the columns of SOURCE, how identifying they are, and suggested roles."""
    with session():
        from shoal.errors import FileError, ParameterError
        from shoal.inspection import inspect_source
        from shoal.io.database.connection import redact_address
        from shoal.io.files import open_source
        from shoal.io.publish import Publication

        if plan is not None and plan.suffix.lower() != ".toml":
            raise FileError(
                f"{plan.name!r} has an unsupported suffix. A starter plan is a .toml file.",
                code="plan-ending",
                file=plan.name,
            )
        if k is not None and plan is None:
            raise ParameterError(
                "-k is for the starter plan. Name its file with --plan.",
                code="option-needs-option",
                option="k",
            )
        opened_source = open_source(source, dialect=read_options.dialect(), numbers=())
        inspection = inspect_source(opened_source, read_options.table or Path(source).name)
        text = f"{redact_address(source)}\n{inspection}"
        if plan is not None:
            with Publication(force=force) as publication:
                temporary_path = publication.add(plan)
                temporary_path.write_text(inspection.starter_plan(k), encoding="utf-8")
            text += f"\n{plan}: the starter plan"
        print_result(inspection.to_dict(), text, as_json=json, quiet=False)
