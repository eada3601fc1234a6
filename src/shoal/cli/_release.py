"""What every command does that masks: deliver, then say what was released."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.cli._large import mask_large
from shoal.cli._session import say
from shoal.cli._verdict import show_findings, status_line
from shoal.errors import FileError, NotKept

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect
    from shoal.plan import Plan
    from shoal.plan.deliver import Delivery, Document
    from shoal.plan.release import Release
    from shoal.scale import LargeRelease

HERE = Path("-")  # a report for the terminal


def release(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    *,
    large: bool,
    dialect: "Dialect",
    report: Path | None,
    audience: str,
    curve: bool,
    manifest: Path | None,
    sign: Path | None,
    hash_key: Path | None,
    target_table: str | None,
    scheduler: str | None,
    chunk_size: int | None,
    allow_not_kept: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
    seed: int | None = None,
    plan_file: Path | None = None,
) -> None:
    """Mask a table in memory, or a ``large`` one on a cluster, and say what was released."""
    from shoal.io.publish import refuse_overwriting

    made: Release | LargeRelease
    shared = {"sign": signing_key(sign, manifest), "hash_key": hash_key}
    try:
        if large:
            refuse_overwriting((report, manifest), [(plan_file, "plan")])
            others = {"--curve": curve, "--target-table": target_table}
            made = mask_large(
                plan,
                sources,
                target,
                dialect=dialect,
                others=others,
                audience=audience,
                report=report if report != HERE else None,
                manifest=manifest,
                client=scheduler,
                chunk_size=chunk_size,
                random_state=seed,
                allow_not_kept=allow_not_kept,
                force=force,
                **shared,
            )
        else:
            made = release_file(
                plan,
                sources[0],
                target,
                dialect=dialect,
                report=report,
                audience=audience,
                curve=curve,
                manifest=manifest,
                target_table=target_table,
                plan_file=plan_file,
                allow_not_kept=allow_not_kept,
                force=force,
                **shared,
            )
    except NotKept as error:
        way_out = "--allow-not-kept writes it all the same."
        raise NotKept(f"{error.template} {way_out}", verdict=error.verdict) from None
    tell(made, target, report, as_json=as_json, quiet=quiet, audience=audience)


def release_file(
    plan: "Plan",
    source: str,
    target: str,
    *,
    dialect: "Dialect",
    report: Path | None,
    force: bool,
    audience: str = "public",
    curve: bool = False,
    target_table: str | None = None,
    plan_file: Path | None = None,
    manifest: Path | None = None,
    sign: Any = None,
    hash_key: Path | None = None,
    allow_not_kept: bool = False,
) -> "Release":
    """Deliver a release with its report and its manifest, signed with the key ``sign``."""
    from shoal.audit import manifest as manifests
    from shoal.audit.record import Record
    from shoal.cli._later import let_go
    from shoal.comparison.tradeoff import around
    from shoal.plan.deliver import deliver
    from shoal.report import check_audience, check_report, report_text, summarise

    let_go()
    check_audience(audience)
    documents: dict[Path, Document] = {}
    page: list[str] = []
    if report is not None and report != HERE:
        check_report(report)

        def write_report(delivery: "Delivery", path: Path = report) -> str:
            points = around(plan, delivery.table, n_jobs=os.cpu_count() or 1) if curve else []
            page[:] = [report_text(summarise(delivery.release, audience, curve=points), path)]
            return page[0]

        documents[report] = write_report
    record = None
    if manifest is not None:
        record = Record(manifest, signing_key=sign, hash_key=hash_key)
        places = {"source": (source, dialect.table), "target": (target, target_table)}

        def write_manifest(delivery: "Delivery", key: bytes = record.hash_key) -> str:
            entries = manifests.of_delivery(delivery, dialect, **places, hash_key=key)
            if report is not None and page:
                entries = manifests.with_report(entries, report.name, page[0])
            return manifests.dumps(entries)

        documents |= record.documents(write_manifest)
    return deliver(
        plan,
        source,
        target,
        dialect=dialect,
        target_table=target_table,
        documents=documents,
        secret=() if record is None else record.secret,
        inputs=[(plan_file, "plan")],
        fingerprints=manifest is not None,
        allow_not_kept=allow_not_kept,
        force=force,
    ).release


def signing_key(sign: Path | None, manifest: Path | None) -> Any:
    """Return the key that signs a manifest; ask for its passphrase where a terminal is there."""
    if sign is None:
        return None
    from shoal.audit.keys import load_private_key
    from shoal.audit.record import check_signing

    check_signing(manifest, sign)
    try:
        return load_private_key(sign)
    except FileError as error:
        if error.code != "passphrase-needed" or not sys.stdin.isatty():
            raise
    return load_private_key(sign, passphrase=typer.prompt("Passphrase", hide_input=True, err=True))


def tell(
    made: "Release | LargeRelease",
    target: str,
    report: Path | None,
    *,
    as_json: bool,
    quiet: bool,
    audience: str = "public",
) -> None:
    """Say what was released, and what the person who signs must know."""
    from shoal.io.database import redact_address
    from shoal.report import one_line, summarise, whole_text

    summary = summarise(made, audience)
    files: Sequence[Mapping[str, Any]] = getattr(made, "files", ())  # of a folder
    inside = f", in {len(files)} file{'s' if len(files) > 1 else ''}" if files else ""
    line = f"{redact_address(target)}: {one_line(summary)}{inside}\n{status_line(made.verdict)}"
    if report == HERE:
        line = f"{redact_address(target)}: {whole_text(summary)}"
    elif report is not None:
        line += f"\n{report}: the report"
    places = {"target": redact_address(target), "report": str(report) if report else None}
    told = {name: part for name, part in summary.items() if name != "pictures"}
    told |= {"files": list(files)} if files else {}
    say({**places, **told}, line, as_json=as_json, quiet=quiet)
    show_findings(made.verdict)
    for warning in summary["warnings"]:
        typer.secho(f"warning: {warning}", fg="yellow", err=True)
    if made.verdict.status == "not kept":
        raise typer.Exit(1)
