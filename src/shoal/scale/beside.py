"""Report and manifest of a release: they appear with its folder, or not at all."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.audit import manifest as manifests
from shoal.audit.record import Record
from shoal.errors import FileError
from shoal.io.publish import Publication

if TYPE_CHECKING:
    from shoal.scale.release import LargeRelease


@contextmanager
def beside(
    target: Path, report: Path | None, audience: str, record: Record | None, force: bool
) -> Iterator[Callable[["LargeRelease"], None]]:
    """Let report and manifest be written that get their names when the block is done.

    What cannot be written is refused before the work begins. The files get their names after
    the folder has its own; where one cannot, the error goes on to the folder, which goes back.

    Parameters
    ----------
    target : Path
        The folder of the release.
    report : Path or None
        Where the report is to appear.
    audience : str
        Who reads it.
    record : Record or None
        Where the manifest is to appear, its signature and its hash key.
    force : bool
        Whether files that exist may be replaced.

    Yields
    ------
    callable
        Writes what is to be said about a release.
    """
    text: list[str] = []

    def manifest(made: "LargeRelease") -> str:
        entries = made.manifest
        if report is not None:
            entries = manifests.with_report(entries, report.name, text[0])
        return manifests.dumps(entries)

    documents = {} if record is None else record.documents(manifest)
    secret = () if record is None else record.secret
    _check(target, report, audience, list(documents))
    with Publication(force=force) as publication:
        page = None if report is None else publication.add(report)
        parts = {path: publication.add(path, secret=path in secret) for path in documents}

        def write(made: "LargeRelease") -> None:
            from shoal.report import report_text, summarise

            if page is not None and report is not None:
                text[:] = [report_text(summarise(made, audience), report)]
                page.write_text(text[0], encoding="utf-8")
            for path, document in documents.items():
                content = document(made)
                parts[path].write_bytes(content.encode() if isinstance(content, str) else content)

        yield write


def _check(target: Path, report: Path | None, audience: str, documents: Sequence[Path]) -> None:
    """Refuse files that cannot be written, or not there."""
    from shoal.report import check_audience, check_report  # templates, not for workers

    check_audience(audience)
    if report is not None:
        check_report(report)
    for path in (report, *documents):
        if path is not None and target in (path.resolve(), *path.resolve().parents):
            raise FileError(
                f"{str(path)!r} lies in the folder of the release, which holds nothing but its"
                " files. Write it beside the folder.",
                code="inside-the-release",
                file=str(path),
            )
