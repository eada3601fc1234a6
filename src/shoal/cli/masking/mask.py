"""Masking a table as the options say: the release, its documents and what is printed."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.cli.masking.documents import (
    STDOUT,
    describe_documents,
    document_writers,
    report_identity,
)
from shoal.cli.masking.large import mask_large
from shoal.cli.masking.output import print_release
from shoal.cli.options import ReadOptions, ReleaseOptions
from shoal.cli.parsing.sources import is_large
from shoal.errors import FileError, NotKept, ParameterError

if TYPE_CHECKING:
    from shoal.io.dialect import Dialect
    from shoal.plan import Plan
    from shoal.plan.deliver import Delivery
    from shoal.plan.release import Release
    from shoal.scale import LargeRelease


def mask_and_print(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    reading: ReadOptions,
    writing: ReleaseOptions,
    *,
    as_json: bool,
    quiet: bool,
    seed: int | None = None,
    plan_file: Path | None = None,
    save_plan: Path | None = None,
) -> None:
    """Mask a table in memory or on a cluster, write the release and print what it is.

    Parameters
    ----------
    plan : Plan
        The plan.
    sources : list of str
        The file or database to read; or Parquet files and folders of them, for a cluster.
    target : str
        The file, database or folder to write.
    reading, writing : ReadOptions, ReleaseOptions
        How to read the source and write the release.
    as_json, quiet : bool
        Whether to print the result as JSON, or nothing but warnings and errors.
    seed : int, optional
        Seed of the samples that a cluster draws; those of steps are in the plan.
    plan_file : Path, optional
        The file that the plan was read from, which is not overwritten.
    save_plan : Path, optional
        The file to write the plan to.
    """
    released: Release | LargeRelease
    identity = None
    large = is_large(sources, target, writing.scheduler, writing.chunk_size)
    if large and save_plan is not None:
        raise ParameterError(
            "--save-plan is not supported for tables larger than memory. Leave it out.",
            code="not-for-large-tables",
            option="save_plan",
        )
    key = _load_signing_key(writing.sign, writing.manifest)
    documents = describe_documents(writing, save_plan)
    dialect = reading.dialect(keep_notes=writing.keep_notes, mark_formulas=writing.mark_formulas)
    files = {"plan_file": plan_file, "signing_key": key}
    try:
        if large:
            released = _release_folder(plan, sources, target, dialect, writing, seed=seed, **files)
        else:
            delivery = release_file(
                plan, sources[0], target, dialect, writing, save_plan=save_plan, **files
            )
            released, identity = delivery.release, report_identity(writing, target, delivery)
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


def release_file(
    plan: "Plan",
    source: str,
    target: str,
    dialect: "Dialect",
    writing: ReleaseOptions,
    *,
    signing_key: Any = None,
    plan_file: Path | None = None,
    save_plan: Path | None = None,
) -> "Delivery":
    """Deliver a release of a table in memory, with its report, plan and manifest."""
    from shoal.cli.lazy_imports import discard_placeholders
    from shoal.plan.deliver import deliver

    discard_placeholders()
    documents = document_writers(
        plan, source, target, dialect, writing, signing_key=signing_key, save_plan=save_plan
    )
    return deliver(
        plan,
        source,
        target,
        dialect=dialect,
        target_table=writing.target_table,
        documents=documents.by_path,
        secret=documents.secret,
        inputs=[(plan_file, "plan"), (writing.limits, "limits")],
        fingerprints=bool(documents.by_path),
        allow_not_kept=writing.allow_not_kept,
        force=writing.force,
    )


def _release_folder(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    dialect: "Dialect",
    writing: ReleaseOptions,
    *,
    signing_key: Any,
    seed: int | None,
    plan_file: Path | None,
) -> "LargeRelease":
    """Mask a table on a cluster into a folder; refuse options without effect there."""
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
        sign=signing_key,
        hash_key=writing.hash_key,
    )


def _load_signing_key(sign: Path | None, manifest: Path | None) -> Any:
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
