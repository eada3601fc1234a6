"""``shoal verify``: hold a release against its manifest and its promise."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import _options as options
from shoal.cli._session import say, session
from shoal.cli._verdict import show_findings, status_line

Released = Annotated[str, typer.Argument(help="The released file, folder or database.")]
Manifest = Annotated[
    Path, typer.Option("--manifest", help="The manifest that was written with it.")
]
Original = Annotated[
    list[str] | None,
    typer.Option(
        "--original",
        help="What was masked; the plan is run on it again. Repeat it for several Parquet files.",
    ),
]
OriginalTable = Annotated[
    str | None, typer.Option("--original-table", help="Original table, where in a database.")
]
Earlier = Annotated[
    list[str] | None,
    typer.Option(
        "--earlier",
        help="Earlier release of the same people: count the candidates left in all. Repeatable.",
    ),
]
Key = Annotated[
    Path | None,
    typer.Option(
        "--key", help="Public key: .pem. The manifest's signature must be there and be of it."
    ),
]
Agreed = Annotated[
    Path | None,
    typer.Option("--plan", help="Plan that was agreed on; the manifest's must be the same."),
]
Report = Annotated[
    Path | None, typer.Option("--report", help="The report that was written with the release.")
]
HashKey = Annotated[
    Path | None,
    typer.Option(
        "--hash-key", help="Secret that keys the original's hash; beside the manifest by default."
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Fail also where the verdict is only qualified.")
]
SIGNS = {True: "ok  ", False: "FAIL", None: "-   "}


def verify(
    released: Released,
    manifest: Manifest,
    original: Original = None,
    earlier: Earlier = None,
    key: Key = None,
    plan: Agreed = None,
    report: Report = None,
    hash_key: HashKey = None,
    layout: options.Layout = None,
    table: options.Table = None,
    original_table: OriginalTable = None,
    scheduler: options.Scheduler = None,
    strict: Strict = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Check RELEASED against its manifest and its promise, with or without the original."""
    with session(quiet=quiet):
        from shoal.audit import verify as look
        from shoal.cli._later import let_go

        let_go()
        found = look(
            released,
            manifest,
            original=original,
            earlier=earlier or (),
            key=key,
            plan=plan,
            report=report,
            hash_key=hash_key,
            table=table,
            original_table=original_table,
            layout=layout,
            client=scheduler,
        )
        lines = [f"{SIGNS[check.passed]} {check.name}: {check.message}" for check in found]
        content: dict[str, Any] = {"checks": [check._asdict() for check in found]}
        verdict = found.verdict
        if verdict is not None:
            lines.append(status_line(verdict))
            content["verdict"] = verdict.to_dict()
        say(content, "\n".join(lines), as_json=json, quiet=quiet)
        if verdict is not None:
            show_findings(verdict)
        if not found.passed or (strict and verdict is not None and verdict.status != "kept"):
            raise typer.Exit(1)
