"""Documents that are written beside a release: its report, its plan and its manifest."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli.console.session import current_wording
from shoal.cli.options import ReleaseOptions
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.audit.manifest_files import ManifestFiles
    from shoal.io.dialect import Dialect
    from shoal.plan import Plan
    from shoal.plan.deliver import Delivery, DocumentWriter
    from shoal.report.identity import Identity

STDOUT = Path("-")  # prints the report instead of writing it


@dataclass
class DocumentWriters:
    """The functions that return the text of each document.

    Parameters
    ----------
    by_path : dict of Path to callable
        The function for each document; they are called with the delivery, in this order.
    secret : tuple of Path
        Documents that only their owner may read.
    """

    by_path: "dict[Path, DocumentWriter]" = field(default_factory=dict)
    secret: tuple[Path, ...] = ()


def describe_documents(release_options: ReleaseOptions, save_plan: Path | None) -> dict[Path, str]:
    """Return a description of each file that a run writes beside the release."""
    descriptions: dict[Path, str] = {}
    if release_options.report not in (None, STDOUT):
        descriptions[release_options.report] = "the report"
    if save_plan is not None:
        descriptions[save_plan] = "the plan"
    if release_options.manifest is not None:
        from shoal.audit.hashes import hash_key_path
        from shoal.audit.signature import signature_path

        descriptions[release_options.manifest] = "the manifest"
        if release_options.sign is not None:
            descriptions[signature_path(release_options.manifest)] = "the signature of the manifest"
        hash_key = release_options.hash_key or hash_key_path(release_options.manifest)
        if not hash_key.exists():
            descriptions[hash_key] = (
                "the secret key of the manifest; keep it, and do not publish it"
            )
    return descriptions


def document_writers(
    plan: "Plan",
    source: str,
    target: str,
    dialect: "Dialect",
    release_options: ReleaseOptions,
    *,
    signing_key: Any = None,
    save_plan: Path | None = None,
) -> DocumentWriters:
    """Return the writers of the documents of a release; refuse options that contradict each other.

    The plan is written to ``save_plan`` without the seeds that the run drew. The manifest is signed
    with the private key ``signing_key``.
    """
    from shoal.plan.definition import document

    _check_report_options(release_options)
    report = None if release_options.report == STDOUT else release_options.report
    writers = DocumentWriters()
    if save_plan is not None:
        plan_text = document.dumps(plan.to_dict(drawn_seeds=False), save_plan.suffix.lower())
        writers.by_path[save_plan] = lambda delivery: plan_text
    write_report = None
    if report is not None:  # rendered once: the manifest contains its hash
        write_report = cache(partial(_report_text, plan, target, release_options, report))
        writers.by_path[report] = write_report
    if release_options.manifest is not None:
        from shoal.audit.manifest_files import ManifestFiles

        manifest_files = ManifestFiles(
            release_options.manifest, signing_key=signing_key, hash_key=release_options.hash_key
        )
        locations = {
            "source": (source, dialect.table),
            "target": (target, release_options.target_table),
        }
        write_manifest = _manifest_writer(dialect, locations, manifest_files, report, write_report)
        writers.by_path |= manifest_files.documents(write_manifest)
        writers.secret = tuple(manifest_files.secret_files)
    return writers


def _manifest_writer(
    dialect: "Dialect",
    locations: dict[str, tuple[str, str | None]],
    manifest_files: "ManifestFiles",
    report: Path | None,
    write_report: "DocumentWriter | None",
) -> Callable[["Delivery"], str]:
    """Return the writer of the manifest."""
    from shoal.audit import manifest as manifests

    def manifest_text(delivery: "Delivery") -> str:
        entries = manifests.of_delivery(
            delivery, dialect, **locations, hash_key=manifest_files.hash_key
        )
        if report is not None and write_report is not None:
            entries = manifests.with_report(entries, report.name, str(write_report(delivery)))
        return manifests.dumps(entries)

    return manifest_text


def _check_report_options(release_options: ReleaseOptions) -> None:
    """Refuse options of the report that contradict each other."""
    from shoal.report.summary import check_audience, check_evidence_audience

    check_audience(release_options.audience)
    if release_options.evidence:
        check_evidence_audience(release_options.audience)
        if release_options.report is None or release_options.report == STDOUT:
            raise ParameterError(
                "--evidence is a part of the report. Name a file with --report.",
                code="evidence-without-report",
            )
    if release_options.report is not None and release_options.report != STDOUT:
        from shoal.report.write import check_report

        check_report(release_options.report)


def _report_text(
    plan: "Plan", target: str, release_options: ReleaseOptions, path: Path, delivery: "Delivery"
) -> str:
    """Return the report on a release, with a curve and with evidence if requested."""
    from shoal.comparison.tradeoff import run_with_dependences
    from shoal.report.attack_evidence import gather_evidence
    from shoal.report.summary import summarise
    from shoal.report.write import report_text

    release = delivery.release
    points = []
    evidence = None
    if release_options.curve:
        plan_used = release.plan  # with the kinds that were inferred from the file
        interpreted = plan.replace(types=plan_used.types, missing_codes=plan_used.missing_codes)
        points = run_with_dependences(interpreted, delivery.original_table, n_jobs=None)
    if release_options.evidence:
        evidence = gather_evidence(release, delivery.original_table)
    summary = summarise(
        release,
        release_options.audience,
        curve=points,
        identity=report_identity(release_options, target, delivery),
        evidence=evidence,
        wording=current_wording(),
    )
    return report_text(summary, path)


def report_identity(
    release_options: ReleaseOptions, target: str, delivery: "Delivery"
) -> "Identity":
    """Return title, author, file, hash and date of the report on a delivery."""
    from shoal.io.database.connection import is_database, redact_address
    from shoal.report.identity import Identity, today

    return Identity(
        release_options.title,
        release_options.author,
        file=redact_address(target) if is_database(target) else Path(target).name,
        sha256=delivery.target.sha256 if delivery.target else "",
        date=today(),
    )
