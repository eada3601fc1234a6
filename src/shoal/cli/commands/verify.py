"""``shoal verify``: check a release against its manifest and its guarantee."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal._text import count
from shoal.cli import options
from shoal.cli.console.session import print_error, print_result, session
from shoal.cli.console.verdict import print_findings, status_line
from shoal.cli.options.declarations import flag_option, limits_option, table_option

if TYPE_CHECKING:
    from shoal.audit import Verification

Released = Annotated[
    str, typer.Argument(metavar="RELEASED", help="The released file, folder or database.")
]
Manifest = Annotated[
    Path, typer.Option("--manifest", metavar="FILE", help="Manifest of the release.")
]
Original = Annotated[
    list[str] | None,
    typer.Option(
        "--original",
        metavar="SOURCE",
        help="The original, to run the plan again; repeat it for several Parquet files.",
    ),
]
OriginalTable = Annotated[
    str | None,
    table_option("--original-table", help="Original table in a database."),
]
Earlier = Annotated[
    list[str] | None,
    typer.Option(
        "--earlier",
        metavar="RELEASE",
        help="Earlier release of the same people, to intersect with this one; repeat for more.",
    ),
]
PublicKey = Annotated[
    Path | None,
    typer.Option(
        "--key",
        metavar="KEY",
        help="Public key: .pem. The manifest must be signed with the matching private key.",
    ),
]
AgreedPlan = Annotated[
    Path | None,
    typer.Option("--plan", metavar="PLAN", help="Agreed plan, which the manifest must contain."),
]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Report of the release.")
]
HashKey = Annotated[
    Path | None,
    typer.Option(
        "--hash-key",
        metavar="FILE",
        help="Secret key for the hash of the original; by default next to the manifest.",
    ),
]
VerifiedLimits = Annotated[
    Path | None,
    limits_option(help="Further limits to check besides the plan's: .toml. Most need --original."),
]
Strict = Annotated[
    bool,
    flag_option("--strict", help="Also fail if the verdict is qualified."),
]
OUTCOMES = {True: "ok  ", False: "FAIL", None: "-   "}


def verify(
    released: Released,
    manifest: Manifest,
    original: Original = None,
    earlier: Earlier = None,
    key: PublicKey = None,
    plan: AgreedPlan = None,
    report: Report = None,
    hash_key: HashKey = None,
    limits: VerifiedLimits = None,
    layout: options.Layout = None,
    table: options.Table = None,
    original_table: OriginalTable = None,
    scheduler: options.Scheduler = None,
    n_jobs: options.NJobs = None,
    strict: Strict = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Check RELEASED against its manifest and its guarantee, with or without the original."""
    with session(quiet=quiet, only_own_flags=False):
        from shoal._jobs import default_n_jobs
        from shoal.audit import verify as verify_release
        from shoal.cli.lazy_imports import discard_placeholders

        discard_placeholders()
        with default_n_jobs(n_jobs):
            verification = verify_release(
                released,
                manifest,
                original=original,
                earlier=earlier or (),
                key=key,
                plan=plan,
                report=report,
                hash_key=hash_key,
                limits=limits,
                table=table,
                original_table=original_table,
                layout=layout,
                client=scheduler,
            )
        _print_checks(verification, as_json=json, quiet=quiet)
        verdict = verification.verdict
        fails_strict = strict and verdict is not None and verdict.status != "kept"
        if not verification.passed or fails_strict:
            raise typer.Exit(1)


def _print_checks(verification: "Verification", *, as_json: bool, quiet: bool) -> None:
    """Print the result of each check, the verdict and the checks that failed."""
    lines = [f"{OUTCOMES[check.passed]} {check.name}: {check.message}" for check in verification]
    content: dict[str, Any] = {"checks": [check._asdict() for check in verification]}
    verdict = verification.verdict
    if verdict is not None:
        lines.append(status_line(verdict))
        content["verdict"] = verdict.to_dict()
    print_result(content, "\n".join(lines), as_json=as_json, quiet=quiet)
    if verdict is not None:
        print_findings(verdict)
    failed = [check.name for check in verification if check.passed is False]
    if failed:
        print_error(
            f"{count(len(failed), 'check')} failed: {', '.join(failed)}. The verdict does not cover"
            " these."
        )
