"""Masking a table, in memory or on a cluster, with the options of a command."""

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
    read_options: ReadOptions,
    release_options: ReleaseOptions,
    *,
    as_json: bool,
    quiet: bool,
    seed: int | None = None,
    plan_file: Path | None = None,
    save_plan: Path | None = None,
) -> None:
    """Mask a table in memory or on a cluster, write the release and print the result.

    Parameters
    ----------
    plan : Plan
        What is done to the table.
    sources : list of str
        The file or database to read; or Parquet files and folders of them, for a cluster.
    target : str
        The file, database or folder to write.
    read_options, release_options : ReadOptions, ReleaseOptions
        How to read the source and write the release.
    as_json, quiet : bool
        Whether to print the result as JSON, and whether to print only warnings and errors.
    seed : int, optional
        Seed of the samples that a cluster draws; the seeds of steps are in the plan.
    plan_file : Path, optional
        The file that the plan was read from, which is not overwritten.
    save_plan : Path, optional
        The file to write the plan to.
    """
    release: Release | LargeRelease
    identity = None
    large = is_large(sources, target, release_options.scheduler, release_options.chunk_size)
    if large and save_plan is not None:
        raise ParameterError(
            "--save-plan is not supported for tables larger than memory. Leave it out.",
            code="not-for-large-tables",
            option="save_plan",
        )
    key = _load_signing_key(release_options.sign, release_options.manifest)
    documents = describe_documents(release_options, save_plan)
    dialect = read_options.dialect(
        keep_notes=release_options.keep_notes, mark_formulas=release_options.mark_formulas
    )
    files = {"plan_file": plan_file, "signing_key": key}
    try:
        if large:
            release = _release_folder(
                plan, sources, target, dialect, release_options, seed=seed, **files
            )
        else:
            delivery = release_file(
                plan, sources[0], target, dialect, release_options, save_plan=save_plan, **files
            )
            release = delivery.release
            identity = report_identity(release_options, target, delivery)
    except NotKept as error:
        way_out = "Use --allow-not-kept to write it anyway."
        raise NotKept(f"{error.template} {way_out}", verdict=error.verdict) from None
    print_release(
        release,
        target,
        release_options,
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
    release_options: ReleaseOptions,
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
        plan, source, target, dialect, release_options, signing_key=signing_key, save_plan=save_plan
    )
    return deliver(
        plan,
        source,
        target,
        dialect=dialect,
        target_table=release_options.target_table,
        documents=documents.by_path,
        secret=documents.secret,
        inputs=[(plan_file, "plan"), (release_options.limits, "limits")],
        fingerprints=bool(documents.by_path),
        allow_not_kept=release_options.allow_not_kept,
        force=release_options.force,
    )


def _release_folder(
    plan: "Plan",
    sources: Sequence[str],
    target: str,
    dialect: "Dialect",
    release_options: ReleaseOptions,
    *,
    signing_key: Any,
    seed: int | None,
    plan_file: Path | None,
) -> "LargeRelease":
    """Mask a table on a cluster into a folder; refuse options without effect there."""
    from shoal.io.publish import refuse_overwriting

    refuse_overwriting((release_options.report, release_options.manifest), [(plan_file, "plan")])
    return mask_large(
        plan,
        sources,
        target,
        dialect=dialect,
        unsupported={
            "--curve": release_options.curve,
            "--evidence": release_options.evidence,
            "--target-table": release_options.target_table,
            "--title": release_options.title,
            "--author": release_options.author,
        },
        audience=release_options.audience,
        report=release_options.report if release_options.report != STDOUT else None,
        manifest=release_options.manifest,
        scratch=release_options.scratch,
        client=release_options.scheduler,
        chunk_size=release_options.chunk_size,
        random_state=seed,
        allow_not_kept=release_options.allow_not_kept,
        force=release_options.force,
        sign=signing_key,
        hash_key=release_options.hash_key,
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
