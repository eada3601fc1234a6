"""Report and manifest of a release: they appear with its folder, or not at all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.audit import manifest as manifests
from shoal.errors import FileError
from shoal.io.publish import Publication

if TYPE_CHECKING:
    from shoal.scale.release import LargeRelease


@contextmanager
def beside(
    target: Path, report: Path | None, audience: str, manifest: Path | None, force: bool
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
    manifest : Path or None
        Where the manifest is to appear.
    force : bool
        Whether files that exist may be replaced.

    Yields
    ------
    callable
        Writes what is to be said about a release.
    """
    _check(target, report, audience, manifest)
    with Publication(force=force) as publication:
        page = None if report is None else publication.add(report)
        record = None if manifest is None else publication.add(manifest)

        def write(made: "LargeRelease") -> None:
            from shoal.report import report_text, summarise

            if page is not None and report is not None:
                text = report_text(summarise(made, audience), report)
                page.write_text(text, encoding="utf-8")
            if record is not None:
                record.write_text(manifests.dumps(made.manifest), encoding="utf-8")

        yield write


def _check(target: Path, report: Path | None, audience: str, manifest: Path | None) -> None:
    """Refuse files that cannot be written, or not there."""
    from shoal.report import check_audience, check_report  # templates, not for workers

    check_audience(audience)
    if report is not None:
        check_report(report)
    if manifest is not None:
        manifests.check_manifest(manifest)
    for path in (report, manifest):
        if path is not None and target in (path.resolve(), *path.resolve().parents):
            raise FileError(
                f"{str(path)!r} lies in the folder of the release, which holds nothing but its"
                " files. Write it beside the folder."
            )
