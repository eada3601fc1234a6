"""The documents that are written beside a release: its report, its plan and its manifest."""

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
        The functions, which are called with the delivery, in order.
    secret : tuple of Path
        The documents that only their owner may read.
    """

    by_path: "dict[Path, DocumentWriter]" = field(default_factory=dict)
    secret: tuple[Path, ...] = ()


def describe_documents(writing: ReleaseOptions, save_plan: Path | None) -> dict[Path, str]:
    """Return the files that a run writes beside the release, with what each of them is."""
    descriptions: dict[Path, str] = {}
    if writing.report not in (None, STDOUT):
        descriptions[writing.report] = "the report"
    if save_plan is not None:
        descriptions[save_plan] = "the plan"
    if writing.manifest is not None:
        from shoal.audit.hashes import hash_key_path
        from shoal.audit.signature import signature_path

        descriptions[writing.manifest] = "the manifest"
        if writing.sign is not None:
            descriptions[signature_path(writing.manifest)] = "the signature of the manifest"
        hash_key = writing.hash_key or hash_key_path(writing.manifest)
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
    writing: ReleaseOptions,
    *,
    signing_key: Any = None,
    save_plan: Path | None = None,
) -> DocumentWriters:
    """Return what writes the documents of a release; refuse options that contradict each other.

    The plan is written to ``save_plan``, without the seeds that the run drew; the manifest is
    signed with the private ``signing_key``.
    """
    from shoal.plan.definition import document

    _check_report_options(writing)
    report = None if writing.report == STDOUT else writing.report
    writers = DocumentWriters()
    if save_plan is not None:
        plan_text = document.dumps(plan.to_dict(drawn_seeds=False), save_plan.suffix.lower())
        writers.by_path[save_plan] = lambda delivery: plan_text
    write_report = None
    if report is not None:  # rendered once: the manifest contains its hash
        write_report = cache(partial(_report_text, plan, target, writing, report))
        writers.by_path[report] = write_report
    if writing.manifest is not None:
        from shoal.audit.manifest_files import ManifestFiles

        manifest_files = ManifestFiles(
            writing.manifest, signing_key=signing_key, hash_key=writing.hash_key
        )
        locations = {"source": (source, dialect.table), "target": (target, writing.target_table)}
        write_manifest = _manifest_writer(dialect, locations, manifest_files, report, write_report)
        writers.by_path |= manifest_files.documents(write_manifest)
        writers.secret = tuple(manifest_files.secret)
    return writers


def _manifest_writer(
    dialect: "Dialect",
    locations: dict[str, tuple[str, str | None]],
    manifest_files: "ManifestFiles",
    report: Path | None,
    write_report: "DocumentWriter | None",
) -> Callable[["Delivery"], str]:
    """Return the function that returns the manifest of a delivery."""
    from shoal.audit import manifest as manifests

    def manifest_text(delivery: "Delivery") -> str:
        entries = manifests.of_delivery(
            delivery, dialect, **locations, hash_key=manifest_files.hash_key
        )
        if report is not None and write_report is not None:
            entries = manifests.with_report(entries, report.name, str(write_report(delivery)))
        return manifests.dumps(entries)

    return manifest_text


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
    from shoal.comparison.tradeoff import run_with_dependences
    from shoal.report.evidence import gather_evidence
    from shoal.report.summary import summarise
    from shoal.report.write import report_text

    release, points, evidence = delivery.release, [], None
    if writing.curve:
        plan_used = release.plan  # with the kinds that were inferred from the file
        interpreted = plan.replace(types=plan_used.types, missing_codes=plan_used.missing_codes)
        points = run_with_dependences(interpreted, delivery.original_table, n_jobs=None)
    if writing.evidence:
        evidence = gather_evidence(release, delivery.original_table)
    summary = summarise(
        release,
        writing.audience,
        curve=points,
        identity=report_identity(writing, target, delivery),
        evidence=evidence,
        wording=current_wording(),
    )
    return report_text(summary, path)


def report_identity(writing: ReleaseOptions, target: str, delivery: "Delivery") -> "Identity":
    """Return title, author, file and date of a report on a delivery."""
    from shoal.io.database.connection import is_database, redact_address
    from shoal.report.identity import Identity, today

    return Identity(
        writing.title,
        writing.author,
        file=redact_address(target) if is_database(target) else Path(target).name,
        sha256=delivery.target.sha256 if delivery.target else "",
        date=today(),
    )
