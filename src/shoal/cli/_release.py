"""Masking, writing and reporting, shared by ``shoal mask``, ``shoal run`` and ``shoal demo``."""

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.cli._large import mask_large
from shoal.cli._options import ReadOptions
from shoal.cli._release_options import ReleaseOptions
from shoal.cli._session import current_wording, print_result
from shoal.cli._terminal import echo
from shoal.cli._verdict import print_findings, status_line
from shoal.errors import FileError, NotKept, ParameterError

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect
    from shoal.plan import Plan
    from shoal.plan.deliver import Delivery, Document
    from shoal.plan.release import Release
    from shoal.report.identity import Identity
    from shoal.scale import LargeRelease

STDOUT = Path("-")  # prints the report instead of writing it


def mask_and_print(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    reading: ReadOptions,
    writing: ReleaseOptions,
    *,
    large: bool,
    as_json: bool,
    quiet: bool,
    seed: int | None = None,
    plan_file: Path | None = None,
    save_plan: Path | None = None,
) -> None:
    """Mask a table, in memory or (``large``) on a cluster, write the release and print it."""
    released: Release | LargeRelease
    identity = None
    if large and save_plan is not None:
        raise ParameterError(
            "--save-plan is not supported for tables larger than memory. Leave it out.",
            code="not-for-large-tables",
            option="save_plan",
        )
    key = signing_key(writing.sign, writing.manifest)
    documents = _documents(writing, save_plan)
    dialect = reading.dialect(keep_notes=writing.keep_notes, mark_formulas=writing.mark_formulas)
    try:
        if large:
            released = _release_folder(
                plan, sources, target, dialect, writing, key=key, seed=seed, plan_file=plan_file
            )
        else:
            delivery = release_file(
                plan,
                sources[0],
                target,
                dialect,
                writing,
                key=key,
                plan_file=plan_file,
                save_plan=save_plan,
            )
            released, identity = delivery.release, _identity(writing, target, delivery)
    except NotKept as error:
        way_out = "Use --allow-not-kept to write it anyway."
        raise NotKept(f"{error.template} {way_out}", verdict=error.verdict) from None
    print_release(
        released,
        target,
        writing,
        identity=identity,
        documents=documents,
        as_json=as_json,
        quiet=quiet,
    )


def _documents(writing: ReleaseOptions, save_plan: Path | None) -> dict[Path, str]:
    """Return the files that a run will write beside the release, with what each of them is."""
    documents: dict[Path, str] = {}
    if writing.report not in (None, STDOUT):
        documents[writing.report] = "the report"
    if save_plan is not None:
        documents[save_plan] = "the plan"
    if writing.manifest is not None:
        from shoal.audit.hashes import hash_key_path
        from shoal.audit.signature import signature_path

        documents[writing.manifest] = "the manifest"
        if writing.sign is not None:
            documents[signature_path(writing.manifest)] = "the signature of the manifest"
        hash_key = writing.hash_key or hash_key_path(writing.manifest)
        if not hash_key.exists():
            documents[hash_key] = "the secret key of the manifest; keep it, and do not publish it"
    return documents


def release_file(
    plan: "Plan",
    source: str,
    target: str,
    dialect: "Dialect",
    writing: ReleaseOptions,
    *,
    key: Any = None,
    plan_file: Path | None = None,
    save_plan: Path | None = None,
) -> "Delivery":
    """Deliver a release with its report and its manifest, signed with the private ``key``.

    The plan is written to ``save_plan``, without the seeds that the run drew.
    """
    from shoal.cli._lazy_imports import discard_placeholders
    from shoal.plan.definition import document
    from shoal.plan.deliver import deliver

    discard_placeholders()
    _check_report_options(writing)
    report = None if writing.report == STDOUT else writing.report
    documents: dict[Path, Document] = {}
    if save_plan is not None:
        plan_text = document.dumps(plan.to_dict(drawn_seeds=False), save_plan.suffix.lower())
        documents[save_plan] = lambda delivery: plan_text
    if report is not None:  # made once: the manifest contains its hash
        documents[report] = cache(partial(_report_text, plan, target, writing, report))
    manifest_files = None
    if writing.manifest is not None:
        from shoal.audit import manifest as manifests
        from shoal.audit.manifest_files import ManifestFiles

        manifest_files = ManifestFiles(writing.manifest, signing_key=key, hash_key=writing.hash_key)
        locations = {"source": (source, dialect.table), "target": (target, writing.target_table)}

        def manifest_text(delivery: "Delivery", hash_key: bytes = manifest_files.hash_key) -> str:
            entries = manifests.of_delivery(delivery, dialect, **locations, hash_key=hash_key)
            if report is not None:
                text = str(documents[report](delivery))
                entries = manifests.with_report(entries, report.name, text)
            return manifests.dumps(entries)

        documents |= manifest_files.documents(manifest_text)
    return deliver(
        plan,
        source,
        target,
        dialect=dialect,
        target_table=writing.target_table,
        documents=documents,
        secret=() if manifest_files is None else manifest_files.secret,
        inputs=[(plan_file, "plan"), (writing.limits, "limits")],
        fingerprints=bool(documents),
        allow_not_kept=writing.allow_not_kept,
        force=writing.force,
    )


def _identity(writing: ReleaseOptions, target: str, delivery: "Delivery") -> "Identity":
    """Return title, author, file and date of a report on a delivery."""
    from shoal.io.database import is_database, redact_address
    from shoal.report.identity import Identity, today

    return Identity(
        writing.title,
        writing.author,
        file=redact_address(target) if is_database(target) else Path(target).name,
        sha256=delivery.target.sha256 if delivery.target else "",
        date=today(),
    )


def _check_report_options(writing: ReleaseOptions) -> None:
    """Refuse options of the report that contradict each other."""
    from shoal.report.summary import check_audience, check_evidence_audience

    check_audience(writing.audience)
    if writing.evidence:
        check_evidence_audience(writing.audience)
        if writing.report is None or writing.report == STDOUT:
            raise ParameterError(
                "--evidence is a part of the report. Name a file with --report.",
                code="evidence-without-report",
            )
    if writing.report is not None and writing.report != STDOUT:
        from shoal.report.write import check_report

        check_report(writing.report)


def _report_text(
    plan: "Plan", target: str, writing: ReleaseOptions, path: Path, delivery: "Delivery"
) -> str:
    """Return the report on a release, with a curve and with evidence if requested."""
    from shoal.comparison.tradeoff import run_around
    from shoal.report.evidence import gather_evidence
    from shoal.report.summary import summarise
    from shoal.report.write import report_text

    release, points, evidence = delivery.release, [], None
    if writing.curve:
        plan_used = release.plan  # with the kinds that were inferred from the file
        interpreted = plan.replace(types=plan_used.types, missing_codes=plan_used.missing_codes)
        points = run_around(interpreted, delivery.table, n_jobs=os.cpu_count() or 1)
    if writing.evidence:
        evidence = gather_evidence(release, delivery.table)
    identity = _identity(writing, target, delivery)
    summary = summarise(
        release,
        writing.audience,
        curve=points,
        identity=identity,
        evidence=evidence,
        wording=current_wording(),
    )
    return report_text(summary, path)


def _release_folder(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    dialect: "Dialect",
    writing: ReleaseOptions,
    *,
    key: Any,
    seed: int | None,
    plan_file: Path | None,
) -> "LargeRelease":
    from shoal.io.publish import refuse_overwriting

    refuse_overwriting((writing.report, writing.manifest), [(plan_file, "plan")])
    return mask_large(
        plan,
        sources,
        target,
        dialect=dialect,
        unsupported={
            "--curve": writing.curve,
            "--evidence": writing.evidence,
            "--target-table": writing.target_table,
            "--title": writing.title,
            "--author": writing.author,
        },
        audience=writing.audience,
        report=writing.report if writing.report != STDOUT else None,
        manifest=writing.manifest,
        scratch=writing.scratch,
        client=writing.scheduler,
        chunk_size=writing.chunk_size,
        random_state=seed,
        allow_not_kept=writing.allow_not_kept,
        force=writing.force,
        sign=key,
        hash_key=writing.hash_key,
    )


def signing_key(sign: Path | None, manifest: Path | None) -> Any:
    """Return the private key that signs a manifest; prompt for its passphrase on a terminal."""
    if sign is None:
        return None
    from shoal.audit.keys import load_private_key
    from shoal.audit.manifest_files import check_signing

    check_signing(manifest, sign)
    try:
        return load_private_key(sign)
    except FileError as error:
        if error.code != "passphrase-needed" or not sys.stdin.isatty():
            raise
    return load_private_key(sign, passphrase=typer.prompt("Passphrase", hide_input=True, err=True))


def print_release(
    release: "Release | LargeRelease",
    target: str,
    writing: ReleaseOptions,
    *,
    identity: "Identity | None" = None,
    documents: Mapping[Path, str] | None = None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print what was released, its verdict and its warnings; exit with 1 if it is not kept.

    ``documents`` are the other files that were written, with what each of them is.
    """
    from shoal.io.database import redact_address
    from shoal.report.summary import summarise
    from shoal.report.text import limit_line, one_line, whole_text

    report, location = writing.report, redact_address(target)
    wording = current_wording()
    summary = summarise(release, writing.audience, identity=identity, wording=wording)
    files: Sequence[Mapping[str, Any]] = getattr(release, "files", ())  # of a released folder
    in_files = f", in {len(files)} file{'s' if len(files) > 1 else ''}" if files else ""
    text = f"{location}: {one_line(summary)}{in_files}\n{status_line(release.verdict)}"
    text += "".join(f"\n{limit_line(entry)}" for entry in summary["limits"])
    if report == STDOUT:
        text = f"{location}: {whole_text(summary)}"
    text += "".join(f"\n{path}: {description}" for path, description in (documents or {}).items())
    content: dict[str, Any] = {"target": location, "report": str(report) if report else None}
    content["written"] = {str(path): description for path, description in (documents or {}).items()}
    content |= {name: entry for name, entry in summary.items() if name != "pictures"}
    content |= {"files": list(files)} if files else {}
    print_result(content, text, as_json=as_json, quiet=quiet)
    print_findings(release.verdict)
    for warning in summary["warnings"]:
        echo(f"warning: {warning}", colour="yellow", err=True)
    if release.verdict.status == "not kept":
        raise typer.Exit(1)
