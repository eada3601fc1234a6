"""Write the report and the manifest of a release together with its folder, or not at all."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.audit import manifest as manifests
from shoal.audit.manifest_files import ManifestFiles
from shoal.errors import FileError
from shoal.io.publish import Publication

if TYPE_CHECKING:
    from shoal.scale.release import LargeRelease


@contextmanager
def sidecar_files(
    target: Path | str,
    report: Path | None,
    audience: str,
    manifest_files: ManifestFiles | None,
    force: bool,
) -> Iterator[Callable[["LargeRelease"], None]]:
    """Yield a function that writes report and manifest; they are published at the end.

    Paths that cannot be written are refused before the work begins. The files are published after
    the folder; if that fails, the error reaches the context of the folder, which restores its
    target.

    Parameters
    ----------
    target : Path or str
        The folder of the release, or its address.
    report : Path or None
        The path of the report.
    audience : {"public", "internal"}
        The readers of the report.
    manifest_files : ManifestFiles or None
        The paths of the manifest, its signature and its hash key.
    force : bool
        Whether existing files may be replaced.

    Yields
    ------
    callable
        Writes the report and the manifest of a release.
    """
    page_text: list[str] = []

    def manifest(release: "LargeRelease") -> str:
        entries = release.manifest
        if report is not None:
            entries = manifests.with_report(entries, report.name, page_text[0])
        return manifests.dumps(entries)

    documents = {} if manifest_files is None else manifest_files.documents(manifest)
    secret = () if manifest_files is None else manifest_files.secret_files
    _check_paths(target, report, audience, list(documents))
    with Publication(force=force) as publication:
        if report is not None:
            publication.add(report)
        for path in documents:
            publication.add(path, secret=path in secret)

        def write(release: "LargeRelease") -> None:
            from shoal.report.summary import summarise
            from shoal.report.write import report_text

            if report is not None:
                page_text[:] = [report_text(summarise(release, audience), report)]
                publication.write(report, page_text[0])
            for path, document in documents.items():
                publication.write(path, document(release))

        yield write


def _check_paths(
    target: Path | str, report: Path | None, audience: str, documents: Sequence[Path]
) -> None:
    """Refuse paths that cannot be written, or are inside the release."""
    from shoal.report.summary import check_audience  # workers do not need the templates
    from shoal.report.write import check_report

    check_audience(audience)
    if report is not None:
        check_report(report)
    for path in (report, *documents):
        if path is not None and target in (path.resolve(), *path.resolve().parents):
            raise FileError(
                f"{str(path)!r} is inside the folder of the release, which contains nothing but its"
                " files. Write it next to the folder.",
                code="inside-the-release",
                file=str(path),
            )
